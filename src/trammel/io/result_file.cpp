#include "trammel/io/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>

#include "trammel/io/csv_result_reader.h"
#include "trammel/io/hdf5_result_reader.h"
#include "trammel/math/lobatto.h"

namespace trammel::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n"sv;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw ResultFileError(fmt::format("'{}' {}", path, reason));
}

/// The first bytes of the file, or as many as there are.
std::string read_beginning(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(path, "is a folder");
  const std::string part = path + ".part";
  if (!std::filesystem::exists(path, error) && std::filesystem::exists(part, error)) {
    throw ResultFileError(fmt::format("there is no '{}', but its run has left '{}': read that", path, part));
  }
  // A pipe might never say anything.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    refuse(path, "is not a regular file");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw ResultFileError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::string beginning(kHdf5BeginningSize, '\0');
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(stream.gcount()));
  return beginning;
}

bool looks_like_csv(const std::string& beginning) {
  const std::size_t end = beginning.find_first_of(",\r\n");
  return end != std::string::npos && beginning.substr(0, end) == kTimeName;
}

/// Refuses an HDF5 file that is shorter than it says; the library would say so in words of its own.
void check_length(const std::string& path, const std::string& beginning) {
  const unsigned long long has = std::filesystem::file_size(path);
  const std::optional<unsigned long long> wants = stored_hdf5_size(beginning);
  if (!wants) refuse(path, fmt::format("is cut off: it has {} bytes", has));
  if (has < *wants) refuse(path, fmt::format("is cut off: it has {} of {} bytes", has, *wants));
}

}  // namespace

bool matches_pattern(const std::string& name, const std::string& pattern) {
  // Greedy with one point of return: the last star, and where in the name its text ended.
  std::size_t n = 0, p = 0, star = std::string::npos, after_star = 0;
  const auto skip_letter = [&](std::size_t at) {  // a letter of UTF-8 may be several bytes
    for (++at; at < name.size() && (static_cast<unsigned char>(name[at]) & 0xC0U) == 0x80U;) ++at;
    return at;
  };
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      n = skip_letter(n);
      ++p;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++n;
      ++p;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = after_star = skip_letter(after_star);
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

ResultFile::ResultFile(std::string path, ResultContents contents, std::unique_ptr<ResultColumns> source)
    : path_(std::move(path)), contents_(std::move(contents)), source_(std::move(source)) {}

ResultFile ResultFile::open(const std::string& path) {
  const std::string beginning = read_beginning(path);
  ResultContents contents;
  try {
    if (beginning.empty()) throw ResultFileProblem("is cut off: it is empty");
    if (beginning.starts_with(kHdf5Signature)) {
      check_length(path, beginning);
      auto source = open_hdf5_results(path, contents);
      return {path, std::move(contents), std::move(source)};
    }
    if (kHdf5Signature.starts_with(beginning)) throw ResultFileProblem("is cut off: only its first bytes are there");
    if (!looks_like_csv(beginning)) throw ResultFileProblem("is not a Trammel result file");
    auto source = open_csv_results(path, contents);
    return {path, std::move(contents), std::move(source)};
  } catch (const ResultFileProblem& problem) {
    refuse(path, problem.what());
  } catch (const std::bad_alloc&) {
    refuse(path, "is damaged, or too large for the memory of this computer");
  }
}

std::optional<std::size_t> ResultFile::find_column(const std::string& name) const {
  const auto found =
      std::find_if(columns().begin(), columns().end(), [&](const Column& column) { return column.name == name; });
  if (found == columns().end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns().begin());
}

std::vector<std::size_t> find_columns(const std::vector<Column>& columns, const std::string& pattern) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == pattern) return {i};
    if (matches_pattern(columns[i].name, pattern)) found.push_back(i);
  }
  return found;
}

std::vector<std::size_t> ResultFile::find_columns(const std::string& pattern) const {
  return io::find_columns(columns(), pattern);
}

std::vector<double> ResultFile::read_column(const std::string& name) const {
  if (name == kTimeName) return time();
  const auto place = find_column(name);
  if (!place) throw std::invalid_argument(fmt::format("'{}' has no column '{}'", path_, name));
  const Eigen::MatrixXd values = read(std::array{*place}, 0, rows());
  return {values.data(), values.data() + values.size()};
}

Eigen::MatrixXd ResultFile::read(std::span<const std::size_t> columns, long first, long count) const {
  if (first < 0 || count < 0 || first > rows() - count) {
    throw std::invalid_argument(fmt::format("'{}' has {} rows, not {} from {} on", path_, rows(), count, first));
  }
  for (const std::size_t column : columns) {
    if (column >= this->columns().size())
      throw std::invalid_argument(fmt::format("'{}' has no column {}", path_, column));
  }
  try {
    return source_->read(columns, first, count);
  } catch (const std::runtime_error& error) {
    refuse(path_, fmt::format("is damaged: {}", error.what()));
  }
}

Eigen::MatrixXd ResultFile::read_steps(long first, long count) const {
  if (first < 0 || count < 0 || first > steps() - count) {
    throw std::invalid_argument(fmt::format("'{}' has {} steps, not {} from {} on", path_, steps(), count, first));
  }
  try {
    return source_->read_steps(first, count);
  } catch (const std::runtime_error& error) {
    refuse(path_, fmt::format("is damaged: {}", error.what()));
  }
}

bool ResultFile::is_continuous(std::size_t column) const {
  const std::vector<std::size_t>& there = continuous().columns;
  return !continuous().is_empty() && std::find(there.begin(), there.end(), column) != there.end();
}

Eigen::MatrixXd ResultFile::read_nodes(std::span<const std::size_t> columns, const ContinuousInterval& interval) const {
  const std::vector<std::size_t>& there = continuous().columns;
  std::vector<std::size_t> places;
  for (const std::size_t column : columns) {
    const auto found = std::find(there.begin(), there.end(), column);
    if (found == there.end())
      throw std::invalid_argument(
          fmt::format("column {} is no part of the continuous solution in '{}'", column, path_));
    places.push_back(static_cast<std::size_t>(found - there.begin()));
  }
  try {
    return source_->read_nodes(places, interval.first, interval.degree + 1);
  } catch (const std::runtime_error& error) {
    refuse(path_, fmt::format("is damaged: {}", error.what()));
  }
}

Eigen::MatrixXd ResultFile::evaluate(std::span<const std::size_t> columns, std::span<const double> times,
                                     Side side) const {
  if (continuous().is_empty()) throw std::invalid_argument(fmt::format("'{}' has no continuous solution", path_));
  const std::vector<ContinuousInterval>& intervals = continuous().intervals;
  const double begin = intervals.front().begin, end = intervals.back().end;
  Eigen::MatrixXd result(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(columns.size()));
  const ContinuousInterval* present = nullptr;
  Eigen::MatrixXd nodes;
  std::vector<double> shares;
  Eigen::Index row = 0;
  for (const double t : times) {
    if (!(t >= begin && t <= end)) {
      throw std::invalid_argument(
          fmt::format("t = {} lies outside of the continuous solution in '{}', from {} to {} s", t, path_, begin, end));
    }
    const ContinuousInterval& interval = find_interval(intervals, t, side);
    if (&interval != present) nodes = read_nodes(columns, interval);
    present = &interval;
    shares.resize(static_cast<std::size_t>(interval.degree) + 1);
    const double s = std::min((t - interval.begin) / (interval.end - interval.begin), 1.0);
    math::calc_lobatto_shares(interval.degree, s, shares);
    result.row(row).setZero();
    for (Eigen::Index j = 0; j < nodes.rows(); ++j) {  // at a node, NaN of others does not matter
      const double share = shares[static_cast<std::size_t>(j)];
      if (share != 0) result.row(row) += share * nodes.row(j);
    }
    ++row;
  }
  return result;
}

}  // namespace trammel::io
