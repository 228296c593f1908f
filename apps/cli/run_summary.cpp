#include "run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "coordinates_option.h"
#include "counted.h"
#include "trammel/system/joint_form.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;
using integrators::RunResult;

Json list(const linalg::Vector& vector) { return std::vector<double>(vector.begin(), vector.end()); }

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json describe_statistics(const integrators::Statistics& s) {
  long renewals = 0;
  for (const long count : s.renewals) renewals += count;
  return {{"steps", s.steps},
          {"rejected_error", s.rejected_error},
          {"rejected_convergence", s.rejected_convergence},
          {"force_evaluations", s.evaluations.force},
          {"constraint_evaluations", s.evaluations.constraint},
          {"constraint_jacobian_evaluations", s.evaluations.jacobian},
          {"jacobian_evaluations", renewals},
          {"derivative_evaluations", s.evaluations.derivative},
          {"newton_iterations", s.newton_iterations},
          {"substeps", s.substeps},
          {"factorizations", s.linear.factorizations},
          {"solves", s.linear.solves},
          {"refinements", s.linear.refinements},
          {"linear_solver", s.linear_solver},
          {"step_solver", s.step_solver.empty() ? Json(nullptr) : Json(s.step_solver)},
          {"restarts", s.restarts},
          {"smallest_step", s.smallest_step},
          {"largest_step", s.largest_step},
          {"wall_seconds", s.wall_seconds},
          {"cpu_seconds", s.cpu_seconds}};
}

}  // namespace

Json describe_bodies(const cases::Case& problem, const dae::State& state) {
  Json bodies = Json::object();
  if (!problem.bodies || state.q.size() != problem.system->structure().n_q()) return bodies;
  for (const cases::BodyPose& pose : problem.bodies(state)) {
    Json& body = bodies[pose.name];
    body["position"] = list(pose.position);
    if (pose.orientation.size() > 0) {
      body["orientation"] = list(pose.orientation);
    } else {
      body["angle"] = pose.angle;
    }
    body["velocity"] = list(pose.velocity);
    if (pose.orientation.size() > 0) {
      body["angular_velocity"] = list(pose.angular_vector);
    } else {
      body["angular_velocity"] = pose.angular_velocity;
    }
  }
  return bodies;
}

Json summarize_as_json(const std::string& case_name, const cases::Case& problem, const RunResult& result) {
  Json events = Json::array();
  for (const integrators::EventRecord& event : result.events) events.push_back({{"name", event.name}, {"t", event.t}});
  const dae::State& state = result.state;
  return {{"schema", "trammel.run/1"},
          {"case", case_name},
          {"method", result.method},
          {"status", to_string(result.status)},
          {"reason", result.reason},
          {"t", state.t},
          {"q", list(state.q)},
          {"v", list(state.v)},
          {"a", list(state.a)},
          {"lambda", list(state.lambda)},
          {"x", list(state.x)},
          {"bodies", describe_bodies(problem, state)},
          {"events", events},
          {"notes", result.notes},
          {"drift", {{"position", result.drift.position}, {"velocity", result.drift.velocity}}},
          {"energy", {{"initial", optional(result.initial_energy)}, {"final", optional(result.final_energy)}}},
          {"statistics", describe_statistics(result.statistics)}};
}

std::string list_positions(const cases::Case& problem, const dae::State& state) {
  const dae::Structure& s = problem.system->structure();
  std::string text;
  constexpr int kMostRows = 12;
  const int rows = std::min(s.n_q(), kMostRows);
  text += fmt::format("  at the end     {:<18} {:>16}{}\n", "coordinate", "position",
                      s.has_trivial_kinematics ? fmt::format(" {:>16}", "velocity") : "");
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("                 {:<18} {:>16.9g}", s.position_names[static_cast<std::size_t>(i)], state.q[i]);
    text += s.has_trivial_kinematics ? fmt::format(" {:>16.9g}\n", state.v[i]) : "\n";
  }
  if (rows < s.n_q()) text += fmt::format("                 ... and {} more (see --json or --out)\n", s.n_q() - rows);
  return text;
}

std::string summarize(const std::string& case_name, const cases::Case& problem, const RunResult& result,
                      const analyses::Form* form) {
  const bool is_joint = form && form->joint;
  const dae::Structure& s = is_joint ? form->joint->structure() : problem.system->structure();
  const int rows = s.m() - static_cast<int>(s.switchable_rows.size());  // without those of friction that sticks
  std::string text =
      fmt::format("{}: {}, {}", case_name, counted(s.n_v(), is_joint ? "joint coordinate" : "coordinate"),
                  rows == 0 ? "no constraints" : counted(rows, "constraint"));
  // In a run that went well the constraints were independent.
  const int freedoms = s.n_v() - rows;
  if (result.ok()) text += freedoms == 1 ? ", 1 degree of freedom" : fmt::format(", {} degrees of freedom", freedoms);
  text += '\n';
  text += result.brief_report();
  if (form) text += fmt::format("  coordinates    {}\n", describe_coordinates(*form));
  if (!result.ok()) return text;
  return text + list_positions(problem, result.state);
}

}  // namespace trammel::cli
