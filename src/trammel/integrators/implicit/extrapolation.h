#pragma once

// Looks ahead by the polynomial through the last values (degree 0 to 3), and learns which degree foresees best.
//
// Every new value shows how well each degree would have foreseen it; the degree with the smallest smoothed error serves
// next. A smooth solution raises the degree, noise and corners lower it: extrapolation of degree k multiplies noise by
// 2^(k+1) - 1, and what counts is the outcome. The polynomial is that of Newton's divided differences, written by its
// values (Lagrange), which needs no table.

#include <array>

#include "trammel/linalg/vector.h"

namespace trammel::integrators {

class Extrapolation {
 public:
  static constexpr int kLargestDegree = 3;

  /// Values of the given size, of which the first `judged` ones decide on the degree.
  Extrapolation(int size, int judged, int max_degree = kLargestDegree);

  void restart();
  /// A new value behind the last; `weights` (as many as are judged) measure what was foreseen.
  void add(double t, linalg::VectorIn y, linalg::VectorIn weights);
  /// Forgets the newest value.
  void remove_newest();

  int count() const { return count_; }
  /// The values, the newest first (0 <= i < count).
  auto value(int i) const { return values_.col(place(i)); }
  double time(int i) const { return times_[static_cast<std::size_t>(place(i))]; }

  /// The degree that serves now; at most count - 1.
  int degree() const;
  void predict(double t, linalg::VectorOut y) const;

 private:
  // One more than the polynomial needs, so that the newest value can be taken back.
  static constexpr int kRoom = kLargestDegree + 2;

  int place(int i) const { return (newest_ - i + kRoom) % kRoom; }
  /// Weights of the values in the polynomial of the degree at t.
  std::array<double, kLargestDegree + 1> calc_weights(double t, int degree) const;

  int judged_, max_degree_;
  Eigen::MatrixXd values_;
  std::array<double, kRoom> times_{};
  int newest_ = 0, count_ = 0;
  std::array<double, kLargestDegree + 1> errors_{};  // smoothed, of each degree
  std::array<bool, kLargestDegree + 1> is_known_{};
  linalg::Vector difference_;
};

}  // namespace trammel::integrators
