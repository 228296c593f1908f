#include "trammel/io/csv_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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
  file_ = std::fopen(temporary_.c_str(), "w");
  if (!file_) throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  std::string header = "t";
  const auto add = [&](const std::vector<std::string>& names, const char* form) {
    for (const std::string& name : names) header += "," + quoted(fmt::format(fmt::runtime(form), name));
  };
  add(structure.position_names, "{}");
  add(structure.velocity_names, "{}");
  add(structure.velocity_names, "a({})");
  add(structure.constraint_names, "lambda({})");
  add(structure.state_names, "{}");
  fmt::print(file_, "{}\n", header);
}

CsvWriter::~CsvWriter() {
  if (!file_) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void CsvWriter::write(const dae::State& state) {
  fmt::print(file_, "{}", state.t);
  for (const linalg::Vector* part : {&state.q, &state.v, &state.a, &state.lambda, &state.x}) {
    for (const double value : *part) fmt::print(file_, ",{}", value);
  }
  std::fputc('\n', file_);
  ++rows_;
}

void CsvWriter::finish() {
  const bool bad = std::ferror(file_) != 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (bad || !closed || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(temporary_.c_str());
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, reason));
  }
}

}  // namespace trammel::io
