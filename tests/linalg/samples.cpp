#include "tests/linalg/samples.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace trammel::linalg::testing {

double Samples::number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(generator_); }

int Samples::integer(int end) { return std::uniform_int_distribution<int>(0, end - 1)(generator_); }

Eigen::MatrixXd Samples::matrix(int rows, int columns) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return number(); });
}

Vector Samples::vector(int size) { return matrix(size, 1); }

Eigen::MatrixXd Samples::symmetric(int size) {
  const Eigen::MatrixXd a = matrix(size, size);
  return a + a.transpose();
}

Eigen::MatrixXd Samples::positive_definite(int size) {
  const Eigen::MatrixXd a = matrix(size, size);
  return a * a.transpose() + 0.5 * Eigen::MatrixXd::Identity(size, size);
}

Eigen::MatrixXd Samples::orthogonal(int size) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(matrix(size, size)).householderQ();
}

Eigen::MatrixXd Samples::conditioned(int size, double rcond) {
  return orthogonal(size) * make_scales(size, 0, std::log10(rcond)).asDiagonal() * orthogonal(size);
}

Eigen::MatrixXd Samples::symmetric_conditioned(int size, double rcond) {
  Vector eigenvalues = make_scales(size, 0, std::log10(rcond));
  for (int i = 1; i < size; i += 2) eigenvalues[i] *= -1;
  const Eigen::MatrixXd Q = orthogonal(size);
  return Q * eigenvalues.asDiagonal() * Q.transpose();
}

std::vector<int> Samples::permutation(int size) {
  std::vector<int> result(static_cast<std::size_t>(size));
  std::iota(result.begin(), result.end(), 0);
  std::shuffle(result.begin(), result.end(), generator_);
  return result;
}

Vector make_scales(int size, double from, double to) {
  return Vector::LinSpaced(size, from, to).unaryExpr([](double exponent) { return std::pow(10.0, exponent); });
}

Eigen::MatrixXd make_saddle(const Eigen::MatrixXd& M, const Eigen::MatrixXd& G) {
  const Eigen::Index n = M.rows(), m = G.rows();
  Eigen::MatrixXd saddle = Eigen::MatrixXd::Zero(n + m, n + m);
  saddle.topLeftCorner(n, n) = M;
  saddle.topRightCorner(n, m) = G.transpose();
  saddle.bottomLeftCorner(m, n) = G;
  return saddle;
}

Vector solve_reference(const Eigen::MatrixXd& A, const Vector& b) { return A.fullPivLu().solve(b); }

Eigen::MatrixXd calc_inverse_matrix(const Eigen::MatrixXd& A) { return A.inverse(); }

Vector calc_symmetric_eigenvalues(const Eigen::MatrixXd& A) { return A.selfadjointView<Eigen::Lower>().eigenvalues(); }

double calc_true_rcond(const Eigen::MatrixXd& A) {
  const auto norm1 = [](const Eigen::MatrixXd& B) { return B.cwiseAbs().colwise().sum().maxCoeff(); };
  return 1 / (norm1(A) * norm1(A.inverse()));
}

double calc_backward_error(const Eigen::MatrixXd& A, const Vector& x, const Vector& b) {
  return (b - A * x).norm() / (A.norm() * x.norm() + b.norm());
}

SparseSample::SparseSample(const Eigen::MatrixXd& A) {
  std::vector<Entry> entries;
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = 0; i < A.rows(); ++i) {
      if (A(i, j) == 0) continue;
      entries.push_back({i, j});
      values.push_back(A(i, j));
    }
  }
  pattern = Pattern(static_cast<int>(A.rows()), static_cast<int>(A.cols()), std::move(entries));
}

}  // namespace trammel::linalg::testing
