#include "trammel/analyses/joint_coordinates.h"

#include <cmath>
#include <stdexcept>

#include "trammel/linalg/rank.h"
#include "trammel/topology/spanning_tree.h"

namespace trammel::analyses {

using system::CompileOptions;
using system::JointForm;
using system::JointTree;
using system::Mechanism;

namespace {

/// A row that the motions of the tree do not change: from which share of what its parts would do together.
constexpr double kNoEffect = 1e-8;

/// The rows of the joints in the tree, those that others imply included.
std::set<std::string> find_tree_rows(const Mechanism& mechanism, const JointTree& tree) {
  const system::Constraints& constraints = mechanism.constraints();
  std::set<std::string> names;
  for (const int joint : tree.tree().joint) {
    if (joint < 0) continue;
    const auto k = static_cast<std::size_t>(joint);
    for (const int row : constraints.joint_rows()[k]) names.insert(constraints.names()[static_cast<std::size_t>(row)]);
    const std::string prefix = system::constraint_name(mechanism.model().joints[k], "");
    for (const std::string& name : mechanism.options().constraints.implied) {
      if (name.starts_with(prefix)) names.insert(name);
    }
  }
  return names;
}

/// The rows that depend on others along the motions of the tree, or do nothing there, as do those across the plane of a
/// planar loop in space, whose values are nothing but rounding errors.
std::vector<std::string> find_redundant_rows(const JointForm& form, const dae::State& start) {
  const dae::Structure &s = form.structure(), &in = form.inner().structure();
  const JointTree& tree = form.tree();
  if (s.m() == 0) return {};
  dae::Point inner;
  static_cast<dae::State&>(inner) = form.inner().given_state();
  inner.t = start.t;
  inner.q = start.q;
  form.inner().set_counters(inner);
  dae::Point at;
  static_cast<dae::State&>(at) = form.from_quasi(inner);
  at.workspace = form.make_workspace();
  form.prepare_position(at);
  linalg::Vector values = linalg::Vector::Zero(s.jacobian.size());
  form.calc_jacobian(at, {s.jacobian, values.data()});

  linalg::Vector given = linalg::Vector::Zero(in.jacobian.size());
  inner.workspace = form.inner().make_workspace();
  form.inner().prepare_position(inner);
  form.inner().calc_jacobian(inner, {in.jacobian, given.data()});
  system::TreePlaces places = tree.make_places();
  tree.calc_places(at.q.data(), places);
  system::PathMatrix J(static_cast<std::size_t>(tree.matrix_size()));
  tree.calc_jacobian(places, J);
  linalg::Vector parts = linalg::Vector::Zero(s.m()), whole = linalg::Vector::Zero(s.m());
  for (int k = 0; k < in.jacobian.size(); ++k) {
    const int frame = in.jacobian[k].column / tree.width() + 1;
    const double* row = J.data() + tree.row(frame, in.jacobian[k].column % tree.width());
    for (int n = 0; n < tree.path_size(frame); ++n) parts[in.jacobian[k].row] += std::pow(given[k] * row[n], 2);
  }
  for (int k = 0; k < s.jacobian.size(); ++k) whole[s.jacobian[k].row] += values[k] * values[k];
  for (int k = 0; k < s.jacobian.size(); ++k) {
    const int row = s.jacobian[k].row;
    if (whole[row] <= kNoEffect * kNoEffect * parts[row]) values[k] = 0;
  }
  std::vector<std::string> names;
  for (const linalg::DependentRow& row : linalg::find_dependent_rows(s.jacobian, values.data()).dependent) {
    names.push_back(s.constraint_names[static_cast<std::size_t>(row.row)]);
  }
  return names;
}

}  // namespace

topology::SpanningTree choose_tree(const Mechanism& mechanism) {
  topology::Graph graph = topology::make_graph(mechanism.model());
  for (topology::Edge& edge : graph.edges) {
    edge.rows = static_cast<int>(mechanism.constraints().joint_rows()[static_cast<std::size_t>(edge.joint)].size());
  }
  return topology::find_spanning_tree(graph);
}

std::shared_ptr<const JointForm> make_joint_form(const std::shared_ptr<const Mechanism>& mechanism,
                                                 const dae::State& start,
                                                 const std::optional<topology::SpanningTree>& given_tree) {
  if (!mechanism || mechanism->bodies().frames() < 2) {
    throw std::invalid_argument("joint coordinates are those of bodies: these equations have none");
  }
  const model::Model& model = mechanism->model();
  const auto tree = std::make_shared<const JointTree>(model, mechanism->bodies(),
                                                      given_tree ? *given_tree : choose_tree(*mechanism), start.q);

  CompileOptions options = mechanism->options();
  const std::set<std::string> tree_rows = find_tree_rows(*mechanism, *tree);
  options.constraints.dropped.insert(tree_rows.begin(), tree_rows.end());
  for (const std::string& name : tree_rows) options.constraints.implied.erase(name);
  const bool has_friction = options.with_dry_friction;
  options.with_dry_friction = false;  // rows that are switched are not looked at
  const auto compile = [&] { return std::make_shared<const Mechanism>(mechanism->shared_model(), options); };
  {
    const auto inner = compile();
    const JointForm form(inner, inner, tree);
    for (const std::string& name : find_redundant_rows(form, start)) options.constraints.implied.insert(name);
  }
  options.with_dry_friction = has_friction;
  return std::make_shared<const JointForm>(mechanism, compile(), tree);
}

}  // namespace trammel::analyses
