#include "trammel/analyses/trajectory_error.h"

#include <algorithm>
#include <cmath>

namespace trammel::analyses {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kScaleFloor = 0.01;  // of the largest scale

VectorXd calc_scales(const MatrixXd& values) {
  if (values.size() == 0) return VectorXd::Ones(values.cols());
  const VectorXd scales = values.cwiseAbs().colwise().maxCoeff().transpose();
  const double largest = scales.maxCoeff();
  return largest > 0 ? scales.cwiseMax(kScaleFloor * largest).eval() : VectorXd::Ones(values.cols()).eval();
}

MatrixXd calc_deviations(const MatrixXd& values, const MatrixXd& reference, const VectorXd& scales) {
  const Index rows = std::min(values.rows(), reference.rows());
  return (values.topRows(rows) - reference.topRows(rows)) * scales.cwiseInverse().asDiagonal();
}

double root_mean_square(const MatrixXd& deviations) {
  return deviations.size() > 0 ? std::sqrt(deviations.squaredNorm() / static_cast<double>(deviations.size())) : 0.0;
}

TrajectoryError measure(const MatrixXd& deviations, const std::vector<double>& t,
                        const std::vector<std::string>& names) {
  TrajectoryError error;
  error.rms = root_mean_square(deviations);
  if (deviations.size() == 0) return error;
  Index row = 0, column = 0;
  error.largest = deviations.cwiseAbs().maxCoeff(&row, &column);
  error.t = t[static_cast<std::size_t>(row)];
  error.coordinate = static_cast<int>(column);
  error.name = names[static_cast<std::size_t>(column)];
  return error;
}

}  // namespace

void Trajectory::cut(Index count) {
  if (count >= size()) return;
  t.resize(static_cast<std::size_t>(count));
  q.conservativeResize(count, Eigen::NoChange);
  v.conservativeResize(count, Eigen::NoChange);
}

ErrorMeasure::ErrorMeasure(Trajectory reference, std::vector<std::string> position_names,
                           std::vector<std::string> velocity_names)
    : reference_(std::move(reference)),
      position_names_(std::move(position_names)),
      velocity_names_(std::move(velocity_names)),
      position_scales_(calc_scales(reference_.q)),
      velocity_scales_(calc_scales(reference_.v)) {}

TrajectoryError ErrorMeasure::calc_position_error(const Trajectory& trajectory) const {
  return measure(calc_deviations(trajectory.q, reference_.q, position_scales_), reference_.t, position_names_);
}

TrajectoryError ErrorMeasure::calc_velocity_error(const Trajectory& trajectory) const {
  return measure(calc_deviations(trajectory.v, reference_.v, velocity_scales_), reference_.t, velocity_names_);
}

std::vector<double> ErrorMeasure::calc_position_errors_over_time(const Trajectory& trajectory) const {
  const MatrixXd deviations = calc_deviations(trajectory.q, reference_.q, position_scales_);
  std::vector<double> errors;
  for (Index k = 0; k < deviations.rows(); ++k) errors.push_back(root_mean_square(deviations.row(k)));
  return errors;
}

}  // namespace trammel::analyses
