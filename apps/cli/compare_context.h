#pragma once

// What the table, the page and the JSON object of a comparison say about it beside its numbers.

#include <string>
#include <vector>

#include "trammel/analyses/compare.h"
#include "trammel/io/result_header.h"

namespace trammel::cli {

struct CompareContext {
  std::string name;               ///< of the problem
  std::string request;            ///< CASE|FILE with -p and --t-end, as in a command line
  std::string version;            ///< of the program
  std::string machine;            ///< processor and how many
  std::string created;            ///< when
  double t_begin = 0, t_end = 0;  ///< of the runs [s]
  int samples = 0;
  double time_limit = 0;              ///< [s]
  std::string report;                 ///< path of the page; empty when none was written
  std::string coordinates;            ///< in which a model was integrated, in words; empty for equations
  std::vector<io::Column> variables;  ///< those whose errors are analysed one by one
};

/// "13th Gen Intel(R) Core(TM) i7-1365U, 12 processors".
std::string describe_machine();

/// The command that a recommendation stands for.
std::string command_for(const analyses::Recommendation& choice, const CompareContext& context);
/// Those of all recommendations, each once.
std::vector<std::string> list_commands(const analyses::Advice& advice, const CompareContext& context);

/// How the reference was found, in sentences.
std::string describe_reference(const analyses::ReferenceSolution& reference);
/// Sizes, discontinuities and what else the problem has, in one line.
std::string describe_facts(const analyses::ProblemFacts& facts);
/// The measured stiffness, in one or two sentences.
std::string describe_stiffness(const analyses::Stiffness& stiffness);

/// The table of runs: headings, and the cells of a run.
struct TableColumn {
  const char* heading;
  const char* meaning;
};
const std::vector<TableColumn>& run_columns();
std::vector<std::string> list_cells(const analyses::ComparedRun& run);
/// Reasons too long for a table, each with the tolerances it belongs to: "hht, 1e-08 and 1e-09: ...".
std::vector<std::string> list_remarks(const analyses::Comparison& comparison);

/// The table of a variable: the errors of one run a row. Headings, and the cells of a run.
const std::vector<TableColumn>& variable_columns();
std::vector<std::string> list_variable_cells(const analyses::ComparedRun& run, std::size_t variable,
                                             const analyses::Comparison& comparison);
/// What the tables of variables cannot tell: where the reference and not the run is measured.
std::vector<std::string> list_variable_notes(const analyses::Comparison& comparison);
/// "slider.x [m]"
std::string describe_variable(const io::Column& variable);
/// The tables of all variables and methods, with their notes; empty when there are none.
std::string describe_variables(const analyses::Comparison& comparison, const CompareContext& context);

/// Words as one would type them in a shell.
std::string quote_request(const std::vector<std::string>& words);

/// Text broken into lines, each with an indentation.
std::string wrap(const std::string& text, const std::string& indent);

/// For a terminal.
std::string describe_comparison(const analyses::Comparison& comparison, const CompareContext& context);

}  // namespace trammel::cli
