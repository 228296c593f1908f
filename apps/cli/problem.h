#pragma once

// What the user wants to look at: a case that comes with the program, or a model file.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cases/case.h"
#include "trammel/analyses/prepare.h"

namespace trammel::cli {

struct ProblemRequest {
  std::string name;                     ///< of a case or a file
  std::vector<std::string> parameters;  ///< name=value
  analyses::PrepareOptions options;     ///< of a model
};

struct Problem {
  std::string name;
  std::vector<std::pair<std::string, double>> parameters;  ///< all of them, with the values in use
  std::shared_ptr<const model::Model> model;               ///< null for equations
  analyses::Prepared prepared;                             ///< of a model; its `ok` may be false
  std::vector<std::string> notes;                          ///< what the model says twice
  cases::Case given;                                       ///< equations, or the prepared model when that is ok
};

/// Adds CASE|FILE and -p to a command.
void add_problem_options(CLI::App& command, ProblemRequest& request);

/// Throws InputError with what is wrong with the request or the model file. A model that cannot be prepared (its joints
/// do not close) is an answer: Problem::prepared says why.
Problem load_problem(const ProblemRequest& request);

/// The same for commands that need a consistent start: throws PreparationError.
Problem load_ready_problem(const ProblemRequest& request);

/// A model that is sound but cannot be assembled.
class PreparationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "name=value" as its two parts; `option` is the flag it came with. Throws InputError.
std::pair<std::string, std::string> split_assignment(const std::string& text, const char* option);
/// The value of a number or of an expression of numbers: 2*pi, 30 deg. Throws InputError.
double to_number(const std::string& text, const std::string& what);
/// Throws InputError when the value of an option is infinite or not a number.
void require_finite(double value, const char* option);

/// On standard error, a line each.
void print_notes(const std::vector<std::string>& notes);

}  // namespace trammel::cli
