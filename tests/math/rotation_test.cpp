#include "trammel/math/rotation.h"

#include <gtest/gtest.h>

#include "rotation_samples.h"
#include "trammel/math/dual.h"

namespace trammel::math {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using LongMatrix3 = Matrix3<long double>;

/// sum_k sign^k S^k / (k + shift)! in extended precision: the exponential, and with shift 1 its integral.
Matrix3d power_series(const Vector3d& phi, int sign, int shift) {
  const LongMatrix3 S = static_cast<long double>(sign) * skew(phi.cast<long double>());
  LongMatrix3 term = LongMatrix3::Identity(), sum = term;
  for (int k = 1; k < 90; ++k) {
    term = term * S / static_cast<long double>(k + shift);
    sum += term;
  }
  return sum.cast<double>();
}

/// Angles of either side of pi and 2 pi too.
std::vector<Vector3d> all_vectors() {
  std::vector<double> angles = angles_below_pi();
  for (const double a : {kPi, kPi + 1e-8, 4.0, 6.0, 2 * kPi - 1e-3, 2 * kPi + 1e-3, 8.0}) angles.push_back(a);
  return RotationSamples().vectors(angles);
}

TEST(Rotation, SkewMatrixIsTheCrossProduct) {
  RotationSamples samples;
  for (int i = 0; i < 20; ++i) {
    const Vector3d a = samples.vector(), b = samples.vector();
    EXPECT_LT((skew(a) * b - a.cross(b)).norm(), 1e-15);
    EXPECT_EQ(unskew(skew(a)), a);
  }
}

TEST(Rotation, UnskewIgnoresTheSymmetricPart) {
  const Vector3d a(1, -2, 3);
  Matrix3d symmetric;
  symmetric << 4, 5, 6, 5, -7, 8, 6, 8, 9;
  EXPECT_EQ(unskew(skew(a) + symmetric), a);
}

TEST(Rotation, ExponentialIsItsPowerSeries) {
  for (const Vector3d& phi : all_vectors()) {
    const Matrix3d error = rotation_from_vector(phi) - power_series(phi, 1, 0);
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 3e-15) << "|phi| = " << phi.norm();
  }
}

TEST(Rotation, ExponentialOfATinyVectorKeepsItsDigits) {
  const Vector3d phi(1e-12, -2e-12, 3e-12);
  EXPECT_LT((unskew(rotation_from_vector(phi)) - phi).norm(), 1e-15 * phi.norm());
}

TEST(Rotation, ExponentialIsOrthogonal) {
  for (const Vector3d& phi : all_vectors()) {
    const Matrix3d R = rotation_from_vector(phi);
    EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 5e-15);
  }
}

TEST(Rotation, TangentMapIsItsPowerSeries) {
  for (const Vector3d& phi : all_vectors()) {
    const Matrix3d error = tangent_map(phi) - power_series(phi, -1, 1);
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 2e-15) << "|phi| = " << phi.norm();
  }
}

TEST(Rotation, TangentMapGivesBodyAndReferenceAngularVelocity) {
  for (const Vector3d& phi : all_vectors()) {
    const Matrix3<Dual<double, 3>> R = rotation_from_vector(variables(phi));
    const Matrix3d R_AB = R.unaryExpr([](const auto& r) { return r.value; });
    for (int j = 0; j < 3; ++j) {
      const Matrix3d rate = R.unaryExpr([j](const auto& r) { return r.derivative[j]; });
      EXPECT_LT((unskew(R_AB.transpose() * rate) - tangent_map(phi).col(j)).norm(), 1e-14) << "|phi| = " << phi.norm();
      EXPECT_LT((unskew(rate * R_AB.transpose()) - tangent_map(phi).transpose().col(j)).norm(), 1e-14);
    }
  }
}

TEST(Rotation, InverseTangentMapInvertsTheTangentMap) {
  for (const Vector3d& phi : all_vectors()) {
    // |T^-1| grows near 2 pi, and with it the rounding of the product.
    const Matrix3d inverse = inverse_tangent_map(phi);
    const double tolerance = 2e-15 * inverse.norm();
    EXPECT_LT((inverse * tangent_map(phi) - Matrix3d::Identity()).norm(), tolerance) << "|phi| = " << phi.norm();
    EXPECT_LT((tangent_map(phi) * inverse - Matrix3d::Identity()).norm(), tolerance) << "|phi| = " << phi.norm();
  }
}

TEST(Rotation, InverseTangentMapKeepsItsDigitsUpToItsSingularity) {
  for (const double gap : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
    for (const double theta : {2 * kPi - gap, 2 * kPi + gap}) {
      const Matrix3d inverse = inverse_tangent_map(Vector3d(0, 0, theta));
      const long double half = 0.5L * static_cast<long double>(theta);
      const double diagonal = static_cast<double>(half / std::tan(half));
      EXPECT_NEAR(inverse(0, 0) / diagonal, 1.0, 4e-15) << "gap " << gap;
      EXPECT_NEAR(inverse(1, 1) / diagonal, 1.0, 4e-15) << "gap " << gap;
      EXPECT_EQ(inverse(2, 2), 1.0);
      EXPECT_EQ(inverse(1, 0), theta / 2);
      EXPECT_EQ(inverse(0, 1), -theta / 2);
    }
  }
}

TEST(Rotation, TangentMapsAreSmoothAtZero) {
  // T(phi) v = v - phi x v / 2 + ..., and T^-1 has the opposite sign.
  const Vector3d v(0.3, -1.2, 0.7), zero = Vector3d::Zero();
  EXPECT_EQ(jacobian([&](const auto& phi) { return (tangent_map(phi) * v).eval(); }, zero), 0.5 * skew(v));
  EXPECT_EQ(jacobian([&](const auto& phi) { return (inverse_tangent_map(phi) * v).eval(); }, zero), -0.5 * skew(v));
  // The second derivatives: R v = v + phi x v + phi x (phi x v) / 2 + ..., here of its first component.
  const Matrix3d H = hessian([&](const auto& phi) { return (rotation_from_vector(phi) * v).eval()[0]; }, zero);
  Matrix3d expected;
  expected << 0, v[1] / 2, v[2] / 2, v[1] / 2, -v[0], 0, v[2] / 2, 0, -v[0];
  EXPECT_LT((H - expected).norm(), 1e-15);
}

TEST(Rotation, DerivativesDoNotJumpWhereTheSeriesEnds) {
  const Vector3d v(0.3, -1.2, 0.7), direction = Vector3d(1, 2, -2) / 3;
  const auto slope_below = [&](auto f) { return jacobian(f, (1 - 1e-15) * direction); };
  const auto slope_above = [&](auto f) { return jacobian(f, (1 + 1e-15) * direction); };
  const auto exponential = [&](const auto& phi) { return (rotation_from_vector(phi) * v).eval(); };
  const auto tangent = [&](const auto& phi) { return (tangent_map(phi) * v).eval(); };
  const auto inverse = [&](const auto& phi) { return (inverse_tangent_map(phi) * v).eval(); };
  EXPECT_LT((slope_below(exponential) - slope_above(exponential)).norm(), 5e-15);
  EXPECT_LT((slope_below(tangent) - slope_above(tangent)).norm(), 5e-15);
  EXPECT_LT((slope_below(inverse) - slope_above(inverse)).norm(), 5e-15);
}

TEST(Rotation, ElementaryRotationsTurnAboutTheirAxis) {
  for (const double angle : {-2.5, -0.3, 1e-9, 0.8, 3.0}) {
    EXPECT_LT((rotation_about_x(angle) - rotation_from_vector(angle * Vector3d::UnitX())).norm(), 1e-15);
    EXPECT_LT((rotation_about_y(angle) - rotation_from_vector(angle * Vector3d::UnitY())).norm(), 1e-15);
    EXPECT_LT((rotation_about_z(angle) - rotation_from_vector(angle * Vector3d::UnitZ())).norm(), 1e-15);
  }
}

TEST(Rotation, AQuarterTurnAboutZTakesXToY) {
  EXPECT_LT((rotation_about_z(kPi / 2) * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-16);
  EXPECT_LT((rotation_from_vector(Vector3d(0, 0, kPi / 2)) * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 3e-16);
}

}  // namespace
}  // namespace trammel::math
