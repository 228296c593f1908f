#pragma once

// A made-up system that has everything the interface knows: a mass matrix that depends on the position, a holonomic
// constraint that depends on time, a nonholonomic one, forces that depend on time, multipliers and extra states, and
// extra states of explicit or implicit form. All derivatives are polynomials, so nothing vanishes at a general point.
//
//   M = [2 + b^2, b, 0;  b, 3, a c;  0, a c, 4]
//   surface: 0 = a^2 + b c - t^2            rolling: 0 = b a' + b' + a c' + t c
//   f = (-a b + u a',  b'^2 - c lambda_1,  -c'^3 + a w + b lambda_2 + t)
//   0 = k u' - a u + b' c'',   0 = w' + u lambda_2 - c'^2 + t,   k = 1 (explicit) or 1 + w^2 (implicit)

#include "trammel/dae/constrained_system.h"

namespace trammel::dae {

class GeneralSystem : public ConstrainedSystem {
 public:
  explicit GeneralSystem(StateForm form = StateForm::kExplicit) : GeneralSystem(make_structure(form)) {}
  explicit GeneralSystem(Structure structure) : ConstrainedSystem(std::move(structure)) {}

  static Structure make_structure(StateForm form = StateForm::kExplicit) {
    Structure s = Structure::full({"a", "b", "c"}, {"surface", "rolling"}, {"u", "w"});
    s.n_g = 1;
    s.state_form = form;
    s.pattern(Derivative::kForceByLambda) = linalg::Pattern::full(3, 2);
    return s;
  }

  /// A state without special values.
  State general_state() const {
    State s = State::zero(structure());
    s.t = 0.7;
    s.q << 0.6, -1.3, 2.1;
    s.v << 1.4, -0.8, 0.9;
    s.a << -2.2, 0.5, 1.7;
    s.lambda << 1.9, -3.1;
    s.x << 0.4, -1.2;
    s.x_rate << 2.3, 0.3;
    return s;
  }

  void calc_mass(const Point& at, MatrixValues M) const override {
    const double a = at.q[0], b = at.q[1], c = at.q[2];
    M.dense() << 2 + b * b, b, 0, b, 3, a * c, 0, a * c, 4;
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    g[0] = at.q[0] * at.q[0] + at.q[1] * at.q[2] - at.t * at.t;
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    const double a = at.q[0], b = at.q[1], c = at.q[2];
    set(G, 0, 0, 2 * a), set(G, 0, 1, c), set(G, 0, 2, b);
    set(G, 1, 0, b), set(G, 1, 1, 1), set(G, 1, 2, a);
  }
  void calc_velocity_offset(const Point& at, VectorOut g_t) const override { g_t << -2 * at.t, at.t * at.q[2]; }
  void calc_force(const Point& at, VectorOut f) const override {
    f << -at.q[0] * at.q[1] + at.x[0] * at.v[0], at.v[1] * at.v[1] - at.q[2] * at.lambda[0],
        -at.v[2] * at.v[2] * at.v[2] + at.q[0] * at.x[1] + at.q[1] * at.lambda[1] + at.t;
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    bias << -2 * at.v[0] * at.v[0] - 2 * at.v[1] * at.v[2] + 2,
        -at.v[0] * at.v[1] - at.v[0] * at.v[2] - at.q[2] - at.t * at.v[2];
    return true;
  }
  void calc_state_rate(const Point& at, VectorOut rate) const override {
    rate << at.q[0] * at.x[0] - at.v[1] * at.a[2], -at.x[0] * at.lambda[1] + at.v[2] * at.v[2] - at.t;
  }
  void calc_state_residual(const Point& at, VectorOut d) const override {
    calc_state_rate(at, d);
    d[0] = lead(at) * at.x_rate[0] - d[0];
    d[1] = at.x_rate[1] - d[1];
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    const double a = at.q[0], b = at.q[1], c = at.q[2], u = at.x[0];
    const auto put = [&](int row, int column, double value) { set(values, row, column, value); };
    switch (which) {
      case Derivative::kInertiaByQ:
        put(0, 1, 2 * b * s[0] + s[1]), put(1, 0, c * s[2]), put(1, 1, s[0]), put(1, 2, a * s[2]);
        put(2, 0, c * s[1]), put(2, 2, a * s[1]);
        return true;
      case Derivative::kReactionByQ:
        put(0, 0, 2 * s[0]), put(0, 1, s[1]), put(1, 2, s[0]), put(2, 0, s[1]), put(2, 1, s[0]);
        return true;
      case Derivative::kForceByQ:
        put(0, 0, -b), put(0, 1, -a), put(1, 2, -at.lambda[0]), put(2, 0, at.x[1]), put(2, 1, at.lambda[1]);
        return true;
      case Derivative::kForceByV: put(0, 0, u), put(1, 1, 2 * at.v[1]), put(2, 2, -3 * at.v[2] * at.v[2]); return true;
      case Derivative::kForceByLambda: put(1, 0, -c), put(2, 1, b); return true;
      case Derivative::kForceByX: put(0, 0, at.v[0]), put(2, 1, a); return true;
      case Derivative::kVelocityByQ:
        put(0, 0, 2 * at.v[0]), put(0, 1, at.v[2]), put(0, 2, at.v[1]);
        put(1, 0, at.v[2]), put(1, 1, at.v[0]), put(1, 2, at.t);
        return true;
      case Derivative::kAccelerationByQ:
        put(0, 0, 2 * s[0]), put(0, 1, s[2]), put(0, 2, s[1]), put(1, 0, s[2]), put(1, 1, s[0]), put(1, 2, 1);
        return true;
      case Derivative::kBiasByV:
        put(0, 0, -4 * at.v[0]), put(0, 1, -2 * at.v[2]), put(0, 2, -2 * at.v[1]);
        put(1, 0, -at.v[1] - at.v[2]), put(1, 1, -at.v[0]), put(1, 2, -at.v[0] - at.t);
        return true;
      case Derivative::kStateByXRate: put(0, 0, lead(at)), put(1, 1, 1); return true;
      case Derivative::kStateByX:
        put(0, 0, -a), put(1, 0, at.lambda[1]);
        if (is_implicit()) put(0, 1, 2 * at.x[1] * at.x_rate[0]);
        return true;
      case Derivative::kStateByQ: put(0, 0, -u); return true;
      case Derivative::kStateByV: put(0, 1, at.a[2]), put(1, 2, -2 * at.v[2]); return true;
      case Derivative::kStateByA: put(0, 2, at.v[1]); return true;
      case Derivative::kStateByLambda: put(1, 1, u); return true;
    }
    return false;
  }

 protected:
  /// Writes an entry if the pattern has its place.
  static void set(MatrixValues values, int row, int column, double value) {
    for (int k = 0; k < values.pattern().size(); ++k) {
      if (values.pattern()[k].row == row && values.pattern()[k].column == column) values[k] = value;
    }
  }

 private:
  bool is_implicit() const { return structure().state_form == StateForm::kImplicit; }
  double lead(const Point& at) const { return is_implicit() ? 1 + at.x[1] * at.x[1] : 1; }
};

}  // namespace trammel::dae
