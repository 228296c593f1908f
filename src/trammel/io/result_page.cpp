#include "trammel/io/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>

#include "trammel/io/base64.h"
#include "trammel/io/part_file.h"

namespace trammel::io {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes that are read from the file at once.
constexpr long kBlockBytes = 32'000'000;

/// The least and largest number of a column over all rows, and where it has none.
struct ColumnFacts {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  long gaps = 0;
  double first_gap = 0;  ///< [s]

  void add(double t, double value) {
    if (std::isfinite(value)) {
      least = std::min(least, value);
      largest = std::max(largest, value);
    } else if (gaps++ == 0) {
      first_gap = t;
    }
  }
};

/// How a column is stored: value = offset + scale * stored, with stored in single precision. The offset keeps the
/// digits of small motions far from zero, the scale what single precision cannot hold.
struct Storage {
  double offset = 0;
  double scale = 1;

  explicit Storage(const ColumnFacts& facts) {
    if (!(facts.least <= facts.largest)) return;
    const double span = facts.largest - facts.least, size = std::max(std::abs(facts.least), std::abs(facts.largest));
    // Single precision has seven digits; with this share at least four are left for what moves.
    constexpr double kSmallShare = 1e-3;
    if (span < kSmallShare * size) offset = facts.least + 0.5 * span;
    const double largest = offset == 0 ? size : span;
    if (largest > 0 && (largest > 1e30 || largest < 1e-30)) scale = largest;
  }
  float store(double value) const { return static_cast<float>((value - offset) / scale); }
};

/// `count` of `total` places at even distances, the first and the last among them.
std::vector<long> choose_places(long total, long count) {
  std::vector<long> places;
  count = std::min(count, total);
  for (long k = 0; k < count; ++k) {
    places.push_back(count == 1 ? 0
                                : std::lround(static_cast<double>(k) * static_cast<double>(total - 1) /
                                              static_cast<double>(count - 1)));
  }
  return places;
}

struct Rows {
  std::vector<double> time;
  std::vector<double> values;  ///< column after column
  std::vector<ColumnFacts> facts;
};

/// Reads all rows in blocks and keeps those at `places`.
Rows read_rows(const ResultFile& results, const std::vector<long>& places) {
  const auto columns = static_cast<long>(results.columns().size());
  const auto kept = static_cast<long>(places.size());
  Rows rows;
  rows.values.resize(static_cast<std::size_t>(columns * kept));
  rows.facts.resize(static_cast<std::size_t>(columns));
  for (const long place : places) rows.time.push_back(results.time()[static_cast<std::size_t>(place)]);
  if (columns == 0) return rows;
  std::vector<std::size_t> all(static_cast<std::size_t>(columns));
  std::iota(all.begin(), all.end(), std::size_t{0});
  const long block = std::max(1L, kBlockBytes / (8 * columns));
  long next = 0;
  for (long first = 0; first < results.rows(); first += block) {
    const long count = std::min(block, results.rows() - first);
    const Eigen::MatrixXd values = results.read(all, first, count);
    for (long j = 0; j < columns; ++j) {
      ColumnFacts& facts = rows.facts[static_cast<std::size_t>(j)];
      for (long i = 0; i < count; ++i) facts.add(results.time()[static_cast<std::size_t>(first + i)], values(i, j));
    }
    for (; next < kept && places[static_cast<std::size_t>(next)] < first + count; ++next) {
      const long i = places[static_cast<std::size_t>(next)] - first;
      for (long j = 0; j < columns; ++j) {
        rows.values[static_cast<std::size_t>(j * kept + next)] = values(i, j);
      }
    }
  }
  return rows;
}

/// The history of steps, steps x columns: all of it, or of each stretch of equally many steps the shortest and the
/// longest.
Eigen::MatrixXd read_thinned_steps(const ResultFile& results, long most) {
  const std::vector<Column>& columns = results.header().step_columns;
  const long total = results.steps();
  if (total <= most) return results.read_steps();
  const auto size_column =
      std::find_if(columns.begin(), columns.end(), [](const Column& column) { return column.name == "h"; });
  const long h = size_column == columns.end() ? 0 : size_column - columns.begin();
  const long stretches = most / 2;
  Eigen::MatrixXd thinned(2 * stretches, static_cast<Eigen::Index>(columns.size()));
  for (long k = 0; k < stretches; ++k) {
    const long first = total * k / stretches, last = total * (k + 1) / stretches;
    const Eigen::MatrixXd part = results.read_steps(first, last - first);
    Eigen::Index least = 0, largest = 0;
    part.col(h).minCoeff(&least);
    part.col(h).maxCoeff(&largest);
    thinned.row(2 * k) = part.row(std::min(least, largest));
    thinned.row(2 * k + 1) = part.row(std::max(least, largest));
  }
  return thinned;
}

void add_gap_notes(const ResultFile& results, const std::vector<ColumnFacts>& facts, std::vector<std::string>& notes) {
  constexpr std::size_t kMostNotes = 5;
  std::size_t found = 0;
  for (std::size_t j = 0; j < facts.size(); ++j) {
    if (facts[j].gaps == 0 || ++found > kMostNotes) continue;
    notes.push_back(fmt::format("{} has no finite value in {} of {} rows, first at t = {:g} s",
                                results.columns()[j].name, facts[j].gaps, results.rows(), facts[j].first_gap));
  }
  if (found > kMostNotes) notes.push_back(fmt::format("the same holds for {} more columns", found - kMostNotes));
}

Json describe_columns(const std::vector<Column>& columns, const std::vector<ColumnFacts>& facts) {
  Json list = Json::array();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = columns[j];
    const bool has_numbers = facts[j].least <= facts[j].largest;
    const Storage storage(facts[j]);
    list.push_back({{"name", column.name},
                    {"unit", column.unit},
                    {"group", column.group},
                    {"description", column.description},
                    {"min", has_numbers ? Json(facts[j].least) : Json(nullptr)},
                    {"max", has_numbers ? Json(facts[j].largest) : Json(nullptr)},
                    {"offset", storage.offset},
                    {"scale", storage.scale}});
  }
  return list;
}

/// Null for a text that is empty or no JSON.
Json parse_or_null(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(nullptr) : value;
}

Json describe_results(const ResultFile& results, const Rows& rows, long steps, const std::vector<std::string>& notes) {
  const ResultHeader& header = results.header();
  Json object{{"schema", "trammel.report/1"},
              {"title", header.model.empty() ? std::filesystem::path(results.path()).stem().string() : header.model},
              {"file", std::filesystem::path(results.path()).filename().string()},
              {"method", header.method},
              {"tolerance", header.tolerance},
              {"version", header.version},
              {"created", header.created}};
  Json& parameters = object["parameters"] = Json::array();
  for (const auto& [name, value] : header.parameters) parameters.push_back(Json::array({name, value}));
  Json& attributes = object["attributes"] = Json::array();
  for (const auto& [name, value] : header.attributes) attributes.push_back(Json::array({name, value}));
  object["summary"] = parse_or_null(results.summary());
  object["is_finished"] = results.is_finished();
  object["rows"] = rows.time.size();
  object["rows_total"] = results.rows();
  object["steps"] = steps;
  object["steps_total"] = results.steps();
  object["columns"] = describe_columns(results.columns(), rows.facts);
  Json& step_columns = object["step_columns"] = Json::array();
  for (const Column& column : header.step_columns) {
    step_columns.push_back({{"name", column.name}, {"unit", column.unit}, {"description", column.description}});
  }
  Json& events = object["events"] = Json::array();
  for (const ResultEvent& event : results.events()) events.push_back({{"name", event.name}, {"t", event.t}});
  object["notes"] = notes;
  object["source"] = header.source;
  object["scene"] = parse_or_null(header.scene);
  return object;
}

/// JSON that may stand inside of a script element, whatever the names in it are.
std::string to_script_text(const Json& object) {
  const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + 64);
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// The template in three pieces: what stands before the report, between report and values, and behind.
std::array<std::string_view, 3> divide_template(std::string_view page) {
  constexpr std::string_view kReport = R"(<script id="report" type="application/json">)";
  constexpr std::string_view kValues = R"(<script id="values" type="text/plain">)";
  constexpr std::string_view kEnd = "</script>";
  const auto find_inside = [&](std::string_view opening, std::size_t from) {
    const std::size_t at = page.find(opening, from);
    const std::size_t begin = at + opening.size();
    const std::size_t end = at == std::string_view::npos ? at : page.find(kEnd, begin);
    if (end == std::string_view::npos) throw std::invalid_argument(fmt::format("the page has no {}", opening));
    return std::pair{begin, end};
  };
  const auto [report_begin, report_end] = find_inside(kReport, 0);
  const auto [values_begin, values_end] = find_inside(kValues, report_end);
  return {page.substr(0, report_begin), page.substr(report_end, values_begin - report_end), page.substr(values_end)};
}

/// Appends to the file in pieces of moderate size.
class ValueWriter {
 public:
  explicit ValueWriter(PartFile& file) : file_(file) {}

  template <class Number>
  void add(std::span<const Number> numbers) {
    constexpr std::size_t kPiece = 1'000'000;
    for (std::size_t first = 0; first < numbers.size(); first += kPiece) {
      encoder_.append(std::as_bytes(numbers.subspan(first, std::min(kPiece, numbers.size() - first))), text_);
      flush();
    }
  }
  void finish() {
    encoder_.finish(text_);
    flush();
  }

 private:
  void flush() {
    file_.append(text_);
    text_.clear();
  }

  PartFile& file_;
  Base64Encoder encoder_;
  std::string text_;
};

void add_columns(const Rows& rows, ValueWriter& writer) {
  const std::size_t count = rows.time.size();
  std::vector<float> stored(count);
  for (std::size_t j = 0; j < rows.facts.size(); ++j) {
    const Storage storage(rows.facts[j]);
    for (std::size_t i = 0; i < count; ++i) stored[i] = storage.store(rows.values[j * count + i]);
    writer.add<float>(stored);
  }
}

void check_time(const ResultFile& results) {
  const std::vector<double>& time = results.time();
  if (time.empty()) throw ResultFileError(fmt::format("'{}' has no rows to show", results.path()));
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (std::isfinite(time[i]) && (i == 0 || time[i] >= time[i - 1])) continue;
    throw ResultFileError(fmt::format("'{}' is damaged: the time of row {} is {}, after {}", results.path(), i + 1,
                                      time[i], i == 0 ? 0.0 : time[i - 1]));
  }
}

}  // namespace

std::vector<std::string> PageOptions::validate() const {
  std::vector<std::string> problems;
  if (most_rows < 2) problems.push_back(fmt::format("most_rows is {}, but must be at least 2", most_rows));
  if (most_values < 1) problems.push_back(fmt::format("most_values is {}, but must be positive", most_values));
  if (most_steps < 2) problems.push_back(fmt::format("most_steps is {}, but must be at least 2", most_steps));
  return problems;
}

PageReport write_result_page(const ResultFile& results, const std::string& page_template, const std::string& path,
                             const PageOptions& options) {
  if (const auto problems = options.validate(); !problems.empty()) throw std::invalid_argument(problems.front());
  const auto [before, between, behind] = divide_template(page_template);
  check_time(results);
  const auto columns = static_cast<long>(std::max<std::size_t>(results.columns().size(), 1));
  const long most = std::max(2L, std::min(options.most_rows, options.most_values / columns));
  const Rows rows = read_rows(results, choose_places(results.rows(), most));
  const Eigen::MatrixXd steps = read_thinned_steps(results, options.most_steps);

  PageReport report;
  report.rows = static_cast<long>(rows.time.size());
  if (report.rows < results.rows()) {
    report.notes.push_back(fmt::format("{} of {} rows are shown, at even distances; extremes are those of all rows",
                                       report.rows, results.rows()));
  }
  if (steps.rows() < results.steps()) {
    report.notes.push_back(fmt::format("{} of {} steps are shown, among them the shortest and the longest",
                                       steps.rows(), results.steps()));
  }
  add_gap_notes(results, rows.facts, report.notes);

  PartFile file(path);
  try {
    file.append(std::string(before));
    file.append(to_script_text(describe_results(results, rows, steps.rows(), report.notes)));
    file.append(std::string(between));
    ValueWriter writer(file);
    writer.add<double>(rows.time);
    add_columns(rows, writer);
    writer.add<double>({steps.data(), static_cast<std::size_t>(steps.size())});
    writer.finish();
    file.append(std::string(behind));
    file.commit();
  } catch (const std::runtime_error& error) {
    file.discard();
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path, error.what()));
  }
  return report;
}

}  // namespace trammel::io
