// The part of PlainForm that is done once: names, patterns, index maps and the choice of sigma.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "trammel/system/plain_form.h"

namespace trammel::system {
namespace {

using dae::Derivative;
using dae::Structure;
using linalg::Entry;
using linalg::Vector;

/// sigma of a rotation that has (nearly) no inertia, relative to the largest one. It matters to nothing but the
/// conditioning of a mass matrix that is singular anyhow, so it need only be positive and not large.
constexpr double kSmallestInertia = 1e-9;

/// Marks `count` indices from `first` on as taken.
void take(std::vector<bool>& taken, int first, int count, const char* what) {
  if (first < 0 || first + count > static_cast<int>(taken.size())) {
    throw std::invalid_argument(fmt::format("a rotation takes the {} {} to {}, but there are {} in all", what, first,
                                            first + count - 1, taken.size()));
  }
  for (int i = first; i < first + count; ++i) {
    if (taken[i]) throw std::invalid_argument(fmt::format("two rotations share one of the {}, number {}", what, i));
    taken[i] = true;
  }
}

std::vector<int> indices_left(const std::vector<bool>& taken) {
  std::vector<int> left;
  for (int i = 0; i < static_cast<int>(taken.size()); ++i) {
    if (!taken[i]) left.push_back(i);
  }
  return left;
}

/// "chassis.e0" -> "chassis"; a name without a dot stands for itself.
std::string prefix_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

std::vector<double> choose_sigma(const dae::ConstrainedSystem& inner, const std::vector<RotationSlot>& rotations) {
  const linalg::Pattern& pattern = inner.structure().mass;
  dae::Point at;
  static_cast<dae::State&>(at) = dae::State::zero(inner.structure());
  at.workspace = inner.make_workspace();
  for (const RotationSlot& slot : rotations) at.q[slot.q] = 1;
  Vector M = Vector::Zero(pattern.size());
  inner.prepare_position(at);
  inner.calc_mass(at, {pattern, M.data()});
  Vector diagonal = Vector::Zero(pattern.rows());
  for (int k = 0; k < pattern.size(); ++k) {
    if (pattern[k].row == pattern[k].column) diagonal[pattern[k].row] += M[k];
  }
  std::vector<double> sigma;
  for (const RotationSlot& slot : rotations) {
    const double mean = diagonal.segment<3>(slot.v).mean();
    sigma.push_back(std::isfinite(mean) && mean > 0 ? 4 * mean : 0);
  }
  const double largest = sigma.empty() ? 0 : *std::max_element(sigma.begin(), sigma.end());
  for (double& value : sigma) value = largest > 0 ? std::max(value, kSmallestInertia * largest) : 4;
  return sigma;
}

/// One state without special values is enough to see that the slots are not what they are said to be.
template <class OtherSlot>
void check_kinematics(const dae::ConstrainedSystem& inner, const std::vector<RotationSlot>& rotations,
                      const std::vector<OtherSlot>& others) {
  const Structure& s = inner.structure();
  Vector q = Vector::Zero(s.n_q()), q_rate = Vector::Zero(s.n_q()), expected = Vector::Zero(s.n_q());
  const Vector v = Vector::LinSpaced(s.n_v(), 1, 2);
  for (const OtherSlot& slot : others) expected[slot.q] = v[slot.v];
  for (const RotationSlot& slot : rotations) {
    const Eigen::Vector4d p(0.8, -0.4, 0.4, 0.2);
    q.segment<4>(slot.q) = p;
    expected.segment<4>(slot.q) = 0.5 * math::body_rate_matrix(p).transpose() * v.segment<3>(slot.v);
  }
  inner.calc_position_rate(q, v, q_rate);
  for (int i = 0; i < s.n_q(); ++i) {
    if (std::abs(q_rate[i] - expected[i]) <= 1e-12) continue;  // false for NaN
    throw std::invalid_argument(
        fmt::format("{}' is neither a velocity nor that of an Euler parameter; do the rotation slots fit the system?",
                    s.position_names[i]));
  }
}

}  // namespace

PlainForm::Layout PlainForm::make_layout(const dae::ConstrainedSystem* inner, std::vector<RotationSlot> rotations) {
  if (inner == nullptr) throw std::invalid_argument("the plain form of no system");
  const Structure& in = inner->structure();
  Layout layout;
  layout.rotations = std::move(rotations);

  std::vector<bool> q_taken(in.n_q()), v_taken(in.n_v());
  for (const RotationSlot& slot : layout.rotations) {
    take(q_taken, slot.q, 4, "positions");
    take(v_taken, slot.v, 3, "velocities");
  }
  const std::vector<int> q_left = indices_left(q_taken), v_left = indices_left(v_taken);
  if (q_left.size() != v_left.size()) {
    throw std::invalid_argument(
        fmt::format("beside the rotations there are {} positions but {} velocities", q_left.size(), v_left.size()));
  }
  for (std::size_t i = 0; i < q_left.size(); ++i) layout.others.push_back({q_left[i], v_left[i]});
  check_kinematics(*inner, layout.rotations, layout.others);
  layout.sigma = choose_sigma(*inner, layout.rotations);

  Structure& out = layout.structure;
  out.has_trivial_kinematics = true;
  out.keeps_energy = in.keeps_energy;
  out.is_autonomous = in.is_autonomous;
  out.position_names = in.position_names;
  for (const std::string& name : in.position_names) out.velocity_names.push_back(name + "'");
  out.constraint_names = in.constraint_names;
  std::vector<std::string> unit_lengths;
  for (const RotationSlot& slot : layout.rotations) {
    unit_lengths.push_back(fmt::format("{}: unit length", prefix_of(in.position_names[slot.q])));
  }
  out.constraint_names.insert(out.constraint_names.begin() + in.n_g, unit_lengths.begin(), unit_lengths.end());
  out.state_names = in.state_names;
  out.following_states = in.following_states;
  out.implied_names = in.implied_names;
  for (const int row : in.switchable_rows) {
    out.switchable_rows.push_back(row < in.n_g ? row : row + static_cast<int>(layout.rotations.size()));
  }
  out.n_g = in.n_g + static_cast<int>(layout.rotations.size());
  // G = (G_in B; p^T), and M^-1 p is a multiple of p, to which B is orthogonal.
  for (int row = in.n_g; row < out.n_g; ++row) out.decoupled_rows.push_back(row);
  out.state_form = in.state_form;
  add_matrices(in, layout);
  return layout;
}

void PlainForm::add_matrices(const Structure& in, Layout& layout) {
  Structure& out = layout.structure;
  const int rotation_count = static_cast<int>(layout.rotations.size());
  LiftedAxis velocities{std::vector<LiftedAxis::Index>(in.n_v()), out.n_q()};
  for (const PlainSlot& slot : layout.others) velocities.indices[slot.v] = {slot.q};
  std::vector<Entry> blocks, unit_rows;  // in the order that Sum::add_block() and Sum::add_row() expect
  for (int r = 0; r < rotation_count; ++r) {
    const RotationSlot& slot = layout.rotations[r];
    for (int k = 0; k < 3; ++k) velocities.indices[slot.v + k] = {slot.q, r, k};
    for (int k = 0; k < 16; ++k) blocks.push_back({slot.q + k % 4, slot.q + k / 4});
    for (int k = 0; k < 4; ++k) unit_rows.push_back({in.n_g + r, slot.q + k});
  }
  for (const int first : in.bodies) out.bodies.push_back(velocities.indices[first].place);
  // Rotations that stand among the velocities elsewhere than among the positions.
  if (!std::is_sorted(out.bodies.begin(), out.bodies.end())) out.bodies.clear();
  LiftedAxis constraints{{}, out.m()}, states{{}, in.n_x()};
  for (int i = 0; i < in.m(); ++i) constraints.indices.push_back({i < in.n_g ? i : i + rotation_count});
  for (int i = 0; i < in.n_x(); ++i) states.indices.push_back({i});

  // The sources, in the order in which the functions of plain_form.cpp add them.
  using Source = LiftedMatrix::Source;
  const auto all = [&](Derivative which) { return Source{&in.pattern(which)}; };
  const auto turned = [&](Derivative which) { return Source{&in.pattern(which), true}; };
  const Source mass_turned{&in.mass, true}, jacobian_turned{&in.jacobian, true};
  const auto set = [&](Derivative which, const LiftedAxis& rows, const LiftedAxis& columns,
                       const std::vector<Source>& sources, const std::vector<Entry>& further) {
    layout.derivatives[static_cast<std::size_t>(which)] = LiftedMatrix(rows, columns, sources, further);
  };
  using enum Derivative;
  const LiftedAxis &v = velocities, &rows = constraints, &x = states;
  layout.mass = LiftedMatrix(v, v, {{&in.mass}}, blocks);
  layout.jacobian = LiftedMatrix(rows, v, {{&in.jacobian}}, unit_rows);
  set(kInertiaByQ, v, v, {all(kInertiaByQ), mass_turned}, blocks);
  set(kReactionByQ, v, v, {all(kReactionByQ)}, blocks);
  set(kForceByQ, v, v, {all(kForceByQ), turned(kForceByV), all(kInertiaByQ), mass_turned}, blocks);
  set(kForceByV, v, v, {all(kForceByV), mass_turned}, blocks);
  set(kForceByLambda, v, rows, {all(kForceByLambda)}, {});
  set(kForceByX, v, x, {all(kForceByX)}, {});
  set(kVelocityByQ, rows, v, {all(kVelocityByQ), jacobian_turned}, unit_rows);
  set(kAccelerationByQ, rows, v, {all(kAccelerationByQ), jacobian_turned, turned(kBiasByV)}, unit_rows);
  set(kBiasByV, rows, v, {all(kBiasByV), jacobian_turned}, unit_rows);
  set(kStateByXRate, x, x, {all(kStateByXRate)}, {});
  set(kStateByX, x, x, {all(kStateByX)}, {});
  set(kStateByQ, x, v, {all(kStateByQ), turned(kStateByV), turned(kStateByA)}, {});
  set(kStateByV, x, v, {all(kStateByV), turned(kStateByA)}, {});
  set(kStateByA, x, v, {all(kStateByA)}, {});
  set(kStateByLambda, x, rows, {all(kStateByLambda)}, {});

  out.mass = layout.mass.pattern();
  out.jacobian = layout.jacobian.pattern();
  for (std::size_t k = 0; k < layout.derivatives.size(); ++k) out.derivatives[k] = layout.derivatives[k].pattern();
}

}  // namespace trammel::system
