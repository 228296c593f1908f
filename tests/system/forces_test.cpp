// Weight and forces along a coordinate, the length of a line or what a joint leaves free: values against formulas by
// hand, derivatives against dual numbers of the formulas, balance of forces and moments, and where the energy goes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/reference_forces.h"

namespace trammel::system {
namespace {

using dae::Derivative;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using model::CoordinateKind;
using model::ForceLaw;
using model::Space;
using testing::add_body;
using testing::add_curves;
using testing::add_joint;
using testing::add_joint_at;
using testing::add_joint_force;
using testing::add_line_force;
using testing::add_marker;
using testing::along;
using testing::compare_forces;
using testing::compile;
using testing::distance;
using testing::element_forces;
using testing::expect_energy_balance;
using testing::kDampingCurve;
using testing::kForceTolerance;
using testing::kGround;
using testing::kShiftedCurve;
using testing::kStiffnessCurve;
using testing::law_force;
using testing::make_model;
using testing::make_two_bodies;
using testing::Matrix3d;
using testing::Model;
using testing::moving_state;
using testing::potential_at;
using testing::potential_gradient;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Vec12;
using testing::Vector3d;
using enum model::JointType;

constexpr double kTurn = 2 * std::numbers::pi;

// --- weight ---------------------------------------------------------------------------------------------------------

TEST(Forces, WeightAndGyroscopicTorques) {
  Random random(1);
  for (const bool is_planar : {true, false}) {
    const Vector3d gravity(0.3, -9.7, is_planar ? 0 : 1.2);
    const Mechanism system(make_two_bodies(is_planar, random, gravity));
    compare_forces(system, moving_state(system, random),
                   [](const auto&, const auto& xi, const auto&) { return std::decay_t<decltype(xi)>::Zero().eval(); });
    expect_energy_balance(system, moving_state(system, random));
    EXPECT_TRUE(system.forces().is_conservative());
  }
}

// --- laws -----------------------------------------------------------------------------------------------------------

struct LawCase {
  std::string name;
  ForceLaw law;
  bool is_conservative;
};

/// Laws for a coordinate that is about `c` with the rate about `rate`; both signs of the stops' sides.
std::vector<LawCase> law_cases(double c, double rate) {
  std::vector<LawCase> cases;
  const auto add = [&](const std::string& name, bool is_conservative, const std::function<void(ForceLaw&)>& set) {
    cases.push_back({name, {}, is_conservative});
    set(cases.back().law);
  };
  add("linear spring", true, [](ForceLaw& law) { law.stiffness = 30, law.reference = 0.4, law.preload = 1.7; });
  add("linear damper", false, [](ForceLaw& law) { law.damping = 2.5; });
  add("spring and damper", false, [](ForceLaw& law) { law.stiffness = 30, law.damping = 4, law.reference = 0.4; });
  add("tabulated spring", true, [](ForceLaw& law) { law.stiffness_curve = kStiffnessCurve, law.reference = 0.7; });
  add("tabulated damper", false, [](ForceLaw& law) { law.damping_curve = kDampingCurve; });
  add("damper that pushes at rest", false, [](ForceLaw& law) { law.damping_curve = kShiftedCurve; });
  add("friction", false, [&](ForceLaw& law) { law.coulomb = 3, law.smoothing_velocity = 1.3 * std::abs(rate); });
  add("friction with breakaway", false, [&](ForceLaw& law) {
    law.coulomb = 2, law.breakaway = 5, law.stribeck_velocity = 1.1 * std::abs(rate);
    law.smoothing_velocity = 0.8 * std::abs(rate);
  });
  add("friction of breakaway only", false, [&](ForceLaw& law) {
    law.breakaway = 5, law.stribeck_velocity = 1.1 * std::abs(rate), law.smoothing_velocity = std::abs(rate);
  });
  const auto stop = [&](double lower, double upper, double damping, double depth) {
    return [=](ForceLaw& law) {
      law.stop.emplace();
      law.stop->lower = lower, law.stop->upper = upper, law.stop->stiffness = 200, law.stop->exponent = 2.2;
      law.stop->damping = damping, law.stop->depth = depth;
    };
  };
  add("upper stop", true, stop(-1e300, c - 0.3, 0, 0.1));
  add("lower stop", true, stop(c + 0.3, 1e300, 0, 0.1));
  add("stops not touched", true, stop(c - 0.3, c + 0.3, 5, 0.1));
  add("upper stop with damping, not full", false, stop(-1e300, c - 0.3, 1, 0.7));
  add("lower stop with damping, not full", false, stop(c + 0.3, 1e300, 1, 0.7));
  add("upper stop with damping", false, stop(-1e300, c - 0.3, 1, 0.1));
  add("lower stop with damping", false, stop(c + 0.3, 1e300, 1, 0.1));
  add("upper stop that would pull or push hard", false, stop(-1e300, c - 0.3, 1e4, 0.1));
  add("lower stop that would pull or push hard", false, stop(c + 0.3, 1e300, 1e4, 0.1));
  add("all at once", false, [&](ForceLaw& law) {
    law.stiffness = 7, law.damping = 1, law.reference = 0.1, law.preload = -2;
    law.stiffness_curve = kStiffnessCurve, law.damping_curve = kDampingCurve;
    law.coulomb = 2, law.breakaway = 3, law.stribeck_velocity = law.smoothing_velocity = std::abs(rate);
    stop(-1e300, c - 0.2, 2, 0.5)(law);
  });
  return cases;
}

/// Whether a law takes energy out, whatever the state.
bool never_drives(const LawCase& c) { return c.law.damping_curve != kShiftedCurve; }

TEST(Forces, LawsAlongALineHaveTheirFormulasAndDerivatives) {
  Random random(2);
  for (const bool is_planar : {true, false}) {
    for (const auto& [i, j] : {std::pair{1, 3}, {3, 2}, {0, 1}, {4, 0}}) {
      auto bare = make_two_bodies(is_planar, random);
      add_curves(*bare);
      const Mechanism without(bare);
      const dae::State state = moving_state(without, random);
      const auto value = distance(*bare, i, j);
      const double c = value(testing::bodies_of(without, state));
      const double rate = testing::rate_of(value)(testing::bodies_of(without, state), testing::expand(*bare, state.v));
      for (const LawCase& entry : law_cases(c, rate)) {
        SCOPED_TRACE(fmt::format("{}, planar {}, markers {} and {}", entry.name, is_planar, i, j));
        auto model = std::make_shared<Model>(*bare);
        add_line_force(*model, "force", i, j) = entry.law;
        const Mechanism system(model);
        EXPECT_EQ(system.structure().n_x(), 0);
        compare_forces(system, state, along(value, [&](const auto& at, const auto& v) {
                         return law_force(*model, entry.law, at, v);
                       }));
        EXPECT_EQ(system.forces().is_conservative(),
                  entry.is_conservative && !(entry.law.stop && entry.law.stop->damping != 0));
        expect_energy_balance(system, state);
        Probe probe(system);
        probe.set(state);
        const double dissipated = probe.calc_energy().dissipated;
        EXPECT_TRUE(dissipated >= -1e-13 || !never_drives(entry)) << dissipated;
        EXPECT_EQ(probe.calc_energy().driven, 0);
        double F = 0;
        probe.calc_force_values(0, &F);
        EXPECT_LT(relative_error(F, law_force(*model, entry.law, c, rate)), kForceTolerance);
        if (entry.is_conservative) {
          EXPECT_LT(std::abs(dissipated), 1e-12);
          const VectorXd f = testing::restrict(*model, element_forces(system, state));
          EXPECT_LT(relative_error(VectorXd(-potential_gradient(system, state)), f), 1e-8);
        }
        // Equal and opposite, on the same line.
        if (i != 0 && j != 0) {
          const auto total = testing::calc_total(testing::bodies_of(system, state), element_forces(system, state));
          EXPECT_LT(total.force.norm(), 1e-12 * (1 + std::abs(F)));
          EXPECT_LT(std::abs(total.moment[2]), 1e-12 * (1 + std::abs(F)));
          EXPECT_LT(is_planar ? 0 : total.moment.norm(), 1e-12 * (1 + std::abs(F)));
        }
      }
    }
  }
}

TEST(Forces, StretchedSpringPullsByStiffnessTimesStretch) {
  // From (0, 0, 0) to (3, 4, 0): length 5, free length 4, moving apart with 0.6 * 2 m/s.
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d(3, 4, 0));
  model->bodies[0].velocity = Vector3d(2, 0, 7);
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  ForceLaw& law = add_line_force(*model, "spring", i, j);
  law.stiffness = 10;
  law.damping = 2;
  law.reference = 4;
  law.preload = 1;
  const Mechanism system(model);
  Probe probe(system);
  probe.set(system.given_state());
  double F = 0;
  probe.calc_force_values(0, &F);
  EXPECT_NEAR(F, 1 - 10 * 1 - 2 * 1.2, 1e-13);
  const Vec12<double> f = element_forces(system, system.given_state());
  EXPECT_LT((f.head<3>() - F * Vector3d(0.6, 0.8, 0)).norm(), 1e-13);
  EXPECT_NEAR(probe.calc_energy().potential, 0.5 * 10 - 1, 1e-13);
  EXPECT_NEAR(probe.calc_energy().dissipated, 2 * 1.2 * 1.2, 1e-13);
}

TEST(Forces, ASpringOfFreeLengthZeroIsLinearWhereItsPointsCoincide) {
  for (const bool is_planar : {true, false}) {
    auto model = make_model(is_planar ? Space::kPlanar : Space::kSpatial);
    add_body(*model, "a", 1, Vector3d(1, 1, 1));
    add_body(*model, "b", 1, Vector3d(1, 1, 1), Vector3d(1, 0, 0));
    const double z = is_planar ? 0 : 0.125;
    ForceLaw& law = add_line_force(*model, "spring", add_marker(*model, 0, Vector3d(0.5, 0.25, z)),
                                   add_marker(*model, 1, Vector3d(-0.5, 0.25, z)));
    law.stiffness = 30;
    law.damping = 4;
    const Mechanism system(model);
    const dae::State state = system.given_state();
    EXPECT_EQ(element_forces(system, state).norm(), 0);
    dae::Evaluation evaluation(system);
    const auto force = [&](const dae::State& at) {
      evaluation.set(at);
      return VectorXd(evaluation.force());
    };
    evaluation.set(state);
    const auto dense = [&](Derivative which) {
      return MatrixXd(system.structure().pattern(which).to_dense(evaluation.derivative(which)));
    };
    const MatrixXd by_q = dense(Derivative::kForceByQ), by_v = dense(Derivative::kForceByV);
    EXPECT_LT((by_q.topLeftCorner(2, 2) + 30 * MatrixXd::Identity(2, 2)).norm(), 1e-12);
    for (int i = 0; i < system.structure().n_v(); ++i) {
      dae::State moved = state;
      const double h = 1e-6;
      const VectorXd delta = h * VectorXd::Unit(system.structure().n_v(), i);
      system.retract(state.q, delta, moved.q);
      EXPECT_LT((force(moved) / h - by_q.col(i)).norm(), 1e-4) << i;
      moved = state;
      moved.v[i] = 0.7;
      EXPECT_LT((force(moved) / 0.7 - by_v.col(i)).norm(), 1e-12) << i;
    }
    EXPECT_EQ(evaluation.find_trouble(), "");
  }
}

TEST(Forces, AForceBetweenPointsThatCoincideIsNamedWhenItHasNoDirection) {
  auto model = make_model(Space::kPlanar);
  add_body(*model, "a", 1, Vector3d(1, 1, 1));
  ForceLaw& law = add_line_force(*model, "cord", add_marker(*model, kGround), add_marker(*model, 0));
  law.stiffness = 10;
  law.reference = 0.5;
  const Mechanism system(model);
  dae::Evaluation evaluation(system);
  dae::State state = system.given_state();
  evaluation.set(state);
  EXPECT_FALSE(evaluation.force().allFinite());
  EXPECT_EQ(evaluation.find_trouble(), "force 'cord': its points coincide, so that 5 N have no direction");
  // Points that part have one.
  state.v << 0, 2, 0;
  evaluation.set(state);
  EXPECT_LT((evaluation.force() - VectorXd(Vector3d(0, 5, 0))).norm(), 1e-14);
}

// --- joint coordinates ----------------------------------------------------------------------------------------------

TEST(Forces, LawsAlongEveryJointCoordinate) {
  Random random(3);
  using K = CoordinateKind;
  for (const bool is_planar : {true, false}) {
    const std::vector<K> kinds = is_planar ? std::vector<K>{K::kAngle, K::kTravel, K::kX, K::kY, K::kDistance}
                                           : std::vector<K>{K::kAngle, K::kTravel,   K::kX,          K::kY,
                                                            K::kZ,     K::kDistance, K::kFirstAngle, K::kSecondAngle};
    for (const K kind : kinds) {
      for (const auto& [i, j] : {std::pair{1, 3}, {0, 4}, {2, 0}}) {
        auto bare = make_two_bodies(is_planar, random);
        add_curves(*bare);
        add_joint(*bare, "joint", kOrientation, i, j);
        const model::JointCoordinate which{0, kind};
        const auto value = [&](const auto& bodies) { return testing::coordinate_value(*bare, which, bodies); };
        const Mechanism without(bare);
        dae::State state = moving_state(without, random);
        const double c = value(testing::bodies_of(without, state));
        const double rate =
            testing::rate_of(value)(testing::bodies_of(without, state), testing::expand(*bare, state.v));
        for (const LawCase& entry : law_cases(c, rate)) {
          SCOPED_TRACE(fmt::format("{}, planar {}, coordinate {}, markers {} and {}", entry.name, is_planar,
                                   static_cast<int>(kind), i, j));
          auto model = std::make_shared<Model>(*bare);
          add_joint_force(*model, "force", which) = entry.law;
          const Mechanism system(model);
          state.x = state.x_rate = system.given_state().x;
          compare_forces(system, state, along(value, [&](const auto& at, const auto& v) {
                           return law_force(*model, entry.law, at, v);
                         }));
          expect_energy_balance(system, state);
          if (entry.is_conservative) {
            EXPECT_LT(relative_error(VectorXd(-potential_gradient(system, state)),
                                     testing::restrict(*model, element_forces(system, state))),
                      1e-8);
          }
        }
      }
    }
  }
}

TEST(Forces, TorqueOnAHingeTurnsBothBodiesAboutItsAxis) {
  Random random(4);
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
  add_body(*model, "b", 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
  const Matrix3d axes = random.rotation();
  const int hinge = add_joint_at(*model, "hinge", kRevolute, 0, 1, random.vector(), axes);
  add_joint_force(*model, "motor", {hinge, CoordinateKind::kAngle}).expression = compile(*model, "2.5");
  const Mechanism system(model);
  const dae::State state = system.given_state();
  const Vec12<double> f = element_forces(system, state);
  const RefBodies<double> bodies = testing::bodies_of(system, state);
  EXPECT_LT((bodies[0].R * f.segment<3>(3) + 2.5 * axes.col(2)).norm(), 1e-13);
  EXPECT_LT((bodies[1].R * f.segment<3>(9) - 2.5 * axes.col(2)).norm(), 1e-13);
  EXPECT_LT(f.segment<3>(0).norm() + f.segment<3>(6).norm(), 1e-13);
  EXPECT_EQ(system.structure().n_x(), 0);  // no turns are counted where nothing depends on them
}

TEST(Forces, ForceAlongASlidePushesBothBodiesOnOneLine) {
  Random random(5);
  auto model = make_two_bodies(false, random);
  add_joint(*model, "slide", kTranslational, 1, 3);
  add_joint_force(*model, "drive", {0, CoordinateKind::kTravel}).preload = 3;
  const Mechanism system(model);
  const dae::State state = moving_state(system, random);
  const Vec12<double> f = element_forces(system, state);
  const auto total = testing::calc_total(testing::bodies_of(system, state), f);
  EXPECT_NEAR(f.segment<3>(6).norm(), 3, 1e-13);
  EXPECT_LT(total.force.norm(), 1e-13);
  EXPECT_LT(total.moment.norm(), 1e-13);
}

/// A hinge about z between the ground and a body that is turned by `angle`.
std::shared_ptr<Model> make_hinge(double angle, std::optional<double> given) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d::Zero(), testing::turned_about_z(angle));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "hinge", kRevolute, i, j);
  model->joints[0].initial.push_back({CoordinateKind::kAngle, given, std::nullopt});
  return model;
}

TEST(Forces, TorsionSpringInSpaceCountsTurns) {
  for (const double angle : {0.5 + 3 * kTurn, 2.9 - 2 * kTurn, -3.0 + kTurn}) {
    auto model = make_hinge(angle, angle);
    ForceLaw& law = add_joint_force(*model, "spring", {0, CoordinateKind::kAngle});
    law.stiffness = 2;
    law.reference = 1;
    const Mechanism system(model);
    ASSERT_EQ(system.structure().n_x(), 1);
    EXPECT_EQ(system.structure().state_names[0], "hinge.angle");
    dae::State state = system.given_state();
    EXPECT_NEAR(state.x[0], angle, 1e-13);
    EXPECT_NEAR(element_forces(system, state)[5], -2 * (angle - 1), 1e-12);
    EXPECT_NEAR(potential_at(system, state), (angle - 1) * (angle - 1), 1e-11);
    // The state only says which turn it is: small errors of it do not change the force.
    state.x[0] += 0.4;
    EXPECT_NEAR(element_forces(system, state)[5], -2 * (angle - 1), 1e-12);
    state.x[0] += kTurn;
    EXPECT_NEAR(element_forces(system, state)[5], -2 * (angle - 1 + kTurn), 1e-12);
    dae::Evaluation evaluation(system);
    state.v[5] = 0.3;
    evaluation.set(state);
    EXPECT_NEAR(evaluation.state_rate()[0], 0.3, 1e-14);
  }
}

TEST(Forces, ConstantTorqueInSpaceHasAPotentialOverManyTurns) {
  auto model = make_hinge(0.5, 0.5 + 3 * kTurn);
  add_joint_force(*model, "motor", {0, CoordinateKind::kAngle}).preload = 2;
  const Mechanism system(model);
  EXPECT_NEAR(potential_at(system, system.given_state()), -2 * (0.5 + 3 * kTurn), 1e-12);
}

TEST(Forces, PlanarTorsionSpringCountsTurns) {
  auto model = make_model(Space::kPlanar);
  add_body(*model, "a", 1, Vector3d(1, 1, 1));
  const int i = add_marker(*model, kGround, Vector3d::Zero(), testing::turned_about_z(0.3)), j = add_marker(*model, 0);
  add_joint(*model, "hinge", kRevolute, i, j);
  add_joint_force(*model, "spring", {0, CoordinateKind::kAngle}).stiffness = 2;
  const Mechanism system(model);
  EXPECT_EQ(system.structure().n_x(), 0);
  dae::State state = system.given_state();
  state.q[2] = 0.7 + 5 * kTurn;
  EXPECT_NEAR(element_forces(system, state)[5], -2 * (0.4 + 5 * kTurn), 1e-12);
}

// --- expressions ----------------------------------------------------------------------------------------------------

TEST(Forces, ExpressionOfEverything) {
  Random random(6);
  for (const bool is_planar : {true, false}) {
    auto model = make_two_bodies(is_planar, random);
    add_joint(*model, "guide", kOrientation, 3, 0);
    model->states.push_back({"p", false, false, compile(*model, "1"), 0.8, 0});
    model->states.push_back({"r", false, false, compile(*model, "1"), -0.3, 0});
    model->variables.push_back({"mix", "", compile(*model, "p * dm(a.q, g) + r^2 * sin(t)")});
    ForceLaw law;
    law.stiffness = 3;
    law.damping = 0.4;
    law.expression = compile(*model, "mix * exp(-vr(a.p, b.p)) + guide.x * guide.y_rate * r");
    add_line_force(*model, "force", 1, 3) = law;
    const Mechanism system(model);
    ASSERT_EQ(system.structure().n_x(), 2);
    const dae::State state = moving_state(system, random);
    const auto separation = distance(*model, 1, 3);
    const auto reference = [&](const auto& bodies, const auto& xi, const auto& x) {
      using std::exp;
      using T = std::decay_t<decltype(xi[0])>;
      const auto to_g = distance(*model, 2, 0);
      const auto guide = [&](CoordinateKind kind) {
        return [&model, kind](const auto& at) { return testing::coordinate_value(*model, {0, kind}, at); };
      };
      const auto x_of = guide(CoordinateKind::kX), y_of = guide(CoordinateKind::kY);
      const T p = x[0], r = x[1];
      const T mix = p * T(to_g(bodies)) + r * r * std::sin(state.t);
      const auto with_expression = [&](const T& c, const T& rate) {
        const T programmed = mix * exp(T(-rate)) + T(x_of(bodies)) * T(testing::rate_of(y_of)(bodies, xi)) * r;
        return T(law_force(*model, law, c, rate) + programmed);
      };
      return along(separation, with_expression)(bodies, xi, x);
    };
    compare_forces(system, state, reference);
    expect_energy_balance(system, state);
  }
}

}  // namespace
}  // namespace trammel::system
