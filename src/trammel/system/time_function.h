#pragma once

// A function of time that drives a constraint, with the derivatives that the constraint needs.
//
// A motion may be given by its rate or by its second derivative. It is then integrated beforehand, so that the
// constraint acts on positions whatever the user gave: from the start to the end of the simulation on a grid that
// resolves the integrand, with grid points on its corners and jumps, and from the last grid point on when it is asked
// for.

#include <vector>

#include "trammel/math/sign_changes.h"
#include "trammel/model/expression/expression.h"

namespace trammel::system {

struct TimeValue {
  double value = 0;   ///< f
  double first = 0;   ///< f'
  double second = 0;  ///< f''
};

/// Where a program whose inputs are time only changes its sign in (from, to].
std::vector<math::SignChange> find_sign_changes(const model::expression::Program& program, double from, double to);

class TimeFunction {
 public:
  /// f is the program; its inputs are time only.
  static TimeFunction of(model::expression::Program program);
  /// f' is the program, and f = 0 at t_0; the grid ends at t_1. By adaptive quadrature, to about 1e-12.
  static TimeFunction integral_of(model::expression::Program program, double t_0, double t_1);
  /// f'' is the program, f = 0 and f' = rate_0 at t_0.
  static TimeFunction double_integral_of(model::expression::Program program, double t_0, double t_1, double rate_0);

  TimeValue calc(double t) const;

  bool has_edges() const { return !program_.switches().empty(); }
  /// Where f or a derivative up to `order` may jump in (from, to].
  std::vector<math::SignChange> find_edges(double from, double to, int order) const;

 private:
  /// The integrals of the program, and of (t - s) times the program, over s.
  struct Integrals {
    double plain = 0;
    double moment = 0;
  };
  /// What has come together from the start to a grid point.
  struct GridPoint {
    double t = 0;
    double first = 0;   // integral of the program
    double second = 0;  // integral of that
  };

  template <class T>
  T eval(const T& t) const;
  void build_grid(double t_0, double t_1);
  /// The grid point reached from another one.
  GridPoint advance(const GridPoint& from, double t) const;
  /// `mean` is the size of the integrand over the whole way, `before` the error of the interval that was bisected.
  Integrals integrate(double from, double to, double t, double mean, double before, int depth) const;

  model::expression::Program program_;
  int integrations_ = 0;         // of the program, until it is f
  std::vector<GridPoint> grid_;  // by time
};

}  // namespace trammel::system
