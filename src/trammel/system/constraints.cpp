#include "trammel/system/constraints.h"

#include "trammel/linalg/parallel.h"
#include "trammel/math/turns.h"

namespace trammel::system {

using linalg::Entry;
using linalg::VectorIn;
using linalg::VectorOut;
using model::block_bit;
using model::BlockMask;

namespace {

// Rows, and joints with their second derivatives, that a thread is worth: some fifty microseconds. A row takes 12 ns
// for its value, 25 to 40 for the Jacobian and 40 to 50 for the bias, a joint 0.2 to 0.6 microseconds. Shared between
// two threads, 3000 and 12000 rows of spatial chains took 0.9 and 0.72 of the time for the Jacobian and 0.77 and 0.6
// for the bias, joints between 0.8 and 1.03; values gained nothing.
constexpr int kRowGrain = 1500;
constexpr int kJointGrain = 200;

FramePair frames_of(const ConstraintInput& in, int a, int b) {
  return {in.frames[static_cast<std::size_t>(a)], in.frames[static_cast<std::size_t>(b)]};
}

TwistPair twists_of(const ConstraintInput& in, int a, int b) {
  return {in.twists[static_cast<std::size_t>(a)], in.twists[static_cast<std::size_t>(b)]};
}

void add(const SlotList& slots, const Vector12& G, double weight, double* values) {
  for (const int slot : slots) *values++ += weight * G[slot];
}

/// Visits the places of a Hessian in the order in which its values are stored.
template <class Visit>
void for_each_place(const SlotList& slots, BlockMask blocks, const Visit& visit) {
  for (const int i : slots) {
    for (const int j : slots) {
      if ((blocks & block_bit(i / 3, j / 3)) != 0) visit(i, j);
    }
  }
}

void write(const SlotList& slots, BlockMask blocks, const Matrix12& H, double* values) {
  for_each_place(slots, blocks, [&](int i, int j) { *values++ += H(i, j); });
}

template <class Phi>
void velocity_gradient_of(const Phi& phi, const FramePair& f, const TwistPair& xi, Vector12& out) {
  model::velocity_gradient(phi, f, xi, out);
}
void velocity_gradient_of(const model::RollingRow& phi, const FramePair& f, const TwistPair& xi, Vector12& out) {
  phi.velocity_gradient(f, xi, out);
}

/// Calls visit(row) for all rows; it writes only what belongs to the row, and threads share those that are many.
template <class Visit, class... Rows>
void share(const Visit& visit, const Rows&... rows) {
  const auto share_one = [&](const auto& some) {
    linalg::parallel_for_ranges(static_cast<int>(some.size()), kRowGrain, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) visit(some[static_cast<std::size_t>(k)]);
    });
  };
  (share_one(rows), ...);
}

}  // namespace

linalg::Pattern Constraints::jacobian_pattern() const {
  std::vector<Entry> entries(static_cast<std::size_t>(jacobian_size_));
  const auto place = [&](const auto& row) {
    int g = row.g;
    for (const int slot : row.slots) {
      entries[static_cast<std::size_t>(g++)] = {row.row, bodies_.pair_column(row.a, row.b, slot)};
    }
  };
  for_each_row(place);
  for (const Term& term : terms_) place(term);
  return {rows(), bodies_.n_v(), std::move(entries)};
}

linalg::Pattern Constraints::reaction_pattern() const {
  std::vector<Entry> entries(static_cast<std::size_t>(reaction_size_));
  const auto place = [&](const auto& element, BlockMask blocks) {
    int h = element.h;
    for_each_place(element.slots, blocks, [&](int i, int j) {
      entries[static_cast<std::size_t>(h++)] = {bodies_.pair_column(element.a, element.b, i),
                                                bodies_.pair_column(element.a, element.b, j)};
    });
  };
  for (const Group& group : groups_) place(group, group.blocks);
  for (const Term& term : terms_) place(term, term.coordinate.hessian_blocks());
  return {bodies_.n_v(), bodies_.n_v(), std::move(entries)};
}

std::vector<model::JointCoordinate> Constraints::counted_angles() const {
  std::vector<model::JointCoordinate> result;
  for (const SumRow& sum : sums_) {
    if (sum.wraps || sum.level != Level::kPosition) continue;
    for (int k = sum.first; k < sum.last; ++k) {
      const Term& term = terms_[static_cast<std::size_t>(k)];
      if (term.coordinate.is_periodic()) result.push_back(term.source);
    }
  }
  return result;
}

void Constraints::set_counter(const model::JointCoordinate& angle, int state) {
  for (Term& term : terms_) {
    if (term.coordinate.is_periodic() && term.source == angle) term.counter = state;
  }
}

void Constraints::calc_constraint(const ConstraintInput& in, VectorOut g) const {
  for_each_bundle([&](const auto& bundle) {
    const BundlePlace& place = bundle.place();
    bundle.calc_constraint(frames_of(in, place.a, place.b), g.data() + place.row);
  });
  for_each_single_row([&](const auto& row) {
    if (row.row < n_g_) g[row.row] = row.phi.value(frames_of(in, row.a, row.b));
  });
  for (const SumRow& sum : sums_) {
    if (sum.level != Level::kPosition) continue;
    if (!terms_[static_cast<std::size_t>(sum.first)].is_on(in.x)) continue;
    double value = -sum.constant;
    if (sum.anchor >= 0) value -= in.x[sum.anchor];
    if (sum.function >= 0) value -= in.motions[static_cast<std::size_t>(sum.function)].value;
    for (int k = sum.first; k < sum.last; ++k) {
      const Term& term = terms_[static_cast<std::size_t>(k)];
      double c = term.coordinate.value(frames_of(in, term.a, term.b));
      if (term.counter >= 0 && !sum.wraps) c += math::whole_turns(in.x[term.counter] - c);
      value += term.weight * c;
    }
    g[sum.row] = sum.wraps ? value - math::whole_turns(value) : value;
  }
}

void Constraints::calc_jacobian(const ConstraintInput& in, double* values) const {
  const auto visit_bundle = [&](const auto& bundle) {
    const BundlePlace& place = bundle.place();
    bundle.calc_jacobian(frames_of(in, place.a, place.b), values + place.g);
  };
  share(visit_bundle, planar_points_, spatial_points_, axes_);
  const auto visit = [&](const auto& row) {
    Vector12 G;
    row.phi.gradient(frames_of(in, row.a, row.b), G);
    add(row.slots, G, 1, values + row.g);
  };
  share(visit, dots2_, rolling_);
  Vector12 G;
  for (const Term& term : terms_) {
    if (!term.is_on(in.x)) continue;
    term.coordinate.gradient(frames_of(in, term.a, term.b), G);
    add(term.slots, G, term.weight, values + term.g);
  }
}

void Constraints::calc_velocity_offset(const ConstraintInput& in, VectorOut g_t) const {
  for (const SumRow& sum : sums_) {
    if (sum.function < 0) continue;
    const TimeValue& f = in.motions[static_cast<std::size_t>(sum.function)];
    g_t[sum.row] = sum.level == Level::kPosition ? -f.first : -f.value;
  }
}

void Constraints::calc_bias(const ConstraintInput& in, VectorOut bias) const {
  const auto visit_bundle = [&](const auto& bundle) {
    const BundlePlace& place = bundle.place();
    bundle.calc_bias(frames_of(in, place.a, place.b), twists_of(in, place.a, place.b), bias.data() + place.row);
  };
  share(visit_bundle, planar_points_, spatial_points_, axes_);
  const auto visit = [&](const auto& row) {
    Vector12 n;
    const TwistPair xi = twists_of(in, row.a, row.b);
    row.phi.rate_gradient(frames_of(in, row.a, row.b), xi, n);
    bias[row.row] = -n.dot(xi.stacked());
  };
  share(visit, dots2_, rolling_);
  for (const SumRow& sum : sums_) {
    if (sum.function < 0) continue;
    const TimeValue& f = in.motions[static_cast<std::size_t>(sum.function)];
    bias[sum.row] = sum.level == Level::kPosition ? f.second : f.first;
  }
  Vector12 n;
  for (const Term& term : terms_) {
    if (!term.is_on(in.x)) continue;
    const TwistPair xi = twists_of(in, term.a, term.b);
    term.coordinate.rate_gradient(frames_of(in, term.a, term.b), xi, n);
    bias[term.row] -= term.weight * n.dot(xi.stacked());
  }
}

void Constraints::calc_reaction_by_q(const ConstraintInput& in, VectorIn lambda, double* values) const {
  linalg::parallel_for_ranges(static_cast<int>(groups_.size()), kJointGrain, [&](int begin, int end) {
    Matrix12 H, sum;
    for (int k = begin; k < end; ++k) {
      const Group& group = groups_[static_cast<std::size_t>(k)];
      const FramePair f = frames_of(in, group.a, group.b);
      sum.setZero();
      for_each_row(group, [&](const auto& row) {
        row.phi.hessian(f, H);
        sum += lambda[row.row] * H;
      });
      write(group.slots, group.blocks, sum, values + group.h);
    }
  });
  Matrix12 H;
  for (const Term& term : terms_) {
    if (!term.is_on(in.x)) continue;
    term.coordinate.hessian(frames_of(in, term.a, term.b), H);
    H *= term.weight * lambda[term.row];
    write(term.slots, term.coordinate.hessian_blocks(), H, values + term.h);
  }
}

void Constraints::calc_rate_by_q(const ConstraintInput& in, double* values) const {
  const auto visit = [&](const auto& row) {
    Vector12 n;
    row.phi.rate_gradient(frames_of(in, row.a, row.b), twists_of(in, row.a, row.b), n);
    add(row.slots, n, 1, values + row.g);
  };
  share(visit, points_, dots1_, dots2_, rolling_);
  Vector12 n;
  for (const Term& term : terms_) {
    if (!term.is_on(in.x)) continue;
    term.coordinate.rate_gradient(frames_of(in, term.a, term.b), twists_of(in, term.a, term.b), n);
    add(term.slots, n, term.weight, values + term.g);
  }
}

void Constraints::add_quadratic_by_q(const ConstraintInput& in, double* values) const {
  const auto visit = [&](const auto& row) {
    Vector12 T;
    row.phi.quadratic_gradient(frames_of(in, row.a, row.b), twists_of(in, row.a, row.b), T);
    add(row.slots, T, 1, values + row.g);
  };
  share(visit, points_, dots1_, dots2_, rolling_);
  Vector12 T;
  for (const Term& term : terms_) {
    if (!term.is_on(in.x)) continue;
    term.coordinate.quadratic_gradient(frames_of(in, term.a, term.b), twists_of(in, term.a, term.b), T);
    add(term.slots, T, term.weight, values + term.g);
  }
}

void Constraints::calc_bias_by_v(const ConstraintInput& in, double* values) const {
  const auto visit = [&](const auto& row) {
    Vector12 out;
    velocity_gradient_of(row.phi, frames_of(in, row.a, row.b), twists_of(in, row.a, row.b), out);
    add(row.slots, out, -1, values + row.g);
  };
  share(visit, points_, dots1_, dots2_, rolling_);
  Vector12 out;
  for (const Term& term : terms_) {
    if (!term.is_on(in.x)) continue;
    velocity_gradient_of(term.coordinate, frames_of(in, term.a, term.b), twists_of(in, term.a, term.b), out);
    add(term.slots, out, -term.weight, values + term.g);
  }
}

void Constraints::add_joint_wrenches(const std::vector<BodyFrame>& frames, VectorIn lambda,
                                     std::vector<Eigen::Matrix<double, 6, 1>>& wrenches) const {
  Vector12 G;
  const auto visit = [&](const auto& element, const auto& phi, double weight) {
    if (element.joint < 0) return;
    phi.gradient({frames[static_cast<std::size_t>(element.a)], frames[static_cast<std::size_t>(element.b)]}, G);
    wrenches[static_cast<std::size_t>(element.joint)] -= weight * lambda[element.row] * G.tail<6>();
  };
  for_each_row([&](const auto& row) { visit(row, row.phi, 1); });
  for (const Term& term : terms_) visit(term, term.coordinate, term.weight);
}

std::vector<Constraints::JointRow> Constraints::find_joint_rows(int joint) const {
  std::vector<JointRow> found;
  const auto look = [&](JointRow::Kind kind, const auto& elements) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (elements[k].joint == joint) found.push_back({kind, k, elements[k].row});
    }
  };
  look(JointRow::Kind::kPoint, points_);
  look(JointRow::Kind::kDot1, dots1_);
  look(JointRow::Kind::kDot2, dots2_);
  look(JointRow::Kind::kTerm, terms_);
  return found;
}

void Constraints::calc_gradient(const JointRow& row, const FramePair& f, Vector12& G) const {
  switch (row.kind) {
    case JointRow::Kind::kPoint: return points_[row.at].phi.gradient(f, G);
    case JointRow::Kind::kDot1: return dots1_[row.at].phi.gradient(f, G);
    case JointRow::Kind::kDot2: return dots2_[row.at].phi.gradient(f, G);
    case JointRow::Kind::kTerm: break;
  }
  terms_[row.at].coordinate.gradient(f, G);
  G *= terms_[row.at].weight;
}

void Constraints::calc_hessian(const JointRow& row, const FramePair& f, Matrix12& H) const {
  switch (row.kind) {
    case JointRow::Kind::kPoint: return points_[row.at].phi.hessian(f, H);
    case JointRow::Kind::kDot1: return dots1_[row.at].phi.hessian(f, H);
    case JointRow::Kind::kDot2: return dots2_[row.at].phi.hessian(f, H);
    case JointRow::Kind::kTerm: break;
  }
  terms_[row.at].coordinate.hessian(f, H);
  H *= terms_[row.at].weight;
}

}  // namespace trammel::system
