#include "trammel/analyses/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "trammel/analyses/linearise.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/model/joint_types.h"
#include "trammel/model/placement.h"

namespace trammel::analyses {
namespace {

using system::CompileOptions;
using system::Mechanism;

// How far a mechanism is moved to see whether it has a larger rank close by: as an angle [rad] and in units of its
// size.
constexpr double kNudge = 1e-3;
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

bool has_couplings(const model::Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [](const model::Joint& joint) {
    using enum model::JointType;
    return joint.type == kGear || joint.type == kCoupler || joint.type == kRackAndPinion || joint.type == kScrew;
  });
}

AssemblyResult assemble_mechanism(const Mechanism& mechanism, const dae::State& guess) {
  AssemblyOptions options;
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

/// Whether the rank is larger close to the start: then rows depend on each other only there.
bool has_larger_rank_nearby(const Mechanism& mechanism, const dae::State& start, int rank) {
  if (mechanism.structure().n_v() > kMostCoordinates) return false;
  dae::Evaluation evaluation(mechanism);
  evaluation.set(start);
  const Eigen::MatrixXd motions = calc_null_space(mechanism.structure().jacobian.to_dense(evaluation.jacobian()));
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(motions.cols(), 4); ++k) {
    dae::State moved = start;
    const linalg::Vector step = kNudge * motions.col(k) / std::max(1e-300, motions.col(k).cwiseAbs().maxCoeff());
    mechanism.retract(start.q, step, moved.q);
    mechanism.set_counters(moved);
    AssemblyOptions options;
    options.nearest = false;
    const AssemblyResult closed = assemble(mechanism, moved, options);
    if (closed.ok && find_redundancy_at(mechanism, closed.state).rank > rank) return true;
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
      const bool is_dropped = dropped.contains(fmt::format("{} '{}': {}", type.name, joint.name, use.label));
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

Prepared fail(Prepared prepared, std::string message) {
  prepared.ok = false;
  prepared.message = std::move(message);
  return prepared;
}

}  // namespace

Prepared prepare(std::shared_ptr<const model::Model> given, const PrepareOptions& options) {
  Prepared prepared;
  auto placed = std::make_shared<model::Model>(*given);
  model::place_bodies(*placed);
  const std::shared_ptr<const model::Model> model = placed;

  // Positions first without couplings, whose constants are those of the assembled position.
  CompileOptions compile;
  compile.constraints.with_initial_coordinates = true;
  compile.constraints.with_couplings = false;
  auto mechanism = std::make_shared<const Mechanism>(model, compile);
  prepared.assembly = assemble_mechanism(*mechanism, mechanism->given_state());
  prepared.mechanism = mechanism;
  prepared.start = prepared.assembly.state;
  if (!prepared.assembly.ok) return fail(prepared, prepared.assembly.message);

  const linalg::Vector reference = prepared.assembly.state.q;
  compile.constraints.reference = &reference;
  compile.constraints.with_couplings = true;
  if (has_couplings(*model)) {
    mechanism = std::make_shared<const Mechanism>(model, compile);
    prepared.assembly = assemble_mechanism(*mechanism, transfer(*mechanism, prepared.assembly.state));
    prepared.mechanism = mechanism;
    prepared.start = prepared.assembly.state;
    if (!prepared.assembly.ok) return fail(prepared, prepared.assembly.message);
  }

  compile.constraints.with_initial_coordinates = false;
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
  if (mobility.redundant.empty()) {
    prepared.ok = true;
    return prepared;
  }
  if (has_larger_rank_nearby(*mechanism, prepared.start, report.rank)) {
    mobility.is_singular_start = true;
    std::vector<std::string> names;
    for (const RedundantConstraint& row : mobility.redundant) names.push_back(row.name);
    return fail(prepared,
                fmt::format("the mechanism starts in a singular position, where its constraints lose rank and "
                            "its motion may branch: {}; start it from another position",
                            fmt::join(names, "; ")));
  }
  suggest_joints(*model, mobility.redundant, mobility.suggestions);
  if (options.is_strict) {
    std::vector<std::string> names;
    for (const RedundantConstraint& row : mobility.redundant) names.push_back(row.name);
    return fail(prepared, fmt::format("redundant constraints: {}", fmt::join(names, "; ")));
  }
  describe_redundancy(mobility, prepared.warnings);
  for (const RedundantConstraint& row : mobility.redundant) compile.constraints.dropped.insert(row.name);
  prepared.mechanism = std::make_shared<const Mechanism>(model, compile);
  prepared.start = transfer(*prepared.mechanism, prepared.start);
  prepared.ok = true;
  return prepared;
}

}  // namespace trammel::analyses
