// Polynomials by their values at Chebyshev-Lobatto nodes.

#include "trammel/math/lobatto.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace trammel::math {
namespace {

double interpolate(int degree, double s, double (*function)(double)) {
  std::vector<double> shares(static_cast<std::size_t>(degree) + 1);
  calc_lobatto_shares(degree, s, shares);
  double value = 0;
  for (int j = 0; j <= degree; ++j) value += shares[static_cast<std::size_t>(j)] * function(lobatto_node(degree, j));
  return value;
}

TEST(Lobatto, NodesAscendFromEndToEnd) {
  for (int n : {1, 2, 5, 20}) {
    EXPECT_EQ(lobatto_node(n, 0), 0);
    EXPECT_EQ(lobatto_node(n, n), 1);
    for (int j = 0; j < n; ++j) {
      EXPECT_LT(lobatto_node(n, j), lobatto_node(n, j + 1));
      EXPECT_NEAR(lobatto_node(n, j) + lobatto_node(n, n - j), 1, 1e-15);
    }
  }
}

TEST(Lobatto, PolynomialsUpToTheDegreeAreReproduced) {
  const auto power = [](double s) { return ((2 * s - 3) * s + 0.5) * s * s - 1; };  // of degree 4
  for (double s = 0; s <= 1; s += 1.0 / 64) {
    for (int n : {4, 5, 12}) EXPECT_NEAR(interpolate(n, s, power), power(s), 1e-14);
  }
  EXPECT_GT(std::abs(interpolate(3, 0.3, power) - power(0.3)), 1e-3);
}

TEST(Lobatto, AtNodesTheValueItselfIsGiven) {
  for (int j = 0; j <= 7; ++j) {
    const double s = lobatto_node(7, j);
    EXPECT_EQ(interpolate(7, s, [](double x) { return std::exp(x); }), std::exp(s));
  }
  EXPECT_EQ(interpolate(0, 0.4, [](double) { return 3.0; }), 3.0);
}

TEST(Lobatto, SmoothFunctionsConvergeFast) {
  const auto wave = [](double s) { return std::sin(5 * s); };
  EXPECT_NEAR(interpolate(10, 0.37, wave), wave(0.37), 1e-6);
  EXPECT_NEAR(interpolate(20, 0.37, wave), wave(0.37), 1e-14);
}

}  // namespace
}  // namespace trammel::math
