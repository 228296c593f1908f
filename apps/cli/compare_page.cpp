#include "compare_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "trammel/figures/figure.h"
#include "trammel/figures/markup.h"

namespace trammel::cli {

using analyses::ComparedRun;
using analyses::Comparison;
using figures::escape_markup;
using figures::Figure;
using figures::Panel;
using figures::Series;

namespace {

constexpr const char* kStyle = R"(
  body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.6rem; margin-bottom: 0.2rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
  .quiet { color: #57606a; } .scroll { overflow-x: auto; }
  .advice { background: #f1f6fd; border-left: 4px solid #2f6db5; padding: 0.6rem 1rem; }
  .warning { background: #fff6e5; border-left: 4px solid #c77700; padding: 0.6rem 1rem; }
  table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.15rem 0.6rem; text-align: right; white-space: nowrap; } th { border-bottom: 1px solid #8c959f; }
  th:first-child, td:first-child, .remarks th:last-child, .remarks td:last-child { text-align: left; }
  tr.group td { border-top: 1px solid #d0d7de; } tr.bad { color: #9a4a00; } td.best { font-weight: 600; color: #116329; }
  pre { background: #f6f8fa; padding: 0.6rem 1rem; overflow-x: auto; } figure { margin: 0.5rem 0 1.5rem; } svg { max-width: 100%; height: auto; }
)";

/// The methods in their order: their places give them their colours in all figures.
std::vector<std::string> list_methods(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedRun& run : comparison.runs) {
    if (std::find(names.begin(), names.end(), run.method) == names.end()) names.push_back(run.method);
  }
  return names;
}

/// Error against what a run costs, a curve a method.
Figure make_work_precision(const Comparison& comparison, const std::string& label, const analyses::Cost& cost) {
  Panel panel;
  panel.x = {.label = label, .is_log = true};
  panel.y = {.label = "error of positions", .is_log = true};
  const std::vector<std::string> methods = list_methods(comparison);
  double least = 1e300, largest = 0;
  for (std::size_t k = 0; k < methods.size(); ++k) {
    Series series;
    series.name = methods[k];
    series.style = figures::SeriesStyle::kLineAndMarks;
    series.colour = static_cast<int>(k);
    for (const ComparedRun& run : comparison.runs) {
      if (run.method != methods[k] || !run.is_ranked() || !(run.q.rms > 0)) continue;
      series.x.push_back(cost(run));
      series.y.push_back(run.q.rms);
      least = std::min(least, cost(run));
      largest = std::max(largest, cost(run));
    }
    if (!series.x.empty()) panel.series.push_back(std::move(series));
  }
  if (const double floor = comparison.reference.least_meaningful_error(); floor > 0 && largest > 0) {
    panel.series.push_back({.name = "limit of the reference",
                            .x = {least, largest},
                            .y = {floor, floor},
                            .colour = static_cast<int>(methods.size()),
                            .is_dashed = true});
  }
  Figure figure;
  figure.panels.push_back(std::move(panel));
  return figure;
}

/// Up to three tolerances: the loosest, one in the middle, the tightest.
std::vector<double> choose_tolerances(const Comparison& comparison) {
  std::vector<double> all;
  for (const ComparedRun& run : comparison.runs) {
    if (!run.steps.empty() && std::find(all.begin(), all.end(), run.tolerance) == all.end()) {
      all.push_back(run.tolerance);
    }
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  if (all.size() <= 3) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

Figure make_step_figure(const Comparison& comparison) {
  Figure figure;
  figure.shares_x = true;
  const std::vector<std::string> methods = list_methods(comparison);
  for (const double tolerance : choose_tolerances(comparison)) {
    Panel panel;
    panel.title = "tolerance " + analyses::describe_tolerance(tolerance);
    panel.x = {.label = "time [s]"};
    panel.y = {.label = "step [s]", .is_log = true};
    for (std::size_t k = 0; k < methods.size(); ++k) {
      const auto run = std::find_if(comparison.runs.begin(), comparison.runs.end(), [&](const ComparedRun& r) {
        return r.method == methods[k] && r.tolerance == tolerance;
      });
      if (run == comparison.runs.end() || run->steps.empty()) continue;
      Series series;
      series.name = methods[k];
      series.colour = static_cast<int>(k);
      for (const analyses::StepPoint& step : run->steps) {
        series.x.push_back(step.t);
        series.y.push_back(step.h);
      }
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

class Page {
 public:
  void heading(const char* text) { html_ += fmt::format("<h2>{}</h2>\n", escape_markup(text)); }
  void paragraph(const std::string& text, const char* kind = "") {
    html_ += *kind ? fmt::format("<p class=\"{}\">{}</p>\n", kind, escape_markup(text))
                   : fmt::format("<p>{}</p>\n", escape_markup(text));
  }
  void code(const std::string& text) { html_ += fmt::format("<pre>{}</pre>\n", escape_markup(text)); }
  void figure(const Figure& figure) { html_ += fmt::format("<figure>{}</figure>\n", to_svg(figure)); }
  void list(const std::vector<std::string>& items) {
    html_ += "<ul>\n";
    for (const std::string& item : items) html_ += fmt::format("<li>{}</li>\n", escape_markup(item));
    html_ += "</ul>\n";
  }
  /// With remarks, its last column is text.
  void begin_table(bool has_remarks = false) {
    html_ += fmt::format("<div class=\"scroll\"><table{}>\n", has_remarks ? " class=\"remarks\"" : "");
  }
  void end_table() { html_ += "</table></div>\n"; }
  void header_row(const std::vector<TableColumn>& columns) {
    html_ += "<tr>";
    for (const TableColumn& column : columns) {
      html_ += fmt::format("<th title=\"{}\">{}</th>", escape_markup(column.meaning), escape_markup(column.heading));
    }
    html_ += "</tr>\n";
  }
  void row(const std::vector<std::string>& cells, const std::string& kind = "", std::size_t best = SIZE_MAX) {
    html_ += kind.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", kind);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      html_ += fmt::format("<td{}>{}</td>", k == best ? " class=\"best\"" : "", escape_markup(cells[k]));
    }
    html_ += "</tr>\n";
  }
  std::string finish(const std::string& title) const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
        "<h1>{}</h1>\n{}</body>\n</html>\n",
        escape_markup(title), kStyle, escape_markup(title), html_);
  }

 private:
  std::string html_;
};

void add_advice(const Comparison& comparison, const CompareContext& context, Page& page) {
  page.heading("Advice");
  page.paragraph(comparison.advice.text(), "advice");
  const std::string commands = fmt::format("{}", fmt::join(list_commands(comparison.advice, context), "\n"));
  if (!commands.empty()) page.code(commands);
}

void add_rankings(const Comparison& comparison, Page& page) {
  if (comparison.rankings.empty()) return;
  page.heading("Processor time to reach an error");
  const std::vector<std::string> methods = list_methods(comparison);
  page.begin_table();
  std::vector<TableColumn> columns{{"error", "relative, of positions"}};
  for (const std::string& method : methods) columns.push_back({method.c_str(), ""});
  page.header_row(columns);
  for (const analyses::Ranking& ranking : comparison.rankings) {
    std::vector<std::string> cells{analyses::describe_tolerance(ranking.error)};
    std::size_t best = SIZE_MAX;
    for (const std::string& method : methods) {
      const auto found = std::find_if(ranking.methods.begin(), ranking.methods.end(),
                                      [&](const analyses::RankedMethod& m) { return m.method == method; });
      if (found == ranking.methods.begin() && found != ranking.methods.end()) best = cells.size();
      cells.push_back(found == ranking.methods.end()
                          ? "not reached"
                          : fmt::format("{} ({:.3g})", analyses::describe_seconds(found->cost), found->ratio));
    }
    page.row(cells, "", best);
  }
  page.end_table();
  page.paragraph(
      "Read off the curves above, between runs on straight lines of logarithms; in brackets, times that of the "
      "fastest. Less than 1.3 is within what times differ by on a machine that does other things.",
      "quiet");
}

void add_runs(const Comparison& comparison, Page& page) {
  page.heading("Runs");
  page.begin_table(true);
  page.header_row(run_columns());
  std::string method;
  for (const ComparedRun& run : comparison.runs) {
    std::string kind = run.method == method ? "" : "group";
    if (!run.is_ranked()) kind += kind.empty() ? "bad" : " bad";
    method = run.method;
    page.row(list_cells(run), kind);
  }
  page.end_table();
  if (const std::vector<std::string> remarks = list_remarks(comparison); !remarks.empty()) page.list(remarks);
}

void add_variables(const Comparison& comparison, const CompareContext& context, Page& page) {
  const bool has_any = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                   [](const ComparedRun& run) { return !run.variables.empty(); });
  if (!has_any) return;
  page.heading("Errors of variables at the steps of each run");
  std::vector<TableColumn> columns{{"method", ""}};
  columns.insert(columns.end(), variable_columns().begin(), variable_columns().end());
  for (std::size_t i = 0; i < context.variables.size(); ++i) {
    page.paragraph(describe_variable(context.variables[i]) + ":");
    page.begin_table(true);
    page.header_row(columns);
    std::string method;
    for (const ComparedRun& run : comparison.runs) {
      std::vector<std::string> cells = list_variable_cells(run, i, comparison);
      cells.insert(cells.begin(), run.method);
      page.row(cells, run.method == method ? "" : "group");
      method = run.method;
    }
    page.end_table();
  }
  std::vector<std::string> meanings;
  for (const TableColumn& column : variable_columns()) {
    if (*column.meaning) meanings.push_back(fmt::format("{}: {}", column.heading, column.meaning));
  }
  page.paragraph(fmt::format("{}.", fmt::join(meanings, "; ")), "quiet");
  for (const std::string& note : list_variable_notes(comparison)) page.paragraph(note, "warning");
}

void add_reference(const Comparison& comparison, const CompareContext& context, Page& page) {
  const analyses::ReferenceSolution& reference = comparison.reference;
  page.heading("Reference and errors");
  page.paragraph(describe_reference(reference), reference.warnings.empty() ? "" : "warning");
  page.paragraph(fmt::format(
      "The error of a run is the root mean square, over {} times and all coordinates, of the difference to the "
      "reference, each coordinate divided by the largest value it has (at least 1/100 of the largest of all).",
      reference.exists() ? static_cast<long>(reference.trajectory.size()) : static_cast<long>(context.samples)));
  if (reference.attempts.empty()) return;
  page.begin_table(true);
  page.header_row({{"method", ""}, {"tolerance", ""}, {"cpu time", ""}, {"outcome", ""}});
  for (const analyses::ReferenceAttempt& a : reference.attempts) {
    page.row({a.method, analyses::describe_tolerance(a.tolerance), analyses::describe_seconds(a.seconds), a.outcome});
  }
  page.end_table();
}

void add_problem(const Comparison& comparison, const CompareContext& context, Page& page) {
  const analyses::Stiffness& stiffness = comparison.stiffness;
  page.heading("The problem");
  page.paragraph(describe_facts(comparison.facts) + ".");
  if (!context.coordinates.empty()) page.paragraph(fmt::format("Coordinates: {}.", context.coordinates));
  page.paragraph(describe_stiffness(stiffness));
  if (stiffness.points.empty()) return;
  page.begin_table();
  page.header_row({{"time [s]", ""},
                   {"decay [1/s]", "largest -Re of an eigenvalue"},
                   {"growth [1/s]", "largest Re"},
                   {"frequency [rad/s]", "largest Im"},
                   {"|mu| [1/s]", "largest absolute value"}});
  for (const analyses::StiffnessPoint& p : stiffness.points) {
    page.row({fmt::format("{:.4g}", p.t), fmt::format("{:.3g}", p.decay), fmt::format("{:.3g}", p.growth),
              fmt::format("{:.3g}", p.frequency), fmt::format("{:.3g}", p.size)});
  }
  page.end_table();
}

}  // namespace

std::string make_compare_page(const Comparison& comparison, const CompareContext& context) {
  Page page;
  const std::string title = fmt::format("Methods for {}", context.name);
  page.paragraph(fmt::format("{}, t = {:g} to {:g} s. Trammel {}, {}, {}.", context.request, context.t_begin,
                             context.t_end, context.version, context.machine, context.created),
                 "quiet");
  add_advice(comparison, context, page);
  const bool has_errors = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                      [](const ComparedRun& run) { return run.is_ranked() && run.q.rms > 0; });
  if (has_errors) {
    page.heading("Error against processor time");
    page.figure(make_work_precision(comparison, "processor time [s]", analyses::cost_in_seconds));
    page.heading("Error against evaluations of the forces");
    page.figure(make_work_precision(comparison, "force evaluations", [](const ComparedRun& run) {
      return static_cast<double>(std::max(1L, run.statistics.evaluations.force));
    }));
  }
  add_rankings(comparison, page);
  add_runs(comparison, page);
  add_variables(comparison, context, page);
  if (const Figure steps = make_step_figure(comparison); !steps.panels.empty()) {
    page.heading("Step sizes");
    page.figure(steps);
    page.paragraph("Of long runs the smallest and the largest of neighbouring steps are shown.", "quiet");
  }
  add_reference(comparison, context, page);
  add_problem(comparison, context, page);
  return page.finish(title);
}

}  // namespace trammel::cli
