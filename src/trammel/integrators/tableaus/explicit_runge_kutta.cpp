#include "trammel/integrators/tableaus/explicit_runge_kutta.h"

#include <array>

namespace trammel::integrators {
namespace {

// clang-format off
constexpr std::array<double, 49> kA{
    0, 0, 0, 0, 0, 0, 0,
    1.0 / 5, 0, 0, 0, 0, 0, 0,
    3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0,
    44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0,
    9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0,
    35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
};
constexpr std::array<double, 7> kB{35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
constexpr std::array<double, 7> kC{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr std::array<double, 7> kE{71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// Weights of the bump theta^2 (1 - theta)^2 that lifts the Hermite cubic to order 4.
constexpr std::array<double, 7> kBump{-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799,
                                      -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
                                      -1453857185.0 / 822651844, 69997945.0 / 29380423};
// The same where stages are half-explicit: the member of the family kBump + gamma kE that (9) of docs/theory/herk.md
// leaves.
constexpr std::array<double, 7> kHalfExplicitBump{-145.0 / 128,    0,          1000.0 / 371, -375.0 / 64,
                                                  25515.0 / 6784, -55.0 / 28, 5.0 / 2};
// clang-format on

/// b_i(theta) = b_i theta^2 (3 - 2 theta) + [i = 1] theta (theta - 1)^2 + [i = 7] theta^2 (theta - 1)
///              + bump_i theta^2 (1 - theta)^2.
constexpr std::array<double, 28> make_dense(const std::array<double, 7>& bump) {
  std::array<double, 28> dense{};
  for (std::size_t i = 0; i < 7; ++i) {
    double* p = dense.data() + 4 * i;  // of theta, theta^2, theta^3, theta^4
    p[1] = 3 * kB[i] + bump[i];
    p[2] = -2 * kB[i] - 2 * bump[i];
    p[3] = bump[i];
  }
  dense[0] += 1;
  dense[1] -= 2;
  dense[2] += 1;
  dense[4 * 6 + 1] -= 1;
  dense[4 * 6 + 2] += 1;
  return dense;
}
constexpr std::array<double, 28> kDense = make_dense(kBump);
constexpr std::array<double, 28> kHalfExplicitDense = make_dense(kHalfExplicitBump);

constexpr ExplicitRungeKutta kDormandPrince5{7, 5, 4, 4, 4, kA, kB, kC, kE, kDense, true};
constexpr ExplicitRungeKutta kHalfExplicitDormandPrince5{7, 5, 4, 4, 4, kA, kB, kC, kE, kHalfExplicitDense, true};

}  // namespace

const ExplicitRungeKutta& dormand_prince_5() { return kDormandPrince5; }
const ExplicitRungeKutta& half_explicit_dormand_prince_5() { return kHalfExplicitDormandPrince5; }

}  // namespace trammel::integrators
