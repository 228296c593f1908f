#include "trammel/integrators/implicit/bdf_history.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel::integrators {

using linalg::VectorIn;
using linalg::VectorOut;

BdfHistory::BdfHistory(int size) : values_(Eigen::MatrixXd::Zero(size, kRoom)) {}

void BdfHistory::restart(double t, VectorIn y) {
  newest_ = 0;
  count_ = kept_ = 1;
  values_.col(0) = y;
  times_[0] = t;
}

void BdfHistory::add_before(double t, VectorIn y) {
  if (count_ == kUsed || kept_ > count_ || !(t < time(count_ - 1)))
    throw std::logic_error("no room for an older value");
  const int oldest = place(count_);
  values_.col(oldest) = y;
  times_[static_cast<std::size_t>(oldest)] = t;
  kept_ = ++count_;
}

void BdfHistory::add(double t, VectorIn y) {
  newest_ = (newest_ + 1) % kRoom;
  values_.col(newest_) = y;
  times_[static_cast<std::size_t>(newest_)] = t;
  kept_ = std::min(count_ + 1, kRoom);
  count_ = std::min(count_ + 1, kUsed);
}

void BdfHistory::remove_newest() {
  if (kept_ < 2) throw std::logic_error("no value can be taken back");
  newest_ = (newest_ + kRoom - 1) % kRoom;
  count_ = --kept_;
}

BdfHistory::Weights BdfHistory::calc_weights(double t, int degree) const {
  Weights weights{};
  for (int i = 0; i <= degree; ++i) {
    double weight = 1;
    for (int j = 0; j <= degree; ++j) {
      if (j != i) weight *= (t - time(j)) / (time(i) - time(j));
    }
    weights[static_cast<std::size_t>(i)] = weight;
  }
  return weights;
}

void BdfHistory::set_step(double t, int order) {
  t_ = t;
  order_ = order;
  const double h = t - time(0);
  double fixed = 0, variable = 0;  // leading coefficients of (2) and of the formula that a variable step would have
  for (int i = 1; i <= order; ++i) {
    fixed += 1.0 / i;
    variable += h / (t - time(i - 1));
  }
  leading_ = fixed / h;
  const double last = h / (t - time(order));
  const double constant = last + variable - fixed;
  error_constant_ = std::max(std::abs(constant), last);
  defect_ = -constant / h;
  for (int i = 0; i <= order; ++i) defect_ *= (t - time(i)) / (i + 1);
}

double BdfHistory::calc_term_factor(int order) const {
  const double h = t_ - time(0);
  double factor = 1;
  for (int i = 1; i <= order; ++i) factor *= i * h / (t_ - time(i));
  return factor;
}

/// Adds scale * sum of w_i (y_i - y_0): differences lose less to rounding, and the weight of y_0 never matters.
void BdfHistory::add_weighted(const Weights& weights, int degree, double scale, VectorOut y) const {
  const Eigen::Index size = y.size();
  for (int i = 1; i <= degree; ++i) {
    y += (scale * weights[static_cast<std::size_t>(i)]) * (value(i).head(size) - value(0).head(size));
  }
}

void BdfHistory::predict(VectorOut y) const { interpolate(t_, order_, y); }

void BdfHistory::predict_rate(VectorOut y_rate) const {
  Weights weights = calc_weights(t_, order_);
  double all = 0;
  for (int j = 0; j <= order_; ++j) all += 1 / (t_ - time(j));
  for (int i = 1; i <= order_; ++i) weights[static_cast<std::size_t>(i)] *= all - 1 / (t_ - time(i));
  y_rate.setZero();
  add_weighted(weights, order_, 1, y_rate);
}

void BdfHistory::calc_deviation(int order, VectorIn y, VectorOut e) const {
  e = y - value(0).head(y.size());
  add_weighted(calc_weights(t_, order), order, -1, e);
}

void BdfHistory::calc_derivative(int order, VectorIn y, VectorOut derivative) const {
  calc_deviation(order - 1, y, derivative);
  double factor = 1;
  for (int i = 1; i <= order; ++i) factor *= i / (t_ - time(i - 1));
  derivative *= factor;
}

void BdfHistory::interpolate(double t, int degree, VectorOut y) const {
  y = value(0).head(y.size());
  add_weighted(calc_weights(t, degree), degree, 1, y);
}

}  // namespace trammel::integrators
