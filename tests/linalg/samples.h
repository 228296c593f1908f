#pragma once

// Random matrices of known properties, the same in every run, and what Eigen says about them.

#include <Eigen/Core>
#include <random>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::linalg::testing {

class Samples {
 public:
  explicit Samples(unsigned seed) : generator_(seed) {}

  double number(double from = -1, double to = 1);
  int integer(int end);  ///< 0 .. end - 1
  Eigen::MatrixXd matrix(int rows, int columns);
  Vector vector(int size);
  Eigen::MatrixXd symmetric(int size);
  Eigen::MatrixXd positive_definite(int size);
  Eigen::MatrixXd orthogonal(int size);
  /// Singular values from 1 down to rcond, evenly in their logarithms.
  Eigen::MatrixXd conditioned(int size, double rcond);
  /// Symmetric, with such singular values and eigenvalues of alternating sign.
  Eigen::MatrixXd symmetric_conditioned(int size, double rcond);
  std::vector<int> permutation(int size);

 private:
  std::mt19937_64 generator_;
};

/// 10^from .. 10^to, evenly in their logarithms.
Vector make_scales(int size, double from, double to);

/// [M G^T; G 0]
Eigen::MatrixXd make_saddle(const Eigen::MatrixXd& M, const Eigen::MatrixXd& G);

Vector solve_reference(const Eigen::MatrixXd& A, const Vector& b);
Eigen::MatrixXd calc_inverse_matrix(const Eigen::MatrixXd& A);
Vector calc_symmetric_eigenvalues(const Eigen::MatrixXd& A);
double calc_true_rcond(const Eigen::MatrixXd& A);
/// ||b - A x|| / (||A|| ||x|| + ||b||): round-off, about 1e-16, for a backward stable solution whatever the condition.
double calc_backward_error(const Eigen::MatrixXd& A, const Vector& x, const Vector& b);

/// The pattern of the nonzeros of A, and their values.
struct SparseSample {
  Pattern pattern;
  std::vector<double> values;

  explicit SparseSample(const Eigen::MatrixXd& A);
};

}  // namespace trammel::linalg::testing
