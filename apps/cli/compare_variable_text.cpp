// The errors of single variables in words and tables.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compare_context.h"

namespace trammel::cli {

using analyses::ComparedRun;
using analyses::Comparison;
using analyses::describe_tolerance;
using analyses::VariableError;

namespace {

/// Of a reference that was found: whether it is known well enough for the error of this run.
bool is_below_reference(const VariableError& error, std::size_t variable, const Comparison& comparison) {
  if (variable >= comparison.variable_limits.size()) return false;
  const VariableError& limit = comparison.variable_limits[variable];
  return error.largest < analyses::kMeaningfulFactor * limit.largest;
}

/// "hht at 1e-4, 1e-5; projection at 1e-5"
class RunList {
 public:
  void add(const ComparedRun& run) {
    if (methods_.empty() || methods_.back().first != run.method) methods_.push_back({run.method, {}});
    methods_.back().second.push_back(describe_tolerance(run.tolerance));
  }
  bool is_empty() const { return methods_.empty(); }
  std::string describe() const {
    std::vector<std::string> parts;
    for (const auto& [method, tolerances] : methods_) {
      parts.push_back(fmt::format("{} at {}", method, fmt::join(tolerances, ", ")));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> methods_;
};

/// The runs of which a variable is such, in words; empty when there are none.
template <class Holds>
std::string list_runs(const Comparison& comparison, std::size_t variable, const Holds& holds) {
  RunList runs;
  for (const ComparedRun& run : comparison.runs) {
    if (variable < run.variables.size() && holds(run.variables[variable])) runs.add(run);
  }
  return runs.describe();
}

/// The largest of a number over the runs.
template <class Number>
auto find_largest(const Comparison& comparison, std::size_t variable, Number VariableError::*number) {
  Number largest{};
  for (const ComparedRun& run : comparison.runs) {
    if (variable < run.variables.size()) largest = std::max(largest, run.variables[variable].*number);
  }
  return largest;
}

void add_interpolation_note(const Comparison& comparison, const std::vector<std::string>& names,
                            std::vector<std::string>& notes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string runs = list_runs(comparison, i, [](const VariableError& e) { return e.is_doubtful(); });
    if (runs.empty()) continue;
    const double uncertainty = find_largest(comparison, i, &VariableError::interpolation);
    parts.push_back(fmt::format("{} by up to {:.1e} ({})", names[i], uncertainty, runs));
  }
  if (parts.empty()) return;
  notes.push_back(fmt::format(
      "Between its points the reference is uncertain by more than a tenth of the largest error: {}. In these rows the "
      "interpolation of the reference shows, not the run alone{}.",
      fmt::join(parts, "; "),
      comparison.reference.is_given() ? "; 'trammel run' stores a better reference with --continuous --out FILE.h5, or "
                                        "with --every-step"
                                      : ""));
}

void add_limit_note(const Comparison& comparison, const std::vector<std::string>& names,
                    std::vector<std::string>& notes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size() && i < comparison.variable_limits.size(); ++i) {
    const std::string runs =
        list_runs(comparison, i, [&](const VariableError& e) { return is_below_reference(e, i, comparison); });
    if (runs.empty()) continue;
    const double limit = analyses::kMeaningfulFactor * comparison.variable_limits[i].largest;
    parts.push_back(fmt::format("{} below {:.0e} ({})", names[i], limit, runs));
  }
  if (parts.empty()) return;
  notes.push_back(fmt::format("By the agreement of {} at {} with the reference, errors mean nothing of {}.",
                              comparison.reference.other_method,
                              describe_tolerance(comparison.reference.other_tolerance), fmt::join(parts, "; ")));
}

void add_left_out_note(const Comparison& comparison, const std::vector<std::string>& names,
                       std::vector<std::string>& notes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const long steps = find_largest(comparison, i, &VariableError::left_out);
    if (steps == 0) continue;
    parts.push_back(fmt::format("of {} up to {} ({})", names[i], steps,
                                list_runs(comparison, i, [](const VariableError& e) { return e.left_out > 0; })));
  }
  if (parts.empty()) return;
  notes.push_back(
      fmt::format("Steps are left out, because the reference does not reach there or one of the two has no value: {}.",
                  fmt::join(parts, "; ")));
}

/// A reference that is given is taken to be exact. A tolerance of ten times its own is the least that makes sense.
void add_tolerance_note(const Comparison& comparison, std::vector<std::string>& notes) {
  const analyses::ReferenceSolution& reference = comparison.reference;
  if (!reference.is_given() || !(reference.tolerance > 0)) return;
  RunList runs;
  for (const ComparedRun& run : comparison.runs) {
    if (!run.variables.empty() && run.tolerance < 9.99 * reference.tolerance) runs.add(run);
  }
  if (runs.is_empty()) return;
  notes.push_back(fmt::format(
      "The reference was run with a tolerance of {}, which is too loose for {}: their figures may be errors "
      "of the reference.",
      describe_tolerance(reference.tolerance), runs.describe()));
}

std::string align(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool is_last = k + 1 == row.size();
      line += is_last ? "  " + row[k] : fmt::format("{}{:>{}}", k == 0 ? "" : "  ", row[k], widths[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

const std::vector<TableColumn>& variable_columns() {
  static const std::vector<TableColumn> columns{
      {"log10 tol", "tolerance of the run, relative and absolute"},
      {"t* [s]", "when the largest error occurs"},
      {"Delta", "the largest error |E - e| at a step"},
      {"RelErr [%]", "100 Delta/|E*|, with E* the reference at t*; - where that is near zero"},
      {"mean", "1/n sqrt(sum Delta_i^2), the average error per step"},
      {"rms", "sqrt(1/n sum Delta_i^2)"},
      {"n", "steps that were compared, the start included"},
      {"interpol.", "how uncertain the reference is between its points"},
      {"remark", ""}};
  return columns;
}

std::vector<std::string> list_variable_cells(const ComparedRun& run, std::size_t variable,
                                             const Comparison& comparison) {
  std::vector<std::string> cells{fmt::format("{:.4g}", std::log10(run.tolerance))};
  const std::string outcome = list_cells(run).back();
  if (variable >= run.variables.size() || !run.variables[variable].exists()) {
    cells.insert(cells.end(), variable_columns().size() - 2, "-");
    cells.push_back(outcome);
    return cells;
  }
  const VariableError& error = run.variables[variable];
  cells.insert(cells.end(), {fmt::format("{:.6f}", error.t), fmt::format("{:.3e}", error.largest),
                             error.relative ? fmt::format("{:.3g}", *error.relative) : "-",
                             fmt::format("{:.3e}", error.mean), fmt::format("{:.3e}", error.rms),
                             fmt::format("{}", error.points), fmt::format("{:.0e}", error.interpolation)});
  std::vector<std::string> remarks;
  if (!run.is_ranked()) remarks.push_back(outcome);
  if (is_below_reference(error, variable, comparison)) remarks.push_back("below the reference's accuracy");
  if (error.is_doubtful()) remarks.push_back("interpolation shows");
  cells.push_back(fmt::format("{}", fmt::join(remarks, ", ")));
  return cells;
}

std::vector<std::string> list_variable_notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  const auto analysed = std::find_if(comparison.runs.begin(), comparison.runs.end(),
                                     [](const ComparedRun& run) { return !run.variables.empty(); });
  if (analysed == comparison.runs.end()) return notes;
  std::vector<std::string> names;
  for (const VariableError& error : analysed->variables) names.push_back(error.name);
  add_interpolation_note(comparison, names, notes);
  add_limit_note(comparison, names, notes);
  add_left_out_note(comparison, names, notes);
  add_tolerance_note(comparison, notes);
  return notes;
}

std::string describe_variable(const io::Column& variable) {
  return variable.unit.empty() ? variable.name : fmt::format("{} [{}]", variable.name, variable.unit);
}

std::string describe_variables(const Comparison& comparison, const CompareContext& context) {
  const bool has_any = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                   [](const ComparedRun& run) { return !run.variables.empty(); });
  if (!has_any) return {};
  std::string text =
      wrap(
          "Delta is the largest error at a step of the run and t* when it occurs; RelErr = 100 Delta/|E*|, with E* the "
          "reference at t* (- where that is near zero); mean = 1/n sqrt(sum Delta_i^2) and rms = sqrt(1/n sum "
          "Delta_i^2) over "
          "the n steps, the start included; interpol. is how uncertain the reference is between its points.",
          "  ") +
      "\n";
  for (std::size_t i = 0; i < context.variables.size(); ++i) {
    for (auto run = comparison.runs.begin(); run != comparison.runs.end();) {
      const std::string& method = run->method;
      std::vector<std::vector<std::string>> rows(1);
      for (const TableColumn& column : variable_columns()) rows.front().push_back(column.heading);
      rows.front().back().clear();  // remarks speak for themselves
      for (; run != comparison.runs.end() && run->method == method; ++run) {
        rows.push_back(list_variable_cells(*run, i, comparison));
      }
      text += fmt::format("  {}, {}\n{}\n", describe_variable(context.variables[i]), method, align(rows, "    "));
    }
  }
  for (const std::string& note : list_variable_notes(comparison)) text += wrap("Warning: " + note, "  ");
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace trammel::cli
