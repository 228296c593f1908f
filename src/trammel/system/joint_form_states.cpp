// States in joint coordinates and in those of all bodies, and the reactions of the joints in the tree.

#include <Eigen/QR>

#include <stdexcept>

#include "trammel/linalg/sparse_lu.h"
#include "trammel/math/turns.h"
#include "trammel/system/joint_form.h"

namespace trammel::system {

using dae::Point;
using dae::State;
using Eigen::Vector3d;
using linalg::Vector;

void JointForm::write_positions(const Vector& joint_q, const TreePlaces& places, dae::VectorOut q) const {
  const BodyTable& bodies = full_->bodies();
  std::vector<Eigen::Vector4d> turns;
  if (!bodies.is_planar()) turns = tree_->calc_turns(joint_q.data());
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    const BodyFrame& body = places.frames[k];
    const int i = bodies.q_of(frame);
    if (bodies.is_planar()) {
      q.segment<3>(i) << body.r[0], body.r[1], body.angle;
    } else {
      q.segment<7>(i) << body.r, turns[k];
    }
  }
}

State JointForm::to_quasi(const State& joint, bool with_reactions) const {
  const dae::Structure& s = full_->structure();
  Point quasi;
  static_cast<State&>(quasi) = State::zero(s);
  quasi.t = joint.t;
  for (std::size_t k = 0; k < state_sources_.size(); ++k) {
    const StateSource& source = state_sources_[k];
    const auto to = static_cast<Eigen::Index>(k);
    quasi.x[to] = source.x >= 0 ? joint.x[source.x] : joint.q[source.q];
    quasi.x_rate[to] = source.x >= 0 ? joint.x_rate[source.x] : joint.v[source.v];
  }
  TreePlaces places = tree_->make_places();
  tree_->calc_places(joint.q.data(), places);
  write_positions(joint.q, places, quasi.q);
  TreeField V = tree_->make_field(), A = tree_->make_field();
  tree_->calc_field(places, joint.v, V);
  write_velocities(places.frames, V.bodies, quasi.v);
  tree_->calc_rate_field(places, V, joint.v, joint.a, A);
  write_accelerations(places.frames, V.bodies, A.bodies, quasi.a);
  for (std::size_t row = 0; row < full_row_.size(); ++row) {
    if (full_row_[row] >= 0) quasi.lambda[full_row_[row]] = joint.lambda[static_cast<Eigen::Index>(row)];
  }
  if (with_reactions && s.m() > 0) recover_reactions(quasi);
  return static_cast<State&>(quasi);
}

/// The multipliers of all constraints, from the balance G^T lambda = f - M a of the bodies.
void JointForm::recover_reactions(Point& quasi) const {
  const dae::Structure& s = full_->structure();
  quasi.workspace = full_->make_workspace();
  full_->prepare_position(quasi);
  full_->prepare_velocity(quasi);
  Vector load = Vector::Zero(s.n_v()), G = Vector::Zero(s.jacobian.size());
  full_->calc_force(quasi, load);
  s.mass.add_product(inner_mass_.data(), quasi.a, -1, load);
  full_->calc_jacobian(quasi, {s.jacobian, G.data()});
  if (rows_match_) {
    recover_along_tree(G, std::move(load), quasi.lambda);
  } else {
    recover_all(G, load, quasi.lambda);
  }
}

/// The load of a leaf is borne by its joint to the parent alone. What that joint exerts on the parent is then part of
/// the parent's load.
void JointForm::recover_along_tree(const Vector& G, Vector load, Vector& lambda) const {
  using Transposed = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Reaction = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  const dae::Structure& s = full_->structure();
  s.jacobian.add_transposed_product(G.data(), lambda, -1, load);
  const std::vector<std::vector<int>>& joint_rows = full_->constraints().joint_rows();
  const int width = tree_->width();
  for (auto frame = tree_->order().rbegin(); frame != tree_->order().rend(); ++frame) {
    const int joint = tree_->tree().joint[static_cast<std::size_t>(*frame)];
    if (joint < 0) continue;
    const std::vector<int>& rows = joint_rows[static_cast<std::size_t>(joint)];
    if (rows.empty()) continue;
    const int first = full_->bodies().v_of(*frame), first_row = rows.front();
    // The rows of a joint follow one another.
    const std::vector<int>& entries = tree_entries_[static_cast<std::size_t>(*frame)];
    Transposed transposed = Transposed::Zero(width, static_cast<Eigen::Index>(rows.size()));
    for (const int k : entries) {
      const linalg::Entry& e = s.jacobian[k];
      if (e.column >= first && e.column < first + width) transposed(e.column - first, e.row - first_row) += G[k];
    }
    const Reaction reaction = Eigen::ColPivHouseholderQR<Transposed>(transposed).solve(load.segment(first, width));
    lambda.segment(first_row, reaction.size()) = reaction;
    for (const int k : entries) {
      const linalg::Entry& e = s.jacobian[k];
      load[e.column] -= G[k] * reaction[e.row - first_row];
    }
  }
}

/// With redundant constraints the full system may have left out others than the inner one: the multipliers of those
/// that it has follow from all balances at once, by [I G^T; G 0] [rest; lambda] = [load; 0].
void JointForm::recover_all(const Vector& G, const Vector& load, Vector& lambda) const {
  const dae::Structure& s = full_->structure();
  const int n = s.n_v(), m = s.m();
  std::vector<linalg::Entry> entries;
  std::vector<double> values;
  std::vector<bool> is_on(static_cast<std::size_t>(m), false);
  const auto add = [&](int row, int column, double value) {
    entries.push_back({row, column});
    values.push_back(value);
  };
  for (int k = 0; k < n; ++k) add(k, k, 1);
  for (int k = 0; k < s.jacobian.size(); ++k) {
    const linalg::Entry& e = s.jacobian[k];
    add(n + e.row, e.column, G[k]);
    add(e.column, n + e.row, G[k]);
    if (G[k] != 0) is_on[static_cast<std::size_t>(e.row)] = true;
  }
  // Rows that are switched off bear nothing.
  for (int row = 0; row < m; ++row) {
    if (!is_on[static_cast<std::size_t>(row)]) add(n + row, n + row, 1);
  }
  linalg::SparseLu lu(linalg::Pattern(n + m, n + m, std::move(entries)));
  if (!lu.factor(values.data())) return;
  Vector solution = Vector::Zero(n + m);
  solution.head(n) = load;
  lu.solve(solution);
  lambda = solution.tail(m);
}

State JointForm::from_quasi(const State& quasi) const {
  State joint = State::zero(structure());
  joint.t = quasi.t;
  const BodyTable& bodies = inner_->bodies();
  std::vector<BodyFrame> frames(static_cast<std::size_t>(bodies.frames()));
  bodies.calc_frames(quasi.q.data(), frames);
  tree_->calc_coordinates(frames, joint.q);
  for (std::size_t k = 0; k < state_sources_.size(); ++k) {
    const StateSource& source = state_sources_[k];
    const auto from = static_cast<Eigen::Index>(k);
    if (source.x >= 0) {
      joint.x[source.x] = quasi.x[from];
      joint.x_rate[source.x] = quasi.x_rate[from];
    } else {
      joint.q[source.q] = math::nearest_turn(joint.q[source.q], quasi.x[from]);
    }
  }
  TreePlaces places = tree_->make_places();
  tree_->calc_places(joint.q.data(), places);
  const auto twists_of = [&](const Vector& xi) {
    std::vector<Screw> twists(frames.size());
    for (int frame = 1; frame < bodies.frames(); ++frame) {
      Screw& V = twists[static_cast<std::size_t>(frame)];
      const int i = bodies.v_of(frame);
      if (bodies.is_planar()) {
        V = {{xi[i], xi[i + 1], 0}, {0, 0, xi[i + 2]}};
      } else {
        V = {xi.segment<3>(i), places.frames[static_cast<std::size_t>(frame)].R * xi.segment<3>(i + 3)};
      }
    }
    return twists;
  };
  tree_->calc_components(places, twists_of(quasi.v), nullptr, joint.v, joint.v);
  TreeField V = tree_->make_field();
  tree_->calc_field(places, joint.v, V);
  std::vector<Screw> accelerations = twists_of(quasi.a);
  for (std::size_t k = 1; k < accelerations.size(); ++k) {
    accelerations[k].v -= V.bodies[k].w.cross(V.bodies[k].v);
  }
  tree_->calc_components(places, accelerations, &V, joint.v, joint.a);
  for (std::size_t row = 0; row < full_row_.size(); ++row) {
    if (full_row_[row] >= 0) joint.lambda[static_cast<Eigen::Index>(row)] = quasi.lambda[full_row_[row]];
  }
  return joint;
}

}  // namespace trammel::system
