#pragma once

// The past of a backward differentiation formula, as the polynomials through its last values. With t_0 > t_1 > ... the
// times of the values, t = t_0 + h the end of the step to be made, and psi_i = t - t_{i-1}:
//
//   p_k interpolates y at t_0 ... t_k;   y_p = p_k(t),   y'_p = p_k'(t)                                             (1)
//   y'(t) = y'_p + c_j (y(t) - y_p),   c_j = (1 + 1/2 + ... + 1/k) / h                                              (2)
//   e_k = y(t) - p_k(t) = psi_1 ... psi_{k+1} [t, t_0, ..., t_k] y                                                  (3)
//   sigma_k e_k ~ h^{k+1} y^(k+1) / (k + 1),   sigma_k = k! h^k / (psi_2 ... psi_{k+1})                             (4)
//
// (2) is the formula of order k with fixed leading coefficient (Brenan, Campbell and Petzold 1996, section 5.2). Its
// polynomials are written by their values (Lagrange) in place of modified divided differences: there is nothing to
// rescale when the step changes or is rejected, and to take a step back is to forget a value.
// Theory: docs/theory/bdf-i3.md, section 1.

#include <array>

#include "trammel/linalg/vector.h"

namespace trammel::integrators {

class BdfHistory {
 public:
  static constexpr int kLargestOrder = 6;

  /// For values of the given size.
  explicit BdfHistory(int size);

  /// Forgets everything except this value.
  void restart(double t, linalg::VectorIn y);
  /// A value before the oldest one, as long as there is room: what a method makes up to begin with.
  void add_before(double t, linalg::VectorIn y);
  /// A value behind the newest one.
  void add(double t, linalg::VectorIn y);
  /// Puts another one in the place of the newest value.
  void replace_newest(linalg::VectorIn y) { values_.col(newest_) = y; }
  /// Forgets the newest value. One that fell out when it was added is there again; possible once after each add().
  void remove_newest();

  int count() const { return count_; }
  /// The values, the newest first (0 <= i < count).
  auto value(int i) const { return values_.col(place(i)); }
  double time(int i) const { return times_[static_cast<std::size_t>(place(i))]; }

  /// The end of the next step and its order, at most count() - 1 and kLargestOrder.
  void set_step(double t, int order);
  /// c_j of (2) [1/s].
  double leading_coefficient() const { return leading_; }
  /// C such that C |e_k| is the local error, at least that of the polynomial between the steps; 1/(k + 1) at constant
  /// step.
  double error_constant() const { return error_constant_; }
  /// D such that (2) on a smooth y gives y' + D y^(k+1); -h^k/(k + 1) at constant step.
  double defect() const { return defect_; }
  /// sigma of (4) for an order with order + 1 <= count().
  double calc_term_factor(int order) const;

  // The following take as many components as `y` has, from the first one on.
  /// y_p of (1).
  void predict(linalg::VectorOut y) const;
  /// y'_p of (1).
  void predict_rate(linalg::VectorOut y_rate) const;
  /// e of (3) for an order with order + 1 <= count().
  void calc_deviation(int order, linalg::VectorIn y, linalg::VectorOut e) const;
  /// The derivative of the order (1 to count()) of the polynomial through y at t and the newest values.
  void calc_derivative(int order, linalg::VectorIn y, linalg::VectorOut derivative) const;
  /// The polynomial of the degree, at most count() - 1, through the newest values.
  void interpolate(double t, int degree, linalg::VectorOut y) const;

 private:
  // Order k looks at k + 1 values, the estimate for order k + 1 at one more, and one waits for remove_newest().
  static constexpr int kUsed = kLargestOrder + 1;
  static constexpr int kRoom = kUsed + 1;
  using Weights = std::array<double, kUsed>;

  int place(int i) const { return (newest_ - i + kRoom) % kRoom; }
  /// Weights of the values in the polynomial of the degree at t.
  Weights calc_weights(double t, int degree) const;
  void add_weighted(const Weights& weights, int degree, double scale, linalg::VectorOut y) const;

  Eigen::MatrixXd values_;
  std::array<double, kRoom> times_{};
  int newest_ = 0, count_ = 0, kept_ = 0;  // kept_: values that are still in the room, at least count_
  double t_ = 0;
  int order_ = 1;
  double leading_ = 0, error_constant_ = 0, defect_ = 0;
};

}  // namespace trammel::integrators
