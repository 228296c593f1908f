#include "plot_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "column_choice.h"
#include "commands.h"
#include "thinned_columns.h"
#include "trammel/model/near_names.h"

namespace trammel::cli {
namespace {

using figures::Panel;
using io::Column;
using io::ResultFile;

constexpr std::size_t kMostInPanel = 12;  // more cannot be told apart
constexpr std::size_t kMostPanels = 24;

/// Units as one writes them by hand.
std::string write_unit(std::string unit) {
  for (const auto& [from, to] : {std::pair{"^2", "²"}, std::pair{"^3", "³"}}) {
    for (std::size_t at = 0; (at = unit.find(from, at)) != std::string::npos;) unit.replace(at, 2, to);
  }
  return unit;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  if (unit.empty()) return name;
  return fmt::format("{}{}[{}]", name, name.empty() ? "" : " ", write_unit(unit));
}

/// A column as it is drawn.
struct Curve {
  Column column;
  bool is_log = false;
  ThinnedColumn points;
};

/// The rows from one time to another, with one more at each end, to which lines are drawn.
RowRange find_rows(const ResultFile& file, const PlotRequest& request) {
  const std::vector<double>& time = file.time();
  if (time.empty()) throw InputError(fmt::format("'{}' has no rows", file.path()));
  const double from = request.from.value_or(time.front()), to = request.to.value_or(time.back());
  if (!(from <= to)) {
    throw InputError(fmt::format("nothing lies between --from {} and --to {}; the results go from {} to {} s", from, to,
                                 time.front(), time.back()));
  }
  auto first = std::lower_bound(time.begin(), time.end(), from);
  auto last = std::upper_bound(first, time.end(), to);
  if (first == last) {
    throw InputError(fmt::format("there are no rows from {} to {} s; the results go from {} to {} s", from, to,
                                 time.front(), time.back()));
  }
  if (!request.x && first != time.begin()) --first;
  if (!request.x && last != time.end()) ++last;
  return {first - time.begin(), last - first};
}

/// Nothing where the axis shall show all there is. Steps are drawn over the time of the rows, which begins before the
/// end of the first step.
std::optional<figures::Limits> find_time_limits(const ResultFile& file, const PlotRequest& request) {
  const bool is_cut = request.from || request.to || request.takes_steps;
  if (!is_cut || request.x || file.rows() == 0) return std::nullopt;
  const double first = file.time().front(), last = file.time().back();
  const figures::Limits limits{std::clamp(request.from.value_or(first), first, last),
                               std::clamp(request.to.value_or(last), first, last)};
  if (!(limits.lower < limits.upper) || (request.is_log_x && limits.lower <= 0)) return std::nullopt;
  return limits;
}

std::size_t choose_x(const ResultFile& file, const std::string& name) {
  const std::vector<std::size_t> found = choose_columns(file, {name});
  if (found.size() != 1) {
    throw InputError(fmt::format("--x {} means {} columns, and must mean one", name, found.size()));
  }
  return found.front();
}

/// How many columns of an image there are to draw on; some more than px, for the smaller steps of printers.
int find_resolution(const PlotRequest& request) { return 4 * request.width; }

std::vector<Curve> read_rows(const ResultFile& file, const PlotRequest& request, const RowRange& rows) {
  const std::vector<std::size_t> places = choose_columns(file, request.names);
  if (places.empty()) throw InputError("time over time is a straight line; name another column");
  std::vector<std::size_t> all;
  if (request.x) all.push_back(choose_x(file, *request.x));
  all.insert(all.end(), places.begin(), places.end());

  const ReadBlock read = [&](long first, long count) {
    Eigen::MatrixXd values = file.read(all, first, count);
    if (request.x) return values;
    Eigen::MatrixXd with_time(count, values.cols() + 1);
    with_time << Eigen::Map<const Eigen::VectorXd>(file.time().data() + first, count), values;
    return with_time;
  };
  std::optional<figures::Limits> x_range;
  if (!request.x) {
    const auto time = [&](long row) { return file.time()[static_cast<std::size_t>(row)]; };
    x_range = {time(rows.first), time(rows.first + rows.count - 1)};
  }
  const std::vector<ColumnAxes> axes(places.size(), {request.is_log_x, request.is_log_y});
  std::vector<ThinnedColumn> columns = read_thinned(read, rows, axes, find_resolution(request), x_range);
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < places.size(); ++i) {
    curves.push_back({file.columns()[places[i]], request.is_log_y, std::move(columns[i])});
  }
  return curves;
}

/// Places of the step columns that the names ask for, or of all but time.
std::vector<std::size_t> choose_step_columns(const ResultFile& file, const std::vector<std::string>& names) {
  const std::vector<Column>& columns = file.header().step_columns;
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(column.name);
  std::vector<std::size_t> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw InputError(model::describe_unknown("column of steps", name, known));
    chosen.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  for (std::size_t i = 0; i < columns.size() && names.empty(); ++i) {
    if (columns[i].name != io::kTimeName) chosen.push_back(i);
  }
  return chosen;
}

bool varies(const Curve& curve) {
  const auto differs = [](double a, double b) { return std::isfinite(a) && std::isfinite(b) && a != b; };
  return std::adjacent_find(curve.points.y.begin(), curve.points.y.end(), differs) != curve.points.y.end();
}

/// Size and error of steps lie over powers of ten; what else is known of them is drawn where it changes.
std::vector<Curve> read_steps(const ResultFile& file, const PlotRequest& request) {
  const std::vector<Column>& columns = file.header().step_columns;
  const auto is_time = [](const Column& column) { return column.name == io::kTimeName; };
  const auto time = std::find_if(columns.begin(), columns.end(), is_time);
  if (file.steps() == 0 || time == columns.end()) {
    throw InputError(fmt::format("'{}' has no history of steps; 'trammel run --out FILE.h5' writes one", file.path()));
  }
  const std::vector<std::size_t> places = choose_step_columns(file, request.names);
  std::vector<Eigen::Index> all{time - columns.begin()};
  for (const std::size_t place : places) all.push_back(static_cast<Eigen::Index>(place));

  std::vector<ColumnAxes> axes;
  for (const std::size_t place : places) {
    const bool is_log = columns[place].name == "h" || columns[place].name == "error";
    axes.push_back({request.is_log_x, request.is_log_y || is_log});
  }
  const ReadBlock read = [&](long first, long count) -> Eigen::MatrixXd {
    return file.read_steps(first, count)(Eigen::all, all);
  };
  std::vector<ThinnedColumn> thinned =
      read_thinned(read, {0, file.steps()}, axes, find_resolution(request), std::nullopt);
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < places.size(); ++i) {
    Curve curve{columns[places[i]], axes[i].is_log_y, std::move(thinned[i])};
    if (!request.names.empty() || axes[i].is_log_y || varies(curve)) curves.push_back(std::move(curve));
  }
  return curves;
}

/// Which curves share a panel.
std::vector<std::vector<const Curve*>> divide(const std::vector<Curve>& curves, const PlotRequest& request) {
  std::vector<std::vector<const Curve*>> panels;
  const PanelChoice choice =
      request.takes_steps && request.panels == PanelChoice::kByUnit ? PanelChoice::kSeparate : request.panels;
  for (const Curve& curve : curves) {
    const auto fits = [&](const std::vector<const Curve*>& panel) {
      return choice == PanelChoice::kTogether ||
             (choice == PanelChoice::kByUnit && panel.front()->column.unit == curve.column.unit);
    };
    auto panel = std::find_if(panels.begin(), panels.end(), fits);
    if (panel == panels.end()) panel = panels.insert(panels.end(), {{}});
    panel->push_back(&curve);
  }
  for (const std::vector<const Curve*>& panel : panels) {
    if (panel.size() <= kMostInPanel) continue;
    const std::string& unit = panel.front()->column.unit;
    const std::string what = choice == PanelChoice::kTogether ? ""
                             : unit.empty()                   ? " without a unit"
                                                              : fmt::format(" in {}", unit);
    throw InputError(
        fmt::format("{} columns{} are too many for one panel, which takes {}; name fewer, or give each its "
                    "own panel with --separate",
                    panel.size(), what, kMostInPanel));
  }
  if (panels.size() > kMostPanels) {
    throw InputError(fmt::format("{} panels are too many for one figure, which takes {}; name fewer columns",
                                 panels.size(), kMostPanels));
  }
  return panels;
}

std::vector<std::string> split_at_dots(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The parts that all names share: "crank" for crank.x and crank.y, "x" for crank.x and rod.x.
std::string find_common_part(const std::vector<const Curve*>& curves) {
  std::vector<std::string> shared = split_at_dots(curves.front()->column.name);
  for (const Curve* curve : curves) {
    const std::vector<std::string> parts = split_at_dots(curve->column.name);
    if (parts.size() != shared.size()) return "";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] != shared[i]) shared[i].clear();
    }
  }
  std::erase(shared, "");
  return fmt::format("{}", fmt::join(shared, "."));
}

Panel make_panel(const std::vector<const Curve*>& curves, const PlotRequest& request) {
  Panel panel;
  const Curve& first = *curves.front();
  const bool is_one_unit = std::all_of(curves.begin(), curves.end(),
                                       [&](const Curve* curve) { return curve->column.unit == first.column.unit; });
  panel.y.is_log = first.is_log;
  panel.x.is_log = request.is_log_x;
  panel.has_equal_scales = request.has_equal_scales;
  panel.has_legend = curves.size() > 1;
  if (is_one_unit) {
    panel.y.label = with_unit(curves.size() == 1 ? first.column.name : find_common_part(curves), first.column.unit);
  }
  long not_positive = 0;
  for (const Curve* curve : curves) {
    const std::string name = is_one_unit ? curve->column.name : with_unit(curve->column.name, curve->column.unit);
    panel.series.push_back({.name = name, .x = curve->points.x, .y = curve->points.y});
    not_positive += curve->points.not_positive;
  }
  if (not_positive > 0) {
    panel.notes.push_back(fmt::format("{} value{} of 0 or less left out", not_positive, not_positive == 1 ? "" : "s"));
  }
  return panel;
}

std::string describe_x(const ResultFile& file, const PlotRequest& request) {
  if (!request.x) return "t [s]";
  const Column& column = file.columns()[choose_x(file, *request.x)];
  return with_unit(column.name, column.unit);
}

std::string describe_run(const ResultFile& file, bool of_steps) {
  const io::ResultHeader& header = file.header();
  std::string text = header.model;
  if (text.empty()) return text;
  if (of_steps) text = "steps of " + text;
  if (!header.method.empty()) text += ", " + header.method;
  if (!header.method.empty() && header.tolerance > 0) text += fmt::format(", tolerance {:g}", header.tolerance);
  return text;
}

std::vector<figures::VerticalMark> list_events(const ResultFile& file) {
  std::vector<figures::VerticalMark> marks;
  for (const io::ResultEvent& event : file.events()) marks.push_back({event.t, event.name});
  return marks;
}

}  // namespace

Plot make_plot(const ResultFile& file, const PlotRequest& request) {
  Plot plot;
  std::vector<Curve> curves;
  if (request.takes_steps) {
    curves = read_steps(file, request);
    plot.rows = file.steps();
  } else {
    const RowRange rows = find_rows(file, request);
    curves = read_rows(file, request, rows);
    plot.rows = rows.count;
  }
  plot.columns = curves.size();
  figures::Figure& figure = plot.figure;
  figure.title = request.title.value_or(describe_run(file, request.takes_steps));
  figure.shares_x = !request.has_equal_scales;
  const std::string x_label = describe_x(file, request);
  for (const std::vector<const Curve*>& shown : divide(curves, request)) {
    Panel panel = make_panel(shown, request);
    panel.x.label = x_label;
    panel.x.limits = find_time_limits(file, request);
    if (!request.x) panel.marks = list_events(file);
    if (!figure.panels.empty()) {
      for (figures::VerticalMark& mark : panel.marks) mark.label.clear();  // once is enough
    }
    figure.panels.push_back(std::move(panel));
  }
  for (const Curve& curve : curves) {
    if (curve.points.missing == 0) continue;
    plot.notes.push_back(
        fmt::format("{} has no value in {} of {} rows", curve.column.name, curve.points.missing, plot.rows));
  }
  return plot;
}

}  // namespace trammel::cli
