#include "bench/peers/problem.h"

#include <array>
#include <cmath>

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

}  // namespace

Problem make_andrews() { return {"andrews", build_case(*cases::find_case("andrews")), calc_andrews_error}; }

Problem make_chain_10() { return {"chain-10", build_case(*cases::find_case("chain"), {{"n", 10}}), calc_chain_error}; }

}  // namespace trammel::bench
