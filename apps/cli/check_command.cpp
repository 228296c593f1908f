// trammel check CASE|FILE: parses, assembles, counts degrees of freedom, names redundant constraints, draws the graph.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "check_topology.h"
#include "commands.h"
#include "counted.h"
#include "problem.h"
#include "trammel/analyses/model_notes.h"
#include "trammel/integrators/method.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/model/joint_types.h"
#include "whole_file.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  ProblemRequest request;
  bool as_json = false;
  std::string graph;  ///< file; kOnOutput for the standard output, empty for none
};

constexpr const char* kOnOutput = "-";

/// Equations have no bodies; their rank is all there is to say.
analyses::Mobility mobility_of_equations(const cases::Case& given) {
  dae::Evaluation evaluation(*given.system);
  evaluation.set(given.start);
  const kinematics::RedundancyReport report = kinematics::find_redundancy(evaluation);
  analyses::Mobility mobility;
  mobility.coordinates = given.system->structure().n_v();
  mobility.constraints = report.rows;
  mobility.degrees_by_count = mobility.coordinates - mobility.constraints;
  mobility.degrees_of_freedom = report.degrees_of_freedom;
  for (const kinematics::RedundantRow& row : report.redundant) mobility.redundant.push_back({row.name, row.implied_by});
  return mobility;
}

/// What stands in the way of an integration, or is not as the model says.
std::vector<std::string> find_notes(const Problem& problem) {
  std::vector<std::string> notes = problem.notes;
  if (!problem.model || !problem.prepared.ok) return notes;
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  add(analyses::find_massless_bodies(*problem.prepared.mechanism, problem.prepared.start));
  const std::vector<std::string> implicit = analyses::find_implicit_states(*problem.model);
  if (implicit.empty()) return notes;
  add(implicit);
  std::vector<std::string> able;
  for (const integrators::MethodEntry* method : integrators::methods()) {
    if (method->capabilities.implicit_states) able.push_back(method->name);
  }
  notes.push_back(fmt::format("methods that integrate states in implicit form: {}",
                              able.empty() ? "none" : fmt::format("{}", fmt::join(able, ", "))));
  return notes;
}

std::vector<std::string> list_messages(const Problem& problem, const analyses::Mobility& mobility,
                                       const std::vector<std::string>& notes) {
  std::vector<std::string> messages = problem.prepared.warnings;
  if (problem.model && !problem.prepared.ok) messages.push_back(problem.prepared.message);
  for (const std::string& suggestion : mobility.suggestions) messages.push_back("suggestion: " + suggestion);
  messages.insert(messages.end(), notes.begin(), notes.end());
  return messages;
}

/// A model that could not be assembled has not been counted.
bool is_counted(const Problem& problem, const analyses::Mobility& mobility) {
  return !problem.model || problem.prepared.ok || mobility.coordinates > 0;
}

Json describe(const Problem& problem, const analyses::Mobility& mobility, const std::vector<std::string>& notes,
              const std::optional<MechanismGraph>& graph) {
  const auto count = [&](int number) { return is_counted(problem, mobility) ? Json(number) : Json(nullptr); };
  Json bodies = Json::array(), joints = Json::array(), redundant = Json::array();
  if (problem.model) {
    for (const model::Body& body : problem.model->bodies) bodies.push_back(body.name);
    for (const model::Joint& joint : problem.model->joints) {
      joints.push_back({{"name", joint.name}, {"type", model::joint_type(joint.type).name}});
    }
  }
  for (const analyses::RedundantConstraint& row : mobility.redundant) redundant.push_back(row.name);
  return {{"schema", "trammel.check/1"},
          {"case", problem.name},
          {"ok", !problem.model || problem.prepared.ok},
          {"bodies", bodies},
          {"joints", joints},
          {"coordinates", count(mobility.coordinates)},
          {"constraints", count(mobility.constraints)},
          {"dof", count(mobility.degrees_of_freedom)},
          {"dof_by_count", count(mobility.degrees_by_count)},
          {"redundant", redundant},
          {"topology", graph ? describe_topology(*graph) : Json(nullptr)},
          {"messages", list_messages(problem, mobility, notes)}};
}

void print_mobility(const analyses::Mobility& mobility) {
  fmt::print("  coordinates         {}\n  constraints         {}\n", mobility.coordinates, mobility.constraints);
  fmt::print("  degrees of freedom  {}", mobility.degrees_of_freedom);
  if (mobility.degrees_by_count != mobility.degrees_of_freedom) {
    fmt::print(" ({} by counting; {} constraints are redundant)", mobility.degrees_by_count, mobility.redundant.size());
  }
  fmt::print("\n");
  for (const analyses::RedundantConstraint& row : mobility.redundant) {
    fmt::print("  redundant           {}\n", row.name);
    if (row.implied_by.empty()) continue;
    const std::size_t shown = std::min<std::size_t>(row.implied_by.size(), 3);
    const std::string more =
        shown < row.implied_by.size() ? fmt::format("; and {} more", row.implied_by.size() - shown) : "";
    fmt::print("                      implied by {}{}\n",
               fmt::join(row.implied_by.begin(), row.implied_by.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
               more);
  }
  for (const std::string& suggestion : mobility.suggestions) fmt::print("  suggestion          {}\n", suggestion);
}

void print(const Problem& problem, const analyses::Mobility& mobility, const std::vector<std::string>& notes,
           const std::optional<MechanismGraph>& graph) {
  fmt::print("{}\n", problem.name);
  if (problem.model) {
    const model::Model& model = *problem.model;
    fmt::print("  {} model: {}, {}, {}, {}, {}\n", model.is_planar() ? "planar" : "spatial",
               counted(model.bodies.size(), "body", "bodies"), counted(model.joints.size(), "joint"),
               counted(model.motions.size(), "motion"), counted(model.forces.size(), "force"),
               counted(model.states.size(), "state"));
    const analyses::AssemblyResult& assembly = problem.prepared.assembly;
    if (assembly.ok) fmt::print("  assembly            {}\n", assembly.message);
  }
  if (is_counted(problem, mobility)) print_mobility(mobility);
  if (graph) print_topology(*graph);
  for (const std::string& note : notes) fmt::print("  note                {}\n", note);
}

/// A request that no problem can meet is refused before one is loaded.
void check_graph_request(const CheckArguments& arguments) {
  if (arguments.graph.empty()) return;
  if (arguments.graph != kOnOutput) {
    find_graph_format(arguments.graph);
  } else if (arguments.as_json) {
    throw InputError("--graph without a file prints on standard output, and so does --json; give --graph=FILE");
  }
}

void write_graph(const MechanismGraph& graph, const std::string& path) {
  write_file(path, find_graph_format(path) == GraphFormat::kSvg ? to_svg(graph) : to_graphviz(graph));
}

int check(const CheckArguments& arguments) {
  check_graph_request(arguments);
  const Problem problem = load_problem(arguments.request);
  const analyses::Mobility mobility = problem.model ? problem.prepared.mobility : mobility_of_equations(problem.given);
  const bool ok = !problem.model || problem.prepared.ok;
  const std::vector<std::string> notes = find_notes(problem);
  std::optional<MechanismGraph> graph;
  if (problem.model) graph = make_mechanism_graph(*problem.model);
  if (!graph && !arguments.graph.empty()) {
    throw InputError(fmt::format("'{}' is given by equations: it has no bodies and joints to draw", problem.name));
  }
  const bool is_graph_alone = arguments.graph == kOnOutput;
  if (!arguments.graph.empty() && !is_graph_alone) write_graph(*graph, arguments.graph);
  if (is_graph_alone) {
    fmt::print("{}", to_graphviz(*graph));
  } else if (arguments.as_json) {
    fmt::print("{}\n", describe(problem, mobility, notes, graph).dump(2));
  } else {
    print(problem, mobility, notes, graph);
    if (!arguments.graph.empty()) fmt::print("  graph               {}\n", arguments.graph);
  }
  if (!ok) fmt::print(stderr, "trammel: {}\n", problem.prepared.message);
  return ok ? kDone : kSimulationFailed;
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("check", "Parse, assemble, count degrees of freedom, name redundant constraints");
  auto a = std::make_shared<CheckArguments>();
  add_problem_options(*command, a->request);
  command->add_flag("--strict", a->request.options.is_strict, "Redundant constraints are an error");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->add_flag(fmt::format("--graph{{{}}}", kOnOutput), a->graph,
                    "Draw bodies and joints: FILE.svg a picture, FILE.dot or .gv text for Graphviz; without a file "
                    "that text is printed and nothing else");
  command->callback([&action, a] { action = [a] { return check(*a); }; });
}

}  // namespace trammel::cli
