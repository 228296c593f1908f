// A program outside of Trammel that brings its own equations: a pendulum, integrated over one period.

#include <trammel/trammel.h>

#include <cmath>
#include <cstdio>

using namespace trammel;

class Pendulum final : public dae::ConstrainedSystem {
 public:
  Pendulum() : ConstrainedSystem(dae::Structure::full({"x", "y"}, {"rod"})) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const dae::Point&, dae::VectorOut f) const override { f[1] = -9.81; }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override { g[0] = (at.q.squaredNorm() - 1) / 2; }
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override { G.dense() = at.q.transpose(); }
};

int main() {
  const Pendulum pendulum;
  dae::State start = dae::State::zero(pendulum.structure());
  start.q << 1, 0;
  const double period = 4 * std::comp_ellint_1(std::sqrt(0.5)) / std::sqrt(9.81);
  const auto result = integrators::integrate(pendulum, start, period, integrators::Options::with_tolerance(1e-10));
  std::printf("%s", result.brief_report().c_str());
  return result.ok() && (result.state.q - start.q).norm() < 1e-7 ? 0 : 1;
}
