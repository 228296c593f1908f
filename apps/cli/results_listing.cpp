#include "results_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "counted.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;
using io::Column;
using io::ResultFile;

struct Range {
  double least = std::numeric_limits<double>::quiet_NaN();
  double largest = std::numeric_limits<double>::quiet_NaN();
};

/// Least and largest value of every column, NaN left out; a block of rows at a time, as the table may be large.
std::vector<Range> calc_ranges(const ResultFile& file) {
  constexpr long kRows = 1024;
  std::vector<std::size_t> all(file.columns().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<Range> ranges(all.size());
  for (long first = 0; first < file.rows(); first += kRows) {
    const Eigen::MatrixXd values = file.read(all, first, std::min(kRows, file.rows() - first));
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const double value : values.col(static_cast<Eigen::Index>(i))) {
        ranges[i] = {std::fmin(ranges[i].least, value), std::fmax(ranges[i].largest, value)};
      }
    }
  }
  return ranges;
}

/// Groups in the order in which they appear, with their columns.
std::vector<std::pair<std::string, std::vector<std::size_t>>> group_columns(const ResultFile& file) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t i = 0; i < file.columns().size(); ++i) {
    const std::string& name = file.columns()[i].group;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(i);
  }
  return groups;
}

/// The summary as an object, or nothing when it is none.
Json parse_summary(const ResultFile& file) {
  Json summary = Json::parse(file.summary(), nullptr, false);
  return summary.is_object() ? summary : Json();
}

std::string text_of(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

std::string describe_status(const ResultFile& file) {
  if (!file.is_finished()) return "unfinished: the run still goes on, or it was ended from outside";
  const Json summary = parse_summary(file);
  const std::string status = text_of(summary, "status");
  const std::string reason = text_of(summary, "reason");
  return reason.empty() ? status : fmt::format("{}: {}", status, reason);
}

std::string line(const char* label, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<14} {}\n", label, text);
}

std::string describe_events(const ResultFile& file) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> texts;
  for (const io::ResultEvent& event : file.events()) {
    if (texts.size() == kMost) break;
    texts.push_back(fmt::format("{} at t = {:.9g} s", event.name, event.t));
  }
  if (file.events().size() > kMost)
    texts.push_back(fmt::format("and {} more (see --json)", file.events().size() - kMost));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::pair<int, int> degree_range(const std::vector<io::ContinuousInterval>& intervals) {
  const auto [least, largest] = std::minmax_element(intervals.begin(), intervals.end(),
                                                    [](const auto& a, const auto& b) { return a.degree < b.degree; });
  return {least->degree, largest->degree};
}

std::string describe_continuous(const ResultFile& file) {
  const io::ContinuousContents& c = file.continuous();
  if (c.columns.empty()) return "";
  const std::string columns = c.columns.size() == file.columns().size()
                                  ? "all columns"
                                  : fmt::format("{} of {} columns", c.columns.size(), file.columns().size());
  if (c.intervals.empty()) return fmt::format("no intervals, {}", columns);
  const auto [least, largest] = degree_range(c.intervals);
  return fmt::format("{} from t = {:.9g} to {:.9g} s, degree {}, {}", counted(c.intervals.size(), "interval"),
                     c.intervals.front().begin, c.intervals.back().end,
                     least == largest ? fmt::format("{}", least) : fmt::format("{} to {}", least, largest), columns);
}

Json list_continuous(const ResultFile& file) {
  const io::ContinuousContents& c = file.continuous();
  if (c.columns.empty()) return {};
  Json columns = Json::array();
  for (const std::size_t place : c.columns) columns.push_back(file.columns()[place].name);
  Json object{{"intervals", c.intervals.size()}};
  if (!c.intervals.empty()) {
    const auto [least, largest] = degree_range(c.intervals);
    object.update({{"t_start", to_json_number(c.intervals.front().begin)},
                   {"t_end", to_json_number(c.intervals.back().end)},
                   {"least_degree", least},
                   {"largest_degree", largest}});
  }
  object["columns"] = std::move(columns);
  return object;
}

std::string list_columns(const ResultFile& file) {
  constexpr std::size_t kWidest = 40;
  std::size_t name_width = 4, unit_width = 4;
  for (const Column& column : file.columns()) {
    name_width = std::max(name_width, std::min(column.name.size(), kWidest));
    unit_width = std::max(unit_width, std::min(column.unit.size(), kWidest));
  }
  const std::vector<Range> ranges = calc_ranges(file);
  std::string text =
      fmt::format("\n  {:<{}}  {:<{}} {:>14} {:>14}\n", "column", name_width, "unit", unit_width, "minimum", "maximum");
  for (const auto& [group, places] : group_columns(file)) {
    text += fmt::format("{}\n", group);
    for (const std::size_t i : places) {
      const Column& column = file.columns()[i];
      text +=
          fmt::format("  {:<{}}  {:<{}} {:>14.7g} {:>14.7g}{}{}\n", column.name, name_width, column.unit, unit_width,
                      ranges[i].least, ranges[i].largest, column.description.empty() ? "" : "  ", column.description);
    }
  }
  return text;
}

}  // namespace

Json to_json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json list_results_as_json(const ResultFile& file) {
  const io::ResultHeader& header = file.header();
  Json parameters = Json::object(), attributes = Json::object(), events = Json::array(), columns = Json::array();
  for (const auto& [name, value] : header.parameters) parameters[name] = to_json_number(value);
  for (const auto& [name, value] : header.attributes) attributes[name] = value;
  for (const io::ResultEvent& event : file.events()) events.push_back({{"name", event.name}, {"t", event.t}});
  const std::vector<Range> ranges = calc_ranges(file);
  for (std::size_t i = 0; i < file.columns().size(); ++i) {
    const Column& column = file.columns()[i];
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"group", column.group},
                       {"description", column.description},
                       {"minimum", to_json_number(ranges[i].least)},
                       {"maximum", to_json_number(ranges[i].largest)}});
  }
  const bool has_rows = file.rows() > 0;
  return {{"schema", "trammel.contents/1"},
          {"file", file.path()},
          {"model", header.model},
          {"method", header.method},
          {"tolerance", to_json_number(header.tolerance)},
          {"version", header.version},
          {"created", header.created},
          {"finished", file.is_finished()},
          {"rows", file.rows()},
          {"t_start", has_rows ? to_json_number(file.time().front()) : Json()},
          {"t_end", has_rows ? to_json_number(file.time().back()) : Json()},
          {"parameters", parameters},
          {"attributes", attributes},
          {"events", events},
          {"steps", file.steps()},
          {"continuous", list_continuous(file)},
          {"summary", parse_summary(file)},
          {"columns", columns}};
}

std::string list_results(const ResultFile& file) {
  const io::ResultHeader& header = file.header();
  std::string text = fmt::format("{}: {}", file.path(), counted(file.rows(), "row"));
  if (file.rows() > 0) text += fmt::format(" from t = {:.9g} to {:.9g} s", file.time().front(), file.time().back());
  text += '\n';
  text += line("model", header.model);
  if (!header.method.empty()) {
    text += line("method", header.tolerance > 0 ? fmt::format("{}, tolerance {:g}", header.method, header.tolerance)
                                                : header.method);
  }
  text += line("status", describe_status(file));
  if (!header.version.empty()) text += line("written by", fmt::format("trammel {} {}", header.version, header.created));
  std::vector<std::string> parameters;
  for (const auto& [name, value] : header.parameters) parameters.push_back(fmt::format("{} = {:g}", name, value));
  text += line("parameters", fmt::format("{}", fmt::join(parameters, ", ")));
  for (const auto& [name, value] : header.attributes) text += line(name.c_str(), value);
  text += line("events", describe_events(file));
  if (file.steps() > 0) text += line("steps", fmt::format("{} in the history", file.steps()));
  text += line("continuous", describe_continuous(file));
  std::vector<std::string> groups;
  for (const auto& [group, places] : group_columns(file)) groups.push_back(fmt::format("{} {}", group, places.size()));
  text += line("columns", fmt::format("{} ({})", file.columns().size(), fmt::join(groups, ", ")));
  if (!file.columns().empty()) text += list_columns(file);
  return text;
}

}  // namespace trammel::cli
