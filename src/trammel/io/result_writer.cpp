#include "trammel/io/result_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "trammel/io/csv_result_writer.h"
#include "trammel/io/hdf5_result_writer.h"

namespace trammel::io {
namespace {

void check_count(std::size_t given, std::size_t wanted, const char* what) {
  if (given == wanted) return;
  throw std::invalid_argument(fmt::format("a {} has {} values, but the header has {} columns", what, given, wanted));
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

ResultWriter::ResultWriter(std::string path, const ResultHeader& header)
    : part_(std::move(path)),
      columns_(header.columns.size()),
      step_columns_(header.step_columns.size()),
      continuous_columns_(header.continuous.size()) {}

ResultWriter::~ResultWriter() {
  // Without a row there is nothing that anybody could want to keep.
  if (!is_finished_ && rows_ == 0 && intervals_ == 0) part_.discard();
}

template <class Append>
bool ResultWriter::store(const Append& append) {
  if (is_finished_) throw std::logic_error(fmt::format("the results '{}' are finished already", path()));
  if (has_failed()) return false;
  try {
    append();
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  return !has_failed();
}

void ResultWriter::write_row(double t, std::span<const double> values) {
  check_count(values.size(), columns_, "row");
  if (store([&] { append_row(t, values); })) ++rows_;
}

void ResultWriter::write_step(std::span<const double> values) {
  check_count(values.size(), step_columns_, "step");
  store([&] { append_step(values); });
}

void ResultWriter::write_interval(const ContinuousInterval& interval, bool shares, std::span<const double> values) {
  const long nodes = interval.degree + (shares ? 0 : 1);
  const bool is_sound =
      interval.degree >= 0 && nodes > 0 && interval.begin < interval.end && (!shares || intervals_ > 0);
  if (!is_sound || continuous_columns_ == 0 || values.size() != static_cast<std::size_t>(nodes) * continuous_columns_) {
    throw std::invalid_argument(
        fmt::format("an interval of degree {} from {} to {} s has {} values, but the header has {} continuous columns",
                    interval.degree, interval.begin, interval.end, values.size(), continuous_columns_));
  }
  if (store([&] { append_interval(interval, shares, values); })) ++intervals_;
}

void ResultWriter::add_event(const std::string& name, double t) {
  store([&] { append_event(name, t); });
}

void ResultWriter::finish(const std::string& summary) {
  if (store([&] { close(summary); })) store([&] { part_.commit(); });
  is_finished_ = true;
  if (!has_failed()) return;
  abandon();
  const std::string kept = stored_rows() == 0
                               ? "no row could be kept"
                               : fmt::format("the first {} rows are in '{}'", stored_rows(), part_.temporary());
  if (stored_rows() == 0) part_.discard();
  throw std::runtime_error(fmt::format("could not write all of '{}': {}; {}", path(), error_, kept));
}

bool has_hdf5_name(const std::string& path) {
  const std::string extension = lower_extension(path);
  return extension == ".h5" || extension == ".hdf5";
}

std::unique_ptr<ResultWriter> create_result_writer(const std::string& path, const ResultHeader& header) {
  const bool is_hdf5 = has_hdf5_name(path);
  if (!is_hdf5 && lower_extension(path) != ".csv") {
    throw std::invalid_argument(
        fmt::format("'{}' has no known format: results are written as .h5, .hdf5 or .csv", path));
  }
  const std::vector<std::string> problems = header.validate();
  if (!problems.empty()) throw std::invalid_argument(fmt::format("cannot write '{}': {}", path, problems.front()));
  if (!is_hdf5 && !header.continuous.empty()) {
    throw std::invalid_argument(
        fmt::format("cannot write '{}': a .csv file holds rows alone; the continuous solution needs .h5", path));
  }
  if (is_hdf5) return std::make_unique<Hdf5ResultWriter>(path, header);
  return std::make_unique<CsvResultWriter>(path, header);
}

}  // namespace trammel::io
