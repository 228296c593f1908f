#include "bench/peers/problem.h"

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/text_case.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/integrators/integrate.h"

namespace trammel::bench {
namespace {

// From reference/andrews.json, best_t003: two formulations in extended precision that agree to 7e-16 in q. (The
// published solution is off by 1.1e-9 in beta.)
constexpr std::array kAndrews{15.8107711951537071, -15.7563710584118395, 0.0408222401196458, -0.5347301163420796,
                              0.5244099658799541,  0.5347301163420796,   1.0480807410419379};

// From reference/chain-10.json at t = 1, two integrators that agree to 4e-15: the tip, then the angles of the rods.
constexpr std::array kChainTip{7.5272290155603557, -4.9062623197150037};
constexpr std::array kChainAngles{-1.087705614017810, -1.039416757891249, -1.012381606593379, -0.914757097305116,
                                  -0.847944974202100, -0.626271682083096, -0.303802943893307, 0.138614456089625,
                                  -0.019768391362433, -0.001281571594981};
constexpr double kRodLength = 1;

double calc_andrews_error(const linalg::Vector& q) {
  return linalg::largest_abs(q - Eigen::Map<const linalg::Vector>(kAndrews.data(), kAndrews.size()));
}

double calc_chain_error(const linalg::Vector& q) {
  double error = 0;
  for (std::size_t i = 0; i < kChainAngles.size(); ++i) {
    error = std::max(error, std::abs(q[static_cast<Eigen::Index>(3 * i + 2)] - kChainAngles[i]));
  }
  const auto last = q.tail<3>();
  const double x = last[0] + kRodLength / 2 * std::cos(last[2]), y = last[1] + kRodLength / 2 * std::sin(last[2]);
  return std::max({error, std::abs(x - kChainTip[0]), std::abs(y - kChainTip[1])});
}

/// The largest distance of bodies from where they should be; q holds 3 coordinates a body in the plane, 7 in space.
double calc_distance(const linalg::Vector& q, const linalg::Vector& reference, bool is_planar) {
  double error = 0;
  for (Eigen::Index k = 0; k < q.size(); k += is_planar ? 3 : 7) {
    error = std::max(error, (q - reference).segment(k, is_planar ? 2 : 3).norm());
  }
  return error;
}

/// The angle of the cranks from the vertical, of theta'' = k sin(theta) with theta = 0, theta' = 1 at the start (see
/// the case): the classical Runge-Kutta method with steps so small that rounding is all that is left.
double calc_four_bar_angle(int loops, double t_end) {
  constexpr int kSteps = 20'000;
  const double k = 9.81 * 3 * (3 * loops + 1) / (2.0 * (4 * loops + 1)), h = t_end / kSteps;
  double theta = 0, w = 1;
  for (int i = 0; i < kSteps; ++i) {
    const double a_1 = k * std::sin(theta), w_2 = w + h / 2 * a_1;
    const double a_2 = k * std::sin(theta + h / 2 * w), w_3 = w + h / 2 * a_2;
    const double a_3 = k * std::sin(theta + h / 2 * w_2), w_4 = w + h * a_3;
    const double a_4 = k * std::sin(theta + h * w_3);
    theta += h / 6 * (w + 2 * w_2 + 2 * w_3 + w_4);
    w += h / 6 * (a_1 + 2 * a_2 + 2 * a_3 + a_4);
  }
  return theta;
}

}  // namespace

Problem make_andrews() { return {"", build_case(*cases::find_case("andrews")), {}, calc_andrews_error}; }

Problem make_chain_10() { return {"", build_case(*cases::find_case("chain"), {{"n", 10}}), {}, calc_chain_error}; }

Problem make_rods(const RodTree& rods) {
  const bool is_large = rods.size() >= 1000;
  cases::Case setup = compile_text("rods", rods.write_model());
  setup.t_end = is_large ? 0.2 : 0.5;
  const auto joint = analyses::make_joint_form(setup.mechanism, setup.start);
  // Simbody converges to the same positions: its errors show it.
  auto options = integrators::Options::with_tolerance(1e-12);
  options.method = "mexx";
  const integrators::RunResult run = integrate(*setup.system, setup.start, setup.t_end, options);
  if (!run.ok()) throw std::runtime_error(run.reason);
  return {"",
          setup,
          rods,
          [reference = run.state.q, is_planar = rods.is_planar](const linalg::Vector& q) {
            return calc_distance(q, reference, is_planar);
          },
          joint,
          is_large ? 9 : 11};
}

Problem make_four_bars() {
  constexpr int kLoops = 40;
  cases::Case setup = build_case(*cases::find_case("four-bar"), {{"n", kLoops}});
  setup.t_end = 0.5;
  const double crank = std::numbers::pi / 2 - calc_four_bar_angle(kLoops, setup.t_end);
  const auto calc_error = [crank](const linalg::Vector& q) {
    double error = 0;
    for (int k = 0; k < 2 * kLoops + 1; ++k) {
      error = std::max(error, std::abs(q[3 * k + 2] - (k <= kLoops ? crank : 0)));
    }
    return error;
  };
  return {"", setup, {}, calc_error, analyses::make_joint_form(setup.mechanism, setup.start)};
}

}  // namespace trammel::bench
