#include "trammel/io/csv_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>

namespace trammel::io {
namespace {

/// A field that holds a separator or a quotation mark is quoted.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

CsvWriter::CsvWriter(std::string path, const dae::Structure& structure)
    : path_(std::move(path)), temporary_(fmt::format("{}.partial-{}", path_, getpid())) {
  if (std::filesystem::is_directory(path_)) {
    throw std::runtime_error(fmt::format("cannot write '{}': it is a folder", path_));
  }
  file_ = std::fopen(temporary_.c_str(), "w");
  if (!file_) throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  line_ = "t";
  const auto add = [&](const std::vector<std::string>& names, const char* before, const char* after) {
    for (const std::string& name : names) line_ += "," + quoted(before + name + after);
  };
  add(structure.position_names, "", "");
  add(structure.velocity_names, "", "");
  add(structure.velocity_names, "a(", ")");
  add(structure.constraint_names, "lambda(", ")");
  add(structure.state_names, "", "");
  write_line();
}

CsvWriter::~CsvWriter() {
  if (!file_) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void CsvWriter::write(const dae::State& state) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{}", state.t);
  for (const linalg::Vector* part : {&state.q, &state.v, &state.a, &state.lambda, &state.x}) {
    for (const double value : *part) fmt::format_to(std::back_inserter(line_), ",{}", value);
  }
  if (write_line()) ++rows_;
}

bool CsvWriter::write_line() {
  if (error_ != 0) return false;
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), file_) != line_.size()) error_ = errno;
  return error_ == 0;
}

void CsvWriter::finish() {
  if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
  file_ = nullptr;
  if (error_ != 0) {
    throw std::runtime_error(fmt::format("could not write all of '{}': {}; the first {} rows are in '{}'", path_,
                                         std::strerror(error_), rows_, temporary_));
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw std::runtime_error(fmt::format("cannot rename '{}' to '{}': {}", temporary_, path_, std::strerror(errno)));
  }
}

}  // namespace trammel::io
