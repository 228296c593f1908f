#pragma once

// Random matrices of known properties, the same in every run.

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::linalg::testing {

class Samples {
 public:
  explicit Samples(unsigned seed) : generator_(seed) {}

  double number(double from = -1, double to = 1) {
    return std::uniform_real_distribution<double>(from, to)(generator_);
  }
  Eigen::MatrixXd matrix(int rows, int columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return number(); });
  }
  Vector vector(int size) { return matrix(size, 1); }
  Eigen::MatrixXd symmetric(int size) {
    const Eigen::MatrixXd a = matrix(size, size);
    return a + a.transpose();
  }
  Eigen::MatrixXd positive_definite(int size) {
    const Eigen::MatrixXd a = matrix(size, size);
    return a * a.transpose() + 0.5 * Eigen::MatrixXd::Identity(size, size);
  }
  Eigen::MatrixXd orthogonal(int size) {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(matrix(size, size)).householderQ();
  }
  /// Singular values from 1 down to rcond, evenly in their logarithms.
  Eigen::MatrixXd conditioned(int size, double rcond) {
    const auto exponent = [&](Eigen::Index i) { return static_cast<double>(i) / static_cast<double>(size - 1); };
    const Vector sigma = Vector::NullaryExpr(size, [&](Eigen::Index i) { return std::pow(rcond, exponent(i)); });
    return orthogonal(size) * sigma.asDiagonal() * orthogonal(size);
  }
  std::vector<int> permutation(int size) {
    std::vector<int> result(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) result[static_cast<std::size_t>(i)] = i;
    std::shuffle(result.begin(), result.end(), generator_);
    return result;
  }

 private:
  std::mt19937_64 generator_;
};

/// [M G^T; G 0]
inline Eigen::MatrixXd make_saddle(const Eigen::MatrixXd& M, const Eigen::MatrixXd& G) {
  const Eigen::Index n = M.rows(), m = G.rows();
  Eigen::MatrixXd saddle = Eigen::MatrixXd::Zero(n + m, n + m);
  saddle.topLeftCorner(n, n) = M;
  saddle.topRightCorner(n, m) = G.transpose();
  saddle.bottomLeftCorner(m, n) = G;
  return saddle;
}

inline double calc_true_rcond(const Eigen::MatrixXd& A) {
  const auto norm1 = [](const Eigen::MatrixXd& B) { return B.cwiseAbs().colwise().sum().maxCoeff(); };
  return 1 / (norm1(A) * norm1(A.inverse()));
}

/// ||b - A x|| / (||A|| ||x|| + ||b||): round-off, about 1e-16, for a backward stable solution whatever the condition.
inline double calc_backward_error(const Eigen::MatrixXd& A, const Vector& x, const Vector& b) {
  return (b - A * x).norm() / (A.norm() * x.norm() + b.norm());
}

/// The pattern of the nonzeros of A, and their values.
struct SparseSample {
  Pattern pattern;
  std::vector<double> values;

  explicit SparseSample(const Eigen::MatrixXd& A) {
    std::vector<Entry> entries;
    for (int j = 0; j < A.cols(); ++j)
      for (int i = 0; i < A.rows(); ++i)
        if (A(i, j) != 0) {
          entries.push_back({i, j});
          values.push_back(A(i, j));
        }
    pattern = Pattern(static_cast<int>(A.rows()), static_cast<int>(A.cols()), std::move(entries));
  }
};

}  // namespace trammel::linalg::testing
