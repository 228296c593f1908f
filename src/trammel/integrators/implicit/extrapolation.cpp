#include "trammel/integrators/implicit/extrapolation.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {

using linalg::VectorIn;
using linalg::VectorOut;

namespace {
// The share of the newest error in the smoothed one.
constexpr double kNewestShare = 0.4;
}  // namespace

Extrapolation::Extrapolation(int size, int judged, int max_degree)
    : judged_(judged),
      max_degree_(max_degree),
      values_(Eigen::MatrixXd::Zero(size, kRoom)),
      difference_(linalg::Vector::Zero(judged)) {}

void Extrapolation::restart() {
  count_ = 0;
  is_known_.fill(false);
}

std::array<double, Extrapolation::kLargestDegree + 1> Extrapolation::calc_weights(double t, int degree) const {
  std::array<double, kLargestDegree + 1> weights{};
  for (int i = 0; i <= degree; ++i) {
    double weight = 1;
    for (int j = 0; j <= degree; ++j) {
      if (j != i) weight *= (t - time(j)) / (time(i) - time(j));
    }
    weights[static_cast<std::size_t>(i)] = weight;
  }
  return weights;
}

void Extrapolation::add(double t, VectorIn y, VectorIn weights) {
  for (int degree = 0; degree <= std::min(max_degree_, count_ - 1); ++degree) {
    const auto w = calc_weights(t, degree);
    difference_ = y.head(judged_);
    for (int i = 0; i <= degree; ++i) difference_ -= w[static_cast<std::size_t>(i)] * value(i).head(judged_);
    const double error = difference_.cwiseQuotient(weights).norm();
    const auto k = static_cast<std::size_t>(degree);
    errors_[k] = is_known_[k] ? kNewestShare * error + (1 - kNewestShare) * errors_[k] : error;
    is_known_[k] = true;
  }
  newest_ = (newest_ + 1) % kRoom;
  values_.col(newest_) = y;
  times_[static_cast<std::size_t>(newest_)] = t;
  count_ = std::min(count_ + 1, kRoom);
}

void Extrapolation::remove_newest() {
  newest_ = (newest_ + kRoom - 1) % kRoom;
  --count_;
}

int Extrapolation::degree() const {
  int best = std::min({1, max_degree_, count_ - 1});
  for (int degree = 0; degree <= std::min(max_degree_, count_ - 1); ++degree) {
    const auto k = static_cast<std::size_t>(degree);
    if (is_known_[k] &&
        (!is_known_[static_cast<std::size_t>(best)] || errors_[k] < errors_[static_cast<std::size_t>(best)])) {
      best = degree;
    }
  }
  return best;
}

void Extrapolation::predict(double t, VectorOut y) const {
  const int k = degree();
  const auto w = calc_weights(t, k);
  y = w[0] * value(0);
  for (int i = 1; i <= k; ++i) y += w[static_cast<std::size_t>(i)] * value(i);
}

}  // namespace trammel::integrators
