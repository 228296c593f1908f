#pragma once

// The commands of the program. Each adds itself to the parser and, when chosen, returns the exit status.

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <vector>

#include "trammel/io/model_problem.h"

namespace trammel::cli {

/// 0 done, 1 the simulation failed, 2 the input is wrong.
inline constexpr int kDone = 0;
inline constexpr int kSimulationFailed = 1;
inline constexpr int kInputWrong = 2;

/// Wrong input, with a message for the user; of a model file also what is wrong where.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message, std::vector<io::ModelProblem> problems = {})
      : std::runtime_error(message), problems_(std::move(problems)) {}
  const std::vector<io::ModelProblem>& problems() const { return problems_; }

 private:
  std::vector<io::ModelProblem> problems_;
};

using Action = std::function<int()>;

void add_run_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_statics_command(CLI::App& app, Action& action);
void add_kinematics_command(CLI::App& app, Action& action);
void add_joints_command(CLI::App& app, Action& action);
void add_forces_command(CLI::App& app, Action& action);
void add_schema_command(CLI::App& app, Action& action);
void add_cases_command(CLI::App& app, Action& action);
void add_methods_command(CLI::App& app, Action& action);
void add_results_command(CLI::App& app, Action& action);
void add_plot_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);

}  // namespace trammel::cli
