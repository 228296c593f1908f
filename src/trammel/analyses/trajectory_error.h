#pragma once

// How far a trajectory is from another one, as one number for positions and one for velocities.
//
// Of a reference y_kj (time k, coordinate j) the scale of a coordinate is the largest value it has,
//
//   s_j = max_k |y_kj|,   but at least 1/100 of the largest s_j, and 1 when all are zero,                         (1)
//
// and the error of a trajectory z is the root mean square of relative deviations over all times and coordinates,
//
//   e = sqrt( mean_kj ((z_kj - y_kj) / s_j)^2 ).                                                                  (2)
//
// The floor keeps coordinates that only round-off moves from counting as wrong. Positions and velocities are measured
// apart: velocities lose digits first.

#include <Eigen/Core>
#include <string>
#include <vector>

namespace trammel::analyses {

/// Positions and velocities at some times, one row a time; of spatial models with quasi-velocities.
struct Trajectory {
  std::vector<double> t;  ///< [s], increasing
  Eigen::MatrixXd q;      ///< times x n_q
  Eigen::MatrixXd v;      ///< times x n_v

  Eigen::Index size() const { return static_cast<Eigen::Index>(t.size()); }
  /// Only the first `count` times.
  void cut(Eigen::Index count);
};

struct TrajectoryError {
  double rms = 0;       ///< e of (2)
  double largest = 0;   ///< the largest |z - y| / s, at
  double t = 0;         ///< this time [s]
  int coordinate = -1;  ///< and of this coordinate
  std::string name;     ///< of the coordinate
};

class ErrorMeasure {
 public:
  ErrorMeasure(Trajectory reference, std::vector<std::string> position_names, std::vector<std::string> velocity_names);

  const Trajectory& reference() const { return reference_; }
  /// Over the times that both have; the trajectory has the times of the reference, or the first of them.
  TrajectoryError calc_position_error(const Trajectory& trajectory) const;
  TrajectoryError calc_velocity_error(const Trajectory& trajectory) const;
  /// e of (2) for each time alone, positions.
  std::vector<double> calc_position_errors_over_time(const Trajectory& trajectory) const;

 private:
  Trajectory reference_;
  std::vector<std::string> position_names_, velocity_names_;
  Eigen::VectorXd position_scales_, velocity_scales_;
};

}  // namespace trammel::analyses
