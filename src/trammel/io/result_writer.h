#pragma once

// Writes the results of a run as they are computed: rows over time, and if asked for the history of steps and events.
//
//   auto writer = create_result_writer("crank.h5", header);   // or "crank.csv"
//   for (...) writer->write_row(t, values);
//   writer->finish(R"({"status": "completed"})");
//
// Everything goes to "crank.h5.part", which takes the name of the target on finish(); a file that was there stays
// untouched until then. Rows are gathered in memory and stored in blocks, at the latest after a few seconds, so that
// a program that is killed leaves what it had under the temporary name. A run that fails calls finish(), too, with
// its reason in the summary.
//
// The two formats:
//   .h5, .hdf5  everything, self-describing (hdf5_result_writer.h has the layout)
//   .csv        a line of names, then a line a row; steps, events, header and summary are left out, a header that asks
//               for the continuous solution is refused

#include <memory>
#include <span>
#include <string>

#include "trammel/io/continuous_contents.h"
#include "trammel/io/part_file.h"
#include "trammel/io/result_header.h"

namespace trammel::io {

class ResultWriter {
 public:
  virtual ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// One value per column of the header, in its order; NaN where a quantity has none. Throws std::invalid_argument
  /// when the number of values is another. When storing fails (a full disk), this and further rows are dropped,
  /// has_failed() turns true and finish() says why: a run need not be ready for exceptions in the midst of a step.
  void write_row(double t, std::span<const double> values);
  /// One value per step column of the header.
  void write_step(std::span<const double> values);
  /// The next interval of the continuous solution (its `first` is not looked at): the values of the columns that
  /// header.continuous names at its nodes, one node behind the other in the order of time. The first node is left out
  /// where it `shares` it with the interval before, whose last one it is.
  void write_interval(const ContinuousInterval& interval, bool shares, std::span<const double> values);
  void add_event(const std::string& name, double t);

  /// Stores what is left and gives the file its name. `summary` is a JSON object about the run: status, reason,
  /// statistics. Throws std::runtime_error when something could not be written; what could is kept under the temporary
  /// name that the message gives. Once only.
  void finish(const std::string& summary);

  long rows() const { return rows_; }  ///< given to write_row() and not dropped
  bool has_failed() const { return !error_.empty(); }
  const std::string& path() const { return part_.path(); }

 protected:
  ResultWriter(std::string path, const ResultHeader& header);

  /// Storing; each throws std::runtime_error with the bare reason.
  virtual void append_row(double t, std::span<const double> values) = 0;
  virtual void append_step(std::span<const double> values) = 0;
  virtual void append_interval(const ContinuousInterval& interval, bool shares, std::span<const double> values) = 0;
  virtual void append_event(const std::string& name, double t) = 0;
  /// Stores what is left and closes the file.
  virtual void close(const std::string& summary) = 0;
  /// Closes the file after a failure, as well as that still goes.
  virtual void abandon() noexcept = 0;
  /// Rows that a reader of the temporary file would find.
  virtual long stored_rows() const = 0;

  PartFile& part() { return part_; }
  bool is_finished() const { return is_finished_; }

 private:
  template <class Append>
  bool store(const Append& append);

  PartFile part_;
  std::size_t columns_;
  std::size_t step_columns_;
  std::size_t continuous_columns_;
  long rows_ = 0;
  long intervals_ = 0;
  std::string error_;
  bool is_finished_ = false;
};

/// Whether a file of this name is written as HDF5.
bool has_hdf5_name(const std::string& path);

/// A writer of the format that the path ends with. Throws std::invalid_argument when the format is unknown or the
/// header is not sound, std::runtime_error when the file cannot be created.
std::unique_ptr<ResultWriter> create_result_writer(const std::string& path, const ResultHeader& header);

}  // namespace trammel::io
