#pragma once

// What the commands that move a mechanism leave behind: a result file and a summary.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem.h"
#include "trammel/analyses/form.h"
#include "trammel/integrators/integrate.h"
#include "trammel/io/continuous_recorder.h"
#include "trammel/io/mechanism_columns.h"
#include "trammel/io/result_writer.h"

namespace trammel::cli {

/// Rows of the result file: what is known of a mechanism, or the plain state of equations and the poses of the bodies
/// that can be drawn of them.
class ResultRows {
 public:
  /// Keeps references. With `continues_angles`, angles of poses do not jump by full turns; rows must be near then.
  explicit ResultRows(const Problem& problem, bool continues_angles = false);

  std::vector<io::Column> columns() const;
  /// Places of columns that may jump where no step ends.
  std::vector<std::size_t> find_jumping() const;
  const std::vector<double>& list(const dae::State& state);

 private:
  /// A column of a pose: of which body (in the order of Case::bodies), and which component: x, y or the angle.
  struct PoseColumn {
    io::Column column;
    std::size_t body;
    int component;
    double last = 0, last_rate = 0;  ///< of an angle
  };
  void add_pose_columns();
  double continue_angle(PoseColumn& pose, const cases::BodyPose& body, double t) const;

  const cases::Case& given_;
  std::unique_ptr<io::MechanismColumns> mechanism_;
  std::vector<PoseColumn> poses_;
  std::vector<double> values_;
  bool continues_angles_;
  std::optional<double> last_t_;
};

/// Which part of the continuous solution is stored.
struct ContinuousRequest {
  std::vector<std::string> names;  ///< as choose_columns() takes them; empty: all
  int max_degree;
};

class ResultOutput {
 public:
  /// Keeps a reference. Adds to the header what is known of the problem and opens the file; without a path nothing is
  /// written. Throws InputError.
  ResultOutput(const std::optional<std::string>& path, const Problem& problem, io::ResultHeader header,
               const std::optional<ContinuousRequest>& continuous = std::nullopt);

  bool has_file() const { return writer_ != nullptr; }
  bool is_continuous() const { return recorder_ != nullptr; }
  /// Whether finish() left a file with rows under its name.
  bool has_saved_rows() const { return is_saved_ && writer_->rows() > 0; }
  /// A run whose results are lost need not go on: a failure sets interruption().
  void write_row(const dae::State& state);
  void write_step(const integrators::StepRecord& step);
  void write_interval(const integrators::SolutionInterval& interval);
  /// What the user should know of the continuous solution that was stored.
  std::vector<std::string> notes() const;

  /// Completes the file, prints the summary and returns the exit status. Of a model it says in which coordinates it was
  /// integrated, where a form is given.
  int finish(const integrators::RunResult& result, bool as_json, const analyses::Form* form = nullptr);

 private:
  const Problem& problem_;
  ResultRows rows_;
  std::unique_ptr<io::ResultWriter> writer_;
  std::unique_ptr<ResultRows> nodes_;  // rows of their own, in the order of time
  std::unique_ptr<io::ContinuousRecorder> recorder_;
  bool is_saved_ = false;
};

/// Throws InputError when there is a path without a name.
void check_out(const std::optional<std::string>& path);
/// Throws InputError when what is to be written is the file that is read, be it by a link.
void check_other_file(const std::string& input, const std::string& output);

}  // namespace trammel::cli
