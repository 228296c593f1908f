#include "trammel/io/csv_result_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>

namespace trammel::io {
namespace {

/// Lines are gathered up to this size [bytes] or age, whichever comes first.
constexpr std::size_t kBlockSize = 1 << 18;
constexpr std::chrono::seconds kLongestWait{2};

}  // namespace

std::string quote_csv(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

CsvResultWriter::CsvResultWriter(std::string path, const ResultHeader& header)
    : ResultWriter(std::move(path), header), stored_at_(std::chrono::steady_clock::now()) {
  std::string names = kTimeName;
  for (const Column& column : header.columns) names += "," + quote_csv(column.name);
  try {
    part().append(names + '\n');
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("cannot write '{}': {}", this->path(), error.what()));
  }
}

CsvResultWriter::~CsvResultWriter() {
  if (is_finished() || has_failed()) return;
  try {
    store_lines();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left to be told
  }
}

void CsvResultWriter::append_row(double t, std::span<const double> values) {
  fmt::format_to(std::back_inserter(lines_), "{}", t);
  for (const double value : values) fmt::format_to(std::back_inserter(lines_), ",{}", value);
  lines_ += '\n';
  ++waiting_rows_;
  if (lines_.size() >= kBlockSize || std::chrono::steady_clock::now() - stored_at_ >= kLongestWait) store_lines();
}

void CsvResultWriter::store_lines() {
  try {
    part().append(lines_);
    stored_rows_ += waiting_rows_;
  } catch (const std::runtime_error&) {
    store_line_by_line();
  }
  lines_.clear();
  waiting_rows_ = 0;
  stored_at_ = std::chrono::steady_clock::now();
}

void CsvResultWriter::store_line_by_line() {
  for (std::size_t begin = 0; begin < lines_.size(); ++stored_rows_) {
    const std::size_t end = lines_.find('\n', begin) + 1;
    part().append(lines_.substr(begin, end - begin));
    begin = end;
  }
}

void CsvResultWriter::close(const std::string&) { store_lines(); }

}  // namespace trammel::io
