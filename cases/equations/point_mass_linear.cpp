// A unit point mass on the unit circle, under unit gravity and a stiff linear force towards the lowest point:
//   f = (-x / eps^p, -(y + 1) / eps^2 - 1),
// p = 1 in variant 1 (the powers of the report) and p = 2 in variant 2 (which has the frequency 1/eps that the report's
// text speaks of). The report prints the force with the sign that drives the mass away; this one restores.

#include "cases/point_on_circle.h"

namespace trammel::cases {
namespace {

struct LinearForce {
  double stiffness_x, stiffness_y;

  Eigen::Vector2d calc_force(const Eigen::Vector2d& q) const {
    return {-stiffness_x * q.x(), -stiffness_y * (q.y() + 1) - 1};
  }
  Eigen::Matrix2d calc_stiffness(const Eigen::Vector2d&) const {
    return Eigen::Vector2d(stiffness_x, stiffness_y).asDiagonal();
  }
  double calc_potential(const Eigen::Vector2d& q) const {
    return 0.5 * (stiffness_x * q.x() * q.x() + stiffness_y * (q.y() + 1) * (q.y() + 1)) + q.y();
  }
};

Case build(const ParameterValues& p) {
  const double eps = p.at("eps"), strong = 1 / (eps * eps);
  return make_point_on_circle(LinearForce{p.at("variant") == 1 ? 1 / eps : strong, strong}, 0, 1, 0.25);
}

}  // namespace

extern const CaseEntry point_mass_linear_entry;
const CaseEntry point_mass_linear_entry{
    "point-mass-linear",
    "a point mass on a circle under a stiff linear force",
    "Yen, Petzold 1996, section 5.1",
    {{"eps", 1e-3, "the smaller, the stiffer", 1e-8, 1},
     {"variant", 1, "stiffness along x: 1 = 1/eps as printed, 2 = 1/eps^2", 1, 2, true}},
    build};

}  // namespace trammel::cases
