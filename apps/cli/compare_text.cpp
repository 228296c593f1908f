// A comparison in words and tables, for a terminal.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

#include "compare_context.h"
#include "counted.h"

namespace trammel::cli {

using analyses::ComparedRun;
using analyses::Comparison;
using analyses::describe_count;
using analyses::describe_seconds;
using analyses::describe_tolerance;
using analyses::RunOutcome;

namespace {

constexpr std::size_t kWidth = 100;  // of a paragraph on a terminal

std::string to_error(double error) { return fmt::format("{:.1e}", error); }

bool has_errors(const ComparedRun& run) {
  return run.is_ranked() || run.outcome == RunOutcome::kEndedEarly || run.outcome == RunOutcome::kEndedLate;
}
bool has_costs(const ComparedRun& run) { return run.outcome != RunOutcome::kSkipped; }

const char* short_remark(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kMeasured: return "";
    case RunOutcome::kBelowReference: return "below the reference's accuracy";
    case RunOutcome::kNoReference: return "no reference";
    case RunOutcome::kEndedEarly: return "ended early";
    case RunOutcome::kEndedLate: return "missed the event";
    case RunOutcome::kFailed: return "failed";
    case RunOutcome::kTimeLimit: return "time limit";
    case RunOutcome::kSkipped: return "not run";
    case RunOutcome::kCancelled: break;
  }
  return "interrupted";
}

std::string describe_digits(double disagreement) {
  if (!(disagreement > 0)) return "all digits";
  const int digits = static_cast<int>(std::floor(-std::log10(disagreement)));
  return digits < 1 ? "less than one digit" : counted(digits, "digit");
}

std::string shell_quoted(const std::string& text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string("_./=+-,:@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (is_plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string describe_rankings(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedRun& run : comparison.runs) {
    if (std::find(names.begin(), names.end(), run.method) == names.end()) names.push_back(run.method);
  }
  std::string text = fmt::format("  {:<9}", "error");
  for (const std::string& name : names) text += fmt::format("{:>20}", name);
  text += "\n";
  for (const analyses::Ranking& ranking : comparison.rankings) {
    text += fmt::format("  {:<9}", describe_tolerance(ranking.error));
    for (const std::string& name : names) {
      const auto found = std::find_if(ranking.methods.begin(), ranking.methods.end(),
                                      [&](const analyses::RankedMethod& m) { return m.method == name; });
      const std::string cell =
          found == ranking.methods.end() ? "not reached"
          : found->ratio == 1
              ? describe_seconds(found->cost) + " (best)"
              : fmt::format("{} ({})", describe_seconds(found->cost),
                            found->ratio < 99.5 ? fmt::format("{:.1f}", found->ratio) : describe_count(found->ratio));
      text += fmt::format("{:>20}", cell);
    }
    text += "\n";
  }
  return text;
}

std::string describe_runs(const Comparison& comparison) {
  const std::vector<TableColumn>& columns = run_columns();
  std::vector<std::vector<std::string>> rows(1);
  for (const TableColumn& column : columns) rows.front().push_back(column.heading);
  for (const ComparedRun& run : comparison.runs) rows.push_back(list_cells(run));
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string text;
  const std::string* method = nullptr;
  for (const auto& row : rows) {
    if (method && *method != row.front() && method != &rows.front().front()) text += "\n";
    method = &row.front();
    std::string line = " ";
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool is_left = k == 0 || k + 1 == row.size();
      line += is_left ? fmt::format(" {:<{}}", row[k], widths[k]) : fmt::format("  {:>{}}", row[k], widths[k]);
      if (k + 2 == row.size()) line += " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string wrap(const std::string& text, const std::string& indent) {
  std::string result, line;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kWidth) {
      result += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return line.empty() ? result : result + indent + line + "\n";
}

std::string describe_machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model = "unknown processor";
  while (std::getline(file, line)) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      model = line.substr(line.find(": ") + 2);
      break;
    }
  }
  return fmt::format("{}, {} processors", model, std::max(1U, std::thread::hardware_concurrency()));
}

std::string command_for(const analyses::Recommendation& choice, const CompareContext& context) {
  return fmt::format("trammel run {} --method {} --tol {}", context.request, choice.method,
                     describe_tolerance(choice.tolerance));
}

std::vector<std::string> list_commands(const analyses::Advice& advice, const CompareContext& context) {
  std::vector<std::string> commands;
  for (const analyses::Recommendation& choice : advice.choices) {
    const std::string command = command_for(choice, context);
    if (commands.empty() || commands.back() != command) commands.push_back(command);
  }
  return commands;
}

std::string quote_request(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

std::string describe_reference(const analyses::ReferenceSolution& r) {
  std::string text;
  if (r.is_given()) {
    text = fmt::format("Given: {}, {} times. How exact it is, is not known here.", r.origin, r.trajectory.size());
  } else if (r.exists()) {
    const bool is_alone = r.method == r.other_method;
    text = fmt::format(
        "{} at {}; {} at {} agrees with it to {} (relative difference {:.1e} in positions, {:.1e} in velocities). "
        "Errors below {:.0e} mean nothing.",
        r.method, describe_tolerance(r.tolerance), is_alone ? "the same method" : r.other_method,
        describe_tolerance(r.other_tolerance), describe_digits(r.disagreement), r.disagreement, r.velocity_disagreement,
        r.least_meaningful_error());
  }
  for (const std::string& warning : r.warnings) {
    text += fmt::format("{}Warning: {}.", text.empty() ? "" : " ", warning);
  }
  return text;
}

std::string describe_facts(const analyses::ProblemFacts& f) {
  const auto count = [](int n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  std::vector<std::string> parts{count(f.coordinates, "coordinate", "coordinates"),
                                 count(f.constraints, "constraint", "constraints"),
                                 count(f.degrees_of_freedom, "degree of freedom", "degrees of freedom")};
  if (f.states > 0) parts.push_back(count(f.states, "extra state", "extra states"));
  if (f.is_spatial) parts.push_back("spatial");
  if (f.has_nonholonomic_rows) parts.push_back("nonholonomic constraints");
  if (f.has_implicit_states) parts.push_back("states in implicit form");
  if (f.has_reaction_forces) parts.push_back("forces that depend on reactions");
  if (f.edges > 0) parts.push_back(count(f.edges, "possible discontinuity", "possible discontinuities"));
  if (f.changes > 0) parts.push_back(count(f.changes, "event that changes values", "events that change values"));
  if (f.stops > 0) parts.push_back(count(f.stops, "event that stops", "events that stop"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string describe_stiffness(const analyses::Stiffness& s) {
  if (!s.is_measured()) return fmt::format("Not measured: {}.", s.why_not);
  if (s.size == 0) return "All eigenvalues are zero: the problem has no fast motion of its own.";
  std::string text = fmt::format(
      "Eigenvalues at {} states of the motion: fastest decay {:.3g}/s, highest frequency {:.3g} rad/s, largest |mu| T "
      "= {:.3g}",
      s.points.size(), s.decay, s.frequency, s.size * s.span);
  if (s.growth > 0) text += fmt::format(", fastest growth {:.3g}/s", s.growth);
  return text + fmt::format(". An explicit method needs about {} step{} for stability alone.",
                            describe_count(std::max(1.0, s.stability_steps)), s.stability_steps <= 1.5 ? "" : "s");
}

const std::vector<TableColumn>& run_columns() {
  static const std::vector<TableColumn> columns{{"method", ""},
                                                {"tolerance", "relative and absolute"},
                                                {"error q", "of positions, relative, root mean square"},
                                                {"error v", "of velocities"},
                                                {"steps", "accepted"},
                                                {"rejected", "attempts at steps"},
                                                {"forces", "evaluations of the forces"},
                                                {"Jacobians", "of Newton's iteration"},
                                                {"factors", "factorisations of matrices"},
                                                {"cpu time", "processor time, least of some repetitions"},
                                                {"remark", ""}};
  return columns;
}

std::vector<std::string> list_cells(const ComparedRun& run) {
  const integrators::Statistics& s = run.statistics;
  std::vector<std::string> cells{run.method, describe_tolerance(run.tolerance)};
  if (has_errors(run)) {
    cells.push_back((run.outcome == RunOutcome::kBelowReference ? "<= " : "") + to_error(run.q.rms));
    cells.push_back(to_error(run.v.rms));
  } else {
    cells.insert(cells.end(), {"-", "-"});
  }
  for (const long count : {s.steps, run.rejected(), s.evaluations.force, run.jacobians(), s.linear.factorizations}) {
    cells.push_back(has_costs(run) ? fmt::format("{}", count) : "-");
  }
  cells.push_back(has_costs(run) ? describe_seconds(s.cpu_seconds) : "-");
  cells.push_back(short_remark(run.outcome));
  return cells;
}

std::vector<std::string> list_remarks(const Comparison& comparison) {
  struct Group {
    std::string method, remark;
    std::vector<std::string> tolerances;
  };
  std::vector<Group> groups;
  for (const ComparedRun& run : comparison.runs) {
    if (run.remark.empty() || run.outcome == RunOutcome::kBelowReference) continue;
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const Group& g) { return g.method == run.method && g.remark == run.remark; });
    const std::string tolerance = describe_tolerance(run.tolerance);
    if (same == groups.end()) {
      groups.push_back({run.method, run.remark, {tolerance}});
    } else {
      same->tolerances.push_back(tolerance);
    }
  }
  std::vector<std::string> lines;
  for (const Group& g : groups) {
    lines.push_back(fmt::format("{} at {}: {}", g.method, fmt::join(g.tolerances, ", "), g.remark));
  }
  for (const analyses::UnfitMethod& m : comparison.unfit) {
    lines.push_back(fmt::format("{} cannot take the problem: {}", m.method, m.reason));
  }
  return lines;
}

std::string describe_comparison(const Comparison& comparison, const CompareContext& context) {
  std::string text = fmt::format("{}: t = {:g} to {:g} s; {}\n", context.name, context.t_begin, context.t_end,
                                 describe_facts(comparison.facts));
  const auto add = [&](const char* heading, const std::string& body) {
    if (!body.empty()) text += fmt::format("\n{}\n{}", heading, body);
  };
  if (!context.coordinates.empty()) add("coordinates", wrap(context.coordinates, "  "));
  if (comparison.reference.exists() || !comparison.is_cancelled) {
    add("reference", wrap(describe_reference(comparison.reference), "  "));
  }
  if (!comparison.runs.empty()) {
    add("stiffness", wrap(describe_stiffness(comparison.stiffness), "  "));
    add("runs", describe_runs(comparison));
  }
  std::string remarks;
  for (const std::string& remark : list_remarks(comparison)) remarks += wrap(remark, "  ");
  add("remarks", remarks);
  if (!comparison.rankings.empty()) {
    add("processor time to reach an error of positions (in brackets: times that of the fastest)",
        describe_rankings(comparison));
  }
  add("errors of variables at the steps of each run", describe_variables(comparison, context));
  if (comparison.is_cancelled) return text;
  std::string advice = wrap(comparison.advice.text(), "  ");
  for (const std::string& command : list_commands(comparison.advice, context)) advice += "\n      " + command;
  add("advice", advice + (comparison.advice.choices.empty() ? "" : "\n"));
  return text;
}

}  // namespace trammel::cli
