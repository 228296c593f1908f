#include "compare_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "column_choice.h"
#include "commands.h"
#include "result_output.h"
#include "trammel/io/result_curves.h"
#include "trammel/io/state_columns.h"

namespace trammel::cli {
namespace {

using io::Column;

/// Rows of a run, and the problem that they are of.
struct OwnedRows {
  explicit OwnedRows(std::shared_ptr<const Problem> given) : problem(std::move(given)), rows(*problem, true) {}
  std::shared_ptr<const Problem> problem;
  ResultRows rows;
};

/// Equations draw their bodies with working memory of their own, so that each run gets a problem; models do not.
std::function<analyses::ListVariables()> make_lists(const std::shared_ptr<const Problem>& problem,
                                                    const ProblemRequest& request, std::vector<std::size_t> places) {
  return [problem, request, places = std::move(places)]() -> analyses::ListVariables {
    const auto own = std::make_shared<OwnedRows>(
        problem->given.mechanism ? problem : std::make_shared<const Problem>(load_problem(request)));
    return [own, places](const dae::State& state, std::span<double> values) {
      const std::vector<double>& all = own->rows.list(state);
      for (std::size_t i = 0; i < places.size(); ++i) values[i] = all[places[i]];
    };
  };
}

/// Throws InputError when a column that runs have is asked for by its name, and the file lacks it.
void check_names(const std::vector<std::string>& names, const std::vector<Column>& columns,
                 const io::ResultFile& file) {
  for (const std::string& name : names) {
    const bool is_known = std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
    if (is_known && !file.find_column(name)) {
      throw InputError(fmt::format("--variables: the reference '{}' has no column '{}'", file.path(), name));
    }
  }
}

/// Angles of bodies that are no coordinates of the equations: in rows they jump by full turns.
std::vector<std::size_t> find_wrapped(const Problem& problem, const std::vector<Column>& chosen,
                                      const io::ResultFile& file) {
  std::vector<std::size_t> wrapped;
  if (problem.given.mechanism) return wrapped;
  std::set<std::string> coordinates;
  for (const Column& column : io::state_columns(problem.given.system->structure())) coordinates.insert(column.name);
  for (const Column& column : chosen) {
    if (column.name.ends_with(".angle") && !coordinates.contains(column.name)) {
      wrapped.push_back(*file.find_column(column.name));
    }
  }
  return wrapped;
}

}  // namespace

ChosenVariables choose_variables(const std::vector<std::string>& names, const std::shared_ptr<const Problem>& problem,
                                 const ProblemRequest& request, const std::optional<std::string>& reference) try {
  const std::vector<Column> all = ResultRows(*problem).columns();
  std::optional<io::ResultFile> file;
  if (reference) file.emplace(io::ResultFile::open(*reference));
  std::vector<Column> offered;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (file && !file->find_column(all[i].name)) continue;
    offered.push_back(all[i]);
    places.push_back(i);
  }
  if (file) check_names(names, all, *file);
  const std::string advice = file ? fmt::format("'trammel results {}' lists what there is", *reference)
                                  : "'trammel results' lists those of a result file of this problem";
  ChosenVariables chosen;
  std::vector<std::size_t> chosen_places;
  for (const std::size_t k : choose_columns(offered, names, problem->name, advice)) {
    chosen.columns.push_back(offered[k]);
    chosen.request.names.push_back(offered[k].name);
    chosen_places.push_back(places[k]);
  }
  if (chosen.columns.empty()) throw InputError("--variables names no variable");
  chosen.request.make_list = make_lists(problem, request, std::move(chosen_places));
  if (file) {
    std::vector<std::size_t> columns;
    for (const Column& column : chosen.columns) columns.push_back(*file->find_column(column.name));
    chosen.curves = io::read_curves(*file, columns, find_wrapped(*problem, chosen.columns, *file));
  }
  return chosen;
} catch (const io::ResultFileError& error) {
  throw InputError(error.what());
}

}  // namespace trammel::cli
