#pragma once

// The solution inside of a step by Hermite interpolation (MEXX report, 2.4). Derivatives at both ends are limits at
// h = 0 of divided differences of the small steps: with n_j of them in row j and H^k / h_j^k = n_j^k,
//
//   H^k y^(k)(t_0) = lim n_j^k D^k y_0,   H^k z^(k)(t_0) = lim n_j^k D^k z_1      (D: forward differences)        (1)
//   H^k y^(k)(t_1) = lim n_j^k B^k y_n,   H^k z^(k)(t_1) = lim n_j^k B^k z_n      (B: backward differences)       (2)
//
// for k = 2, ... (y) and 1, ... (z); y, y' and z themselves are known at both ends. Every limit is a sum of small steps
// with fixed weights. With K rows, K - 1 derivatives are used, so that y is a polynomial of degree K + 2 and z of K.

#include <algorithm>
#include <vector>

#include "trammel/integrators/extrapolation/stacked_state.h"
#include "trammel/integrators/extrapolation/step_sequence.h"

namespace trammel::integrators {

class DenseOutput {
 public:
  /// `max_degree` (3 or more) limits the polynomial of y.
  DenseOutput(const StackLayout& layout, int max_rows, int max_degree);

  /// From the small steps of `rows` rows (column k of row j: the state after k steps), the states at both ends
  /// (stacked), and H y' there (sizes y).
  void build(const std::vector<Eigen::MatrixXd>& small_steps, int rows, const linalg::Vector& begin,
             const linalg::Vector& begin_rate, const linalg::Vector& end, const linalg::Vector& end_rate);
  /// The stacked state at t_0 + theta H.
  void evaluate(double theta, linalg::Vector& out) const;
  /// Of the polynomial of y that build() makes from so many rows.
  int degree(int rows) const { return 3 + count_derivatives(rows); }

 private:
  int count_derivatives(int rows) const { return std::min(rows - 1, max_derivatives_); }
  void add_limit(const std::vector<Eigen::MatrixXd>& small_steps, int rows, int order, bool at_end);
  void make_newton_form();

  StackLayout layout_;
  int max_derivatives_;
  int left_ = 0, right_ = 0;        // derivatives beyond y' (beyond z) at the two ends
  Eigen::MatrixXd derivatives_[2];  // column k: H^k y^(k) / k! and H^k z^(k) / k! at t_0, at t_1
  Eigen::MatrixXd newton_;          // column k: divided differences of y over the first k + 1 nodes, of z likewise
};

}  // namespace trammel::integrators
