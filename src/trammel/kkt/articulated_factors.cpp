#include "trammel/kkt/articulated_factors.h"

#include <algorithm>
#include <cmath>

namespace trammel::kkt {

using linalg::FactorCause;
using linalg::FactorStatus;

namespace {

/// Pivot, relative to the traces of the inertia along its axis, from which a velocity counts as massive: the same as
/// for Cholesky (linalg/cholesky_qr.cpp).
constexpr double kMassive = 1e-13;
/// How much of the size of a child's inertia its parent is judged by: what is left of a body without rotational inertia
/// after three joints that meet in a point is rounding error of the first, and nothing else would show that.
constexpr double kInherited = 0.25;

double calc_square(const double* x, int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; ++i) sum += x[i] * x[i];
  return sum;
}

}  // namespace

template <int kWidth>
ArticulatedFactors<kWidth>::ArticulatedFactors(const dae::TreeStructure& tree) {
  std::ptrdiff_t record = 0;
  for (const dae::TreeStructure::Node& n : tree.nodes) {
    const int place = static_cast<int>(velocities_.size());
    const int k = static_cast<int>(nodes_.size());
    const bool is_next = n.parent >= 0 && n.parent == k - 1;
    nodes_.push_back({n.parent + 1, n.first, n.count, place, n.axes, record, false, false, is_next, false});
    record += kShift + 2 * kWidth * n.count;
    for (int j = 0; j < n.count; ++j) velocities_.push_back(n.first + j);
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& node = nodes_[k];
    if (node.parent == 0) continue;
    Node& parent = nodes_[static_cast<std::size_t>(node.parent - 1)];
    if (node.is_next) {
      parent.has_next = true;
    } else {
      node.is_last_other = !parent.has_others;
      parent.has_others = true;
    }
  }
  records_.resize(static_cast<std::size_t>(record));
  inverse_pivots_.resize(velocities_.size());
  joined_.resize(nodes_.size() + 1);
  joined_traces_.resize(nodes_.size() + 1);
  forces_.resize((nodes_.size() + 1) * kWidth);
  twists_.resize((nodes_.size() + 1) * kWidth);
}

/// (1) but for the last step; false when the pivot is not positive.
template <int kWidth>
inline bool ArticulatedFactors<kWidth>::eliminate(const double* S, double linear_trace, double angular_trace,
                                                  Inertia& inertia, double* U, double* inverse) {
  constexpr int kLinear = kWidth == 3 ? 2 : 3;
  inertia.multiply(S, U);
  const double pivot = dot<kWidth>(S, U);
  const double scale = linear_trace * calc_square(S, 0, kLinear) + angular_trace * calc_square(S, kLinear, kWidth);
  if (!(pivot > kMassive * scale)) return false;
  *inverse = 1 / pivot;
  largest_ratio_ = std::max(largest_ratio_, scale * *inverse);
  return true;
}

template <int kWidth>
FactorStatus ArticulatedFactors<kWidth>::blame(int velocity, const double* S, const Inertia& inertia) const {
  double U[kWidth];
  inertia.multiply(S, U);
  const bool is_finite = std::isfinite(dot<kWidth>(S, U) + inertia.linear_trace() + inertia.angular_trace());
  return FactorStatus::failed(is_finite ? FactorCause::kNotPositiveDefinite : FactorCause::kNotFinite, velocity);
}

template <int kWidth>
FactorStatus ArticulatedFactors<kWidth>::factor(const dae::TreeValues& values) {
  largest_ratio_ = 1;
  Inertia passed{};
  double passed_trace = 0;
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    const double* d = values.shift.data() + k * kShift;
    const double* axes = values.axes.data() + node.axes;
    double* record = records_.data() + node.record;
    double* inverse = inverse_pivots_.data() + node.place;
    Inertia inertia = Inertia::read(values.inertia.data() + k * kWidth * kWidth);
    double angular = 0;
    if (node.has_next) {
      inertia.add(passed);
      angular = kInherited * passed_trace;
    }
    if (node.has_others) {
      inertia.add(joined_[k + 1]);
      angular += kInherited * joined_traces_[k + 1];
    }
    const double linear = inertia.linear_trace();
    angular += inertia.angular_trace();
    std::copy_n(d, kShift, record);
    record += kShift;
    double U[kWidth];
    for (int j = node.count - 1; j > 0; --j) {
      const double* S = axes + j * kWidth;
      if (!eliminate(S, linear, angular, inertia, U, inverse + j)) return blame(node.first + j, S, inertia);
      double* column = record + 2 * kWidth * j;
      for (int i = 0; i < kWidth; ++i) {
        column[i] = S[i];
        column[kWidth + i] = U[i] * inverse[j];
      }
      inertia.subtract_product(U, column + kWidth);
    }
    if (node.parent > 0) passed = inertia.shifted(d);
    if (node.count > 0) {
      if (!eliminate(axes, linear, angular, inertia, U, inverse)) return blame(node.first, axes, inertia);
      double shifted[kWidth];
      shift_force<kWidth>(d, U, shifted);
      for (int i = 0; i < kWidth; ++i) {
        record[i] = axes[i];
        record[kWidth + i] = shifted[i] * inverse[0];
      }
      passed.subtract_product(shifted, record + kWidth);
      // A body that moves freely passes nothing on, not even rounding errors.
      if (node.count == kWidth) passed = Inertia{};
    }
    passed_trace = angular;
    if (node.is_next || node.parent == 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    if (node.is_last_other) {
      joined_[parent] = passed;
      joined_traces_[parent] = angular;
    } else {
      joined_[parent].add(passed);
      joined_traces_[parent] += angular;
    }
  }
  pivot_ratio_ = 1 / largest_ratio_;
  return {};
}

/// (2) at one node: p becomes what the parent gets. Without a force r is zero.
template <int kWidth>
template <bool kScales, bool kHasForce>
inline void ArticulatedFactors<kWidth>::release(const Node& node, const double* r, double* y, double* p) {
  const double* d = records_.data() + node.record;
  const double* columns = d + kShift;
  const double* inverse = inverse_pivots_.data() + node.place;
  for (int j = node.count - 1; j > 0; --j) {
    const double* S = columns + 2 * kWidth * j;
    const double y_j = (kHasForce ? r[j] : 0) - dot<kWidth>(S, p);
    y[j] = kScales ? y_j * inverse[j] : y_j;
    add_multiple<kWidth>(y_j, S + kWidth, p);
  }
  double passed[kWidth];
  shift_force<kWidth>(d, p, passed);
  if (node.count > 0) {
    const double y_0 = (kHasForce ? r[0] : 0) - dot<kWidth>(columns, p);
    y[0] = kScales ? y_0 * inverse[0] : y_0;
    add_multiple<kWidth>(y_0, columns + kWidth, passed);
  }
  for (int i = 0; i < kWidth; ++i) p[i] = passed[i];
}

/// Wrenches are taken out of p where they act: the same as their projections among r.
template <int kWidth>
template <bool kScales, typename ArticulatedFactors<kWidth>::Source kSource>
void ArticulatedFactors<kWidth>::sweep_to_roots(const double* r, double* y) {
  double p[kWidth] = {};
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (!node.has_next) std::fill_n(p, kWidth, 0.0);
    if (node.has_others) {
      double* own = force(static_cast<int>(k) + 1);
      add_multiple<kWidth>(1, own, p);
      std::fill_n(own, kWidth, 0.0);
    }
    if constexpr (kSource == Source::kWrenches) {
      add_multiple<kWidth>(-1, r + k * kWidth, p);
      release<kScales, false>(node, nullptr, y + node.place, p);
    } else {
      release<kScales, true>(node, r + node.first, y + node.place, p);
    }
    if (!node.is_next && node.parent > 0) add_multiple<kWidth>(1, p, force(node.parent));
  }
}

template <int kWidth>
void ArticulatedFactors<kWidth>::sweep_nodes(std::span<const int> nodes, const double* r, double* y_end) {
  for (const int k : nodes) {
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    double p[kWidth];
    std::copy_n(force(k + 1), kWidth, p);
    std::fill_n(force(k + 1), kWidth, 0.0);
    y_end -= node.count;
    release<false, true>(node, r + node.first, y_end, p);
    if (node.parent > 0) add_multiple<kWidth>(1, p, force(node.parent));
  }
}

template <int kWidth>
void ArticulatedFactors<kWidth>::sweep_to_leaves(const double* z, double* u) {
  double V[kWidth] = {}, V_parent[kWidth];
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    const double* d = records_.data() + node.record;
    const double* columns = d + kShift;
    const double* from = node.is_next ? V : twist(node.parent);
    for (int i = 0; i < kWidth; ++i) V_parent[i] = from[i];
    shift_twist<kWidth>(d, V_parent, V);
    if (node.count > 0) {
      const double u_0 = z[node.place] - dot<kWidth>(columns + kWidth, V_parent);
      u[node.first] = u_0;
      add_multiple<kWidth>(u_0, columns, V);
    }
    for (int j = 1; j < node.count; ++j) {
      const double* S = columns + 2 * kWidth * j;
      const double u_j = z[node.place + j] - dot<kWidth>(S + kWidth, V);
      u[node.first + j] = u_j;
      add_multiple<kWidth>(u_j, S, V);
    }
    if (node.has_others) std::copy_n(V, kWidth, twist(static_cast<int>(k) + 1));
  }
}

template <int kWidth>
void ArticulatedFactors<kWidth>::multiply(const dae::TreeValues& values, const double* u, double* product) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    double V[kWidth];
    shift_twist<kWidth>(values.shift.data() + k * kShift,
                        twists_.data() + static_cast<std::ptrdiff_t>(node.parent) * kWidth, V);
    for (int j = 0; j < node.count; ++j) {
      add_multiple<kWidth>(u[node.first + j], values.axes.data() + node.axes + j * kWidth, V);
    }
    std::copy_n(V, kWidth, twists_.data() + (k + 1) * kWidth);
    Inertia::read(values.inertia.data() + k * kWidth * kWidth).multiply(V, forces_.data() + (k + 1) * kWidth);
  }
  collect(values, product);
}

template <int kWidth>
void ArticulatedFactors<kWidth>::project(const dae::TreeValues& values, const double* wrenches, double* sum) {
  std::copy_n(wrenches, nodes_.size() * kWidth, forces_.data() + kWidth);
  collect(values, sum);
}

/// S_j^T of what stands in forces_ behind each velocity; forces_ becomes zero again.
template <int kWidth>
void ArticulatedFactors<kWidth>::collect(const dae::TreeValues& values, double* sum) {
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    double* F = forces_.data() + (k + 1) * kWidth;
    for (int j = 0; j < node.count; ++j) {
      sum[node.first + j] = dot<kWidth>(values.axes.data() + node.axes + j * kWidth, F);
    }
    double passed[kWidth];
    shift_force<kWidth>(values.shift.data() + k * kShift, F, passed);
    add_multiple<kWidth>(1, passed, forces_.data() + static_cast<std::ptrdiff_t>(node.parent) * kWidth);
    std::fill_n(F, kWidth, 0.0);
  }
  std::fill_n(forces_.begin(), kWidth, 0.0);
}

template class ArticulatedFactors<3>;
template class ArticulatedFactors<6>;
#define TRAMMEL_SWEEPS(width, scales)                                                                              \
  template void ArticulatedFactors<width>::sweep_to_roots<scales, ArticulatedFactors<width>::Source::kVelocities>( \
      const double*, double*);                                                                                     \
  template void ArticulatedFactors<width>::sweep_to_roots<scales, ArticulatedFactors<width>::Source::kWrenches>(   \
      const double*, double*);
TRAMMEL_SWEEPS(3, true)
TRAMMEL_SWEEPS(3, false)
TRAMMEL_SWEEPS(6, true)
TRAMMEL_SWEEPS(6, false)
#undef TRAMMEL_SWEEPS

}  // namespace trammel::kkt
