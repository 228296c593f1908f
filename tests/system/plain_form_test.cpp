// The plain form of a spatial system: the same motion as the quasi-velocity form, with exact derivatives everywhere,
// also off the unit sphere, where iterations of Newton's method wander.

#include "trammel/system/plain_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/allocation_counter.h"
#include "tests/support/systems.h"
#include "tests/system/two_bodies.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/dae/evaluation.h"
#include "trammel/integrators/integrate.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::system {
namespace {

using dae::Derivative;
using dae::Evaluation;
using dae::State;
using dae::StateForm;
using Eigen::MatrixXd;
using linalg::Vector;
using testing::Arguments;
using testing::kP1;
using testing::kP2;
using testing::kW1;
using testing::kW2;
using testing::Tangent;
using testing::TwoBodies;
using testing::TwoBodyEquations;
using Places = TwoBodies::Places;

template <class T>
using Plain = testing::Positions<T>;  // positions and velocities alike
template <class T>
using Quasi = testing::Velocities<T>;
template <class T>
using PlainRows = Eigen::Matrix<T, 7, 1>;

PlainForm make_plain(StateForm form = StateForm::kExplicit, Places places = Places::kFull) {
  return PlainForm(std::make_shared<TwoBodies>(form, places), TwoBodies::rotations());
}

/// Euler parameters of any length, rates and accelerations that do not care about them.
State random_state(const PlainForm& plain, unsigned seed) {
  State state = TwoBodies::random_state(plain.structure(), seed);
  state.q.segment<4>(kP1) *= 1.4;
  state.q.segment<4>(kP2) *= 0.7;
  return state;
}
/// Euler parameters that satisfy their constraints.
State unit_state(const PlainForm& plain, unsigned seed) {
  return plain.to_plain(plain.to_quasi(random_state(plain, seed)));
}

/// The equations of the plain form from their definition, for duals: nothing of PlainForm is used but sigma. Where it
/// needs a derivative (B' u, the bias), it takes it along the motion.
struct Reference {
  const PlainForm& plain;

  template <class T>
  struct At {
    Arguments<T> quasi;  // q not normalised; v and a unused
    Plain<T> u, a;
    PlainRows<T> lambda;
  };
  static constexpr std::array<int, 7> kOthersQ{0, 1, 2, 7, 8, 9, 10}, kOthersV{3, 4, 5, 6, 7, 8, 9};

  template <class T>
  static At<T> at(const State& s) {
    At<T> r;
    r.quasi.t = T(s.t);
    r.quasi.q = s.q.cast<T>();
    r.quasi.x = s.x.cast<T>();
    r.quasi.x_rate = s.x_rate.cast<T>();
    r.u = s.v.cast<T>();
    r.a = s.a.cast<T>();
    r.lambda = s.lambda.cast<T>();
    return r;
  }

  template <class T>
  static Plain<T> normalised(Plain<T> q) {
    using std::sqrt;
    for (const int p : {kP1, kP2}) q.template segment<4>(p) /= T(sqrt(q.template segment<4>(p).squaredNorm()));
    return q;
  }
  template <class T>
  static Eigen::Matrix<T, 13, 15> B(const Plain<T>& q) {
    Eigen::Matrix<T, 13, 15> B = Eigen::Matrix<T, 13, 15>::Zero();
    for (std::size_t i = 0; i < kOthersQ.size(); ++i) B(kOthersV[i], kOthersQ[i]) = T(1);
    for (const auto& [p, w] : {std::pair{kP1, kW1}, {kP2, kW2}}) {
      const math::Vector4<T> e = q.template segment<4>(p);
      B.template block<3, 4>(w, p) = math::body_rate_matrix(e) * T(2.0 / e.squaredNorm());
    }
    return B;
  }
  template <class T>
  static Quasi<T> B_rate_u(const Plain<T>& q, const Plain<T>& u) {
    using D = math::Dual<T, 1>;
    const Quasi<D> xi = B(testing::moving(q, u)) * testing::constant<D>(u);
    return testing::slope(xi);
  }
  template <class T>
  static testing::Rows<T> inner_rows(const PlainRows<T>& rows) {
    testing::Rows<T> inner;
    inner << rows.template head<4>(), rows[6];
    return inner;
  }
  template <class T>
  Arguments<T> lowered(const At<T>& at) const {
    Arguments<T> quasi = at.quasi;
    quasi.q = normalised(at.quasi.q);
    quasi.v = B(at.quasi.q) * at.u;
    quasi.a = B(at.quasi.q) * at.a + B_rate_u(at.quasi.q, at.u);
    quasi.lambda = inner_rows(at.lambda);
    return quasi;
  }

  template <class T>
  Plain<T> inertia(const At<T>& at, const Plain<T>& s) const {
    const Eigen::Matrix<T, 13, 15> B_q = B(at.quasi.q);
    const Quasi<T> y = B_q * s;
    Plain<T> result = B_q.transpose() * Quasi<T>(TwoBodyEquations::mass(normalised(at.quasi.q)) * y);
    for (int r = 0; r < 2; ++r) {
      const int p = r == 0 ? kP1 : kP2;
      const math::Vector4<T> e = at.quasi.q.template segment<4>(p);
      result.template segment<4>(p) += e * T(plain.regularisation(r) * e.dot(s.template segment<4>(p)));
    }
    return result;
  }
  template <class T>
  Plain<T> force(const At<T>& at) const {
    const Arguments<T> quasi = lowered(at);
    const Quasi<T> r =
        TwoBodyEquations::force(quasi) - Quasi<T>(TwoBodyEquations::mass(quasi.q) * B_rate_u(at.quasi.q, at.u));
    Plain<T> result = B(at.quasi.q).transpose() * r;
    for (int i = 0; i < 2; ++i) {
      const int p = i == 0 ? kP1 : kP2;
      result.template segment<4>(p) -=
          at.quasi.q.template segment<4>(p) * T(plain.regularisation(i) * at.u.template segment<4>(p).squaredNorm());
    }
    return result;
  }
  template <class T>
  Eigen::Matrix<T, 6, 1> constraint(const At<T>& at) const {
    Eigen::Matrix<T, 6, 1> g;
    g << TwoBodyEquations::constraint(at.quasi.t, normalised(at.quasi.q)),
        0.5 * (at.quasi.q.template segment<4>(kP1).squaredNorm() - 1.0),
        0.5 * (at.quasi.q.template segment<4>(kP2).squaredNorm() - 1.0);
    return g;
  }
  template <class T>
  static Eigen::Matrix<T, 7, 15> jacobian(const At<T>& at) {
    const Plain<T>& q = at.quasi.q;
    const Eigen::Matrix<T, 5, 15> inner = TwoBodyEquations::jacobian(at.quasi.t, normalised(q)) * B(q);
    Eigen::Matrix<T, 7, 15> G = Eigen::Matrix<T, 7, 15>::Zero();
    G.template topRows<4>() = inner.template topRows<4>();
    G.template block<1, 4>(4, kP1) = q.template segment<4>(kP1).transpose();
    G.template block<1, 4>(5, kP2) = q.template segment<4>(kP2).transpose();
    G.row(6) = inner.row(4);
    return G;
  }
  template <class T>
  PlainRows<T> velocity(const At<T>& at) const {
    const testing::Rows<T> g_t = TwoBodyEquations::velocity_offset(at.quasi.t, normalised(at.quasi.q));
    PlainRows<T> result = jacobian(at) * at.u;
    result.template head<4>() += g_t.template head<4>();
    result[6] += g_t[4];
    return result;
  }
  template <class T>
  PlainRows<T> bias(const At<T>& at) const {
    using D = math::Dual<T, 1>;
    At<D> ahead;
    ahead.quasi.t = D::variable(at.quasi.t, 0);
    ahead.quasi.q = testing::moving(at.quasi.q, at.u);
    ahead.u = testing::constant<D>(at.u);
    return -testing::slope(velocity(ahead));
  }
  template <class T>
  testing::States<T> state(const At<T>& at) const {
    return TwoBodyEquations::state_residual(plain.structure().state_form, lowered(at));
  }

  /// A derivative column by column.
  MatrixXd derivative(Derivative which, const State& s, const Vector& direction) const {
    using D = Tangent;
    using A = At<D>;
    using enum Derivative;
    const linalg::Pattern& pattern = plain.structure().pattern(which);
    MatrixXd result(pattern.rows(), pattern.columns());
    const auto fill = [&](const auto& argument, const auto& f) {
      for (int j = 0; j < result.cols(); ++j) {
        A at = Reference::at<D>(s);
        argument(at)[j].derivative[0] = 1;
        result.col(j) = testing::slope(f(at));
      }
    };
    const auto q = [](A & at) -> auto& { return at.quasi.q; };
    const auto u = [](A & at) -> auto& { return at.u; };
    const auto a = [](A & at) -> auto& { return at.a; };
    const auto x = [](A & at) -> auto& { return at.quasi.x; };
    const auto x_rate = [](A & at) -> auto& { return at.quasi.x_rate; };
    const auto lambda = [](A & at) -> auto& { return at.lambda; };
    const auto f = [&](const A& at) { return force(at); };
    const auto d = [&](const A& at) { return state(at); };
    switch (which) {
      case kInertiaByQ: fill(q, [&](const A& at) { return inertia(at, Plain<D>(direction.cast<D>())); }); break;
      case kReactionByQ:
        fill(q, [&](const A& at) -> Plain<D> { return jacobian(at).transpose() * PlainRows<D>(direction.cast<D>()); });
        break;
      case kForceByQ: fill(q, f); break;
      case kForceByV: fill(u, f); break;
      case kForceByLambda: fill(lambda, f); break;
      case kForceByX: fill(x, f); break;
      case kVelocityByQ: fill(q, [&](const A& at) { return velocity(at); }); break;
      case kAccelerationByQ:
        fill(q, [&](const A& at) -> PlainRows<D> { return jacobian(at) * Plain<D>(direction.cast<D>()) - bias(at); });
        break;
      case kBiasByV: fill(u, [&](const A& at) { return bias(at); }); break;
      case kStateByXRate: fill(x_rate, d); break;
      case kStateByX: fill(x, d); break;
      case kStateByQ: fill(q, d); break;
      case kStateByV: fill(u, d); break;
      case kStateByA: fill(a, d); break;
      case kStateByLambda: fill(lambda, d); break;
    }
    return result;
  }
};

/// Largest difference relative to the largest entry, or to 1.
double difference(const MatrixXd& given, const MatrixXd& expected) {
  return (given - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

Vector direction_of(Derivative which, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  Vector s(which == Derivative::kReactionByQ ? 7 : 15);
  for (double& value : s) value = distribution(engine);
  return s;
}

struct Variant {
  StateForm form;
  Places places;
};
constexpr Variant kVariants[] = {{StateForm::kExplicit, Places::kFull},
                                 {StateForm::kExplicit, Places::kSparse},
                                 {StateForm::kImplicit, Places::kFull},
                                 {StateForm::kImplicit, Places::kSparse}};
constexpr double kExact = 1e-12;  // the largest difference seen is 2e-15

TEST(PlainForm, QuantitiesAreThoseOfTheDefinition) {
  for (const Variant& variant : kVariants) {
    const PlainForm plain = make_plain(variant.form, variant.places);
    const Reference reference{plain};
    const dae::Structure& s = plain.structure();
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const State state = random_state(plain, seed);
      const auto at = Reference::at<double>(state);
      Evaluation evaluation(plain);
      evaluation.set(state);
      const Vector direction = direction_of(Derivative::kInertiaByQ, seed);
      const MatrixXd M = s.mass.to_dense(evaluation.mass());
      EXPECT_LT(difference(M * direction, reference.inertia(at, Plain<double>(direction))), kExact);
      EXPECT_LT(difference(evaluation.constraint(), reference.constraint(at)), kExact);
      EXPECT_LT(difference(s.jacobian.to_dense(evaluation.jacobian()), Reference::jacobian(at)), kExact);
      Vector residual(s.m());
      evaluation.calc_velocity_residual(residual);
      EXPECT_LT(difference(residual, reference.velocity(at)), kExact);
      EXPECT_LT(difference(evaluation.force(), reference.force(at)), kExact);
      EXPECT_LT(difference(evaluation.acceleration_bias(), reference.bias(at)), kExact);
      EXPECT_LT(difference(evaluation.state_residual(), reference.state(at)), kExact);
      const Arguments<double> quasi = reference.lowered(at);
      EXPECT_LT(difference(evaluation.state_rate(), TwoBodyEquations::state_rate(quasi)), kExact);
    }
  }
}

TEST(PlainForm, EveryDerivativeIsThatOfDualNumbers) {
  double largest = 0;
  for (const Variant& variant : kVariants) {
    const PlainForm plain = make_plain(variant.form, variant.places);
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const State state = seed % 2 == 0 ? random_state(plain, seed) : unit_state(plain, seed);
      Evaluation evaluation(plain);
      evaluation.set(state);
      for (int k = 0; k < dae::kDerivativeCount; ++k) {
        const auto which = static_cast<Derivative>(k);
        const Vector s = direction_of(which, seed);
        const MatrixXd given = plain.structure().pattern(which).to_dense(evaluation.derivative(which, s));
        const double error = difference(given, Reference{plain}.derivative(which, state, s));
        EXPECT_LT(error, kExact) << to_string(which) << ", seed " << seed;
        largest = std::max(largest, error);
      }
    }
  }
  RecordProperty("largest_difference", std::to_string(largest * 1e15) + "e-15");
}

TEST(PlainForm, DerivativeCheckFindsNothingWrongAndNothingMissing) {
  for (const Variant& variant : kVariants) {
    const PlainForm plain = make_plain(variant.form, variant.places);
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const State state = seed % 2 == 0 ? random_state(plain, seed) : unit_state(plain, seed);
      const dae::DerivativeReport report = check_derivatives(plain, state);
      EXPECT_TRUE(report.is_right()) << to_string(report);
      EXPECT_TRUE(report.not_given.empty()) << to_string(report);
    }
  }
}

TEST(PlainForm, PatternsStaySparse) {
  const PlainForm full = make_plain(), sparse = make_plain(StateForm::kExplicit, Places::kSparse);
  EXPECT_TRUE(full.structure().mass.is_full());
  // Body 1: 3 + 4 coordinates of which the three translations do not meet; slide; body 2, which meets the slide.
  EXPECT_EQ(sparse.structure().mass.size(), (3 + 2 * 12 + 16) + (1 + 2 * 4) + (3 + 16));
  // Unit lengths, ball joint (each row: one translation and four parameters a body), distance, rolling.
  EXPECT_EQ(sparse.structure().jacobian.size(), 2 * 4 + 3 * 10 + 7 + (3 + 1 + 4));
  for (int k = 0; k < dae::kDerivativeCount; ++k) {
    const auto which = static_cast<Derivative>(k);
    std::vector<std::pair<int, int>> places;
    for (const linalg::Entry& e : sparse.structure().pattern(which).entries()) places.emplace_back(e.row, e.column);
    std::sort(places.begin(), places.end());
    EXPECT_EQ(std::adjacent_find(places.begin(), places.end()), places.end()) << to_string(which);
  }
  EXPECT_LT(sparse.structure().pattern(Derivative::kForceByQ).size(), 15 * 15);
}

TEST(PlainForm, NamesSayWhatTheyAre) {
  const PlainForm plain = make_plain();
  const dae::Structure& s = plain.structure();
  EXPECT_TRUE(s.has_trivial_kinematics);
  EXPECT_EQ(s.n_g, 6);
  EXPECT_EQ(s.constraint_names, (std::vector<std::string>{"ball x", "ball y", "ball z", "distance", "one: unit length",
                                                          "two: unit length", "rolling"}));
  EXPECT_EQ(s.velocity_names[kP1], "one.e0'");
  EXPECT_EQ(plain.unit_length_row(1), 5);
  EXPECT_EQ(s.state_form, StateForm::kExplicit);
  EXPECT_EQ(make_plain(StateForm::kImplicit).structure().state_form, StateForm::kImplicit);
}

TEST(PlainForm, ConversionsUndoEachOther) {
  const PlainForm plain = make_plain();
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const State quasi = TwoBodies::random_state(plain.inner().structure(), seed);
    const State lifted = plain.to_plain(quasi), back = plain.to_quasi(lifted);
    EXPECT_EQ(back.t, quasi.t);
    EXPECT_LT(difference(back.q, quasi.q), 1e-15);
    EXPECT_LT(difference(back.v, quasi.v), 1e-14);
    EXPECT_LT(difference(back.a, quasi.a), 1e-14);
    EXPECT_EQ(back.lambda, quasi.lambda);
    EXPECT_EQ(back.x, quasi.x);
    EXPECT_EQ(back.x_rate, quasi.x_rate);
    for (const int p : {kP1, kP2}) {
      const Eigen::Vector4d e = lifted.q.segment<4>(p), rate = lifted.v.segment<4>(p);
      EXPECT_NEAR(e.squaredNorm(), 1, 1e-15);
      EXPECT_NEAR(e.dot(rate), 0, 1e-15);
      EXPECT_NEAR(e.dot(lifted.a.segment<4>(p)), -rate.squaredNorm(), 1e-14);
    }
  }
}

/// a, lambda and x' at a state.
State solve_accelerations(const dae::ConstrainedSystem& system, const State& state) {
  Evaluation evaluation(system);
  evaluation.set(state);
  kkt::AccelerationSolver solver(evaluation);
  EXPECT_EQ(solver.factor_position(), kkt::AccelerationStatus::kSolved);
  EXPECT_EQ(solver.solve(state), kkt::AccelerationStatus::kSolved);
  return evaluation.point();
}

TEST(PlainForm, AccelerationsAndMultipliersAreThoseOfTheInnerSystem) {
  double largest = 0;
  for (const Places places : {Places::kFull, Places::kSparse}) {
    const PlainForm plain = make_plain(StateForm::kExplicit, places);
    for (unsigned seed = 1; seed <= 10; ++seed) {
      for (const State& state : {unit_state(plain, seed), random_state(plain, seed)}) {
        const State lifted = solve_accelerations(plain, state);
        const State expected = solve_accelerations(plain.inner(), plain.to_quasi(state));
        const State lowered = plain.to_quasi(lifted);
        EXPECT_LT(difference(lowered.a, expected.a), 1e-11);
        largest = std::max(largest, difference(lowered.a, expected.a));
        EXPECT_LT(difference(lowered.lambda, expected.lambda), 1e-11);
        EXPECT_LT(difference(lowered.x_rate, expected.x_rate), 1e-11);
        for (int r = 0; r < 2; ++r) {
          EXPECT_NEAR(lifted.lambda[plain.unit_length_row(r)], 0, 1e-11 * expected.a.norm());
        }
      }
    }
  }
  RecordProperty("largest_difference", std::to_string(largest * 1e15) + "e-15");
}

TEST(PlainForm, EnergyIsThatOfTheInnerSystem) {
  const PlainForm plain = make_plain();
  const State state = unit_state(plain, 3);
  Evaluation lifted(plain), inner(plain.inner());
  lifted.set(state);
  inner.set(plain.to_quasi(state));
  ASSERT_TRUE(lifted.calc_energy() && inner.calc_energy());
  EXPECT_NEAR(*lifted.calc_energy(), *inner.calc_energy(), 1e-13);
}

TEST(PlainForm, MotionIsThatOfTheInnerSystem) {
  const auto inner = std::make_shared<TwoBodies>();
  const PlainForm plain(inner, TwoBodies::rotations());
  const integrators::Options options = integrators::Options::with_tolerance(1e-9);
  State start = TwoBodies::random_state(inner->structure(), 5);
  start.t = 0;
  // A run makes its start consistent, in a metric that differs between the forms off the constraints: both begin with
  // the consistent state of one.
  integrators::Observers observers;
  bool is_first = true;
  observers.output = [&](const State& state) {
    if (std::exchange(is_first, false)) start = state;
  };
  ASSERT_TRUE(integrate(*inner, start, 0.001, options, {}, observers).ok());

  const integrators::RunResult quasi = integrate(*inner, start, 1, options);
  const integrators::RunResult lifted = integrate(plain, plain.to_plain(start), 1, options);
  ASSERT_TRUE(quasi.ok()) << quasi.reason;
  ASSERT_TRUE(lifted.ok()) << lifted.reason;
  const State end = plain.to_quasi(lifted.state);
  EXPECT_GT(difference(end.q, start.q), 0.1);
  RecordProperty("difference_of_q", std::to_string(1e9 * difference(end.q, quasi.state.q)) + "e-9");
  RecordProperty("difference_of_v", std::to_string(1e9 * difference(end.v, quasi.state.v)) + "e-9");
  EXPECT_LT(difference(end.q, quasi.state.q), 1e-7);
  EXPECT_LT(difference(end.v, quasi.state.v), 1e-7);
  EXPECT_LT(difference(end.x, quasi.state.x), 1e-7);
  EXPECT_LT(difference(end.lambda, quasi.state.lambda), 1e-6);
}

TEST(PlainForm, WhatTheInnerSystemDoesNotGiveIsLeftToDifferences) {
  const auto not_given = [](Derivative withheld) {
    const PlainForm plain(std::make_shared<TwoBodies>(StateForm::kImplicit, Places::kSparse, withheld),
                          TwoBodies::rotations());
    const dae::DerivativeReport report = check_derivatives(plain, random_state(plain, 2));
    EXPECT_TRUE(report.is_right()) << to_string(report);
    return report.not_given;
  };
  using Names = std::vector<std::string>;
  const auto names = [](const std::vector<Derivative>& derivatives) {
    Names result;
    for (const Derivative which : derivatives) result.push_back(to_string(which));
    return result;
  };
  using enum Derivative;
  EXPECT_EQ(not_given(kForceByV), names({kForceByQ, kForceByV}));
  EXPECT_EQ(not_given(kInertiaByQ), names({kInertiaByQ, kForceByQ}));
  EXPECT_EQ(not_given(kBiasByV), names({kAccelerationByQ, kBiasByV}));
  EXPECT_EQ(not_given(kStateByA), names({kStateByQ, kStateByV, kStateByA}));
  EXPECT_EQ(not_given(kReactionByQ), names({kReactionByQ}));
}

TEST(PlainForm, AFreeBodyHasItsUnitLengthAsOnlyConstraint) {
  const PlainForm plain(std::make_shared<testing::FreeBody>(), {{0, 0}});
  EXPECT_EQ(plain.structure().constraint_names, std::vector<std::string>{"e0: unit length"});
  EXPECT_EQ(plain.regularisation(0), 4 * 2.0);
  State state = plain.to_plain(testing::FreeBody().start());
  // Nothing but unit length: no help of finite differences for the bias.
  Evaluation evaluation(plain);
  evaluation.set(state);
  EXPECT_NEAR(evaluation.acceleration_bias()[0], -0.25 * testing::FreeBody().start().v.squaredNorm(), 1e-14);
  EXPECT_EQ(evaluation.counts().jacobian, 0);
  const State lowered = plain.to_quasi(solve_accelerations(plain, state));
  const State expected = solve_accelerations(plain.inner(), plain.to_quasi(state));
  EXPECT_LT(difference(lowered.a, expected.a), 1e-14);
  const dae::DerivativeReport report = check_derivatives(plain, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
}

TEST(PlainForm, WithoutRotationsItIsTheInnerSystem) {
  const auto inner = std::make_shared<testing::KnifeEdge>(9.81, 2);
  const PlainForm plain(inner, {});
  const State start = plain.to_plain(inner->solution(0.3));
  EXPECT_EQ(start.q, inner->solution(0.3).q);
  const State solved = solve_accelerations(plain, start), expected = solve_accelerations(*inner, start);
  EXPECT_EQ(solved.a, expected.a);
  EXPECT_EQ(solved.lambda, expected.lambda);
}

/// Bodies of which some have no inertia.
class Light final : public dae::ConstrainedSystem {
 public:
  explicit Light(double second)
      : ConstrainedSystem(dae::Structure::full({"a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"}, {}, {},
                                               {"awx", "awy", "awz", "bwx", "bwy", "bwz"})),
        second_(second) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override {
    for (int i = 3; i < 6; ++i) M(i, i) = second_;
  }
  void calc_force(const dae::Point&, dae::VectorOut) const override {}
  void calc_position_rate(dae::VectorIn q, dae::VectorIn v, dae::VectorOut q_rate) const override {
    for (int r = 0; r < 2; ++r) {
      q_rate.segment<4>(4 * r) = 0.5 * math::body_rate_matrix(q.segment<4>(4 * r)).transpose() * v.segment<3>(3 * r);
    }
  }

 private:
  double second_;
};

TEST(PlainForm, RegularisationIsPositiveWithoutInertia) {
  const std::vector<RotationSlot> rotations{{0, 0}, {4, 3}};
  const PlainForm one(std::make_shared<Light>(0.5), rotations);
  EXPECT_EQ(one.regularisation(1), 2.0);
  EXPECT_DOUBLE_EQ(one.regularisation(0), 2e-9);
  const PlainForm none(std::make_shared<Light>(0.0), rotations);
  EXPECT_EQ(none.regularisation(0), 4);
  const PlainForm unknown(std::make_shared<Light>(std::nan("")), rotations);
  EXPECT_EQ(unknown.regularisation(1), 4);
}

TEST(PlainForm, SlotsThatDoNotFitAreRefused) {
  const auto inner = std::make_shared<TwoBodies>();
  const auto message = [](const std::shared_ptr<const dae::ConstrainedSystem>& system,
                          const std::vector<RotationSlot>& rotations) -> std::string {
    try {
      const PlainForm plain(system, rotations);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(inner, TwoBodies::rotations()), "");
  EXPECT_EQ(message(nullptr, {}), "the plain form of no system");
  EXPECT_EQ(message(inner, {{kP1, kW1}, {13, kW2}}),
            "a rotation takes the positions 13 to 16, but there are 15 in all");
  EXPECT_EQ(message(inner, {{kP1, -1}}), "a rotation takes the velocities -1 to 1, but there are 13 in all");
  EXPECT_EQ(message(inner, {{kP1, kW1}, {kP1 + 3, kW2}}), "two rotations share one of the positions, number 6");
  EXPECT_EQ(message(inner, {{kP1, kW1}}), "beside the rotations there are 11 positions but 10 velocities");
  // The two rotations exchanged.
  EXPECT_EQ(message(inner, {{kP1, kW2}, {kP2, kW1}}),
            "one.e0' is neither a velocity nor that of an Euler parameter; do the rotation slots fit the system?");
}

TEST(PlainForm, EvaluationTakesNoMemory) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  for (const Variant& variant : kVariants) {
    const PlainForm plain = make_plain(variant.form, variant.places);
    Evaluation evaluation(plain);
    const std::array states{random_state(plain, 1), random_state(plain, 2)};
    const Vector s_v = direction_of(Derivative::kInertiaByQ, 1), s_m = direction_of(Derivative::kReactionByQ, 1);
    double sum = 0;
    const auto evaluate_all = [&](const State& state) {
      evaluation.set(state);
      sum += evaluation.mass()[0] + evaluation.jacobian()[0] + evaluation.constraint()[0] + evaluation.force()[0];
      sum += evaluation.velocity_offset()[0] + evaluation.acceleration_bias()[0];
      sum += evaluation.state_rate()[0] + evaluation.state_residual()[0] + *evaluation.calc_energy();
      for (int k = 0; k < dae::kDerivativeCount; ++k) {
        const auto which = static_cast<Derivative>(k);
        sum += evaluation.derivative(which, which == Derivative::kReactionByQ ? s_m : s_v)[0];
      }
    };
    for (const State& state : states) evaluate_all(state);
    const long before = testing::allocation_count();
    for (const State& state : states) evaluate_all(state);
    EXPECT_EQ(testing::allocation_count() - before, 0);
    EXPECT_TRUE(std::isfinite(sum));
  }
}

}  // namespace
}  // namespace trammel::system
