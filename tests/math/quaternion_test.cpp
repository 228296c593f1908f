#include "trammel/math/quaternion.h"

#include <gtest/gtest.h>

#include "rotation_samples.h"
#include "trammel/math/dual.h"

namespace trammel::math {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::Vector4d;

/// The entries of a matrix, column after column, as a vector: jacobian() takes vectors.
template <class M>
auto entries(const M& m) {
  return Eigen::Matrix<typename M::Scalar, M::SizeAtCompileTime, 1>(m.reshaped());
}

TEST(Quaternion, HasTheRotationMatrixOfItsRotationVector) {
  for (const Vector3d& phi : RotationSamples().vectors(angles_below_pi())) {
    const Vector4d p = quaternion_from_vector(phi);
    EXPECT_NEAR(p.norm(), 1.0, 5e-16);
    EXPECT_LT((rotation_from_quaternion(p) - rotation_from_vector(phi)).norm(), 3e-15) << "|phi| = " << phi.norm();
  }
}

TEST(Quaternion, ScalarComesFirst) {
  const Vector4d p = quaternion_from_vector(Vector3d(0, 0, kPi / 3));
  EXPECT_LT((p - Vector4d(std::sqrt(0.75), 0, 0, 0.5)).norm(), 2e-16);
}

TEST(Quaternion, ProductComposesRotations) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    const Vector4d p = samples.quaternion(), r = samples.quaternion();
    const Matrix3d product = rotation_from_quaternion(p) * rotation_from_quaternion(r);
    EXPECT_LT((rotation_from_quaternion(quaternion_product(p, r)) - product).norm(), 2e-15);
  }
}

TEST(Quaternion, ConjugateIsTheInverse) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    const Vector4d p = samples.quaternion();
    EXPECT_LT((quaternion_product(p, conjugate(p)) - Vector4d(1, 0, 0, 0)).norm(), 5e-16);
    EXPECT_LT((rotation_from_quaternion(conjugate(p)) - rotation_from_quaternion(p).transpose()).norm(), 1e-15);
  }
}

TEST(Quaternion, RateMatricesHaveTheirDocumentedBlocks) {
  const Vector4d p(0.1, -0.2, 0.3, 0.4);
  const Vector3d e = p.tail<3>();
  EXPECT_EQ(body_rate_matrix(p).col(0), -e);
  EXPECT_EQ(body_rate_matrix(p).rightCols<3>(), p[0] * Matrix3d::Identity() - skew(e));
  EXPECT_EQ(reference_rate_matrix(p).col(0), -e);
  EXPECT_EQ(reference_rate_matrix(p).rightCols<3>(), p[0] * Matrix3d::Identity() + skew(e));
}

TEST(Quaternion, RateMatricesSatisfyTheirIdentities) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    const Vector4d p = samples.quaternion();
    const Matrix34<double> L = body_rate_matrix(p), E = reference_rate_matrix(p);
    EXPECT_LT((E * L.transpose() - rotation_from_quaternion(p)).norm(), 1e-15);
    for (const Matrix34<double>& G : {L, E}) {
      EXPECT_LT((G * G.transpose() - Matrix3d::Identity()).norm(), 1e-15);
      EXPECT_LT((G.transpose() * G - (Matrix4d::Identity() - p * p.transpose())).norm(), 1e-15);
      EXPECT_LT((G * p).norm(), 2e-16);
    }
  }
}

TEST(Quaternion, RateMatricesGiveTheAngularVelocityOfAMotion) {
  RotationSamples samples;
  using Time = Dual<double, 1>;
  const Time t = Time::variable(0.7, 0);
  for (int i = 0; i < 20; ++i) {
    // p(t) = p_0 o exp(t a) o exp(t^2 b): neither frame has a constant angular velocity.
    const Vector3d a = samples.vector(), b = samples.vector();
    const Vector4<Time> p_t = quaternion_product(
        quaternion_product(samples.quaternion(), quaternion_from_vector(t * a)), quaternion_from_vector(t * t * b));
    const Vector4d p = p_t.unaryExpr([](const Time& x) { return x.value; });
    const Vector4d p_rate = p_t.unaryExpr([](const Time& x) { return x.derivative[0]; });
    const Matrix3<Time> R_t = rotation_from_quaternion(p_t);
    const Matrix3d R = R_t.unaryExpr([](const Time& x) { return x.value; });
    const Matrix3d R_rate = R_t.unaryExpr([](const Time& x) { return x.derivative[0]; });

    const Vector3d w_AB_B = unskew(R.transpose() * R_rate), w_AB_A = unskew(R_rate * R.transpose());
    EXPECT_LT((2 * body_rate_matrix(p) * p_rate - w_AB_B).norm(), 2e-14);
    EXPECT_LT((2 * reference_rate_matrix(p) * p_rate - w_AB_A).norm(), 2e-14);
    EXPECT_LT((0.5 * body_rate_matrix(p).transpose() * w_AB_B - p_rate).norm(), 1e-14);
    EXPECT_LT((0.5 * reference_rate_matrix(p).transpose() * w_AB_A - p_rate).norm(), 1e-14);
  }
}

TEST(Quaternion, ComesBackFromTheRotationMatrixInEveryBranch) {
  RotationSamples samples;
  for (int largest = 0; largest < 4; ++largest) {
    for (int i = 0; i < 100; ++i) {
      Vector4d p = 0.4 * samples.quaternion();
      p[largest] = i % 2 == 0 ? 1.0 : -1.0;
      if (i % 5 == 0 && largest != 0) p[0] = 0;
      if (i % 7 == 0) p[(largest + 1) % 4] = 0;
      p.normalize();
      const Vector4d back = quaternion_from_rotation(rotation_from_quaternion(p));
      EXPECT_GE(back[0], 0.0);
      EXPECT_NEAR(back.norm(), 1.0, 3e-16);
      EXPECT_LT(std::min((back - p).norm(), (back + p).norm()), 1e-15)
          << "largest " << largest << ", p " << p.transpose();
    }
  }
}

TEST(Quaternion, ComesBackFromTheSymmetricRotations) {
  // All parameters equal: the branches meet.
  for (const Vector4d& p :
       {Vector4d(0.5, 0.5, 0.5, 0.5), Vector4d(0.5, -0.5, 0.5, -0.5), Vector4d(0.5, -0.5, -0.5, -0.5)})
    EXPECT_EQ(quaternion_from_rotation(rotation_from_quaternion(p)), p);
  EXPECT_EQ(quaternion_from_rotation(Matrix3d::Identity()), Vector4d(1, 0, 0, 0));
  for (int i = 0; i < 3; ++i) {
    const Matrix3d half_turn = 2 * Vector3d::Unit(i) * Vector3d::Unit(i).transpose() - Matrix3d::Identity();
    EXPECT_EQ(quaternion_from_rotation(half_turn), Vector4d::Unit(1 + i));
  }
}

TEST(Quaternion, ComesWithUnitLengthFromAMatrixThatDrifted) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    Vector4d p = samples.quaternion();
    if (p[0] < 0) p = -p;
    const Matrix3d drifted = rotation_from_quaternion(p) + 1e-8 * skew(samples.direction()) * skew(samples.direction());
    const Vector4d back = quaternion_from_rotation(drifted);
    EXPECT_NEAR(back.norm(), 1.0, 3e-16);
    EXPECT_LT((back - p).norm(), 2e-8);
  }
}

TEST(Quaternion, LogarithmInvertsTheExponentialBelowPi) {
  for (const Vector3d& phi : RotationSamples().vectors(angles_below_pi())) {
    const Vector4d p = quaternion_from_vector(phi);
    EXPECT_LE((vector_from_quaternion(p) - phi).norm(), 1e-15 * phi.norm()) << "|phi| = " << phi.norm();
    EXPECT_EQ(vector_from_quaternion(-p), vector_from_quaternion(p));
    EXPECT_LE((vector_from_quaternion(3.7 * p) - phi).norm(), 1e-15 * phi.norm());
    EXPECT_LE((vector_from_rotation(rotation_from_vector(phi)) - phi).norm(), 3e-15 * phi.norm())
        << "|phi| = " << phi.norm();
  }
}

TEST(Quaternion, LogarithmIsTheShorterWayRound) {
  for (const Vector3d& axis : RotationSamples().vectors({1.0})) {
    const Vector3d phi = vector_from_rotation(rotation_from_vector(4.0 * axis));
    EXPECT_LT((phi - (4.0 - 2 * kPi) * axis).norm(), 5e-15);
  }
}

TEST(Quaternion, LogarithmOfAHalfTurnHasItsAxis) {
  for (Vector3d axis : RotationSamples().vectors({1.0})) {
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis[largest] < 0) axis = -axis;
    const Matrix3d half_turn = 2 * axis * axis.transpose() - Matrix3d::Identity();
    EXPECT_LT((vector_from_rotation(half_turn) - kPi * axis).norm(), 3e-15);
    const Vector4d p(0, -axis[0], -axis[1], -axis[2]);
    EXPECT_LT((vector_from_quaternion(p) + kPi * axis).norm(), 2e-15);
  }
}

TEST(Quaternion, LogarithmHasTheInverseTangentMapAsDerivative) {
  // log(R exp(dphi)) = phi + T(phi)^-1 dphi + ...
  for (const Vector3d& phi : RotationSamples().vectors(angles_below_pi())) {
    const Vector4d p = quaternion_from_vector(phi);
    const Matrix3d R_AB = rotation_from_vector(phi), expected = inverse_tangent_map(phi);
    const auto by_quaternion = [&](const auto& dphi) { return vector_from_quaternion(retract(p, dphi)); };
    const auto by_matrix = [&](const auto& dphi) { return vector_from_rotation(R_AB * rotation_from_vector(dphi)); };
    EXPECT_LT((jacobian(by_quaternion, Vector3d::Zero()) - expected).norm(), 1e-14) << "|phi| = " << phi.norm();
    EXPECT_LT((jacobian(by_matrix, Vector3d::Zero()) - expected).norm(), 2e-14) << "|phi| = " << phi.norm();
  }
}

TEST(Quaternion, RetractTurnsInTheBodyFrame) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    const Vector4d p = samples.quaternion();
    const Vector3d dphi = samples.vector();
    const Matrix3d expected = rotation_from_quaternion(p) * rotation_from_vector(dphi);
    EXPECT_LT((rotation_from_quaternion(retract(p, dphi)) - expected).norm(), 3e-15);
    EXPECT_LT((retract(retract(p, dphi), -dphi) - p).norm(), 1e-15);
  }
}

TEST(Quaternion, RetractKeepsUnitLengthOverManySteps) {
  RotationSamples samples;
  Vector4d p(2, 0, 0, 0);
  for (int i = 0; i < 10000; ++i) p = retract(p, 0.01 * samples.vector());
  EXPECT_NEAR(p.norm(), 1.0, 3e-16);
}

TEST(Quaternion, RetractStartsAlongTheBodyRateMatrix) {
  RotationSamples samples;
  for (int i = 0; i < 20; ++i) {
    const Vector4d p = samples.quaternion();
    const auto J = jacobian([&](const auto& dphi) { return retract(p, dphi); }, Vector3d::Zero());
    EXPECT_LT((J - 0.5 * body_rate_matrix(p).transpose()).norm(), 1e-15);
  }
}

TEST(Quaternion, DerivativeOfARotatedVectorByParametersIsExact) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    const Vector4d p = (0.5 + 0.1 * i) * samples.quaternion();
    const Vector3d s = samples.vector();
    const auto rotated = [&](const auto& x) { return (rotation_from_quaternion(x) * s).eval(); };
    EXPECT_LT((rotated_vector_wrt_quaternion(p, s) - jacobian(rotated, p)).norm(), 1e-15 * p.norm() * s.norm() * 4);
  }
}

TEST(Quaternion, DerivativeOfARotatedVectorByRotationIsExact) {
  RotationSamples samples;
  for (int i = 0; i < 50; ++i) {
    const Vector4d p = samples.quaternion();
    const Vector3d s = samples.vector();
    const Matrix3d tangent = rotated_vector_wrt_rotation(rotation_from_quaternion(p), s);
    const auto rotated = [&](const auto& dphi) { return (rotation_from_quaternion(retract(p, dphi)) * s).eval(); };
    EXPECT_LT((tangent - jacobian(rotated, Vector3d::Zero())).norm(), 5e-15 * s.norm());
    // The two derivatives agree along the sphere.
    const Matrix3d lifted = rotated_vector_wrt_quaternion(p, s) * 0.5 * body_rate_matrix(p).transpose();
    EXPECT_LT((tangent - lifted).norm(), 3e-15 * s.norm());
  }
}

TEST(Quaternion, RotationMatrixIsHomogeneousOffTheUnitSphere) {
  const Vector4d p = RotationSamples().quaternion();
  EXPECT_LT((rotation_from_quaternion(1.5 * p) - 2.25 * rotation_from_quaternion(p)).norm(), 2e-15);
}

TEST(Quaternion, ExponentialIsSmoothAtZero) {
  // Second derivatives of (cos(|phi|/2), sin(|phi|/2) phi/|phi|): -I/4 for e0, none for e.
  const Vector3d zero = Vector3d::Zero();
  EXPECT_EQ(hessian([](const auto& phi) { return quaternion_from_vector(phi)[0]; }, zero),
            -0.25 * Matrix3d::Identity());
  EXPECT_EQ(hessian([](const auto& phi) { return quaternion_from_vector(phi)[2]; }, zero), Matrix3d::Zero());
  const auto R = [](const auto& phi) { return entries(rotation_from_quaternion(quaternion_from_vector(phi))); };
  const auto S = [](const auto& phi) { return entries(skew(phi)); };
  EXPECT_EQ(jacobian(R, zero), jacobian(S, zero));
}

}  // namespace
}  // namespace trammel::math
