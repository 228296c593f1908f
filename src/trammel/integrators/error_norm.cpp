#include "trammel/integrators/error_norm.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {

using linalg::Vector;
using linalg::VectorIn;

ErrorNorm::ErrorNorm(const dae::Structure& structure, double rtol, double atol)
    : rtol_(rtol),
      atol_(atol),
      q_(Vector::Constant(structure.n_q(), atol)),
      v_(Vector::Constant(structure.n_v(), atol)),
      x_(Vector::Constant(structure.n_x(), atol)) {}

void ErrorNorm::set_weights(const dae::State& begin, const dae::State& end) {
  const auto set = [this](Vector& w, const Vector& a, const Vector& b) {
    const auto size = a.cwiseAbs().cwiseMax(b.cwiseAbs());
    if (rule_ == WeightRule::kLargestSeen) {
      w = w.cwiseMax(rtol_ * size);
    } else {
      w = rtol_ * size.array() + atol_;
    }
  };
  set(q_, begin.q, end.q);
  set(v_, begin.v, end.v);
  set(x_, begin.x, end.x);
}

void ErrorNorm::set_rule(WeightRule rule) {
  rule_ = rule;
  if (rule != WeightRule::kLargestSeen) return;
  for (Vector* w : {&q_, &v_, &x_}) w->setConstant(rtol_ > 0 ? rtol_ : atol_);
}

double ErrorNorm::calc_without_velocities(VectorIn q_error, VectorIn x_error) const {
  const double sum = q_error.cwiseQuotient(q_.head(q_error.size())).squaredNorm() +
                     x_error.cwiseQuotient(x_.head(x_error.size())).squaredNorm();
  return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(q_error.size() + x_error.size(), 1)));
}

double ErrorNorm::calc(VectorIn q_error, VectorIn v_error, VectorIn x_error) const {
  const auto size = static_cast<double>(q_.size() + v_.size() + x_.size());
  const double sum = q_error.cwiseQuotient(q_).squaredNorm() + v_error.cwiseQuotient(v_).squaredNorm() +
                     x_error.cwiseQuotient(x_).squaredNorm();
  return std::sqrt(sum / size);
}

double ErrorNorm::calc_by_parts(VectorIn q_error, VectorIn v_error, VectorIn x_error) const {
  const auto mean = [](VectorIn error, const Vector& weights) {
    if (error.size() == 0) return 0.0;
    return error.cwiseQuotient(weights).squaredNorm() / static_cast<double>(error.size());
  };
  return std::sqrt(mean(q_error, q_) + mean(v_error, v_) + mean(x_error, x_));
}

std::string ErrorNorm::find_worst(const dae::Structure& structure, VectorIn q_error, VectorIn v_error,
                                  VectorIn x_error) const {
  std::string worst;
  double largest = -1;
  const auto look = [&](VectorIn error, const Vector& weights, const std::vector<std::string>& names) {
    for (Eigen::Index i = 0; i < error.size(); ++i) {
      const double size = std::abs(error[i]) / weights[i];
      if (!(size <= largest)) {  // also takes what is not a number
        largest = size;
        worst = names[static_cast<std::size_t>(i)];
        if (std::isnan(size)) return;
      }
    }
  };
  look(q_error, q_, structure.position_names);
  look(v_error, v_, structure.velocity_names);
  look(x_error, x_, structure.state_names);
  return worst;
}

}  // namespace trammel::integrators
