#pragma once

// The tables of state_space_study.

#include <filesystem>

#include "bench/experiment.h"

namespace trammel::bench {

/// What the user of the program asks for.
struct StudyOptions {
  bool is_full = false;           ///< long runs, too
  std::filesystem::path figures;  ///< folder for figures; empty: none are drawn
};

/// The parts of the study, one a file of this folder.
void print_pendulum_reference(const StudyOptions& options);
void print_pendulum_errors(const StudyOptions& options);
void print_pendulum_limit(const StudyOptions& options);
void print_pendulum_filter(const StudyOptions& options);
void print_pendulum_newton(const StudyOptions& options);
void print_pendulum_norm(const StudyOptions& options);
void print_pendulum_order(const StudyOptions& options);
void print_vehicle_explicit(const StudyOptions& options);
void print_vehicle_times(const StudyOptions& options);
void print_vehicle_steps(const StudyOptions& options);
void print_vehicle_history(const StudyOptions& options);
void print_vehicle_jacobian(const StudyOptions& options);
void print_charts(const StudyOptions& options);
void print_chart_conditions(const StudyOptions& options);
void print_partition_factors(const StudyOptions& options);
void print_work_precision(const StudyOptions& options);

}  // namespace trammel::bench
