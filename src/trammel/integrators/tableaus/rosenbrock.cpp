#include "trammel/integrators/tableaus/rosenbrock.h"

#include <Eigen/LU>

namespace trammel::integrators {
namespace {

using Eigen::Matrix4d;
using Eigen::Vector4d;
using Matrix5d = Eigen::Matrix<double, 5, 5>;

Rosenbrock::Vector store_vector(const Vector4d& x) { return {x[0], x[1], x[2], x[3]}; }

Rosenbrock::Matrix store_matrix(const Matrix4d& X) {
  Rosenbrock::Matrix rows;
  for (int i = 0; i < 4; ++i) rows[static_cast<std::size_t>(i)] = store_vector(X.row(i));
  return rows;
}

Rosenbrock::Matrix store_strictly_lower(const Matrix4d& X) {
  return store_matrix(X.triangularView<Eigen::StrictlyLower>());
}

/// Weights of k inside of the step, a row each for the four stages and for V, a column each for theta to theta^4. With
/// alpha_i = sum a_ij, B = A + E and beta_i = sum b_ij they satisfy
///   sum b_i + gamma b_V = theta,                   sum b_i beta_i + 2 gamma^2 b_V = theta^2 / 2,
///   sum b_i alpha_i^2 = theta^3 / 3,               sum b_i (B beta)_i + 3 gamma^3 b_V = theta^3 / 6,
///   sum b_i (B B beta)_i + 4 gamma^4 b_V = theta^4 / 24
/// (Hairer and Wanner II, IV.7). At theta = 1 the formula itself does, so that V has no part there.
Eigen::Matrix<double, 5, 4> calc_dense_weights(const Matrix4d& A, const Matrix4d& B, double gamma) {
  const Vector4d alpha = A.rowwise().sum(), beta = B.rowwise().sum();
  const double gamma_2 = gamma * gamma;
  Matrix5d conditions = Matrix5d::Zero();
  conditions.row(0) << 1, 1, 1, 1, gamma;
  conditions.row(1) << beta.transpose(), 2 * gamma_2;
  conditions.row(2) << alpha.cwiseProduct(alpha).transpose(), 0;
  conditions.row(3) << (B * beta).transpose(), 3 * gamma_2 * gamma;
  conditions.row(4) << (B * (B * beta)).transpose(), 4 * gamma_2 * gamma_2;
  Eigen::Matrix<double, 5, 4> right = Eigen::Matrix<double, 5, 4>::Zero();
  right(0, 0) = 1;
  right(1, 1) = 1.0 / 2;
  right(2, 2) = 1.0 / 3;
  right(3, 2) = 1.0 / 6;
  right(4, 3) = 1.0 / 24;
  return conditions.fullPivLu().solve(right);
}

/// (4.54) from (4.70) and (4.71).
Rosenbrock make_rosenbrock4() {
  const double gamma = 0.57281606;
  const double a31 = 0.520920789130629029328516, a32 = 0.134294186842504800149232;
  Matrix4d A = Matrix4d::Zero(), E = Matrix4d::Zero();
  A(1, 0) = 1.14563212;
  A.row(2) << a31, a32, 0, 0;
  A.row(3) = A.row(2);
  E.diagonal().setConstant(gamma);
  E(1, 0) = -2.34199312711201394917052;
  E.row(2).head<2>() << -0.0273337465434898361965046, 0.213811650836699689867472;
  E.row(3).head<3>() << -0.259083837785510222112641, -0.190595807732311751616358, -0.228031035973133829477744;
  const Vector4d b{0.324534707891734513474196, 0.049086544787523308684633, 0, 0.6263787473207421778411711};
  const Vector4d b_embedded{0.520920789130629029328516, 0.144549714665364599584681, 0.124559686414702049774897,
                            0.209969809789304321311906};

  const Matrix4d E_inverse = E.triangularView<Eigen::Lower>().solve(Matrix4d::Identity().eval());
  // What is a weight of k, from the left, becomes a weight of U.
  const Matrix4d to_stages = E_inverse.transpose();
  const Eigen::Matrix<double, 5, 4> dense = calc_dense_weights(A, A + E, gamma);
  Rosenbrock formula;
  formula.gamma = gamma;
  formula.w = store_strictly_lower(A * E_inverse);
  formula.c = store_strictly_lower(-E_inverse);
  formula.s = store_vector(to_stages * b);
  formula.error = store_vector(to_stages * (b - b_embedded));
  formula.e = store_vector(E.rowwise().sum());
  formula.a = store_vector(A.rowwise().sum());
  formula.dense = store_matrix(to_stages * dense.topRows<4>());
  formula.dense_v = store_vector(dense.row(4));
  return formula;
}

}  // namespace

const Rosenbrock& rosenbrock4() {
  static const Rosenbrock formula = make_rosenbrock4();
  return formula;
}

}  // namespace trammel::integrators
