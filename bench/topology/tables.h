#pragma once

// The tables of topology_study, one part a file of this folder.

namespace trammel::bench {

void print_multipliers();
void print_reduced_planar();
void print_reduced_chain();
void print_reduced_spatial();
void print_fill();
void print_gauss_operations();
void print_branch_operations();
void print_dense_operations();
void print_vehicle_times();
void print_profile();

}  // namespace trammel::bench
