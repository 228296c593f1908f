#include "compare_json.h"

#include <array>
#include <cmath>

namespace trammel::cli {

using analyses::ComparedRun;
using analyses::RunOutcome;
using Json = nlohmann::ordered_json;

namespace {

Json to_json(const analyses::TrajectoryError& error) {
  return {{"rms", error.rms}, {"largest", error.largest}, {"t", error.t}, {"coordinate", error.name}};
}

analyses::TrajectoryError to_error(const Json& json) {
  analyses::TrajectoryError error;
  error.rms = json.at("rms");
  error.largest = json.at("largest");
  error.t = json.at("t");
  error.name = json.at("coordinate");
  return error;
}

Json to_json(const analyses::VariableError& e) {
  return {{"name", e.name},
          {"points", e.points},
          {"left_out", e.left_out},
          {"largest", e.largest},
          {"t", e.t},
          {"value", e.value},
          {"reference", e.reference},
          {"relative_percent", e.relative ? Json(*e.relative) : Json()},
          {"mean", e.mean},
          {"rms", e.rms},
          {"scale", e.scale},
          {"interpolation", e.interpolation},
          {"interpolation_shows", e.is_doubtful()}};
}

analyses::VariableError to_variable_error(const Json& json) {
  analyses::VariableError e;
  e.name = json.at("name");
  e.points = json.at("points");
  e.left_out = json.at("left_out");
  e.largest = json.at("largest");
  e.t = json.at("t");
  e.value = json.at("value");
  e.reference = json.at("reference");
  if (const Json& relative = json.at("relative_percent"); relative.is_number()) e.relative = relative.get<double>();
  e.mean = json.at("mean");
  e.rms = json.at("rms");
  e.scale = json.at("scale");
  e.interpolation = json.at("interpolation");
  return e;
}

Json to_json(const std::vector<analyses::VariableError>& errors) {
  Json list = Json::array();
  for (const analyses::VariableError& error : errors) list.push_back(to_json(error));
  return list;
}

RunOutcome to_outcome(const std::string& name) {
  for (const RunOutcome outcome :
       {RunOutcome::kMeasured, RunOutcome::kBelowReference, RunOutcome::kNoReference, RunOutcome::kEndedEarly,
        RunOutcome::kEndedLate, RunOutcome::kFailed, RunOutcome::kTimeLimit, RunOutcome::kSkipped}) {
    if (to_string(outcome) == name) return outcome;
  }
  throw Json::other_error::create(501, "unknown outcome " + name, nullptr);
}

/// The statistics that are kept, by name.
template <class Statistics, class Visit>
void visit_counts(Statistics& s, const Visit& visit) {
  visit("steps", s.steps);
  visit("rejected_error", s.rejected_error);
  visit("rejected_convergence", s.rejected_convergence);
  visit("newton_iterations", s.newton_iterations);
  visit("restarts", s.restarts);
  visit("force_evaluations", s.evaluations.force);
  visit("constraint_evaluations", s.evaluations.constraint);
  visit("derivative_evaluations", s.evaluations.derivative);
  visit("factorizations", s.linear.factorizations);
  visit("solves", s.linear.solves);
  visit("smallest_step", s.smallest_step);
  visit("largest_step", s.largest_step);
  visit("cpu_seconds", s.cpu_seconds);
}

Json rows_of(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Eigen::MatrixXd to_matrix(const Json& rows) {
  if (rows.empty()) return {};
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.front().size(); ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i].at(j).get<double>();
    }
  }
  return matrix;
}

Json to_json(const analyses::ProblemFacts& f) {
  return {{"coordinates", f.coordinates},
          {"constraints", f.constraints},
          {"degrees_of_freedom", f.degrees_of_freedom},
          {"states", f.states},
          {"stops", f.stops},
          {"changes", f.changes},
          {"edges", f.edges},
          {"spatial", f.is_spatial},
          {"nonholonomic", f.has_nonholonomic_rows},
          {"implicit_states", f.has_implicit_states},
          {"reaction_dependent_forces", f.has_reaction_forces}};
}

Json to_json(const analyses::Ranking& ranking) {
  Json methods = Json::array();
  for (const analyses::RankedMethod& m : ranking.methods) {
    methods.push_back({{"method", m.method},
                       {"cpu_seconds", m.cost},
                       {"ratio", m.ratio},
                       {"tolerance", m.tolerance},
                       {"error", m.run_error}});
  }
  return {{"error", ranking.error}, {"methods", methods}, {"not_reached", ranking.not_reached}};
}

Json to_json(const analyses::Advice& advice, const CompareContext& context) {
  Json choices = Json::array();
  for (const analyses::Recommendation& choice : advice.choices) {
    choices.push_back({{"error", choice.error},
                       {"method", choice.method},
                       {"tolerance", choice.tolerance},
                       {"run_error", choice.run_error},
                       {"run_velocity_error", choice.run_velocity_error},
                       {"cpu_seconds", choice.cost},
                       {"ties", choice.ties},
                       {"command", command_for(choice, context)}});
  }
  return {{"text", advice.text()}, {"stiff", advice.is_stiff}, {"choices", choices}, {"reasons", advice.reasons}};
}

}  // namespace

Json to_json(const ComparedRun& run) {
  Json json{{"method", run.method},
            {"tolerance", run.tolerance},
            {"outcome", to_string(run.outcome)},
            {"remark", run.remark},
            {"t", run.t_reached},
            {"position_error", to_json(run.q)},
            {"velocity_error", to_json(run.v)},
            {"repetitions", run.repetitions}};
  Json& statistics = json["statistics"];
  visit_counts(run.statistics, [&](const char* name, const auto& value) { statistics[name] = value; });
  statistics["jacobian_evaluations"] = run.jacobians();
  Json steps = Json::array();
  for (const analyses::StepPoint& step : run.steps) steps.push_back(Json::array({step.t, step.h}));
  json["step_sizes"] = std::move(steps);
  if (!run.variables.empty()) json["variables"] = to_json(run.variables);
  return json;
}

ComparedRun to_run(const Json& json) {
  ComparedRun run;
  run.method = json.at("method");
  run.tolerance = json.at("tolerance");
  run.outcome = to_outcome(json.at("outcome"));
  run.remark = json.at("remark");
  run.t_reached = json.at("t");
  run.q = to_error(json.at("position_error"));
  run.v = to_error(json.at("velocity_error"));
  run.repetitions = json.at("repetitions");
  const Json& statistics = json.at("statistics");
  visit_counts(run.statistics, [&](const char* name, auto& value) { statistics.at(name).get_to(value); });
  run.statistics.renewals.fill(0);
  run.statistics.renewals.front() = statistics.at("jacobian_evaluations");  // causes are not kept
  for (const Json& step : json.at("step_sizes")) run.steps.push_back({step.at(0), step.at(1)});
  if (json.contains("variables")) {
    for (const Json& error : json["variables"]) run.variables.push_back(to_variable_error(error));
  }
  return run;
}

Json to_json(const analyses::ReferenceSolution& r, bool with_trajectory) {
  Json attempts = Json::array();
  for (const analyses::ReferenceAttempt& a : r.attempts) {
    attempts.push_back(
        {{"method", a.method}, {"tolerance", a.tolerance}, {"outcome", a.outcome}, {"cpu_seconds", a.seconds}});
  }
  Json json{{"origin", r.origin},
            {"method", r.method},
            {"tolerance", r.tolerance},
            {"other_method", r.other_method},
            {"other_tolerance", r.other_tolerance},
            {"disagreement", r.disagreement},
            {"velocity_disagreement", r.velocity_disagreement},
            {"least_meaningful_error", r.least_meaningful_error()},
            {"run_end", r.t_end ? Json(*r.t_end) : Json()},
            {"samples", r.trajectory.size()},
            {"t_end", r.exists() ? r.trajectory.t.back() : 0.0},
            {"warnings", r.warnings},
            {"attempts", attempts}};
  if (with_trajectory) {
    json["t"] = r.trajectory.t;
    json["q"] = rows_of(r.trajectory.q);
    json["v"] = rows_of(r.trajectory.v);
  }
  return json;
}

analyses::ReferenceSolution to_reference(const Json& json) {
  analyses::ReferenceSolution r;
  r.origin = json.at("origin");
  r.method = json.at("method");
  r.tolerance = json.at("tolerance");
  r.other_method = json.at("other_method");
  r.other_tolerance = json.at("other_tolerance");
  r.disagreement = json.at("disagreement");
  r.velocity_disagreement = json.at("velocity_disagreement");
  if (const Json& end = json.at("run_end"); end.is_number()) r.t_end = end.get<double>();
  r.warnings = json.at("warnings").get<std::vector<std::string>>();
  for (const Json& a : json.at("attempts")) {
    r.attempts.push_back({a.at("method"), a.at("tolerance"), a.at("outcome"), a.at("cpu_seconds")});
  }
  r.trajectory.t = json.at("t").get<std::vector<double>>();
  r.trajectory.q = to_matrix(json.at("q"));
  r.trajectory.v = to_matrix(json.at("v"));
  const bool is_sound = r.trajectory.q.rows() == r.trajectory.size() && r.trajectory.v.rows() == r.trajectory.size() &&
                        r.trajectory.q.allFinite() && r.trajectory.v.allFinite() &&
                        std::is_sorted(r.trajectory.t.begin(), r.trajectory.t.end());
  if (!is_sound) throw Json::other_error::create(501, "a reference whose values do not fit its times", nullptr);
  return r;
}

Json to_json(const analyses::Stiffness& s) {
  Json points = Json::array();
  for (const analyses::StiffnessPoint& p : s.points) {
    points.push_back(
        {{"t", p.t}, {"decay", p.decay}, {"growth", p.growth}, {"frequency", p.frequency}, {"size", p.size}});
  }
  return {{"measured", s.is_measured()},
          {"why_not", s.why_not},
          {"decay", s.decay},
          {"growth", s.growth},
          {"frequency", s.frequency},
          {"size", s.size},
          {"span", s.span},
          {"explicit_steps", s.stability_steps},
          {"points", points}};
}

analyses::Stiffness to_stiffness(const Json& json) {
  analyses::Stiffness s;
  s.why_not = json.at("why_not");
  s.decay = json.at("decay");
  s.growth = json.at("growth");
  s.frequency = json.at("frequency");
  s.size = json.at("size");
  s.span = json.at("span");
  s.stability_steps = json.at("explicit_steps");
  for (const Json& p : json.at("points")) {
    s.points.push_back({p.at("t"), p.at("decay"), p.at("growth"), p.at("frequency"), p.at("size")});
  }
  return s;
}

Json to_json(const analyses::Comparison& c, const CompareContext& context) {
  Json runs = Json::array(), unfit = Json::array(), rankings = Json::array();
  for (const ComparedRun& run : c.runs) runs.push_back(to_json(run));
  for (const analyses::UnfitMethod& m : c.unfit) unfit.push_back({{"method", m.method}, {"reason", m.reason}});
  for (const analyses::Ranking& ranking : c.rankings) rankings.push_back(to_json(ranking));
  Json json{{"schema", "trammel.compare/1"},
            {"case", context.name},
            {"version", context.version},
            {"machine", context.machine},
            {"created", context.created},
            {"t_begin", context.t_begin},
            {"t_end", context.t_end},
            {"complete", !c.is_cancelled},
            {"problem", to_json(c.facts)},
            {"coordinates", context.coordinates.empty() ? Json() : Json(context.coordinates)},
            {"reference", to_json(c.reference, false)},
            {"stiffness", to_json(c.stiffness)},
            {"runs", runs},
            {"cannot", unfit},
            {"rankings", rankings},
            {"advice", to_json(c.advice, context)},
            {"report", context.report}};
  if (!context.variables.empty()) {
    Json variables = Json::array();
    for (std::size_t i = 0; i < context.variables.size(); ++i) {
      const io::Column& column = context.variables[i];
      variables.push_back({{"name", column.name}, {"unit", column.unit}, {"description", column.description}});
      if (i < c.variable_limits.size()) variables.back()["disagreement"] = c.variable_limits[i].largest;
    }
    json["variables"] = std::move(variables);
    json["variable_notes"] = list_variable_notes(c);
  }
  return json;
}

}  // namespace trammel::cli
