#pragma once

// Two bodies in numbers of any kind, and all that can be asked of a function of their positions or velocities, by
// nested dual numbers: the reference that the closed forms of joints, coordinates and forces are held against.
//
// Only the definition of a displacement is shared with what is tested (body_frame.h): (dr, dphi), R -> R (I + [dphi])
// to first order, one after the other for second derivatives. The twelve components are those of A, then of B.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "trammel/math/dual.h"
#include "trammel/model/body_frame.h"

namespace trammel::testing {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Vec12 = Eigen::Matrix<T, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Twelve = math::Dual<double, 12>;
template <class T>
using Time = math::Dual<T, 1>;

template <class T>
struct RefBody {
  Vec3<T> r = Vec3<T>::Zero();
  Mat3<T> R = Mat3<T>::Identity();
  T angle = T(0);  ///< of a planar body
};
template <class T>
using RefBodies = std::array<RefBody<T>, 2>;

template <class T>
Mat3<T> cross_matrix(const Vec3<T>& a) {
  Mat3<T> S;
  S << T(0), -a[2], a[1], a[2], T(0), -a[0], -a[1], a[0], T(0);
  return S;
}

/// The bodies after a small displacement in numbers of another kind.
template <class T, class S>
RefBodies<T> displace(const RefBodies<S>& bodies, const Vec12<T>& by) {
  RefBodies<T> moved;
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Vec3<T> dr = by.template segment<3>(6 * k), dphi = by.template segment<3>(6 * k + 3);
    const Mat3<T> R = bodies[at].R.template cast<T>();
    moved[at].r = bodies[at].r.template cast<T>() + dr;
    moved[at].R = R + R * cross_matrix(dphi);
    moved[at].angle = T(bodies[at].angle) + dphi[2];
  }
  return moved;
}

/// The bodies on their way with the velocities xi: the dual is by time.
template <class T>
RefBodies<Time<T>> set_moving(const RefBodies<T>& bodies, const Vec12<T>& xi) {
  Vec12<Time<T>> by;
  for (int k = 0; k < 12; ++k) {
    by[k] = Time<T>(T(0));
    by[k].derivative[0] = xi[k];
  }
  return displace<Time<T>>(bodies, by);
}

/// Zero plus the variables of the duals.
inline Vec12<Twelve> twelve_variables(const Vec12<double>& at = Vec12<double>::Zero()) {
  Vec12<Twelve> result;
  for (int k = 0; k < 12; ++k) result[k] = Twelve::variable(at[k], k);
  return result;
}
inline Vec12<double> gradient_of(const Twelve& x) { return Eigen::Map<const Vec12<double>>(x.derivative.data()); }

/// The rate of a function of positions. A position function is a generic callable: T value(const RefBodies<T>&).
template <class Value>
auto rate_of(const Value& value) {
  return [&value](const auto& bodies, const auto& xi) { return value(set_moving(bodies, xi)).derivative[0]; };
}

/// All that the equations need of a row c(q, xi), linear in xi: names as in primitives.h.
struct RowReference {
  Vec12<double> gradient;            ///< dc/dxi
  double rate = 0;                   ///< c
  Vec12<double> rate_gradient;       ///< dc/dq
  double bias = 0;                   ///< dc/dt at fixed xi
  Vec12<double> quadratic_gradient;  ///< d(bias)/dq
  Vec12<double> velocity_gradient;   ///< d(bias)/dxi
  Mat12 hessian;                     ///< d(gradient_i)/dq_j
};

/// Of a rate: T rate(const RefBodies<T>&, const Vec12<T>& xi).
template <class Rate>
RowReference differentiate_rate(const Rate& rate, const RefBodies<double>& bodies, const Vec12<double>& xi) {
  RowReference row;
  row.rate = rate(bodies, xi);
  const RefBodies<Twelve> displaced = displace<Twelve>(bodies, twelve_variables());
  for (int i = 0; i < 12; ++i) {
    const Twelve of_unit = rate(displaced, Vec12<Twelve>(Vec12<double>::Unit(i).cast<Twelve>()));
    row.gradient[i] = of_unit.value;
    row.hessian.row(i) = gradient_of(of_unit).transpose();
  }
  row.rate_gradient = gradient_of(rate(displaced, Vec12<Twelve>(xi.cast<Twelve>())));
  const auto bias = [&rate](const auto& at, const auto& velocities) {
    using T = std::decay_t<decltype(velocities[0])>;
    return rate(set_moving(at, velocities), Vec12<Time<T>>(velocities.template cast<Time<T>>())).derivative[0];
  };
  row.bias = bias(bodies, xi);
  row.quadratic_gradient = gradient_of(bias(displaced, Vec12<Twelve>(xi.cast<Twelve>())));
  RefBodies<Twelve> constant;
  for (std::size_t k = 0; k < 2; ++k) {
    constant[k] = {bodies[k].r.cast<Twelve>(), bodies[k].R.cast<Twelve>(), Twelve(bodies[k].angle)};
  }
  row.velocity_gradient = gradient_of(bias(constant, twelve_variables(xi)));
  return row;
}

/// The same of a function of positions.
template <class Value>
RowReference differentiate(const Value& value, const RefBodies<double>& bodies, const Vec12<double>& xi) {
  return differentiate_rate(rate_of(value), bodies, xi);
}

/// The largest difference, relative to the largest entry of the reference (or 1, when that is less).
template <class A, class B>
double relative_error(const A& given, const B& reference) {
  const double size = reference.size() == 0 ? 0.0 : reference.cwiseAbs().maxCoeff();
  const double difference = reference.size() == 0 ? 0.0 : (given - reference).cwiseAbs().maxCoeff();
  return difference / std::max(1.0, size);
}
inline double relative_error(double given, double reference) {
  return std::abs(given - reference) / std::max(1.0, std::abs(reference));
}

/// Random positions and the like. The same seed gives the same numbers on every platform: no distribution is used.
class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}

  double number(double low = -1, double high = 1) {
    return low + (high - low) * (static_cast<double>(generator_()) / 4294967295.0);
  }
  Eigen::Vector3d vector(double size = 1) {
    const double x = number(-size, size), y = number(-size, size), z = number(-size, size);
    return {x, y, z};
  }
  Eigen::Vector3d direction() {
    Eigen::Vector3d v = vector();
    while (v.norm() < 0.1) v = vector();
    return v.normalized();
  }
  /// Any rotation, far from the identity as well.
  Eigen::Matrix3d rotation() { return Eigen::AngleAxisd(number(-3.1, 3.1), direction()).toRotationMatrix(); }
  Eigen::Matrix3d planar_rotation(double angle) {
    return Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  }
  Vec12<double> twelve(double size = 1) {
    Vec12<double> result;
    for (double& x : result) x = number(-size, size);
    return result;
  }
  Eigen::VectorXd vector_of(Eigen::Index n, double size = 1) {
    Eigen::VectorXd result(n);
    for (double& x : result) x = number(-size, size);
    return result;
  }

 private:
  std::mt19937 generator_;
};

}  // namespace trammel::testing
