#pragma once

// Two rigid bodies and a slide in quasi-velocity form, with everything that a plain form has to lift. Every quantity is
// a template, so that duals give its derivatives: those of the system along retract, and in tests those of anything
// that is made of them.
//
//   q = (r1, p1, z, r2, p2),   v = (w1, r1', z', r2', w2): the order of rotations and translations differs on purpose
//   body 1: its reference point is not its centre of mass, so that M depends on p1
//   body 2: products of inertia; M couples w2 with z' by a coefficient that depends on p2
//   ball joint between the bodies (3 rows), distance of a point of body 2 from a point that moves with time (1 row),
//   a nonholonomic row, forces of all arguments, two extra states that read v' and lambda

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/math/dual.h"
#include "trammel/math/quaternion.h"
#include "trammel/system/plain_form.h"

namespace trammel::testing {

inline constexpr int kR1 = 0, kP1 = 3, kZ = 7, kR2 = 8, kP2 = 11;              // in q
inline constexpr int kW1 = 0, kR1Rate = 3, kZRate = 6, kR2Rate = 7, kW2 = 10;  // in v

template <class T>
using Positions = Eigen::Matrix<T, 15, 1>;
template <class T>
using Velocities = Eigen::Matrix<T, 13, 1>;
template <class T>
using Rows = Eigen::Matrix<T, 5, 1>;
template <class T>
using States = Eigen::Matrix<T, 2, 1>;
using Tangent = math::Dual<double, 1>;

/// A vector of numbers as constants of another kind.
template <class To, class V>
auto constant(const Eigen::MatrixBase<V>& x) {
  return x.template cast<To>().eval();
}
/// The only derivative of each entry.
template <class T, int N>
Eigen::Matrix<T, N, 1> slope(const Eigen::Matrix<math::Dual<T, 1>, N, 1>& x) {
  Eigen::Matrix<T, N, 1> result;
  for (int i = 0; i < N; ++i) result[i] = x[i].derivative[0];
  return result;
}
template <class T, int N>
Eigen::Matrix<math::Dual<T, 1>, N, 1> moving(const Eigen::Matrix<T, N, 1>& x, const Eigen::Matrix<T, N, 1>& rate) {
  Eigen::Matrix<math::Dual<T, 1>, N, 1> result;
  for (int i = 0; i < N; ++i) {
    result[i] = math::Dual<T, 1>(x[i]);
    result[i].derivative[0] = rate[i];
  }
  return result;
}

/// All that the equations may read.
template <class T>
struct Arguments {
  T t;
  Positions<T> q;
  Velocities<T> v, a;
  Rows<T> lambda;
  States<T> x, x_rate;
};

struct TwoBodyEquations {
  template <class T>
  using Vec3 = math::Vector3<T>;
  template <class T>
  using Mat3 = math::Matrix3<T>;

  static constexpr double kMass1 = 2, kMass2 = 1.3;
  inline static const Eigen::Vector3d offset{0.1, -0.2, 0.15}, gravity{0.3, -9.7, 0.8};
  inline static const Eigen::Vector3d a1{0.5, 0.2, -0.3}, a2{-0.4, 0.1, 0.2}, b2{0.3, -0.6, 0.4};
  static Eigen::Matrix3d inertia1() { return Eigen::Vector3d(0.5, 0.7, 0.9).asDiagonal(); }
  static Eigen::Matrix3d inertia2() {
    Eigen::Matrix3d J;
    J << 0.4, 0.05, -0.08, 0.05, 0.6, 0.03, -0.08, 0.03, 0.3;
    return J;
  }

  template <class T>
  static Mat3<T> R1(const Positions<T>& q) {
    return math::rotation_from_quaternion(q.template segment<4>(kP1));
  }
  template <class T>
  static Mat3<T> R2(const Positions<T>& q) {
    return math::rotation_from_quaternion(q.template segment<4>(kP2));
  }
  /// The moving end of the distance.
  template <class T>
  static Vec3<T> anchor(const T& t) {
    using std::cos, std::sin;
    return {T(0.2 * sin(2.0 * t)), T(1.0 + 0.1 * t), T(0.3 * cos(t))};
  }

  template <class T>
  static Positions<T> retract(const Positions<T>& q, const Velocities<T>& delta) {
    Positions<T> r = q;
    r.template segment<3>(kR1) += delta.template segment<3>(kR1Rate);
    r.template segment<3>(kR2) += delta.template segment<3>(kR2Rate);
    r[kZ] += delta[kZRate];
    r.template segment<4>(kP1) = math::retract(q.template segment<4>(kP1), delta.template segment<3>(kW1));
    r.template segment<4>(kP2) = math::retract(q.template segment<4>(kP2), delta.template segment<3>(kW2));
    return r;
  }

  template <class T>
  static Eigen::Matrix<T, 13, 13> mass(const Positions<T>& q) {
    Eigen::Matrix<T, 13, 13> M = Eigen::Matrix<T, 13, 13>::Zero();
    const Mat3<T> identity = Mat3<T>::Identity();
    const Eigen::Matrix3d S = math::skew(offset);
    M.template block<3, 3>(kW1, kW1) = constant<T>(inertia1() - kMass1 * S * S);
    M.template block<3, 3>(kR1Rate, kR1Rate) = kMass1 * identity;
    const Mat3<T> coupling = -kMass1 * (R1(q) * constant<T>(S));
    M.template block<3, 3>(kR1Rate, kW1) = coupling;
    M.template block<3, 3>(kW1, kR1Rate) = coupling.transpose();
    M.template block<3, 3>(kW2, kW2) = constant<T>(inertia2());
    M.template block<3, 3>(kR2Rate, kR2Rate) = kMass2 * identity;
    M(kZRate, kZRate) = 1.5 + 0.3 * q[kZ] * q[kZ];
    const Vec3<T> axis = 0.2 * R2(q).row(0).transpose();
    M.template block<3, 1>(kW2, kZRate) = axis;
    M.template block<1, 3>(kZRate, kW2) = axis.transpose();
    return M;
  }

  template <class T>
  static Vec3<T> distance_vector(const T& t, const Positions<T>& q) {
    return q.template segment<3>(kR2) + R2(q) * constant<T>(b2) - anchor(t);
  }
  template <class T>
  static Eigen::Matrix<T, 4, 1> constraint(const T& t, const Positions<T>& q) {
    Eigen::Matrix<T, 4, 1> g;
    g << q.template segment<3>(kR1) + R1(q) * constant<T>(a1) - q.template segment<3>(kR2) - R2(q) * constant<T>(a2),
        0.5 * (distance_vector(t, q).squaredNorm() - 1.0);
    return g;
  }
  template <class T>
  static Eigen::Matrix<T, 5, 13> jacobian(const T& t, const Positions<T>& q) {
    Eigen::Matrix<T, 5, 13> G = Eigen::Matrix<T, 5, 13>::Zero();
    const Mat3<T> identity = Mat3<T>::Identity();
    const Vec3<T> d = distance_vector(t, q);
    G.template block<3, 3>(0, kR1Rate) = identity;
    G.template block<3, 3>(0, kW1) = -(R1(q) * constant<T>(math::skew(a1)));
    G.template block<3, 3>(0, kR2Rate) = -identity;
    G.template block<3, 3>(0, kW2) = R2(q) * constant<T>(math::skew(a2));
    G.template block<1, 3>(3, kR2Rate) = d.transpose();
    G.template block<1, 3>(3, kW2) = -(d.transpose() * R2(q) * constant<T>(math::skew(b2)));
    // Nonholonomic: body 2 slides across its own axis only as the slide and its turning allow.
    G.template block<1, 3>(4, kR2Rate) = R2(q).col(0).transpose();
    G(4, kZRate) = T(0.7);
    G(4, kW2 + 1) = 0.3 * q[kZ];
    return G;
  }
  template <class T>
  static Rows<T> velocity_offset(const T& t, const Positions<T>& q) {
    using std::cos;
    Rows<T> g_t = Rows<T>::Zero();
    const Vec3<T> rate = slope(anchor(math::Dual<T, 1>::variable(t, 0)));
    g_t[3] = -distance_vector(t, q).dot(rate);
    g_t[4] = 0.2 * cos(t) * R1(q)(0, 2);
    return g_t;
  }
  template <class T>
  static Rows<T> velocity_residual(const T& t, const Positions<T>& q, const Velocities<T>& v) {
    return jacobian(t, q) * v + velocity_offset(t, q);
  }
  template <class T>
  static Rows<T> bias(const T& t, const Positions<T>& q, const Velocities<T>& v) {
    using D = math::Dual<T, 1>;
    const Positions<D> ahead = retract(constant<D>(q), moving(Velocities<T>(Velocities<T>::Zero()), v));
    return -slope(velocity_residual(D::variable(t, 0), ahead, constant<D>(v)));
  }

  template <class T>
  static Velocities<T> force(const Arguments<T>& at) {
    using std::sin;
    const Positions<T>& q = at.q;
    const Vec3<T> w1 = at.v.template segment<3>(kW1), w2 = at.v.template segment<3>(kW2);
    const Vec3<T> v1 = at.v.template segment<3>(kR1Rate), v2 = at.v.template segment<3>(kR2Rate);
    const Mat3<T> R1_q = R1(q), R2_q = R2(q);
    const Vec3<T> s = constant<T>(offset), g = constant<T>(gravity);
    const Mat3<T> J1 = mass(q).template block<3, 3>(kW1, kW1), J2 = constant<T>(inertia2());
    const Vec3<T> apart = q.template segment<3>(kR1) - q.template segment<3>(kR2);
    Velocities<T> f;
    f.template segment<3>(kW1) = -w1.cross(Vec3<T>(J1 * w1)) + kMass1 * s.cross(Vec3<T>(R1_q.transpose() * g)) -
                                 0.4 * w1 + at.x[1] * Vec3<T>(R1_q.row(1).transpose());
    f.template segment<3>(kR1Rate) =
        kMass1 * g - kMass1 * (R1_q * w1.cross(Vec3<T>(w1.cross(s)))) - 3.0 * apart + 0.02 * at.lambda[4] * v1;
    f[kZRate] = -5.0 * q[kZ] + at.x[0] - 0.3 * at.v[kZRate] * at.v[kZRate] * w1[1] + sin(at.t);
    f.template segment<3>(kR2Rate) = kMass2 * g + 3.0 * apart - 0.05 * v2.squaredNorm() * v2;
    f.template segment<3>(kW2) = -w2.cross(Vec3<T>(J2 * w2)) - 0.1 * w2 + 0.5 * Vec3<T>(R2_q.transpose() * apart) +
                                 0.05 * at.lambda[1] * Vec3<T>(R2_q.row(1).transpose());
    return f;
  }
  template <class T>
  static States<T> state_rate(const Arguments<T>& at) {
    using std::sin;
    const Velocities<T>& v = at.v;
    return {T(-at.x[0] + at.q[kZ] * v[kZRate] + 0.1 * at.a[kR2Rate + 1] + 0.3 * v[kW1] * R1(at.q)(0, 1)),
            T(-2.0 * at.x[1] + 0.05 * at.lambda[0] + 0.1 * at.a[kW1 + 2] * v[kW2 + 1] + 0.03 * at.lambda[4] +
              sin(at.t) * R2(at.q)(2, 0))};
  }
  template <class T>
  static States<T> state_residual(dae::StateForm form, const Arguments<T>& at) {
    const States<T> rate = state_rate(at);
    if (form == dae::StateForm::kExplicit) return at.x_rate - rate;
    return {T((1.0 + at.x[1] * at.x[1]) * at.x_rate[0] - rate[0]), T(at.x_rate[1] + 0.2 * at.x_rate[0] - rate[1])};
  }
};

/// All arguments of a state as constants.
template <class T>
Arguments<T> arguments(const dae::State& s) {
  Arguments<T> at;
  at.t = T(s.t);
  at.q = s.q.cast<T>();
  at.v = s.v.cast<T>();
  at.a = s.a.cast<T>();
  at.lambda = s.lambda.cast<T>();
  at.x = s.x.cast<T>();
  at.x_rate = s.x_rate.cast<T>();
  return at;
}

class TwoBodies final : public dae::ConstrainedSystem {
 public:
  enum class Places { kFull, kSparse };
  /// `withheld` is a derivative that the system does not give.
  explicit TwoBodies(dae::StateForm form = dae::StateForm::kExplicit, Places places = Places::kFull,
                     std::optional<dae::Derivative> withheld = {})
      : ConstrainedSystem(make_structure(form, places)), withheld_(withheld) {}

  static std::vector<system::RotationSlot> rotations() { return {{kP1, kW1}, {kP2, kW2}}; }

  /// Without special values; Euler parameters of unit length.
  static dae::State random_state(const dae::Structure& s, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> distribution(-1, 1);
    const auto fill = [&](linalg::Vector& x) {
      for (double& value : x) value = distribution(engine);
    };
    dae::State state = dae::State::zero(s);
    state.t = distribution(engine);
    for (linalg::Vector* x : {&state.q, &state.v, &state.a, &state.lambda, &state.x, &state.x_rate}) fill(*x);
    state.q.segment<4>(kP1).normalize();
    state.q.segment<4>(kP2).normalize();
    return state;
  }

  void calc_mass(const dae::Point& at, dae::MatrixValues M) const override {
    write(TwoBodyEquations::mass(Positions<double>(at.q)), M);
  }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override {
    g = TwoBodyEquations::constraint(at.t, Positions<double>(at.q));
  }
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override {
    write(TwoBodyEquations::jacobian(at.t, Positions<double>(at.q)), G);
  }
  void calc_velocity_offset(const dae::Point& at, dae::VectorOut g_t) const override {
    g_t = TwoBodyEquations::velocity_offset(at.t, Positions<double>(at.q));
  }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    f = TwoBodyEquations::force(arguments<double>(at));
  }
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override {
    bias = TwoBodyEquations::bias(at.t, Positions<double>(at.q), Velocities<double>(at.v));
    return true;
  }
  void calc_position_rate(dae::VectorIn q, dae::VectorIn v, dae::VectorOut q_rate) const override {
    q_rate.segment<3>(kR1) = v.segment<3>(kR1Rate);
    q_rate.segment<3>(kR2) = v.segment<3>(kR2Rate);
    q_rate[kZ] = v[kZRate];
    q_rate.segment<4>(kP1) = 0.5 * math::body_rate_matrix(q.segment<4>(kP1)).transpose() * v.segment<3>(kW1);
    q_rate.segment<4>(kP2) = 0.5 * math::body_rate_matrix(q.segment<4>(kP2)).transpose() * v.segment<3>(kW2);
  }
  void retract(dae::VectorIn q, dae::VectorIn delta, dae::VectorOut result) const override {
    result = TwoBodyEquations::retract(Positions<double>(q), Velocities<double>(delta));
  }
  void calc_state_rate(const dae::Point& at, dae::VectorOut rate) const override {
    rate = TwoBodyEquations::state_rate(arguments<double>(at));
  }
  void calc_state_residual(const dae::Point& at, dae::VectorOut d) const override {
    d = TwoBodyEquations::state_residual(structure().state_form, arguments<double>(at));
  }
  std::optional<double> calc_potential_energy(const dae::Point& at) const override {
    return 2.5 * at.q[kZ] * at.q[kZ] + TwoBodyEquations::R1(Positions<double>(at.q))(1, 2);
  }
  bool calc_derivative(dae::Derivative which, const dae::Point& at, dae::VectorIn s,
                       dae::MatrixValues values) const override {
    if (which == withheld_) return false;
    write(calc_dense(which, structure().state_form, at, s, values.pattern().rows(), values.pattern().columns()),
          values);
    return true;
  }

 private:
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 13, 13>;

  /// One column of a derivative: `at` with one of its arguments moving.
  template <class Move, class F>
  static void add_columns(const dae::State& state, Dense& result, const Move& move, const F& f) {
    for (int j = 0; j < result.cols(); ++j) {
      Arguments<Tangent> at = arguments<Tangent>(state);
      move(at, j);
      result.col(j) = slope(f(at));
    }
  }

  static Dense calc_dense(dae::Derivative which, dae::StateForm form, const dae::State& state, dae::VectorIn s,
                          int rows, int columns) {
    using E = TwoBodyEquations;
    using D = Tangent;
    using A = Arguments<D>;
    using enum dae::Derivative;
    Dense result = Dense::Zero(rows, columns);
    const auto by_q = [](A& at, int j) {
      Velocities<D> delta = Velocities<D>::Zero();
      delta[j] = D::variable(0, 0);
      at.q = E::retract(at.q, delta);
    };
    const auto tick = [](auto member) { return [member](A& at, int j) { (at.*member)[j].derivative[0] = 1; }; };
    const auto add = [&](const auto& move, const auto& f) { add_columns(state, result, move, f); };
    const auto force = [](const A& at) { return E::force(at); };
    const auto residual = [form](const A& at) { return E::state_residual(form, at); };
    switch (which) {
      case kInertiaByQ:
        add(by_q, [&](const A& at) -> Velocities<D> { return E::mass(at.q) * Velocities<D>(s.cast<D>()); });
        break;
      case kReactionByQ:
        add(by_q,
            [&](const A& at) -> Velocities<D> { return E::jacobian(at.t, at.q).transpose() * Rows<D>(s.cast<D>()); });
        break;
      case kForceByQ: add(by_q, force); break;
      case kForceByV: add(tick(&A::v), force); break;
      case kForceByLambda: add(tick(&A::lambda), force); break;
      case kForceByX: add(tick(&A::x), force); break;
      case kVelocityByQ: add(by_q, [](const A& at) { return E::velocity_residual(at.t, at.q, at.v); }); break;
      case kAccelerationByQ:
        add(by_q, [&](const A& at) -> Rows<D> {
          return E::jacobian(at.t, at.q) * Velocities<D>(s.cast<D>()) - E::bias(at.t, at.q, at.v);
        });
        break;
      case kBiasByV: add(tick(&A::v), [](const A& at) { return E::bias(at.t, at.q, at.v); }); break;
      case kStateByXRate: add(tick(&A::x_rate), residual); break;
      case kStateByX: add(tick(&A::x), residual); break;
      case kStateByQ: add(by_q, residual); break;
      case kStateByV: add(tick(&A::v), residual); break;
      case kStateByA: add(tick(&A::a), residual); break;
      case kStateByLambda: add(tick(&A::lambda), residual); break;
    }
    return result;
  }

  /// Sparse patterns list their first place once more at their end, so that entries have to be added up.
  template <class M>
  static void write(const Eigen::MatrixBase<M>& dense, dae::MatrixValues values) {
    const linalg::Pattern& pattern = values.pattern();
    for (int k = 0; k < pattern.size(); ++k) values[k] = dense(pattern[k].row, pattern[k].column);
    if (pattern.is_full() || pattern.size() == 0) return;
    values[0] -= 0.5;
    values[pattern.size() - 1] = 0.5;
  }

  template <class Calc>
  static linalg::Pattern find_pattern(int rows, int columns, const Calc& calc) {
    Eigen::MatrixXd sizes = Eigen::MatrixXd::Zero(rows, columns);
    for (unsigned seed = 1; seed <= 3; ++seed) sizes += calc(seed).cwiseAbs();
    std::vector<linalg::Entry> entries;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        if (sizes(i, j) > 0) entries.push_back({i, j});
      }
    }
    if (!entries.empty()) entries.push_back(entries.front());
    return {rows, columns, std::move(entries)};
  }

  static dae::Structure make_structure(dae::StateForm form, Places places) {
    using E = TwoBodyEquations;
    dae::Structure s = dae::Structure::full({"one.x", "one.y", "one.z", "one.e0", "one.e1", "one.e2", "one.e3", "slide",
                                             "two.x", "two.y", "two.z", "two.e0", "two.e1", "two.e2", "two.e3"},
                                            {"ball x", "ball y", "ball z", "distance", "rolling"}, {"x0", "x1"},
                                            {"one.wx", "one.wy", "one.wz", "one.x'", "one.y'", "one.z'", "slide'",
                                             "two.x'", "two.y'", "two.z'", "two.wx", "two.wy", "two.wz"});
    s.n_g = 4;
    s.state_form = form;
    s.pattern(dae::Derivative::kForceByLambda) = linalg::Pattern::full(13, 5);
    if (places == Places::kFull) return s;
    const dae::Structure sizes = s;
    const auto at = [&](unsigned seed) { return arguments<double>(random_state(sizes, seed)); };
    s.mass = find_pattern(13, 13, [&](unsigned seed) { return E::mass(at(seed).q); });
    s.jacobian = find_pattern(5, 13, [&](unsigned seed) { return E::jacobian(at(seed).t, at(seed).q); });
    for (int k = 0; k < dae::kDerivativeCount; ++k) {
      const auto which = static_cast<dae::Derivative>(k);
      const int rows = s.pattern(which).rows(), columns = s.pattern(which).columns();
      const linalg::Vector s_v = linalg::Vector::LinSpaced(13, 1, 2), s_m = linalg::Vector::LinSpaced(5, 1, 2);
      s.pattern(which) = find_pattern(rows, columns, [&](unsigned seed) {
        return calc_dense(which, form, random_state(sizes, seed), which == dae::Derivative::kReactionByQ ? s_m : s_v,
                          rows, columns);
      });
    }
    return s;
  }

  std::optional<dae::Derivative> withheld_;
};

}  // namespace trammel::testing
