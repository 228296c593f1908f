// Every kind of force: values against formulas by hand, derivatives against dual numbers of the formulas, balance of
// forces and moments, and where the energy goes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/reference_mechanism.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/system/probe.h"

namespace trammel::system {
namespace {

using dae::Derivative;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using model::CoordinateKind;
using model::ForceLaw;
using model::Space;
using testing::add_body;
using testing::add_bushing;
using testing::add_joint;
using testing::add_joint_at;
using testing::add_joint_force;
using testing::add_line_force;
using testing::add_marker;
using testing::add_vector_force;
using testing::compile;
using testing::kGround;
using testing::make_model;
using testing::Matrix3d;
using testing::Model;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Vec12;
using testing::Vec3;
using testing::Vector3d;
using enum model::JointType;

constexpr double kTolerance = 1e-11;  // relative; double precision leaves about 1e-14
constexpr double kTurn = 2 * std::numbers::pi;

/// Two bodies anywhere, with markers 0 on the ground, 1 and 2 on a, 3 and 4 on b.
std::shared_ptr<Model> make_two_bodies(bool is_planar, Random& random, const Vector3d& gravity = Vector3d::Zero()) {
  auto model = make_model(is_planar ? Space::kPlanar : Space::kSpatial, gravity);
  const auto vector = [&] {
    Vector3d v = random.vector();
    if (is_planar) v[2] = 0;
    return v;
  };
  const auto rotation = [&] { return is_planar ? random.planar_rotation(random.number(-2, 2)) : random.rotation(); };
  for (const char* name : {"a", "b"}) {
    Matrix3d inertia = Vector3d(1, 1.5, 2).asDiagonal();
    inertia(0, 1) = inertia(1, 0) = 0.2;
    inertia(0, 2) = inertia(2, 0) = -0.1;
    add_body(*model, name, random.number(0.5, 2), inertia, vector(), rotation());
    model->bodies.back().centre = vector();
  }
  add_marker(*model, kGround, vector(), rotation(), "g");
  add_marker(*model, 0, vector(), rotation(), "a.p");
  add_marker(*model, 0, vector(), rotation(), "a.q");
  add_marker(*model, 1, vector(), rotation(), "b.p");
  add_marker(*model, 1, vector(), rotation(), "b.q");
  return model;
}

dae::State moving_state(const Mechanism& system, Random& random) {
  dae::State state = system.given_state();
  state.t = 0.7;
  state.v = random.vector_of(state.v.size(), 2);
  return state;
}

// --- reference formulas ---------------------------------------------------------------------------------------------

template <class T>
T smooth_step(const T& s) {
  return s <= 0 ? T(0) : s >= 1 ? T(1) : T(s * s * (3.0 - 2.0 * s));
}

template <class T>
T stop_force(const model::Stop& stop, const T& depth, const T& rate) {
  using std::pow;
  if (!(depth > 0)) return T(0);
  const T force = stop.stiffness * pow(depth, stop.exponent) + stop.damping * rate * smooth_step(T(depth / stop.depth));
  return force > 0 ? force : T(0);
}

/// The law as model.h states it, without the expression.
template <class T>
T law_force(const Model& model, const ForceLaw& law, const T& c, const T& rate) {
  using std::exp, std::tanh;
  const T deflection = c - law.reference;
  T F = law.preload - law.stiffness * deflection - law.damping * rate;
  if (law.stiffness_curve >= 0)
    F -= model.curves[static_cast<std::size_t>(law.stiffness_curve)].spline.calc_value(deflection);
  if (law.damping_curve >= 0) F -= model.curves[static_cast<std::size_t>(law.damping_curve)].spline.calc_value(rate);
  const double F_s = law.breakaway == 0 ? law.coulomb : law.breakaway;
  T size = T(law.coulomb);
  if (law.stribeck_velocity > 0)
    size += (F_s - law.coulomb) * exp(T(-(rate / law.stribeck_velocity) * (rate / law.stribeck_velocity)));
  F -= size * tanh(T(rate / law.smoothing_velocity));
  if (law.stop) {
    F -= stop_force(*law.stop, T(c - law.stop->upper), rate);
    F += stop_force(*law.stop, T(law.stop->lower - c), T(-rate));
  }
  return F;
}

/// F along a coordinate: F dc/dq on each place. `value` is the coordinate, `law` gives F of (c, c').
template <class Value, class Law>
auto along(const Value& value, const Law& law) {
  return [&value, &law](const auto& bodies, const auto& xi, const auto&) {
    using T = std::decay_t<decltype(xi[0])>;
    const auto rate = testing::rate_of(value);
    const T F = law(T(value(bodies)), T(rate(bodies, xi)));
    Vec12<T> f;
    for (int i = 0; i < 12; ++i) f[i] = F * rate(bodies, Vec12<T>(Vec12<double>::Unit(i).cast<T>()));
    return f;
  };
}

/// The distance of two markers.
auto distance(const Model& model, int i, int j) {
  return [&model, i, j](const auto& bodies) {
    using std::sqrt;
    const auto P = testing::place_marker(model, i, bodies).P;
    using T = std::decay_t<decltype(P[0])>;
    return T(sqrt(T((testing::place_marker(model, j, bodies).P - P).squaredNorm())));
  };
}

/// A force and a torque (ground axes) on the body of a marker at a ground point.
template <class T>
void apply(const Model& model, int marker, const RefBodies<T>& bodies, const Vec3<T>& P, const Vec3<T>& F,
           const Vec3<T>& M, Vec12<T>& f) {
  const int body = marker < 0 ? kGround : model.markers[static_cast<std::size_t>(marker)].body;
  if (body == kGround) return;
  const testing::RefBody<T>& of = bodies[static_cast<std::size_t>(body)];
  const Vec3<T> arm = P - of.r, moment = arm.cross(F) + M;
  f.template segment<3>(6 * body) += F;
  f.template segment<3>(6 * body + 3) += of.R.transpose() * moment;
}

/// Weight and gyroscopic torques.
template <class T>
Vec12<T> inertial_forces(const Model& model, const Vec12<T>& xi) {
  Vec12<T> f = Vec12<T>::Zero();
  for (int k = 0; k < 2; ++k) {
    const model::Body& body = model.bodies[static_cast<std::size_t>(k)];
    const Vec3<T> w = xi.template segment<3>(6 * k + 3), momentum = body.inertia.cast<T>() * w;
    f.template segment<3>(6 * k) = (body.mass * model.gravity).cast<T>();
    f.template segment<3>(6 * k + 3) = -w.cross(momentum);
  }
  return f;
}

/// All forces of the system and their derivatives against reference(bodies, xi, x), generalised forces on both bodies.
template <class Reference>
void compare(const Mechanism& system, const dae::State& state, const Reference& reference) {
  const Model& model = system.model();
  const auto total = [&](const auto& bodies, const auto& xi, const auto& x) {
    using T = std::decay_t<decltype(xi[0])>;
    return Vec12<T>(reference(bodies, xi, x) + inertial_forces(model, xi));
  };
  const RefBodies<double> bodies = testing::bodies_of(system, state);
  const Vec12<double> xi = testing::expand(model, state.v);
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  EXPECT_LT(relative_error(evaluation.force(), testing::restrict(model, total(bodies, xi, state.x))), kTolerance);

  using testing::Twelve;
  const auto jacobian = [&](const Vec12<Twelve>& f) {
    testing::Mat12 J;
    for (int i = 0; i < 12; ++i) J.row(i) = testing::gradient_of(f[i]).transpose();
    return testing::restrict(model, J);
  };
  const Eigen::Matrix<Twelve, Eigen::Dynamic, 1> x = state.x.cast<Twelve>();
  const MatrixXd by_q = jacobian(
      total(testing::displace<Twelve>(bodies, testing::twelve_variables()), Vec12<Twelve>(xi.cast<Twelve>()), x));
  EXPECT_LT(relative_error(testing::dense_derivative(evaluation, Derivative::kForceByQ), by_q), kTolerance);
  const MatrixXd by_v = jacobian(
      total(testing::displace<Twelve>(bodies, Vec12<Twelve>(Vec12<Twelve>::Zero())), testing::twelve_variables(xi), x));
  EXPECT_LT(relative_error(testing::dense_derivative(evaluation, Derivative::kForceByV), by_v), kTolerance);

  using One = math::Dual<double, 1>;
  const MatrixXd given_by_x = system.structure().pattern(Derivative::kForceByX).size() > 0
                                  ? testing::dense_derivative(evaluation, Derivative::kForceByX)
                                  : MatrixXd(MatrixXd::Zero(state.v.size(), state.x.size()));
  for (Eigen::Index k = 0; k < state.x.size(); ++k) {
    Eigen::Matrix<One, Eigen::Dynamic, 1> moved = state.x.cast<One>();
    moved[k].derivative[0] = 1;
    const Vec12<One> f =
        total(testing::displace<One>(bodies, Vec12<One>(Vec12<One>::Zero())), Vec12<One>(xi.cast<One>()), moved);
    Vec12<double> column;
    for (int i = 0; i < 12; ++i) column[i] = f[i].derivative[0];
    EXPECT_LT(relative_error(given_by_x.col(k), testing::restrict(model, column)), kTolerance);
  }
}

/// Forces alone, without weight and gyroscopic torques.
Vec12<double> element_forces(const Mechanism& system, const dae::State& state) {
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const Vec12<double> xi = testing::expand(system.model(), state.v);
  Vec12<double> f = testing::expand(system.model(), evaluation.force());
  f -= testing::expand(system.model(), testing::restrict(system.model(), inertial_forces(system.model(), xi)));
  return f;
}

/// The derivative of f(h) at 0 by central differences and Richardson's extrapolation: error about h^6.
double differentiate(const std::function<double(double)>& f) {
  const double h = 4e-3;
  const auto central = [&](double step) { return (f(step) - f(-step)) / (2 * step); };
  const double D1 = central(h), D2 = central(h / 2), D3 = central(h / 4);
  const double E1 = (4 * D2 - D1) / 3, E2 = (4 * D3 - D2) / 3;
  return (16 * E2 - E1) / 15;
}

double potential_at(const Mechanism& system, const dae::State& state) {
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  evaluation.force();
  return *system.calc_potential_energy(evaluation.point());
}

/// d(potential)/dq along retract.
VectorXd potential_gradient(const Mechanism& system, const dae::State& state) {
  VectorXd gradient(state.v.size());
  for (Eigen::Index k = 0; k < state.v.size(); ++k) {
    gradient[k] = differentiate([&](double h) {
      dae::State moved = state;
      const VectorXd delta = h * VectorXd::Unit(state.v.size(), k);
      system.retract(state.q, delta, moved.q);
      return potential_at(system, moved);
    });
  }
  return gradient;
}

/// The change of potential energy per second along the motion.
double potential_rate(const Mechanism& system, const dae::State& state) {
  return differentiate([&](double h) {
    dae::State moved = state;
    const VectorXd delta = h * state.v;
    system.retract(state.q, delta, moved.q);
    return potential_at(system, moved);
  });
}

/// What forces do per second is what leaves the potential, less what is dissipated, plus what is driven.
void expect_energy_balance(const Mechanism& system, const dae::State& state) {
  Probe probe(system);
  probe.set(state);
  const EnergyFlow flow = probe.calc_energy();
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const double power = evaluation.force().dot(state.v);
  EXPECT_LT(relative_error(flow.driven - flow.dissipated - potential_rate(system, state), power), 1e-8);
}

// --- weight ---------------------------------------------------------------------------------------------------------

TEST(Forces, WeightAndGyroscopicTorques) {
  Random random(1);
  for (const bool is_planar : {true, false}) {
    const Vector3d gravity(0.3, -9.7, is_planar ? 0 : 1.2);
    const Mechanism system(make_two_bodies(is_planar, random, gravity));
    compare(system, moving_state(system, random),
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

constexpr int kStiffnessCurve = 0, kDampingCurve = 1, kShiftedCurve = 2;
void add_curves(Model& model) {
  const std::vector<double> x{-3, -1.5, -0.4, 0, 0.5, 1.2, 2.5}, y{-6, -4, -0.9, 0, 1.1, 2, 7};
  const std::vector<double> rate{-4, -2, -1, 0, 1.5, 3, 5}, force{-3, -1, -0.8, 0, 0.4, 1.9, 2};
  const std::vector<double> shifted{-2, 0, 0.2, 1, 1.4, 2.9, 3};
  model.curves.push_back({"S", math::Spline::natural(x, y)});
  model.curves.push_back({"D", math::Spline::akima(rate, force)});
  model.curves.push_back({"D1", math::Spline::akima(rate, shifted)});  // D(0) = 1 on the way
}

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
        compare(system, state,
                along(value, [&](const auto& at, const auto& v) { return law_force(*model, entry.law, at, v); }));
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
        EXPECT_LT(relative_error(F, law_force(*model, entry.law, c, rate)), kTolerance);
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
          compare(system, state,
                  along(value, [&](const auto& at, const auto& v) { return law_force(*model, entry.law, at, v); }));
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
    compare(system, state, reference);
    expect_energy_balance(system, state);
  }
}

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
      compare(system, state, [&](const auto& bodies, const auto& xi, const auto& x) {
        using T = std::decay_t<decltype(xi[0])>;
        const auto axes = testing::place_marker(*model, frame, bodies).axes;
        const Eigen::Matrix<T, 6, 1> c = components(bodies, xi, x);
        const Vec3<T> F = axes * Vec3<T>(c.template head<3>()), M = axes * Vec3<T>(c.template tail<3>());
        const Vec3<T> P = testing::place_marker(*model, i, bodies).P;
        Vec12<T> f = Vec12<T>::Zero();
        apply<T>(*model, i, bodies, P, F, M, f);
        if (j >= 0) apply<T>(*model, j, bodies, P, Vec3<T>(-F), Vec3<T>(-M), f);
        return f;
      });
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
      compare(system, state, [&](const auto& bodies, const auto& xi, const auto&) {
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
    compare(system, state, [&](const auto& bodies, const auto& xi, const auto& x) {
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
