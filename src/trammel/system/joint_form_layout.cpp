// What of the equations in joint coordinates never changes.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "trammel/system/joint_form.h"

namespace trammel::system {

using dae::Derivative;
using dae::Structure;

namespace {

std::map<std::string, int> find_places(const std::vector<std::string>& names) {
  std::map<std::string, int> places;
  for (std::size_t k = 0; k < names.size(); ++k) places.emplace(names[k], static_cast<int>(k));
  return places;
}

dae::TreeStructure make_tree(const JointTree& tree) {
  dae::TreeStructure result;
  result.width = tree.width();
  std::vector<int> node_of(tree.order().size() + 1, -1);
  std::ptrdiff_t axes = 0;
  for (const int frame : tree.order()) {
    node_of[static_cast<std::size_t>(frame)] = static_cast<int>(result.nodes.size());
    const int count = tree.velocity_count(frame);
    result.nodes.push_back(
        {node_of[static_cast<std::size_t>(tree.parent(frame))], tree.first_velocity(frame), count, axes});
    axes += static_cast<std::ptrdiff_t>(result.width) * count;
  }
  return result;
}

/// The bodies that the rows of a matrix act on.
std::vector<bool> find_frames(const linalg::Pattern& pattern, const JointTree& tree) {
  std::vector<bool> frames(tree.order().size() + 1, false);
  for (const linalg::Entry& e : pattern.entries()) frames[static_cast<std::size_t>(e.column / tree.width() + 1)] = true;
  return frames;
}

}  // namespace

JointForm::JointForm(std::shared_ptr<const Mechanism> full, const std::shared_ptr<const Mechanism>& inner,
                     const std::shared_ptr<const JointTree>& tree)
    : JointForm(make_layout(*inner, *tree), std::move(full), inner, tree) {}

JointForm::JointForm(Layout layout, std::shared_ptr<const Mechanism> full, std::shared_ptr<const Mechanism> inner,
                     std::shared_ptr<const JointTree> tree)
    : ConstrainedSystem(std::move(layout.structure)),
      full_(std::move(full)),
      inner_(std::move(inner)),
      tree_(std::move(tree)),
      layout_(std::move(layout)) {
  const linalg::Pattern& mass = inner_->structure().mass;
  inner_mass_ = linalg::Vector::Zero(mass.size());
  dae::Point nowhere;  // the mass matrix of bodies is constant
  inner_->calc_mass(nowhere, {mass, inner_mass_.data()});
  match_states();
  match_rows();
  find_tree_entries();
}

JointForm::Layout JointForm::make_layout(const Mechanism& inner, const JointTree& tree) {
  const Structure& in = inner.structure();
  if (in.n_v() != static_cast<int>(tree.order().size()) * tree.width()) {
    throw std::invalid_argument("the tree of joints is not that of the mechanism");
  }
  for (const std::vector<int>& joints = tree.tree().joint; const int joint : joints) {
    if (joint < 0 || inner.constraints().joint_rows()[static_cast<std::size_t>(joint)].empty()) continue;
    throw std::invalid_argument(fmt::format("joint '{}' is in the tree, but its constraints are in the inner system",
                                            inner.model().joints[static_cast<std::size_t>(joint)].name));
  }
  Layout layout;
  Structure& out = layout.structure;
  out.has_trivial_kinematics = !tree.has_balls();
  out.keeps_energy = in.keeps_energy;
  out.is_autonomous = in.is_autonomous;
  out.position_names = tree.position_names();
  out.velocity_names = tree.velocity_names();
  out.constraint_names = in.constraint_names;
  out.state_names = in.state_names;
  out.following_states = in.following_states;
  out.implied_names = in.implied_names;
  out.switchable_rows = in.switchable_rows;
  out.n_g = in.n_g;
  out.state_form = in.state_form;
  out.tree = make_tree(tree);
  add_matrices(in, tree, layout);
  return layout;
}

void JointForm::add_matrices(const Structure& in, const JointTree& tree, Layout& layout) {
  using enum Derivative;
  using Axis = TreeMatrix::Axis;
  const std::vector<bool> all(tree.order().size() + 1, true), none;
  const auto on_velocities = [&](const std::vector<const linalg::Pattern*>& sources,
                                 const std::vector<bool>& projected) {
    return TreeMatrix(tree, Axis::kVelocities, Axis::kVelocities, sources, projected);
  };
  const auto rows_of = [&](const std::vector<const linalg::Pattern*>& sources) {
    return TreeMatrix(tree, Axis::kOther, Axis::kVelocities, sources, none, sources.front()->rows());
  };
  const auto set = [&](Derivative which, TreeMatrix matrix) {
    layout.derivatives[static_cast<std::size_t>(which)] = std::move(matrix);
  };
  const auto of = [&](Derivative which) { return &in.pattern(which); };

  // The sources, in the order in which the functions of joint_form_derivatives.cpp add them.
  layout.mass = on_velocities({}, all);
  layout.jacobian = rows_of({&in.jacobian});
  set(kInertiaByQ, on_velocities({&in.mass}, all));
  set(kReactionByQ, on_velocities({of(kReactionByQ)}, find_frames(in.jacobian, tree)));
  set(kForceByQ, on_velocities({of(kForceByQ), of(kForceByV), &in.mass}, all));
  set(kForceByV, on_velocities({of(kForceByV), &in.mass}, none));
  for (const Derivative which : {kForceByLambda, kForceByX}) {
    set(which, TreeMatrix(tree, Axis::kVelocities, Axis::kOther, {of(which)}, none, 0, of(which)->columns()));
  }
  set(kVelocityByQ, rows_of({of(kVelocityByQ), &in.jacobian}));
  set(kAccelerationByQ, rows_of({of(kAccelerationByQ), &in.jacobian, of(kBiasByV)}));
  set(kBiasByV, rows_of({of(kBiasByV), &in.jacobian}));
  for (const Derivative which : {kStateByXRate, kStateByX, kStateByLambda}) {
    set(which,
        TreeMatrix(tree, Axis::kOther, Axis::kOther, {of(which)}, none, of(which)->rows(), of(which)->columns()));
  }
  set(kStateByQ, rows_of({of(kStateByQ), of(kStateByV), of(kStateByA)}));
  set(kStateByV, rows_of({of(kStateByV), of(kStateByA)}));
  set(kStateByA, rows_of({of(kStateByA)}));

  Structure& out = layout.structure;
  out.mass = layout.mass.pattern();
  out.jacobian = layout.jacobian.pattern();
  for (std::size_t k = 0; k < layout.derivatives.size(); ++k) out.derivatives[k] = layout.derivatives[k].pattern();
}

void JointForm::match_states() {
  const std::map<std::string, int> places = find_places(inner_->structure().state_names);
  const std::map<std::string, int> angles = find_places(structure().position_names);
  int matched = 0;
  for (const std::string& name : full_->structure().state_names) {
    StateSource source;
    if (const auto place = places.find(name); place != places.end()) {
      source.x = place->second;
      ++matched;
    } else if (const auto angle = angles.find(name); angle != angles.end()) {
      // No position before it is one of four, as those of balls are: these are no angles.
      source.q = angle->second;
      const std::vector<JointTree::Step>& steps = tree_->steps();
      source.v = std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.q == source.q; })->v;
    } else {
      throw std::invalid_argument(fmt::format("the inner system of joint coordinates has no state '{}'", name));
    }
    state_sources_.push_back(source);
  }
  if (matched != inner_->structure().n_x()) {
    throw std::invalid_argument("the inner system of joint coordinates has states that the full system has not");
  }
}

void JointForm::match_rows() {
  const std::map<std::string, int> places = find_places(full_->structure().constraint_names);
  int known = 0;
  for (const std::string& name : inner_->structure().constraint_names) {
    const auto place = places.find(name);
    full_row_.push_back(place == places.end() ? -1 : place->second);
    rows_match_ = rows_match_ && full_row_.back() >= 0;
    ++known;
  }
  for (const int frame : tree_->order()) {
    const int joint = tree_->tree().joint[static_cast<std::size_t>(frame)];
    if (joint < 0) continue;
    const auto rows = static_cast<int>(full_->constraints().joint_rows()[static_cast<std::size_t>(joint)].size());
    rows_match_ = rows_match_ && rows == tree_->width() - tree_->velocity_count(frame);
    known += rows;
  }
  rows_match_ = rows_match_ && known == full_->structure().m();
}

void JointForm::find_tree_entries() {
  const dae::Structure& s = full_->structure();
  std::vector<int> frame_of_row(static_cast<std::size_t>(s.m()), 0);
  for (const int frame : tree_->order()) {
    const int joint = tree_->tree().joint[static_cast<std::size_t>(frame)];
    if (joint < 0) continue;
    for (const int row : full_->constraints().joint_rows()[static_cast<std::size_t>(joint)]) {
      frame_of_row[static_cast<std::size_t>(row)] = frame;
    }
  }
  tree_entries_.resize(tree_->order().size() + 1);
  for (int k = 0; k < s.jacobian.size(); ++k) {
    const int frame = frame_of_row[static_cast<std::size_t>(s.jacobian[k].row)];
    if (frame > 0) tree_entries_[static_cast<std::size_t>(frame)].push_back(k);
  }
}

}  // namespace trammel::system
