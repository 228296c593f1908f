#include "trammel/math/bracketed_root.h"

#include <gtest/gtest.h>

namespace trammel::math {
namespace {

template <class F>
double solve(F f, double a, double b, int* calls = nullptr) {
  int count = 0;
  const auto counted = [&](double x) {
    ++count;
    return f(x);
  };
  const double root = find_bracketed_root(counted, a, f(a), b, f(b), 1e-14);
  if (calls) *calls = count;
  return root;
}

TEST(BracketedRoot, FindsRootsOfSmoothFunctionsQuickly) {
  int calls = 0;
  EXPECT_NEAR(solve([](double x) { return std::cos(x) - x; }, 0, 1, &calls), 0.7390851332151607, 1e-14);
  EXPECT_LT(calls, 12);
  EXPECT_NEAR(solve([](double x) { return x * x * x - 2; }, -3, 5), std::cbrt(2.0), 1e-13);
}

TEST(BracketedRoot, StaysInsideForJumpsAndFlatFunctions) {
  EXPECT_NEAR(solve([](double x) { return x < 0.3 ? -1.0 : 1.0; }, 0, 1), 0.3, 1e-12);
  EXPECT_NEAR(solve([](double x) { return std::pow(x - 0.7, 9); }, 0, 1), 0.7, 1e-2);
}

TEST(BracketedRoot, TakesARootAtAnEnd) {
  EXPECT_EQ(solve([](double x) { return x; }, 0, 1), 0);
  EXPECT_EQ(solve([](double x) { return x - 1; }, 0, 1), 1);
}

}  // namespace
}  // namespace trammel::math
