#include "trammel/analyses/least_change.h"

#include <array>
#include <cmath>
#include <limits>

namespace trammel::analyses {

using linalg::Pattern;

namespace {
// Each correction gains a factor d / (d + sigma^2), sigma the smallest singular value that counts: two or three reach
// round-off for sigma above 1e-3, and more would only chase directions that are singular to the eye.
constexpr int kMaxCorrections = 5;
}  // namespace

LeastChange::LeastChange(const dae::Structure& structure, VectorIn weights, const std::vector<int>& held)
    : structure_(structure),
      diagonal_v_(Pattern::diagonal(structure.n_v())),
      diagonal_m_(Pattern::diagonal(structure.m())),
      is_held_(static_cast<std::size_t>(structure.n_v())),
      weights_(weights),
      squares_(weights.cwiseAbs2()) {
  kkt::Layout layout;
  layout.upper = structure.n_v();
  layout.lower = structure.m();
  layout.blocks = {{&diagonal_v_}, {&diagonal_m_, layout.upper, layout.upper}};
  layout.jacobian = &structure.jacobian;
  solver_ = std::make_unique<kkt::Solver>(std::move(layout));
  for (const int i : held) is_held_[static_cast<std::size_t>(i)] = true;
  jacobian_ = Vector::Zero(structure.jacobian.size());
  scales_ = damping_ = w_ = lower_ = Vector::Zero(structure.m());
  u_ = upper_ = Vector::Zero(structure.n_v());
}

linalg::FactorStatus LeastChange::factor(const double* jacobian, int rows, double damping) {
  relative_damping_ = damping;
  rows_ = rows;
  scales_.setZero();
  const Pattern& pattern = structure_.jacobian;
  for (int k = 0; k < pattern.size(); ++k) {
    const linalg::Entry& e = pattern[k];
    jacobian_[k] = e.row < rows && !is_held_[static_cast<std::size_t>(e.column)] ? jacobian[k] : 0.0;
    scales_[e.row] += jacobian_[k] * jacobian_[k] / squares_[e.column];
  }
  for (Eigen::Index i = 0; i < scales_.size(); ++i) scales_[i] = scales_[i] > 0 ? std::sqrt(scales_[i]) : 1.0;
  damping_ = -damping * scales_.cwiseAbs2();
  const std::array values{kkt::BlockValues{squares_.data()}, kkt::BlockValues{damping_.data()}};
  return solver_->factor(values, jacobian_.data());
}

void LeastChange::refine(VectorIn upper, VectorIn lower) {
  u_.setZero();
  w_.setZero();
  const Pattern& pattern = structure_.jacobian;
  double previous = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxCorrections; ++k) {
    upper_ = upper - squares_.cwiseProduct(u_);
    pattern.add_transposed_product(jacobian_.data(), w_, -1, upper_);
    lower_ = lower;
    lower_.tail(lower_.size() - rows_).setZero();
    pattern.add_product(jacobian_.data(), u_, -1, lower_);
    // Damping that is meant (a step of Levenberg and Marquardt) is not corrected away.
    if (k > 0 && relative_damping_ > kLeastDamping) return;
    const double size = std::hypot(lower_.cwiseQuotient(scales_).norm(), upper_.cwiseQuotient(weights_).norm());
    if (size == 0 || !(size < 0.5 * previous)) return;
    previous = size;
    solver_->solve(upper_, lower_);
    u_ += upper_;
    w_ += lower_;
  }
}

void LeastChange::solve(VectorIn r, VectorIn pull, VectorOut u) {
  refine(squares_.cwiseProduct(pull), r);
  u = u_;
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    if (is_held_[static_cast<std::size_t>(i)]) u[i] = 0;
  }
}

void LeastChange::solve(VectorIn r, VectorOut u) { solve(r, Vector::Zero(structure_.n_v()), u); }

void LeastChange::solve_transposed(VectorIn b, VectorOut w) {
  refine(b, Vector::Zero(structure_.m()));
  w = w_;
}

}  // namespace trammel::analyses
