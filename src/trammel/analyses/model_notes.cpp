#include "trammel/analyses/model_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "trammel/analyses/linearise.h"
#include "trammel/model/algebraic_loops.h"
#include "trammel/model/joint_types.h"
#include "trammel/system/probe.h"

namespace trammel::analyses {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Principal moments below this share of the largest count as zero.
constexpr double kNoInertia = 1e-14;
// What a body may have in a motion that others make: round-off of the null space.
constexpr double kNoMotion = 1e-6;
// An initial rate that differs by less, relative to the larger, is the same: bodies may be placed approximately.
constexpr double kSameRate = 1e-3;

/// A motion of one body that meets no inertia.
struct MasslessMotion {
  int body;
  bool is_rotation;
  VectorXd direction;  // among the velocities of the system
};

std::vector<MasslessMotion> find_massless_motions(const system::BodyTable& bodies) {
  std::vector<MasslessMotion> motions;
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const auto add = [&](bool is_rotation, int slot, const Vector3d& direction) {
      VectorXd v = VectorXd::Zero(bodies.n_v());
      for (const int k : bodies.slots(frame)) {
        if (k >= slot && k < slot + 3) v[bodies.column(frame, k)] = direction[k - slot];
      }
      motions.push_back({frame - 1, is_rotation, v});
    };
    const int axes = bodies.is_planar() ? 2 : 3;
    for (int k = 0; k < axes && bodies.mass(frame) == 0; ++k) add(false, 0, Vector3d::Unit(k));
    if (bodies.is_planar()) {
      if (bodies.inertia(frame)(2, 2) == 0) add(true, 3, Vector3d::UnitZ());
      continue;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> moments(bodies.inertia(frame));
    for (int k = 0; k < 3; ++k) {
      if (moments.eigenvalues()[k] > kNoInertia * moments.eigenvalues()[2]) continue;
      add(true, 3, moments.eigenvectors().col(k));
    }
  }
  return motions;
}

}  // namespace

std::vector<std::string> find_massless_bodies(const system::Mechanism& mechanism, const dae::State& at) {
  // M u = 0 holds for sums of these motions only, so G is looked at on them alone.
  const std::vector<MasslessMotion> motions = find_massless_motions(mechanism.bodies());
  if (motions.empty()) return {};
  const dae::Structure& s = mechanism.structure();
  dae::Evaluation evaluation(mechanism);
  evaluation.set(at);
  MatrixXd G(s.m(), static_cast<Eigen::Index>(motions.size()));
  for (std::size_t k = 0; k < motions.size(); ++k) {
    VectorXd column = VectorXd::Zero(s.m());
    s.jacobian.add_product(evaluation.jacobian(), motions[k].direction, 1, column);
    G.col(static_cast<Eigen::Index>(k)) = column;
  }
  const MatrixXd free = calc_null_space(G);

  std::vector<std::string> messages;
  const auto& bodies = mechanism.model().bodies;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    bool moves = false, turns = false;
    for (std::size_t k = 0; k < motions.size(); ++k) {
      if (motions[k].body != static_cast<int>(body) || free.cols() == 0) continue;
      if (free.row(static_cast<Eigen::Index>(k)).norm() > kNoMotion) (motions[k].is_rotation ? turns : moves) = true;
    }
    if (!moves && !turns) continue;
    const char* lacks = moves && turns ? "mass and no inertia" : moves ? "mass" : "inertia";
    const char* motion = moves && turns ? "motion" : moves ? "position" : "rotation";
    messages.push_back(fmt::format(
        "body '{}' has no {} where the joints leave its {} free, so that its accelerations are not determined: give "
        "it {}, or hold its {} by joints",
        bodies[body].name, lacks, motion, moves && turns ? "mass and inertia" : lacks, motion));
  }
  return messages;
}

std::vector<std::string> find_implicit_states(const model::Model& model) {
  const auto list = [](const std::vector<std::string>& names) { return fmt::format("'{}'", fmt::join(names, "', '")); };
  std::vector<std::string> messages;
  for (const std::vector<std::string>& loop : model::find_algebraic_loops(model)) {
    messages.push_back(
        loop.size() == 1
            ? fmt::format("variable {} refers to itself, which makes it a state in implicit form", list(loop))
            : fmt::format("{} refer to each other in a circle, which makes one of them a state in implicit form",
                          list(loop)));
  }
  std::vector<std::string> names;
  for (const model::ExtraState& state : model.states) {
    if (state.is_implicit) names.push_back(state.name);
  }
  if (!names.empty()) messages.push_back(fmt::format("states in implicit form (by a residual): {}", list(names)));
  return messages;
}

std::vector<std::string> find_overruled_velocities(const system::Mechanism& mechanism) {
  const model::Model& model = mechanism.model();
  const auto is_moving = [&](int marker) {
    const int body = marker < 0 ? model::kGround : model.markers[static_cast<std::size_t>(marker)].body;
    if (body == model::kGround) return false;
    const model::Body& given = model.bodies[static_cast<std::size_t>(body)];
    return !given.velocity.isZero(0) || !given.angular_velocity.isZero(0);
  };
  system::Probe probe(mechanism);
  probe.set(mechanism.given_state());
  std::vector<std::string> messages;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const model::Joint& joint = model.joints[j];
    if (!is_moving(joint.i) && !is_moving(joint.j)) continue;
    for (const model::InitialCoordinate& initial : joint.initial) {
      if (!initial.rate) continue;
      const double rate = probe.calc_joint_rate({static_cast<int>(j), initial.kind});
      const double noise = kSameRate * std::max(std::abs(rate), std::abs(*initial.rate));
      if (std::abs(rate - *initial.rate) <= noise) continue;
      messages.push_back(
          fmt::format("joint '{}': its initial {}_rate {:g} is used; the velocities of its bodies would "
                      "give {:g}",
                      joint.name, model::to_string(initial.kind), *initial.rate, std::abs(rate) <= noise ? 0 : rate));
    }
  }
  return messages;
}

}  // namespace trammel::analyses
