// The functions that joints are composed of, and the coordinates, against nested duals of what they are by definition.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/reference_bodies.h"
#include "trammel/model/joint/coordinate.h"
#include "trammel/model/joint/primitive/primitives.h"
#include "trammel/model/joint/rolling_disc.h"

namespace trammel::model {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::Random;
using testing::RefBodies;
using testing::RowReference;
using testing::Vec12;
using testing::Vec3;

constexpr int kSamples = 60;
constexpr double kTolerance = 1e-12;  // relative; double precision leaves a few 1e-14

/// Two bodies somewhere, on their way.
struct Sample {
  BodyFrame A, B;
  Twist twist_A, twist_B;

  explicit Sample(Random& random, bool is_planar = false) {
    for (auto [frame, twist] : {std::pair{&A, &twist_A}, std::pair{&B, &twist_B}}) {
      frame->r = random.vector(2);
      frame->R = random.rotation();
      twist->v = random.vector(3);
      twist->w = random.vector(3);
      if (!is_planar) continue;
      frame->angle = random.number(-20, 20);
      frame->R = random.planar_rotation(frame->angle);
      frame->r[2] = twist->v[2] = twist->w[0] = twist->w[1] = 0;
    }
  }
  FramePair frames() const { return {A, B}; }
  TwistPair twists() const { return {twist_A, twist_B}; }
  RefBodies<double> bodies() const { return {{{A.r, A.R, A.angle}, {B.r, B.R, B.angle}}}; }
};

template <class Phi>
void calc_velocity_gradient(const Phi& phi, const Sample& at, Vector12& out) {
  velocity_gradient(phi, at.frames(), at.twists(), out);
}
void calc_velocity_gradient(const RollingRow& phi, const Sample& at, Vector12& out) {
  phi.velocity_gradient(at.frames(), at.twists(), out);
}

BlockMask blocks_of(const Coordinate& phi) { return phi.hessian_blocks(); }
template <class Phi>
BlockMask blocks_of(const Phi&) {
  return Phi::kHessianBlocks;
}

/// All five quantities, and that nothing is nonzero where uses() and the block mask say zero.
template <class Phi>
void compare(const Phi& phi, const Sample& at, const RowReference& reference) {
  Vector12 G, n, T, by_velocity;
  Matrix12 H;
  G.setConstant(7);  // whatever was there before must not matter
  n.setConstant(7);
  T.setConstant(7);
  H.setConstant(7);
  phi.gradient(at.frames(), G);
  phi.rate_gradient(at.frames(), at.twists(), n);
  phi.quadratic_gradient(at.frames(), at.twists(), T);
  phi.hessian(at.frames(), H);
  calc_velocity_gradient(phi, at, by_velocity);
  EXPECT_LT(testing::relative_error(G, reference.gradient), kTolerance);
  EXPECT_LT(testing::relative_error(n, reference.rate_gradient), kTolerance);
  EXPECT_LT(testing::relative_error(n.dot(at.twists().stacked()), reference.bias), kTolerance);
  EXPECT_LT(testing::relative_error(T, reference.quadratic_gradient), kTolerance);
  EXPECT_LT(testing::relative_error(by_velocity, reference.velocity_gradient), kTolerance);
  EXPECT_LT(testing::relative_error(H, reference.hessian), kTolerance);
  for (int i = 0; i < 12; ++i) {
    if (!phi.uses(i)) {
      EXPECT_EQ(G[i], 0) << i;
      EXPECT_EQ(n[i], 0) << i;
      EXPECT_EQ(T[i], 0) << i;
      EXPECT_EQ(by_velocity[i], 0) << i;
    }
    for (int j = 0; j < 12; ++j) {
      const bool is_in_mask = (blocks_of(phi) & block_bit(i / 3, j / 3)) != 0;
      EXPECT_TRUE(is_in_mask || H(i, j) == 0) << i << " " << j;
    }
  }
}

/// phi.value() and its derivatives against the definition `value`, at one sample.
template <class Phi, class Value>
void compare_with(const Phi& phi, const Value& value, const Sample& at) {
  EXPECT_LT(testing::relative_error(phi.value(at.frames()), value(at.bodies())), kTolerance);
  compare(phi, at, testing::differentiate(value, at.bodies(), at.twists().stacked()));
}

template <class T>
Vec3<T> point(const testing::RefBody<T>& body, const Vector3d& s) {
  return body.r + body.R * s.cast<T>();
}
template <class T>
Vec3<T> axis(const testing::RefBody<T>& body, const Vector3d& a) {
  return body.R * a.cast<T>();
}
/// From the point of A to the point of B.
template <class T>
Vec3<T> between(const RefBodies<T>& bodies, const Vector3d& s_A, const Vector3d& s_B) {
  return point(bodies[1], s_B) - point(bodies[0], s_A);
}

TEST(Primitives, PointDifference) {
  Random random(1);
  for (int k = 0; k < kSamples; ++k) {
    const PointDifference phi{k % 3, random.vector(), random.vector()};
    compare_with(
        phi, [&](const auto& bodies) { return between(bodies, phi.s_A, phi.s_B)[phi.axis]; }, Sample(random));
  }
}

TEST(Primitives, Dot1) {
  Random random(2);
  for (int k = 0; k < kSamples; ++k) {
    const Dot1 phi{random.direction(), random.direction()};
    compare_with(
        phi, [&](const auto& bodies) { return axis(bodies[0], phi.a).dot(axis(bodies[1], phi.b)); }, Sample(random));
  }
}

TEST(Primitives, Dot2) {
  Random random(3);
  for (int k = 0; k < kSamples; ++k) {
    const Dot2 phi{random.direction(), random.vector(), random.vector()};
    compare_with(
        phi, [&](const auto& bodies) { return axis(bodies[0], phi.a).dot(between(bodies, phi.s_A, phi.s_B)); },
        Sample(random));
  }
}

TEST(Primitives, HalfSquare) {
  Random random(4);
  for (int k = 0; k < kSamples; ++k) {
    const HalfSquare phi{random.vector(), random.vector()};
    compare_with(
        phi,
        [&](const auto& bodies) {
          const auto d = between(bodies, phi.s_A, phi.s_B);
          return 0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        },
        Sample(random));
  }
}

TEST(Primitives, MovingBothBodiesTogetherChangesNothingButPointDifferences) {
  Random random(5);
  for (int k = 0; k < kSamples; ++k) {
    Sample at(random);
    // One rigid motion of both, steady: w and v = w x r + const in ground axes, hence v' = w x v.
    const Vector3d w = random.vector(), v = random.vector();
    at.twist_A = {v + w.cross(at.A.r), at.A.R.transpose() * w};
    at.twist_B = {v + w.cross(at.B.r), at.B.R.transpose() * w};
    const Vector12 xi = at.twists().stacked();
    Vector12 G, n, xi_rate;
    xi_rate << w.cross(at.twist_A.v), Vector3d::Zero(), w.cross(at.twist_B.v), Vector3d::Zero();
    const auto expect_still = [&](const auto& phi) {
      phi.gradient(at.frames(), G);
      EXPECT_LT(std::abs(G.dot(xi)), 1e-13);
      phi.rate_gradient(at.frames(), at.twists(), n);
      EXPECT_LT(std::abs(G.dot(xi_rate) + n.dot(xi)), 1e-12);
    };
    expect_still(Dot1{random.direction(), random.direction()});
    expect_still(Dot2{random.direction(), random.vector(), random.vector()});
    expect_still(HalfSquare{random.vector(), random.vector()});
    expect_still(Coordinate::angle(Vector3d::UnitX(), Vector3d::UnitY(), random.direction()));
    expect_still(Coordinate::distance(random.vector(), random.vector()));
  }
}

// --- rolling --------------------------------------------------------------------------------------------------------

RollingRow random_disc(Random& random, int direction) {
  return {random.vector(), random.rotation(), random.vector(), random.direction(), random.number(0.2, 2), direction};
}

/// The velocity of the disc's material point in contact relative to the plane's, along one axis of the plane.
template <class T>
T calc_slip(const RollingRow& disc, const RefBodies<T>& bodies, const Vec12<T>& xi) {
  using std::sqrt;
  const auto& [A, B] = bodies;
  const Vec3<T> n = axis(A, disc.axes_A.col(2)), z = axis(B, disc.z_B);
  // Down along the disc: the direction in its plane with the most negative component along n.
  const Vec3<T> across = z.cross(n), down = z.cross(across);
  const Vec3<T> contact = point(B, disc.c_B) + down * T(disc.radius / sqrt(T(down.dot(down))));
  const auto velocity = [&](const testing::RefBody<T>& body, int at) -> Vec3<T> {
    const Vec3<T> w = body.R * Vec3<T>(xi.template segment<3>(at + 3)), arm = contact - body.r;
    return xi.template segment<3>(at) + w.cross(arm);
  };
  return axis(A, disc.axes_A.col(disc.direction)).dot(velocity(B, 6) - velocity(A, 0));
}

TEST(Primitives, RollingRows) {
  Random random(6);
  for (int k = 0; k < kSamples; ++k) {
    const RollingRow phi = random_disc(random, k % 3);
    const Sample at(random);
    const double tilt = (at.A.R * phi.axes_A.col(2)).dot(at.B.R * phi.z_B);
    if (std::abs(tilt) > 0.95) continue;  // a disc that lies flat touches nowhere in particular
    compare(phi, at,
            testing::differentiate_rate([&](const auto& bodies, const auto& xi) { return calc_slip(phi, bodies, xi); },
                                        at.bodies(), at.twists().stacked()));
  }
}

TEST(Primitives, TheNormalRowOfRollingIsTheRateOfTheHeight) {
  Random random(7);
  for (int k = 0; k < kSamples; ++k) {
    const RollingRow phi = random_disc(random, 2);
    const Sample at(random);
    const auto height = [&](const auto& bodies) {
      using std::sqrt;
      const auto n = axis(bodies[0], phi.axes_A.col(2)), z = axis(bodies[1], phi.z_B);
      const auto sine = sqrt(decltype(n[0] * n[0])(z.cross(n).squaredNorm()));
      return n.dot(between(bodies, phi.o_A, phi.c_B)) - phi.radius * sine;
    };
    if (std::abs((at.A.R * phi.axes_A.col(2)).dot(at.B.R * phi.z_B)) > 0.95) continue;
    compare_with(phi, height, at);
  }
}

TEST(Primitives, TheHeightOfADiscIsThatOfItsLowestPoint) {
  Random random(8);
  const RollingRow phi = random_disc(random, 2);
  const Sample at(random);
  const Vector3d n = at.A.R * phi.axes_A.col(2), z = at.B.R * phi.z_B;
  const Vector3d e = z.unitOrthogonal(), f = z.cross(e);
  double lowest = 1e300;
  for (int k = 0; k < 100000; ++k) {
    const double angle = 2 * std::numbers::pi * k / 100000;
    const Vector3d rim = at.B.r + at.B.R * phi.c_B + phi.radius * (std::cos(angle) * e + std::sin(angle) * f);
    lowest = std::min(lowest, n.dot(rim - at.A.r - at.A.R * phi.o_A));
  }
  EXPECT_NEAR(phi.value(at.frames()), lowest, 1e-8);
}

// --- coordinates ----------------------------------------------------------------------------------------------------

TEST(Coordinates, PlanarAngleCountsTurns) {
  Random random(11);
  for (int k = 0; k < kSamples; ++k) {
    const double offset = random.number();
    const Coordinate c = Coordinate::planar_angle(offset);
    compare_with(
        c, [&](const auto& bodies) { return bodies[1].angle - bodies[0].angle + offset; }, Sample(random, true));
    EXPECT_FALSE(c.is_periodic());
  }
}

TEST(Coordinates, AngleInSpace) {
  Random random(12);
  for (int k = 0; k < kSamples; ++k) {
    const Matrix3d axes = random.rotation();
    const Vector3d x = axes.col(0), y = axes.col(1), c_B = random.direction();
    const Coordinate c = Coordinate::angle(x, y, c_B);
    const Sample at(random);
    const Vector3d direction = at.B.R * c_B;
    // Where the direction is along z, its angle about z means nothing.
    if (std::hypot(direction.dot(at.A.R * x), direction.dot(at.A.R * y)) < 0.2) continue;
    compare_with(
        c,
        [&](const auto& bodies) {
          using std::atan2;
          const auto in_A = (bodies[0].R.transpose() * axis(bodies[1], c_B)).eval();
          using T = std::decay_t<decltype(in_A[0])>;
          return T(atan2(T(y.cast<T>().dot(in_A)), T(x.cast<T>().dot(in_A))));
        },
        at);
    EXPECT_TRUE(c.is_periodic());
  }
}

TEST(Coordinates, AngleIsTheOneOfARotationAboutTheAxis) {
  Random random(13);
  for (const double angle : {-3.0, -1.5, -0.2, 0.0, 0.4, 1.6, 3.1}) {
    BodyFrame A, B;
    A.R = random.rotation();
    B.R = A.R * Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix();
    EXPECT_NEAR(Coordinate::angle(Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitX()).value({A, B}), angle, 1e-14);
  }
}

TEST(Coordinates, Projection) {
  Random random(14);
  for (int k = 0; k < kSamples; ++k) {
    const Vector3d a = random.direction(), s_A = random.vector(), s_B = random.vector();
    compare_with(
        Coordinate::projection(a, s_A, s_B),
        [&](const auto& bodies) { return axis(bodies[0], a).dot(between(bodies, s_A, s_B)); }, Sample(random));
  }
}

TEST(Coordinates, Distance) {
  Random random(15);
  for (int k = 0; k < kSamples; ++k) {
    const Vector3d s_A = random.vector(), s_B = random.vector();
    const Sample at(random);
    const auto distance = [&](const auto& bodies) {
      using std::sqrt;
      const auto d = between(bodies, s_A, s_B);
      return sqrt(decltype(d[0] * d[0])(d.squaredNorm()));
    };
    if (distance(at.bodies()) < 0.3) continue;
    compare_with(Coordinate::distance(s_A, s_B), distance, at);
  }
}

TEST(Coordinates, Cosine) {
  Random random(16);
  for (int k = 0; k < kSamples; ++k) {
    const Vector3d a = random.direction(), b = random.direction();
    compare_with(
        Coordinate::cosine(a, b), [&](const auto& bodies) { return axis(bodies[0], a).dot(axis(bodies[1], b)); },
        Sample(random));
  }
}

math::Spline sample_curve(bool is_natural) {
  const std::vector<double> x{-4, -2.5, -1, 0.2, 1.1, 2, 3.5, 5}, y{1.2, 0.7, 1.5, 1.1, 0.4, 0.9, 1.6, 1.3};
  return is_natural ? math::Spline::natural(x, y) : math::Spline::akima(x, y);
}

TEST(Coordinates, HeightOverACurve) {
  Random random(17);
  for (int k = 0; k < kSamples; ++k) {
    const math::Spline curve = sample_curve(k % 2 == 0);
    const Matrix3d axes = random.rotation();
    const Vector3d s_A = random.vector(), s_B = random.vector();
    compare_with(
        Coordinate::off_curve(axes.col(0), axes.col(1), s_A, s_B, curve, false),
        [&](const auto& bodies) {
          const auto d = between(bodies, s_A, s_B);
          return axis(bodies[0], axes.col(1)).dot(d) -
                 curve.calc_value(decltype(d[0] * d[0])(axis(bodies[0], axes.col(0)).dot(d)));
        },
        Sample(random));
  }
}

TEST(Coordinates, DistanceFromAPolarCurve) {
  Random random(18);
  for (int k = 0; k < kSamples; ++k) {
    const math::Spline curve = sample_curve(k % 2 == 0);
    const Matrix3d axes = random.rotation();
    const Vector3d s_A = random.vector(), s_B = random.vector();
    const Sample at(random);
    const auto radius = [&](const auto& bodies) {
      using std::atan2, std::sqrt;
      const auto d = between(bodies, s_A, s_B);
      using T = std::decay_t<decltype(d[0] * d[0])>;
      const T x = axis(bodies[0], axes.col(0)).dot(d), y = axis(bodies[0], axes.col(1)).dot(d);
      return T(sqrt(T(x * x + y * y)) - curve.calc_value(T(atan2(y, x))));
    };
    const Vector3d d = testing::cross_matrix<double>(at.A.R * axes.col(2)) * between(at.bodies(), s_A, s_B);
    if (d.norm() < 0.3) continue;
    compare_with(Coordinate::off_curve(axes.col(0), axes.col(1), s_A, s_B, curve, true), radius, at);
  }
}

}  // namespace
}  // namespace trammel::model
