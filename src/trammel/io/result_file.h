#pragma once

// Reads result files of both formats (result_writer.h), also the ".part" that a killed or a present run has left.
//
//   const ResultFile results = ResultFile::open("crank.h5");
//   const std::vector<double> x = results.read_column("crank.x");
//
// What a file says about itself and its time are read on opening, the columns when they are asked for.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "trammel/io/continuous_contents.h"
#include "trammel/io/result_header.h"

namespace trammel::io {

/// A file that cannot be read as results, with the reason for the user.
class ResultFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ResultEvent {
  std::string name;
  double t;  ///< [s]
};

/// Everything but the columns. A .csv file has time and the names of the columns only.
struct ResultContents {
  ResultHeader header;
  std::vector<double> time;  ///< [s]
  std::vector<ResultEvent> events;
  ContinuousContents continuous;
  long steps = 0;       ///< rows of the history of steps
  std::string summary;  ///< JSON, as given to ResultWriter::finish()
  bool is_finished = false;
};

/// The columns of an open file; one class a format.
class ResultColumns {
 public:
  virtual ~ResultColumns() = default;
  /// Columns by their places in the header, `count` rows from `first` on: count x columns.
  virtual Eigen::MatrixXd read(std::span<const std::size_t> columns, long first, long count) const = 0;
  /// The same of the history of steps, all its columns.
  virtual Eigen::MatrixXd read_steps(long first, long count) const = 0;
  /// The same of the nodes of the continuous solution; columns by their places in it.
  virtual Eigen::MatrixXd read_nodes(std::span<const std::size_t> columns, long first, long count) const = 0;
};

class ResultFile {
 public:
  /// Throws ResultFileError that says what is wrong: there is no such file, it is not a result file, was written by
  /// a newer version, is cut off or damaged.
  static ResultFile open(const std::string& path);

  const std::string& path() const { return path_; }
  const ResultHeader& header() const { return contents_.header; }
  const std::vector<Column>& columns() const { return contents_.header.columns; }
  long rows() const { return static_cast<long>(contents_.time.size()); }
  const std::vector<double>& time() const { return contents_.time; }
  const std::vector<ResultEvent>& events() const { return contents_.events; }
  /// JSON about the run; empty when it did not finish, and in .csv files.
  const std::string& summary() const { return contents_.summary; }
  /// False for a file that its run could not finish. (Of a .csv file that is not known.)
  bool is_finished() const { return contents_.is_finished; }

  std::optional<std::size_t> find_column(const std::string& name) const;
  /// Places of the columns whose names match: the one of exactly that name, otherwise those of the pattern, in which *
  /// stands for any text and ? for any one letter.
  std::vector<std::size_t> find_columns(const std::string& pattern) const;

  /// By name, "t" included; throws std::invalid_argument when there is none, ResultFileError when it cannot be read.
  std::vector<double> read_column(const std::string& name) const;
  /// Columns by their places in columns(), `count` rows from `first` on: count x columns. For tables that do not fit in
  /// memory.
  Eigen::MatrixXd read(std::span<const std::size_t> columns, long first, long count) const;
  /// One row a step, one column a step column of the header: all of them, or `count` from `first` on.
  Eigen::MatrixXd read_steps() const { return read_steps(0, steps()); }
  Eigen::MatrixXd read_steps(long first, long count) const;
  long steps() const { return contents_.steps; }

  /// The columns and intervals of the continuous solution; empty when the file has none.
  const ContinuousContents& continuous() const { return contents_.continuous; }
  /// Whether evaluate() takes the column.
  bool is_continuous(std::size_t column) const;
  /// The continuous solution at some times: times x columns, by their places in columns(). At a time at which it jumps,
  /// the value after the jump unless `side` says otherwise; NaN in an interval that could not be computed. Throws
  /// std::invalid_argument when a column is not part of it or a time lies outside of its intervals.
  Eigen::MatrixXd evaluate(std::span<const std::size_t> columns, std::span<const double> times,
                           Side side = Side::kAfter) const;
  /// The values at the nodes of an interval: (degree + 1) x columns, by their places in columns().
  Eigen::MatrixXd read_nodes(std::span<const std::size_t> columns, const ContinuousInterval& interval) const;

 private:
  ResultFile(std::string path, ResultContents contents, std::unique_ptr<ResultColumns> source);

  std::string path_;
  ResultContents contents_;
  std::unique_ptr<ResultColumns> source_;
};

/// Places of the columns whose names match, as ResultFile::find_columns().
std::vector<std::size_t> find_columns(const std::vector<Column>& columns, const std::string& pattern);

/// Whether a name matches a pattern of * and ?.
bool matches_pattern(const std::string& name, const std::string& pattern);

}  // namespace trammel::io
