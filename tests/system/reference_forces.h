#pragma once

// Forces on two bodies in numbers of any kind: the laws as model.h states them, what they do along a coordinate or at a
// marker, and where the energy goes.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/system/reference_mechanism.h"
#include "trammel/system/probe.h"

namespace trammel::testing {

inline constexpr double kForceTolerance = 1e-11;  // relative; double precision leaves about 1e-14

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
T law_force(const Model& model, const model::ForceLaw& law, const T& c, const T& rate) {
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
    const auto rate = rate_of(value);
    const T F = law(T(value(bodies)), T(rate(bodies, xi)));
    Vec12<T> f;
    for (int i = 0; i < 12; ++i) f[i] = F * rate(bodies, Vec12<T>(Vec12<double>::Unit(i).cast<T>()));
    return f;
  };
}

/// The distance of two markers.
inline auto distance(const Model& model, int i, int j) {
  return [&model, i, j](const auto& bodies) {
    using std::sqrt;
    const auto P = place_marker(model, i, bodies).P;
    using T = std::decay_t<decltype(P[0])>;
    return T(sqrt(T((place_marker(model, j, bodies).P - P).squaredNorm())));
  };
}

/// A force and a torque (ground axes) on the body of a marker at a ground point.
template <class T>
void apply(const Model& model, int marker, const RefBodies<T>& bodies, const Vec3<T>& P, const Vec3<T>& F,
           const Vec3<T>& M, Vec12<T>& f) {
  const int body = marker < 0 ? kGround : model.markers[static_cast<std::size_t>(marker)].body;
  if (body == kGround) return;
  const RefBody<T>& of = bodies[static_cast<std::size_t>(body)];
  const Vec3<T> arm = P - of.r, moment = arm.cross(F) + M;
  f.template segment<3>(6 * body) += F;
  f.template segment<3>(6 * body + 3) += of.R.transpose() * moment;
}

/// Weight and gyroscopic torques.
template <class T>
Vec12<T> inertial_forces(const Model& model, const Vec12<T>& xi) {
  Vec12<T> f = Vec12<T>::Zero();
  for (int k = 0; k < static_cast<int>(model.bodies.size()); ++k) {
    const model::Body& body = model.bodies[static_cast<std::size_t>(k)];
    const Vec3<T> w = xi.template segment<3>(6 * k + 3), momentum = body.inertia.cast<T>() * w;
    f.template segment<3>(6 * k) = (body.mass * model.gravity).cast<T>();
    f.template segment<3>(6 * k + 3) = -w.cross(momentum);
  }
  return f;
}

/// All forces of the system and their derivatives against reference(bodies, xi, x), generalised forces on both bodies.
template <class Reference>
void compare_forces(const system::Mechanism& system, const dae::State& state, const Reference& reference) {
  const Model& model = system.model();
  const auto total = [&](const auto& bodies, const auto& xi, const auto& x) {
    using T = std::decay_t<decltype(xi[0])>;
    return Vec12<T>(reference(bodies, xi, x) + inertial_forces(model, xi));
  };
  const RefBodies<double> bodies = bodies_of(system, state);
  const Vec12<double> xi = expand(model, state.v);
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  EXPECT_LT(relative_error(evaluation.force(), restrict(model, total(bodies, xi, state.x))), kForceTolerance);

  const auto jacobian = [&](const Vec12<Twelve>& f) {
    Mat12 J;
    for (int i = 0; i < 12; ++i) J.row(i) = gradient_of(f[i]).transpose();
    return restrict(model, J);
  };
  const Eigen::Matrix<Twelve, Eigen::Dynamic, 1> x = state.x.cast<Twelve>();
  const Eigen::MatrixXd by_q =
      jacobian(total(displace<Twelve>(bodies, twelve_variables()), Vec12<Twelve>(xi.cast<Twelve>()), x));
  EXPECT_LT(relative_error(dense_derivative(evaluation, dae::Derivative::kForceByQ), by_q), kForceTolerance);
  const Eigen::MatrixXd by_v =
      jacobian(total(displace<Twelve>(bodies, Vec12<Twelve>(Vec12<Twelve>::Zero())), twelve_variables(xi), x));
  EXPECT_LT(relative_error(dense_derivative(evaluation, dae::Derivative::kForceByV), by_v), kForceTolerance);

  using One = math::Dual<double, 1>;
  const Eigen::MatrixXd given_by_x = system.structure().pattern(dae::Derivative::kForceByX).size() > 0
                                         ? dense_derivative(evaluation, dae::Derivative::kForceByX)
                                         : Eigen::MatrixXd(Eigen::MatrixXd::Zero(state.v.size(), state.x.size()));
  for (Eigen::Index k = 0; k < state.x.size(); ++k) {
    Eigen::Matrix<One, Eigen::Dynamic, 1> moved = state.x.cast<One>();
    moved[k].derivative[0] = 1;
    const Vec12<One> f =
        total(displace<One>(bodies, Vec12<One>(Vec12<One>::Zero())), Vec12<One>(xi.cast<One>()), moved);
    Vec12<double> column;
    for (int i = 0; i < 12; ++i) column[i] = f[i].derivative[0];
    EXPECT_LT(relative_error(given_by_x.col(k), restrict(model, column)), kForceTolerance);
  }
}

/// Forces alone, without weight and gyroscopic torques.
inline Vec12<double> element_forces(const system::Mechanism& system, const dae::State& state) {
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const Vec12<double> xi = expand(system.model(), state.v);
  Vec12<double> f = expand(system.model(), evaluation.force());
  f -= expand(system.model(), restrict(system.model(), inertial_forces(system.model(), xi)));
  return f;
}

/// The derivative of f(h) at 0 by central differences and Richardson's extrapolation: error about h^6.
inline double differentiate(const std::function<double(double)>& f) {
  const double h = 4e-3;
  const auto central = [&](double step) { return (f(step) - f(-step)) / (2 * step); };
  const double D1 = central(h), D2 = central(h / 2), D3 = central(h / 4);
  const double E1 = (4 * D2 - D1) / 3, E2 = (4 * D3 - D2) / 3;
  return (16 * E2 - E1) / 15;
}

inline double potential_at(const system::Mechanism& system, const dae::State& state) {
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  evaluation.force();
  return *system.calc_potential_energy(evaluation.point());
}

/// d(potential)/dq along retract.
inline Eigen::VectorXd potential_gradient(const system::Mechanism& system, const dae::State& state) {
  Eigen::VectorXd gradient(state.v.size());
  for (Eigen::Index k = 0; k < state.v.size(); ++k) {
    gradient[k] = differentiate([&](double h) {
      dae::State moved = state;
      const Eigen::VectorXd delta = h * Eigen::VectorXd::Unit(state.v.size(), k);
      system.retract(state.q, delta, moved.q);
      return potential_at(system, moved);
    });
  }
  return gradient;
}

/// The change of potential energy per second along the motion.
inline double potential_rate(const system::Mechanism& system, const dae::State& state) {
  return differentiate([&](double h) {
    dae::State moved = state;
    const Eigen::VectorXd delta = h * state.v;
    system.retract(state.q, delta, moved.q);
    return potential_at(system, moved);
  });
}

/// What forces do per second is what leaves the potential, less what is dissipated, plus what is driven.
inline void expect_energy_balance(const system::Mechanism& system, const dae::State& state) {
  system::Probe probe(system);
  probe.set(state);
  const system::EnergyFlow flow = probe.calc_energy();
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const double power = evaluation.force().dot(state.v);
  EXPECT_LT(relative_error(flow.driven - flow.dissipated - potential_rate(system, state), power), 1e-8);
}

/// Curves of springs and dampers, to be referred to by these numbers.
inline constexpr int kStiffnessCurve = 0, kDampingCurve = 1, kShiftedCurve = 2;
inline void add_curves(Model& model) {
  const std::vector<double> x{-3, -1.5, -0.4, 0, 0.5, 1.2, 2.5}, y{-6, -4, -0.9, 0, 1.1, 2, 7};
  const std::vector<double> rate{-4, -2, -1, 0, 1.5, 3, 5}, force{-3, -1, -0.8, 0, 0.4, 1.9, 2};
  const std::vector<double> shifted{-2, 0, 0.2, 1, 1.4, 2.9, 3};
  model.curves.push_back({"S", math::Spline::natural(x, y)});
  model.curves.push_back({"D", math::Spline::akima(rate, force)});
  model.curves.push_back({"D1", math::Spline::akima(rate, shifted)});  // D(0) = 1 on the way
}

}  // namespace trammel::testing
