// Vector forces, bushings, and all kinds of forces together: values against formulas by hand, derivatives against dual
// numbers of the formulas, balance of forces and moments, and where the energy goes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>
#include <tuple>

#include "tests/support/models.h"
#include "tests/system/reference_forces.h"
#include "trammel/dae/derivative_check.h"

namespace trammel::system {
namespace {

using Eigen::VectorXd;
using model::CoordinateKind;
using model::ForceLaw;
using model::Space;
using testing::add_body;
using testing::add_bushing;
using testing::add_curves;
using testing::add_joint;
using testing::add_joint_force;
using testing::add_line_force;
using testing::add_marker;
using testing::add_vector_force;
using testing::along;
using testing::apply;
using testing::compare_forces;
using testing::compile;
using testing::distance;
using testing::element_forces;
using testing::expect_energy_balance;
using testing::kGround;
using testing::kStiffnessCurve;
using testing::law_force;
using testing::make_model;
using testing::make_two_bodies;
using testing::Matrix3d;
using testing::Model;
using testing::moving_state;
using testing::potential_gradient;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Vec12;
using testing::Vec3;
using testing::Vector3d;
using enum model::JointType;

// --- vector forces --------------------------------------------------------------------------------------------------

TEST(Forces, VectorForcesInAnyFrameWithAndWithoutReaction) {
  Random random(7);
  for (const bool is_planar : {true, false}) {
    // Acting on i, reaction on j (or none), components in the axes of `frame`.
    for (const auto& [i, j, frame] :
         {std::tuple{1, -1, -1}, {1, 3, -1}, {1, 3, 2}, {3, 1, 1}, {1, 0, 4}, {0, 3, 1}, {2, -1, 4}, {4, -1, 0}}) {
      SCOPED_TRACE(fmt::format("planar {}, markers {}, {}, {}", is_planar, i, j, frame));
      auto model = make_two_bodies(is_planar, random);
      model->states.push_back({"p", false, false, compile(*model, "1"), 0.8, 0});
      model::VectorForce& force = add_vector_force(*model, "force", i, j, frame);
      force.force[0] = compile(*model, "3");
      force.force[1] = compile(*model, "p * dx(a.p, b.p) + vy(b.q, a.q)");
      if (!is_planar) force.force[2] = compile(*model, "-p^2");
      if (!is_planar) force.torque[0] = compile(*model, "0");
      if (!is_planar) force.torque[1] = compile(*model, "t");
      force.torque[2] = compile(*model, "2 * p - wz(a.p, b.p)");
      const Mechanism system(model);
      const dae::State state = moving_state(system, random);
      const auto components = [&](const auto& bodies, const auto& xi, const auto& x) {
        using T = std::decay_t<decltype(xi[0])>;
        Eigen::Matrix<T, 6, 1> c = Eigen::Matrix<T, 6, 1>::Zero();
        const auto P = [&](int marker) { return testing::place_marker(*model, marker, bodies).P; };
        const auto V = [&](int marker) { return testing::point_velocity(*model, marker, bodies, xi, P(marker)); };
        const auto W = [&](int body) -> Vec3<T> {
          return bodies[static_cast<std::size_t>(body)].R * Vec3<T>(xi.template segment<3>(6 * body + 3));
        };
        c[0] = T(3);
        c[1] = x[0] * (P(1)[0] - P(3)[0]) + V(4)[1] - V(2)[1];
        if (!is_planar) c[2] = -x[0] * x[0];
        if (!is_planar) c[4] = T(state.t);
        c[5] = 2.0 * x[0] - (W(0)[2] - W(1)[2]);
        return c;
      };
      const auto reference = [&, i = i, j = j, frame = frame](const auto& bodies, const auto& xi, const auto& x) {
        using T = std::decay_t<decltype(xi[0])>;
        const auto axes = testing::place_marker(*model, frame, bodies).axes;
        const Eigen::Matrix<T, 6, 1> c = components(bodies, xi, x);
        const Vec3<T> F = axes * Vec3<T>(c.template head<3>()), M = axes * Vec3<T>(c.template tail<3>());
        const Vec3<T> P = testing::place_marker(*model, i, bodies).P;
        Vec12<T> f = Vec12<T>::Zero();
        apply<T>(*model, i, bodies, P, F, M, f);
        if (j >= 0) apply<T>(*model, j, bodies, P, Vec3<T>(-F), Vec3<T>(-M), f);
        return f;
      };
      compare_forces(system, state, reference);
      expect_energy_balance(system, state);
      EXPECT_FALSE(system.forces().is_conservative());
      const RefBodies<double> bodies = testing::bodies_of(system, state);
      if (i > 0 && j > 0) {
        const auto total = testing::calc_total(bodies, element_forces(system, state));
        EXPECT_LT(total.force.norm(), 1e-13);
        EXPECT_LT(is_planar ? std::abs(total.moment[2]) : total.moment.norm(), 1e-13);
      }
      // The values that are reported: force and torque at marker i, ground axes.
      Probe probe(system);
      probe.set(state);
      Wrench values;
      probe.calc_force_values(0, values.data());
      if (i > 0) {
        const Matrix3d axes = testing::place_marker(*model, frame, bodies).axes;
        const Eigen::Matrix<double, 6, 1> c = components(bodies, testing::expand(*model, state.v), state.x);
        EXPECT_LT((values.head<3>() - axes * c.head<3>()).norm(), 1e-12);
        EXPECT_LT((values.tail<3>() - axes * c.tail<3>()).norm(), 1e-12);
      }
    }
  }
}

TEST(Forces, PointForceHasItsMomentAboutTheCentreOfMass) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d(5, 6, 7), testing::turned_about_z(std::numbers::pi / 2));
  model->bodies[0].centre = Vector3d(0.5, 0, 0);
  const int tip = add_marker(*model, 0, Vector3d(2, 0, 0));
  add_vector_force(*model, "push", tip).force[0] = compile(*model, "4");
  const Mechanism system(model);
  // The body's x axis is y of the ground: the arm of 1.5 points along y, the moment of 4 N along x is -6 about z.
  const Vec12<double> f = element_forces(system, system.given_state());
  EXPECT_LT((f.head<6>() - (Eigen::Matrix<double, 6, 1>() << 4, 0, 0, 0, 0, -6).finished()).norm(), 1e-13);
}

// --- bushings -------------------------------------------------------------------------------------------------------

Eigen::Matrix<double, 6, 6> random_matrix(Random& random, bool is_symmetric) {
  Eigen::Matrix<double, 6, 6> A;
  for (double& a : A.reshaped()) a = random.number(-3, 3);
  return is_symmetric ? Eigen::Matrix<double, 6, 6>(A * A.transpose()) : A;
}

template <class T>
Vec12<T> bushing_force(const Model& model, const model::Bushing& bushing, const RefBodies<T>& bodies,
                       const Vec12<T>& xi) {
  using std::atan2;
  const auto I = testing::place_marker(model, bushing.i, bodies), J = testing::place_marker(model, bushing.j, bodies);
  const testing::Mat3<T> turn = I.axes.transpose() * J.axes;
  // Rates as an observer in marker I sees them: the derivative of the components.
  const auto moving = testing::set_moving(bodies, xi);
  const auto I_1 = testing::place_marker(model, bushing.i, moving),
             J_1 = testing::place_marker(model, bushing.j, moving);
  const auto d_1 = (I_1.axes.transpose() * (J_1.P - I_1.P)).eval();
  const auto turn_1 = (I_1.axes.transpose() * J_1.axes).eval();
  Eigen::Matrix<T, 6, 1> deflection, rate;
  deflection << I.axes.transpose() * (J.P - I.P), -turn(1, 2), turn(0, 2), atan2(turn(1, 0), turn(1, 1));
  testing::Mat3<T> turn_rate;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) turn_rate(r, c) = turn_1(r, c).derivative[0];
    rate[r] = d_1[r].derivative[0];
  }
  const testing::Mat3<T> spin = turn_rate * turn.transpose();  // [w], w of J relative to I in the axes of I
  rate[3] = spin(2, 1), rate[4] = spin(0, 2), rate[5] = spin(1, 0);
  const Eigen::Matrix<T, 6, 1> load =
      bushing.preload.cast<T>() - bushing.stiffness.cast<T>() * deflection - bushing.damping.cast<T>() * rate;
  const Vec3<T> F = I.axes * Vec3<T>(load.template head<3>()), M = I.axes * Vec3<T>(load.template tail<3>());
  Vec12<T> f = Vec12<T>::Zero();
  apply<T>(model, bushing.j, bodies, J.P, F, M, f);
  apply<T>(model, bushing.i, bodies, J.P, Vec3<T>(-F), Vec3<T>(-M), f);
  return f;
}

TEST(Forces, BushingsWithFullMatrices) {
  Random random(8);
  for (const bool is_planar : {true, false}) {
    for (const auto& [i, j] : {std::pair{1, 3}, {4, 1}, {0, 3}, {2, 0}}) {
      SCOPED_TRACE(fmt::format("planar {}, markers {} and {}", is_planar, i, j));
      auto model = make_two_bodies(is_planar, random);
      model::Bushing& bushing = add_bushing(*model, "bushing", i, j);
      bushing.stiffness = random_matrix(random, true);
      bushing.damping = random_matrix(random, false);
      bushing.preload = random.vector_of(6);
      const Mechanism system(model);
      const dae::State state = moving_state(system, random);
      compare_forces(system, state, [&](const auto& bodies, const auto& xi, const auto&) {
        return bushing_force(*model, *model->forces[0].bushing, bodies, xi);
      });
      expect_energy_balance(system, state);
      const RefBodies<double> bodies = testing::bodies_of(system, state);
      const Vec12<double> f = element_forces(system, state);
      if (i != 0 && j != 0) {
        const auto total = testing::calc_total(bodies, f);
        EXPECT_LT(total.force.norm(), 1e-12);
        EXPECT_LT(is_planar ? std::abs(total.moment[2]) : total.moment.norm(), 1e-11);
      }
      if (j > 0 && !is_planar) {
        // Reported is what acts on J at its point.
        Probe probe(system);
        probe.set(state);
        Wrench values;
        probe.calc_force_values(0, values.data());
        const auto& body = bodies[j < 3 ? 0 : 1];
        const Vector3d F = f.segment<3>(j < 3 ? 0 : 6), M = body.R * f.segment<3>(j < 3 ? 3 : 9);
        const Vector3d arm = testing::place_marker(*model, j, bodies).P - body.r;
        EXPECT_LT((values.head<3>() - F).norm(), 1e-12);
        EXPECT_LT((values.tail<3>() - (M - arm.cross(F))).norm(), 1e-12);
      }
    }
  }
}

TEST(Forces, BushingTakesSmallRotationsForAVector) {
  // Turned by a small vector and shifted: the load is -(K (d, phi)) to first order.
  Random random(9);
  for (int axis = 0; axis < 3; ++axis) {
    auto model = make_model(Space::kSpatial);
    const double angle = 1e-6;
    const Vector3d phi = angle * Vector3d::Unit(axis);
    add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d(0.1, -0.2, 0.3), math::rotation_from_vector(phi));
    const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
    model::Bushing& bushing = add_bushing(*model, "bushing", i, j);
    bushing.stiffness = random_matrix(random, false);
    const Mechanism system(model);
    Probe probe(system);
    probe.set(system.given_state());
    Wrench values, deflection;
    probe.calc_force_values(0, values.data());
    deflection << 0.1, -0.2, 0.3, phi;
    EXPECT_LT((values + bushing.stiffness * deflection).norm(), 1e-10);
  }
}

TEST(Forces, BushingDoesNotResistWhenBothBodiesTurnTogether) {
  Random random(10);
  auto model = make_two_bodies(false, random);
  model::Bushing& bushing = add_bushing(*model, "bushing", 1, 3);
  bushing.damping = random_matrix(random, false);
  const Mechanism system(model);
  dae::State state = system.given_state();
  const RefBodies<double> bodies = testing::bodies_of(system, state);
  const Vector3d w = random.vector(), v = random.vector();
  for (int k = 0; k < 2; ++k) {
    const auto& body = bodies[static_cast<std::size_t>(k)];
    state.v.segment<3>(6 * k) = v + w.cross(body.r);
    state.v.segment<3>(6 * k + 3) = body.R.transpose() * w;
  }
  EXPECT_LT(element_forces(system, state).norm(), 1e-12);
}

TEST(Forces, BushingWithoutRotationalStiffnessHasAPotential) {
  Random random(11);
  auto model = make_two_bodies(false, random);
  model::Bushing& bushing = add_bushing(*model, "bushing", 1, 3);
  bushing.stiffness.topLeftCorner<3, 3>() = random_matrix(random, true).topLeftCorner<3, 3>();
  bushing.preload.head<3>() = random.vector();
  const Mechanism system(model);
  const dae::State state = moving_state(system, random);
  EXPECT_LT(relative_error(VectorXd(-potential_gradient(system, state)),
                           testing::restrict(*model, element_forces(system, state))),
            1e-8);
  Probe probe(system);
  probe.set(state);
  EXPECT_LT(std::abs(probe.calc_energy().dissipated), 1e-12);
}

TEST(Forces, DampedBushingDissipates) {
  Random random(12);
  for (int k = 0; k < 20; ++k) {
    auto model = make_two_bodies(k % 2 == 0, random);
    add_bushing(*model, "bushing", 1, 3).damping = random_matrix(random, true);
    const Mechanism system(model);
    Probe probe(system);
    probe.set(moving_state(system, random));
    EXPECT_GT(probe.calc_energy().dissipated, 0);
  }
}

// --- all together ---------------------------------------------------------------------------------------------------

TEST(Forces, ManyForcesOnTheSameBodiesAddUp) {
  Random random(13);
  for (const bool is_planar : {true, false}) {
    auto model = make_two_bodies(is_planar, random, Vector3d(0, -9.81, 0));
    add_curves(*model);
    add_joint(*model, "hinge", kRevolute, 1, 3);
    ForceLaw line;
    line.stiffness = 20, line.damping = 1, line.reference = 0.3;
    add_line_force(*model, "spring", 1, 3) = line;
    add_line_force(*model, "second", 0, 4) = line;
    ForceLaw turn;
    turn.stiffness_curve = kStiffnessCurve, turn.coulomb = 1, turn.smoothing_velocity = 2;
    add_joint_force(*model, "torsion", {0, CoordinateKind::kAngle}) = turn;
    add_bushing(*model, "bushing", 2, 4).stiffness = random_matrix(random, true);
    add_vector_force(*model, "push", 1, 3, 4).force[0] = compile(*model, "3");
    const Mechanism system(model);
    const dae::State state = moving_state(system, random);
    const auto first = distance(*model, 1, 3), second = distance(*model, 0, 4);
    const auto angle = [&](const auto& at) {
      return testing::coordinate_value(*model, {0, CoordinateKind::kAngle}, at);
    };
    const auto by = [&](const ForceLaw& law) {
      return [&model, law](const auto& c, const auto& rate) { return law_force(*model, law, c, rate); };
    };
    const auto by_line = by(line), by_turn = by(turn);
    compare_forces(system, state, [&](const auto& bodies, const auto& xi, const auto& x) {
      using T = std::decay_t<decltype(xi[0])>;
      Vec12<T> f = along(first, by_line)(bodies, xi, x) + along(second, by_line)(bodies, xi, x) +
                   along(angle, by_turn)(bodies, xi, x) + bushing_force(*model, *model->forces[3].bushing, bodies, xi);
      const Vec3<T> P = testing::place_marker(*model, 1, bodies).P;
      const Vec3<T> F = T(3) * testing::place_marker(*model, 4, bodies).axes.col(0), none = Vec3<T>::Zero();
      apply<T>(*model, 1, bodies, P, F, none, f);
      apply<T>(*model, 3, bodies, P, Vec3<T>(-F), none, f);
      return f;
    });
    expect_energy_balance(system, state);
    const dae::DerivativeReport report = dae::check_derivatives(system, state);
    EXPECT_TRUE(report.is_right()) << to_string(report);
  }
}

}  // namespace
}  // namespace trammel::system
