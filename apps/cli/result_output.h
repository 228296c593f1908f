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

/// Rows of the result file: what is known of a mechanism, or the plain state of equations and the poses of the bodies
/// that can be drawn of them.
class ResultRows {
 public:
  /// Keeps references.
  explicit ResultRows(const Problem& problem);

  std::vector<io::Column> columns() const;
  const std::vector<double>& list(const dae::State& state);

 private:
  /// A column of a pose: of which body (in the order of Case::bodies), and which component: x, y or the angle.
  struct PoseColumn {
    io::Column column;
    std::size_t body;
    int component;
  };
  void add_pose_columns();

  const cases::Case& given_;
  std::unique_ptr<io::MechanismColumns> mechanism_;
  std::vector<PoseColumn> poses_;
  std::vector<double> values_;
};

class ResultOutput {
 public:
  /// Keeps a reference. Adds to the header what is known of the problem and opens the file; without a path nothing is
  /// written. Throws InputError.
  ResultOutput(const std::optional<std::string>& path, const Problem& problem, io::ResultHeader header);

  bool has_file() const { return writer_ != nullptr; }
  /// Whether finish() left a file with rows under its name.
  bool has_saved_rows() const { return is_saved_ && writer_->rows() > 0; }
  /// A run whose results are lost need not go on: a failure sets interruption().
  void write_row(const dae::State& state);
  void write_step(const integrators::StepRecord& step);

  /// Completes the file, prints the summary and returns the exit status.
  int finish(const integrators::RunResult& result, bool as_json);

 private:
  const Problem& problem_;
  ResultRows rows_;
  std::unique_ptr<io::ResultWriter> writer_;
  bool is_saved_ = false;
};

/// Throws InputError when there is a path without a name.
void check_out(const std::optional<std::string>& path);
/// Throws InputError when what is to be written is the file that is read, be it by a link.
void check_other_file(const std::string& input, const std::string& output);

}  // namespace trammel::cli
