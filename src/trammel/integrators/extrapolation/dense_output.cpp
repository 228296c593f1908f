#include "trammel/integrators/extrapolation/dense_output.h"

#include <cmath>

namespace trammel::integrators {

using linalg::Vector;

namespace {

/// Divided differences over nodes of which the first `left` are 0 and the others, `right` of them, 1, in place of
/// newton; column k of the derivatives is the k-th one divided by k!.
void fill_differences(const auto& at_0, const auto& at_1, int left, int right, auto newton) {
  const int n = left + right;
  for (int i = 0; i < n; ++i) newton.col(i) = i < left ? at_0.col(0) : at_1.col(0);
  for (int order = 1; order < n; ++order) {
    for (int i = n - 1; i >= order; --i) {
      if (i < left) {
        newton.col(i) = at_0.col(order);
      } else if (i - order >= left) {
        newton.col(i) = at_1.col(order);
      } else {
        newton.col(i) -= newton.col(i - 1);  // the nodes are 1 apart
      }
    }
  }
}

void evaluate_newton(const auto& newton, int left, int right, double theta, auto out) {
  out = newton.col(left + right - 1);
  for (int i = left + right - 2; i >= 0; --i) out = (theta - (i < left ? 0.0 : 1.0)) * out + newton.col(i);
}

}  // namespace

DenseOutput::DenseOutput(const StackLayout& layout, int max_rows, int max_degree)
    : layout_(layout), max_derivatives_(std::max(0, std::min(max_rows - 1, max_degree - 3))) {
  for (Eigen::MatrixXd& d : derivatives_) d.setZero(layout.size(), 2 + max_derivatives_ / 2 + 1);
  newton_.setZero(layout.size(), 4 + max_derivatives_);
}

void DenseOutput::build(const std::vector<Eigen::MatrixXd>& small_steps, int rows, const Vector& begin,
                        const Vector& begin_rate, const Vector& end, const Vector& end_rate) {
  const int count = count_derivatives(rows);
  left_ = count / 2;
  right_ = count - left_;
  for (Eigen::MatrixXd& d : derivatives_) d.setZero();
  for (int side = 0; side < 2; ++side) {
    Eigen::MatrixXd& d = derivatives_[side];
    d.col(0) = side == 0 ? begin : end;
    layout_.y(d.col(1)) = side == 0 ? begin_rate : end_rate;
    for (int order = 1; order <= (side == 0 ? left_ : right_); ++order) add_limit(small_steps, rows, order, side == 1);
  }
  make_newton_form();
}

/// The derivatives y^(order + 1) and z^(order) by (1) or (2), from the rows that have enough steps.
void DenseOutput::add_limit(const std::vector<Eigen::MatrixXd>& small_steps, int rows, int order, bool at_end) {
  Eigen::MatrixXd& d = derivatives_[at_end ? 1 : 0];
  auto y = layout_.y(d.col(order + 1));
  auto z = layout_.z(d.col(order));
  const int first = order - 1;  // row k (from 0) has k + 2 steps or more
  const auto weights = calc_limit_weights(first, rows - 1);
  for (int row = first; row < rows; ++row) {
    const Eigen::MatrixXd& steps = small_steps[static_cast<std::size_t>(row)];
    const int n = step_number(row);
    // n^k / k! times the weight, then binomial coefficients with alternating signs.
    double scale_z = weights[static_cast<std::size_t>(row)];
    for (int k = 1; k <= order; ++k) scale_z *= static_cast<double>(n) / k;
    const double scale_y = scale_z * n / (order + 1);
    double binomial = 1;
    for (int i = 0; i <= order + 1; ++i) {  // i-th value from the end of the stencil that counts positive
      const double sign = i % 2 == 0 ? 1 : -1;
      y += (sign * binomial * scale_y) * layout_.y(steps.col(at_end ? n - i : order + 1 - i));
      binomial *= static_cast<double>(order + 1 - i) / (i + 1);
    }
    binomial = 1;
    for (int i = 0; i <= order; ++i) {
      const double sign = i % 2 == 0 ? 1 : -1;
      z += (sign * binomial * scale_z) * layout_.z(steps.col(at_end ? n - i : 1 + order - i));
      binomial *= static_cast<double>(order - i) / (i + 1);
    }
  }
}

void DenseOutput::make_newton_form() {
  const int y = layout_.y_size(), z = layout_.z_size();
  fill_differences(derivatives_[0].topRows(y), derivatives_[1].topRows(y), left_ + 2, right_ + 2, newton_.topRows(y));
  fill_differences(derivatives_[0].bottomRows(z), derivatives_[1].bottomRows(z), left_ + 1, right_ + 1,
                   newton_.bottomRows(z));
}

void DenseOutput::evaluate(double theta, Vector& out) const {
  evaluate_newton(newton_.topRows(layout_.y_size()), left_ + 2, right_ + 2, theta, layout_.y(out));
  evaluate_newton(newton_.bottomRows(layout_.z_size()), left_ + 1, right_ + 1, theta, layout_.z(out));
}

}  // namespace trammel::integrators
