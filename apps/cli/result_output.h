#pragma once

// What the commands that move a mechanism leave behind: a result file and a summary.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem.h"
#include "trammel/integrators/integrate.h"
#include "trammel/io/mechanism_columns.h"
#include "trammel/io/result_writer.h"

namespace trammel::cli {

/// Rows of the result file: what is known of a mechanism, or the plain state of equations.
class ResultRows {
 public:
  /// Keeps references.
  explicit ResultRows(const Problem& problem);

  std::vector<io::Column> columns() const;
  const std::vector<double>& list(const dae::State& state);

 private:
  const dae::Structure& structure_;
  std::unique_ptr<io::MechanismColumns> mechanism_;
  std::vector<double> values_;
};

class ResultOutput {
 public:
  /// Keeps a reference. Adds to the header what is known of the problem and opens the file; without a path nothing is
  /// written. Throws InputError.
  ResultOutput(const std::optional<std::string>& path, const Problem& problem, io::ResultHeader header);

  bool has_file() const { return writer_ != nullptr; }
  /// A run whose results are lost need not go on: a failure sets interruption().
  void write_row(const dae::State& state);
  void write_step(const integrators::StepRecord& step);

  /// Completes the file, prints the summary and returns the exit status.
  int finish(const integrators::RunResult& result, bool as_json);

 private:
  const Problem& problem_;
  ResultRows rows_;
  std::unique_ptr<io::ResultWriter> writer_;
};

/// Throws InputError when there is a path without a name.
void check_out(const std::optional<std::string>& path);

}  // namespace trammel::cli
