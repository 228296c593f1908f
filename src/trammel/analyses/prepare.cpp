#include "trammel/analyses/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "trammel/analyses/linearise.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/math/turns.h"
#include "trammel/model/joint_types.h"
#include "trammel/model/placement.h"

namespace trammel::analyses {
namespace {

using system::CompileOptions;
using system::Mechanism;

// How far a mechanism is moved to see whether rows that others imply stay closed (an angle [rad], and a share of its
// size), in how many directions at most, and from which share of its size on a row is open: the square of the way is
// what opens at a singular position, and round-off is far below.
constexpr double kNudge = 1e-2, kOpen = 1e-8;
constexpr Eigen::Index kMostNudges = 8;
// Larger mechanisms are not looked at in this way (dense null space).
constexpr int kMostCoordinates = 1000;

std::vector<int> held_coordinates(const Mechanism& mechanism) {
  std::vector<int> held;
  const system::BodyTable& bodies = mechanism.bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    if (!mechanism.model().bodies[static_cast<std::size_t>(frame - 1)].is_held) continue;
    for (int k = 0; k < bodies.v_size(); ++k) held.push_back(bodies.v_of(frame) + k);
  }
  return held;
}

AssemblyResult assemble_mechanism(const Mechanism& mechanism, const dae::State& guess, bool with_velocities) {
  AssemblyOptions options;
  options.with_velocities = with_velocities;
  options.fixed_velocities = held_coordinates(mechanism);
  return assemble(mechanism, guess, options);
}

/// Copies t, q, v and the states of the model from a system with other constraints.
dae::State transfer(const Mechanism& to, const dae::State& from) {
  dae::State state = to.given_state();
  state.q = from.q;
  state.v = from.v;
  to.set_counters(state);
  return state;
}

kinematics::RedundancyReport find_redundancy_at(const Mechanism& mechanism, const dae::State& state) {
  dae::Evaluation evaluation(mechanism);
  evaluation.set(state);
  return kinematics::find_redundancy(evaluation);
}

/// Whether the implied rows open when the mechanism moves a little without them: then they are implied at the start
/// only, which is a singular position.
bool opens_nearby(const Mechanism& mechanism, const dae::State& start) {
  if (mechanism.structure().n_v() > kMostCoordinates) return false;
  dae::Evaluation evaluation(mechanism);
  evaluation.set(start);
  const Eigen::MatrixXd motions = calc_null_space(mechanism.structure().jacobian.to_dense(evaluation.jacobian()));
  AssemblyOptions options;
  options.nearest = false;
  const CoordinateMetric metric = make_metric(evaluation, options.metric);
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(motions.cols(), kMostNudges); ++k) {
    dae::State moved = start;
    const double size = metric.largest(motions.col(k));
    mechanism.retract(start.q, (kNudge * metric.length / std::max(1e-300, size)) * motions.col(k), moved.q);
    mechanism.set_counters(moved);
    const AssemblyResult closed = assemble(mechanism, moved, options);
    if (!closed.ok) continue;
    evaluation.set(closed.state);
    if (kinematics::find_open_implied(evaluation).residual > kOpen * metric.length) return true;
  }
  return false;
}

/// Primitives of a joint whose rows are kept, compared with those of other types between the same markers.
void suggest_joints(const model::Model& model, const std::vector<RedundantConstraint>& redundant,
                    std::vector<std::string>& suggestions) {
  std::set<std::string> dropped;
  for (const RedundantConstraint& row : redundant) dropped.insert(row.name);
  for (const model::Joint& joint : model.joints) {
    const model::JointTypeInfo& type = model::joint_type(joint.type);
    std::vector<model::PrimitiveUse> kept;
    bool is_affected = false;
    for (const model::PrimitiveUse& use : type.rows(model.space)) {
      const bool is_dropped = dropped.contains(system::constraint_name(joint, use.label));
      is_affected = is_affected || is_dropped;
      if (!is_dropped) kept.push_back(use);
    }
    if (!is_affected) continue;
    const auto is_same = [](const model::PrimitiveUse& a, const model::PrimitiveUse& b) {
      return a.kind == b.kind && a.axis_i == b.axis_i && a.axis_j == b.axis_j;
    };
    if (kept.empty()) {
      suggestions.push_back(fmt::format("{} '{}' can be removed", type.name, joint.name));
      continue;
    }
    for (const model::JointTypeInfo& other : model::joint_types()) {
      const auto& rows = other.rows(model.space);
      if (rows.size() == kept.size() && std::equal(rows.begin(), rows.end(), kept.begin(), is_same)) {
        suggestions.push_back(fmt::format("make '{}' a {} joint instead of {}", joint.name, other.name, type.name));
        break;
      }
    }
  }
}

std::set<std::string> motion_names(const system::Constraints& constraints) {
  std::set<std::string> names;
  for (const std::vector<int>& rows : constraints.motion_rows()) {
    for (const int row : rows) names.insert(constraints.names()[static_cast<std::size_t>(row)]);
  }
  return names;
}

/// Motions must not drive what is determined already; empty when none does.
std::string describe_conflict(const std::vector<RedundantConstraint>& redundant,
                              const system::Constraints& constraints) {
  const std::set<std::string> motions = motion_names(constraints);
  for (const RedundantConstraint& row : redundant) {
    std::vector<std::string> names{row.name};
    names.insert(names.end(), row.implied_by.begin(), row.implied_by.end());
    if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return motions.contains(n); })) continue;
    if (names.size() == 1) return fmt::format("{} has no effect: nothing moves that it could drive", row.name);
    names.erase(names.begin());
    return fmt::format("{} drives or holds what these determine already: {}; remove one of them", row.name,
                       fmt::join(names, "; "));
  }
  return {};
}

/// A motion that jumps, which no position can follow; empty when there is none.
std::string describe_jump(const model::Model& model) {
  for (const model::Motion& motion : model.motions) {
    if (motion.level != model::MotionLevel::kPosition) continue;
    const auto function = system::TimeFunction::of(motion.function);
    const bool is_angle = model::is_angle(motion.coordinate.joint >= 0 ? motion.coordinate.kind : motion.kind);
    for (const math::SignChange& edge : function.find_edges(model.simulation.t_start, model.simulation.t_end, 0)) {
      const double before = function.calc(edge.before).value, after = function.calc(edge.after).value;
      const double jump = is_angle ? std::remainder(after - before, math::kTurn) : after - before;
      if (!(std::abs(jump) > 1e-9 * std::max({1.0, std::abs(before), std::abs(after)}))) continue;
      return fmt::format(
          "motion '{}' jumps from {:.6g} to {:.6g} at t = {:.6g}, and positions cannot jump; let it pass in some time, "
          "with step(t, {:.6g}, {:.6g}, ...) for instance",
          motion.name, before, after, edge.after, edge.after, before);
    }
  }
  return {};
}

void describe_redundancy(const Mobility& mobility, std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 12;
  for (std::size_t k = 0; k < mobility.redundant.size() && k < kMost; ++k) {
    const RedundantConstraint& row = mobility.redundant[k];
    warnings.push_back(fmt::format("redundant: {}{}; left out", row.name,
                                   row.implied_by.empty() ? " (it has no effect)" : " (others imply it)"));
  }
  if (mobility.redundant.size() > kMost) {
    warnings.push_back(fmt::format("and {} more redundant constraints; left out", mobility.redundant.size() - kMost));
  }
}

/// Rows that are left out bear nothing, though a real joint would.
void describe_unknown_loads(const Mechanism& mechanism, const std::vector<std::string>& left_out,
                            std::vector<std::string>& warnings) {
  const system::DryFrictions& frictions = mechanism.forces().frictions();
  for (int k = 0; k < frictions.count(); ++k) {
    const auto joint = static_cast<std::size_t>(frictions.data(k).coordinate.joint);
    const auto is_of_joint = [&](const std::string& name) {
      const std::vector<int>& rows = mechanism.constraints().joint_rows()[joint];
      return std::any_of(rows.begin(), rows.end(), [&](int row) {
        return mechanism.constraints().names()[static_cast<std::size_t>(row)] == name;
      });
    };
    if (std::none_of(left_out.begin(), left_out.end(), is_of_joint)) continue;
    warnings.push_back(fmt::format(
        "the load of dry-friction '{}' is not determined: constraints of its joint '{}' are redundant, and those left "
        "out bear nothing",
        frictions.name(k), mechanism.model().joints[joint].name));
  }
}

Prepared fail(Prepared prepared, std::string message) {
  prepared.ok = false;
  prepared.message = std::move(message);
  return prepared;
}

}  // namespace

Prepared prepare(const std::shared_ptr<const model::Model>& given, const PrepareOptions& options) {
  Prepared prepared;
  auto placed = std::make_shared<model::Model>(*given);
  model::place_bodies(*placed);
  const std::shared_ptr<const model::Model> model = placed;

  // Positions first, at the initial values of joints, and without couplings, whose constants are those of the assembled
  // position.
  CompileOptions compile;
  compile.constraints.with_initial_values = true;
  compile.constraints.with_couplings = false;
  compile.with_dry_friction = false;  // rows that are switched are of no use before the motion starts
  auto mechanism = std::make_shared<const Mechanism>(model, compile);
  AssemblyResult& assembly = prepared.assembly;
  assembly = assemble_mechanism(*mechanism, mechanism->given_state(), false);
  prepared.mechanism = mechanism;
  prepared.start = assembly.state;
  if (!assembly.ok) return fail(prepared, assembly.message);
  if (std::string jump = describe_jump(*model); !jump.empty()) return fail(prepared, std::move(jump));

  // Then velocities, with the initial rates.
  const linalg::Vector reference = assembly.state.q;
  compile.constraints.reference = &reference;
  compile.constraints.with_initial_values = false;
  compile.constraints.with_initial_rates = true;
  compile.constraints.with_couplings = true;
  mechanism = std::make_shared<const Mechanism>(model, compile);
  AssemblyResult complete = assemble_mechanism(*mechanism, transfer(*mechanism, assembly.state), true);
  prepared.mechanism = mechanism;
  prepared.start = complete.state;
  assembly.state = complete.state;
  assembly.velocity_changed = complete.velocity_changed;
  assembly.largest_velocity_violation = complete.largest_velocity_violation;
  if (!complete.ok) {
    assembly = std::move(complete);
    return fail(prepared, assembly.message);
  }

  compile.constraints.with_initial_rates = false;
  compile.with_energy_states = options.with_energy_states;
  mechanism = std::make_shared<const Mechanism>(model, compile);
  prepared.mechanism = mechanism;
  prepared.start = transfer(*mechanism, prepared.start);

  Mobility& mobility = prepared.mobility;
  mobility.coordinates = mechanism->structure().n_v();
  mobility.constraints = mechanism->structure().m();
  mobility.degrees_by_count = mobility.coordinates - mobility.constraints;
  const kinematics::RedundancyReport report = find_redundancy_at(*mechanism, prepared.start);
  mobility.degrees_of_freedom = report.degrees_of_freedom;
  for (const kinematics::RedundantRow& row : report.redundant) mobility.redundant.push_back({row.name, row.implied_by});
  const bool has_friction = options.with_dry_friction && mechanism->forces().frictions().count() > 0;
  const auto compile_finally = [&] {
    if (!has_friction && compile.constraints.implied.empty()) return;
    compile.with_dry_friction = has_friction;
    prepared.mechanism = std::make_shared<const Mechanism>(model, compile);
    prepared.start = transfer(*prepared.mechanism, prepared.start);
  };
  if (!options.with_dry_friction && mechanism->forces().frictions().count() > 0) {
    prepared.warnings.push_back("dry friction is left out here; it acts in runs only");
  }
  if (mobility.redundant.empty()) {
    compile_finally();
    prepared.ok = true;
    return prepared;
  }
  if (std::string conflict = describe_conflict(mobility.redundant, mechanism->constraints()); !conflict.empty()) {
    return fail(prepared, std::move(conflict));
  }
  std::vector<std::string> names;
  for (const RedundantConstraint& row : mobility.redundant) names.push_back(row.name);
  compile.constraints.implied = {names.begin(), names.end()};
  // Without its motions, a mechanism in a singular position can leave it in all ways that there are.
  CompileOptions undriven = compile;
  for (const std::string& name : motion_names(mechanism->constraints())) undriven.constraints.dropped.insert(name);
  const Mechanism free(model, undriven);
  if (opens_nearby(free, transfer(free, prepared.start))) {
    mobility.is_singular_start = true;
    return fail(prepared,
                fmt::format("the mechanism starts in a singular position, where its constraints lose rank and "
                            "its motion may branch: {}; start it from another position",
                            fmt::join(names, "; ")));
  }
  suggest_joints(*model, mobility.redundant, mobility.suggestions);
  if (options.is_strict) {
    return fail(prepared, fmt::format("redundant constraints: {}", fmt::join(names, "; ")));
  }
  describe_redundancy(mobility, prepared.warnings);
  if (has_friction) describe_unknown_loads(*mechanism, names, prepared.warnings);
  compile_finally();
  prepared.ok = true;
  return prepared;
}

}  // namespace trammel::analyses
