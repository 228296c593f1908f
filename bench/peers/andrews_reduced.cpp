#include "bench/peers/andrews_reduced.h"

#include <cmath>

namespace trammel::bench {
namespace {

struct Vec2 {
  double x, y;
};
constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
constexpr double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
/// A quarter turn to the left.
constexpr Vec2 turned(Vec2 a) { return {-a.y, a.x}; }

// Data as in cases/equations/andrews.cpp: ground points [m], lengths of the loop vectors p1 to p7 [m].
constexpr Vec2 kA{-.06934, -.00227}, kB{-.03635, .03273}, kC{.014, .072};
constexpr double kL1 = .007, kL2 = .028, kL3 = .035, kShort = .02, kLong = .04;  // p4, p6 are short; p5, p7 long
constexpr double kSpringX = .02, kSpringY = -.018;                               // end of the spring on link 3, from B
constexpr double kStiffness = 4530, kFreeLength = .07785, kTorque = .033;

// Coefficients of w_k^2 and of 2 (p_i . p_j) w_i w_j in m; .00579 is the distance from pin to centre of links 4, 6.
constexpr double square(double x) { return x * x; }
constexpr double kArm = .02 - .01421;
constexpr double kJ1 = .04325 * square(.00092) + 2.194e-6 + .00365 * square(kL1);
constexpr double kJ2 = .00365 * square(.0115) + 4.410e-7;
constexpr double kJ3 = .02373 * (square(.01874) + square(.01043)) + 5.255e-6;
constexpr double kJ4 = .00706 * square(kArm) + 5.667e-7;
constexpr double kJ5 = .00706 * square(kLong) + .07050 * (square(.02308) + square(.00916)) + 1.169e-5;
constexpr double kJ6 = kJ4;
constexpr double kJ7 = .00706 * square(kLong) + .05498 * (square(.01228) + square(.00449)) + 1.912e-5;
constexpr double kC12 = .00365 * .0115 / kL2, kC45 = .00706 * kArm / kShort, kC67 = kC45;

struct Links {
  Vec2 p1, p2, p3, p4, p5, p6, p7;
};

/// The side of length b of the triangle b + c = span, as its parts along and to the left of the span.
struct Side {
  Side(Vec2 span, double b, double c) {
    const double inverse = 1 / dot(span, span);
    const double share = 0.5 + 0.5 * (b * b - c * c) * inverse;
    along = share * span;
    left = std::sqrt(b * b * inverse - share * share) * turned(span);
  }
  Vec2 along, left;
};

Links close_loops(double beta) {
  Links l;
  l.p1 = {kL1 * std::cos(beta), kL1 * std::sin(beta)};
  const Vec2 to_B = kB - l.p1;
  const Side second(to_B, kL2, kL3);
  l.p2 = second.along + second.left;
  l.p3 = to_B - l.p2;
  const Vec2 to_A = kA - l.p1 - l.p2;
  const Side outer(to_A, kShort, kLong);
  l.p4 = outer.along - outer.left;
  l.p5 = to_A - l.p4;
  l.p6 = outer.along + outer.left;
  l.p7 = to_A - l.p6;
  return l;
}

/// Of two links: w, or dw/dbeta.
struct Rates {
  double x, y;
};

/// a x + b y = r.
Rates solve(Vec2 a, Vec2 b, Vec2 r) {
  const double inverse = 1 / cross(a, b);
  return {cross(r, b) * inverse, cross(a, r) * inverse};
}

/// Contributions to m and (dm/dbeta)/2.
struct Inertia {
  double m = 0, half_slope = 0;

  void add_link(double J, double w, double dw) {
    m += J * w * w;
    half_slope += J * w * dw;
  }
  /// Links i, j that are coupled by c (p_i . p_j).
  void add_coupling(double c, Vec2 pi, Vec2 pj, Rates w, Rates dw) {
    const double product = c * dot(pi, pj), ww = w.x * w.y;
    m += 2 * product * ww;
    half_slope += product * (dw.x * w.y + w.x * dw.y) + c * cross(pi, pj) * (w.x - w.y) * ww;
  }
};

}  // namespace

double calc_reduced_acceleration(double beta, double beta_rate) {
  const auto [p1, p2, p3, p4, p5, p6, p7] = close_loops(beta);
  const auto centripetal = [](Rates w, Vec2 a, Vec2 b) { return square(w.x) * a + square(w.y) * b; };
  const Rates w23 = solve(p2, p3, -1 * p1);
  const Rates dw23 = solve(p2, p3, -1 * turned(p1 + centripetal(w23, p2, p3)));
  const Vec2 rate = w23.y * p3, bend = dw23.y * p3 + square(w23.y) * turned(p3);
  const Rates w45 = solve(p4, p5, rate), w67 = solve(p6, p7, rate);
  const Rates dw45 = solve(p4, p5, bend - turned(centripetal(w45, p4, p5)));
  const Rates dw67 = solve(p6, p7, bend - turned(centripetal(w67, p6, p7)));

  Inertia inertia;
  inertia.add_link(kJ1, 1, 0);
  inertia.add_link(kJ2, w23.x, dw23.x);
  inertia.add_link(kJ3, w23.y, dw23.y);
  inertia.add_link(kJ4, w45.x, dw45.x);
  inertia.add_link(kJ5, w45.y, dw45.y);
  inertia.add_link(kJ6, w67.x, dw67.x);
  inertia.add_link(kJ7, w67.y, dw67.y);
  inertia.add_coupling(kC12, p1, p2, {1, w23.x}, {0, dw23.x});
  inertia.add_coupling(kC45, p4, p5, w45, dw45);
  inertia.add_coupling(kC67, p6, p7, w67, dw67);

  // Link 3 has the direction (cos, sin) of its angle = -turned(p3) / L3.
  const Vec2 direction = (-1 / kL3) * turned(p3);
  const Vec2 arm = kSpringX * direction + kSpringY * turned(direction);
  const Vec2 spring = kB + arm - kC;
  const double torque = -kStiffness * (1 - kFreeLength / std::sqrt(dot(spring, spring))) * cross(arm, spring);
  return (kTorque + torque * w23.y - inertia.half_slope * square(beta_rate)) / inertia.m;
}

linalg::Vector calc_reduced_position(double beta) {
  const Links l = close_loops(beta);
  const auto along = [](Vec2 p) { return std::atan2(-p.y, -p.x); };  // links whose p is -L (cos, sin)
  const auto across = [](Vec2 p) { return std::atan2(-p.x, p.y); };  // links whose p is L (-sin, cos)
  const double delta = along(l.p5), epsilon = across(l.p7);
  linalg::Vector q(7);
  q << beta, along(l.p2) - beta, across(l.p3), across(l.p4) - delta, delta, along(l.p6) - epsilon, epsilon;
  return q;
}

}  // namespace trammel::bench
