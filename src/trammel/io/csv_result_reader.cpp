#include "trammel/io/csv_result_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>

namespace trammel::io {
namespace {

class CsvColumns final : public ResultColumns {
 public:
  explicit CsvColumns(std::vector<std::vector<double>> values) : values_(std::move(values)) {}

  Eigen::MatrixXd read(std::span<const std::size_t> columns, long first, long count) const override {
    Eigen::MatrixXd result(count, static_cast<Eigen::Index>(columns.size()));
    Eigen::Index place = 0;
    for (const std::size_t column : columns) {
      result.col(place++) = Eigen::Map<const Eigen::VectorXd>(values_[column].data() + first, count);
    }
    return result;
  }
  Eigen::MatrixXd read_steps(long /*first*/, long /*count*/) const override { return {}; }
  Eigen::MatrixXd read_nodes(std::span<const std::size_t> /*columns*/, long /*first*/, long /*count*/) const override {
    return {};
  }

 private:
  std::vector<std::vector<double>> values_;  ///< one list a column
};

/// The fields of the first line, which may be quoted and then hold anything; removes that line from the text.
std::vector<std::string> take_names(std::string_view& text) {
  std::vector<std::string> names(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c != '"') {
        names.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        names.back() += text[i++];
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      names.emplace_back();
    } else if (c == '\n') {
      text.remove_prefix(i + 1);
      return names;
    } else if (c != '\r') {
      names.back() += c;
    }
  }
  throw ResultFileProblem("is cut off: the line of names has no end");
}

double parse_number(std::string_view field, long line) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) {
    throw ResultFileProblem(fmt::format("has '{}' in line {}, which is not a number", field.substr(0, 40), line));
  }
  return value;
}

/// Appends the values of a line to their columns: time first.
void parse_line(std::string_view line, long number, std::vector<double>& time,
                std::vector<std::vector<double>>& values) {
  const std::size_t wanted = values.size() + 1;
  std::size_t fields = 0;
  for (bool is_last = false; !is_last; ++fields) {
    const std::size_t comma = line.find(',');
    is_last = comma == std::string_view::npos;
    if (fields < wanted) {
      (fields == 0 ? time : values[fields - 1]).push_back(parse_number(line.substr(0, comma), number));
    }
    if (!is_last) line.remove_prefix(comma + 1);
  }
  if (fields != wanted) {
    throw ResultFileProblem(fmt::format("has {} values in line {}, but {} names", fields, number, wanted));
  }
}

std::string read_all(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw ResultFileProblem("cannot be read to its end");
  return text;
}

}  // namespace

std::unique_ptr<ResultColumns> open_csv_results(const std::string& path, ResultContents& contents) {
  const bool is_part = path.ends_with(".part");  // a killed program may have left half a line
  const std::string whole = read_all(path);
  std::string_view text = whole;
  const std::vector<std::string> names = take_names(text);
  std::vector<std::vector<double>> values(names.size() - 1);
  for (std::size_t i = 1; i < names.size(); ++i) contents.header.columns.push_back({names[i], "", "table", ""});
  for (long number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    // Without its end, a last number may lack digits and still look like one.
    if (end == std::string_view::npos) {
      if (is_part) break;
      throw ResultFileProblem(fmt::format("is cut off: line {} has no end", number));
    }
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) parse_line(line, number, contents.time, values);
    text.remove_prefix(end + 1);
  }
  contents.is_finished = !is_part;
  return std::make_unique<CsvColumns>(std::move(values));
}

}  // namespace trammel::io
