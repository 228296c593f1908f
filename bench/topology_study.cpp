// topology_study [TABLE]...
//
// The experiments of D. Negrut's thesis (1998) on topology, sections 3.4.2.4 and 3.4.3.5, with our solvers beside its
// figures: times of one factorisation and solution without the evaluation of the equations, and counts of operations.
// Every solution that is timed is checked first. docs/studies/topology.md shows and explains the tables.

#include <array>

#include "bench/study.h"
#include "bench/topology/tables.h"

namespace trammel::bench {
namespace {

constexpr std::array kTables{
    StudyTable<>{"multipliers", "The whole matrix against the reduced one (table 2)", print_multipliers},
    StudyTable<>{"seven-body", "Reduced matrix of the seven-body mechanism (table 3)", print_reduced_planar},
    StudyTable<>{"chain", "Reduced matrix of the chain of 50 (table 4)", print_reduced_chain},
    StudyTable<>{"space", "Reduced matrix of hmmwv14, in space", print_reduced_spatial},
    StudyTable<>{"fill", "Mass matrices in joint coordinates: entries of factors", print_fill},
    StudyTable<>{"gauss", "Vehicle: operations of Gaussian elimination (table 6)", print_gauss_operations},
    StudyTable<>{"alg-s", "Vehicle: operations of Alg-S (table 7)", print_branch_operations},
    StudyTable<>{"alg-d", "Vehicle: operations of Alg-D (table 8)", print_dense_operations},
    StudyTable<>{"vehicle", "Vehicle: times (table 9)", print_vehicle_times},
    StudyTable<>{"profile", "Vehicle: times by step of algorithm 4 (table 10)", print_profile},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  namespace bench = trammel::bench;
  return bench::print_tables("topology_study [TABLE]...", bench::kTables, bench::words_of(argc, argv));
}
