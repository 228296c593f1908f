#include "trammel/math/dual.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

namespace trammel::math {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Dual1 = Dual<double, 1>;
using Dual2 = Dual<double, 2>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Checks value, first and second derivative of f against the plain function, given derivatives and central
/// differences.
template <class F, class Df, class D2f>
void check_function(const std::string& name, F f, Df df, D2f d2f, std::initializer_list<double> points) {
  const auto slope = [&](const auto& x) { return derivative(f, x); };
  for (const double x : points) {
    SCOPED_TRACE(name + " at " + std::to_string(x));
    const Dual1 y = f(Dual1::variable(x, 0));
    const double d1 = df(x), d2 = d2f(x), h = 1e-5;
    EXPECT_DOUBLE_EQ(y.value, f(x));
    EXPECT_NEAR(y.derivative[0], d1, 4e-15 * (1 + std::abs(d1)));
    EXPECT_NEAR(derivative(slope, x), d2, 2e-14 * (1 + std::abs(d2)));
    EXPECT_NEAR(y.derivative[0], (f(x + h) - f(x - h)) / (2 * h), 1e-8 * (1 + std::abs(d1) + std::abs(d2)));
  }
}

// A function of a number or a dual, by its bare name.
#define TRAMMEL_FUNCTION(expression) [](const auto& x) { return expression; }

TEST(Dual, FunctionsHaveTheirDerivatives) {
  const auto sq = [](double x) { return x * x; };
  check_function("sqrt", TRAMMEL_FUNCTION(sqrt(x)), TRAMMEL_FUNCTION(0.5 / sqrt(x)),
                 TRAMMEL_FUNCTION(-0.25 / (x * sqrt(x))), {0.3, 1.0, 7.0});
  check_function("sin", TRAMMEL_FUNCTION(sin(x)), TRAMMEL_FUNCTION(cos(x)), TRAMMEL_FUNCTION(-sin(x)),
                 {-2.0, 0.0, 0.7});
  check_function("cos", TRAMMEL_FUNCTION(cos(x)), TRAMMEL_FUNCTION(-sin(x)), TRAMMEL_FUNCTION(-cos(x)),
                 {-2.0, 0.0, 0.7});
  check_function(
      "tan", TRAMMEL_FUNCTION(tan(x)), [&](double x) { return 1 / sq(cos(x)); },
      [&](double x) { return 2 * tan(x) / sq(cos(x)); }, {-1.2, 0.0, 0.7});
  check_function("asin", TRAMMEL_FUNCTION(asin(x)), TRAMMEL_FUNCTION(1 / sqrt(1 - x * x)),
                 TRAMMEL_FUNCTION(x / pow(1 - x * x, 1.5)), {-0.9, 0.0, 0.6});
  check_function("acos", TRAMMEL_FUNCTION(acos(x)), TRAMMEL_FUNCTION(-1 / sqrt(1 - x * x)),
                 TRAMMEL_FUNCTION(-x / pow(1 - x * x, 1.5)), {-0.9, 0.0, 0.6});
  check_function("atan", TRAMMEL_FUNCTION(atan(x)), TRAMMEL_FUNCTION(1 / (1 + x * x)),
                 [&](double x) { return -2 * x / sq(1 + x * x); }, {-3.0, 0.0, 0.6});
  check_function("exp", TRAMMEL_FUNCTION(exp(x)), TRAMMEL_FUNCTION(exp(x)), TRAMMEL_FUNCTION(exp(x)), {-3.0, 0.0, 2.0});
  check_function("log", TRAMMEL_FUNCTION(log(x)), TRAMMEL_FUNCTION(1 / x), TRAMMEL_FUNCTION(-1 / (x * x)),
                 {0.2, 1.0, 9.0});
  check_function("sinh", TRAMMEL_FUNCTION(sinh(x)), TRAMMEL_FUNCTION(cosh(x)), TRAMMEL_FUNCTION(sinh(x)),
                 {-2.0, 0.0, 1.0});
  check_function("cosh", TRAMMEL_FUNCTION(cosh(x)), TRAMMEL_FUNCTION(sinh(x)), TRAMMEL_FUNCTION(cosh(x)),
                 {-2.0, 0.0, 1.0});
  check_function(
      "tanh", TRAMMEL_FUNCTION(tanh(x)), [&](double x) { return 1 / sq(cosh(x)); },
      [&](double x) { return -2 * tanh(x) / sq(cosh(x)); }, {-2.0, 0.0, 1.0});
  check_function(
      "abs", TRAMMEL_FUNCTION(abs(x)), [](double x) { return x < 0 ? -1.0 : 1.0; }, [](double) { return 0.0; },
      {-2.0, 0.5});
  check_function("pow(x, 2.5)", TRAMMEL_FUNCTION(pow(x, 2.5)), TRAMMEL_FUNCTION(2.5 * pow(x, 1.5)),
                 TRAMMEL_FUNCTION(3.75 * sqrt(x)), {0.3, 1.0, 2.0});
  check_function("pow(x, 3)", TRAMMEL_FUNCTION(pow(x, 3)), TRAMMEL_FUNCTION(3 * x * x), TRAMMEL_FUNCTION(6 * x),
                 {-2.0, 0.0, 1.5});
  check_function("pow(x, -2)", TRAMMEL_FUNCTION(pow(x, -2)), TRAMMEL_FUNCTION(-2 / (x * x * x)),
                 TRAMMEL_FUNCTION(6 / (x * x * x * x)), {-2.0, 1.5});
  check_function("pow(3, x)", TRAMMEL_FUNCTION(pow(3.0, x)), TRAMMEL_FUNCTION(pow(3.0, x) * log(3.0)),
                 [&](double x) { return pow(3.0, x) * sq(log(3.0)); }, {-1.0, 0.0, 1.5});
  check_function("pow(x, x)", TRAMMEL_FUNCTION(pow(x, x)), TRAMMEL_FUNCTION(pow(x, x) * (1 + log(x))),
                 [&](double x) { return pow(x, x) * (sq(1 + log(x)) + 1 / x); }, {0.5, 1.0, 2.0});
}

#undef TRAMMEL_FUNCTION

TEST(Dual, FunctionsOfTwoArgumentsHaveTheirGradientsAndHessians) {
  for (const Vector2d& v : {Vector2d(1.2, 0.7), Vector2d(-0.4, 2.1), Vector2d(-1.5, -0.3), Vector2d(0.9, -2.0)}) {
    const double x = v[0], y = v[1], r2 = x * x + y * y, r = std::sqrt(r2);
    Matrix2d H;

    const auto angle = [](const auto& u) { return atan2(u[1], u[0]); };
    H << 2 * x * y, y * y - x * x, y * y - x * x, -2 * x * y;
    EXPECT_EQ(value_of(angle(variables(v))), std::atan2(y, x));
    EXPECT_LT((gradient(angle, v) - Vector2d(-y, x) / r2).norm(), 1e-15);
    EXPECT_LT((hessian(angle, v) - H / (r2 * r2)).norm(), 2e-15);

    const auto length = [](const auto& u) { return hypot(u[0], u[1]); };
    H << y * y, -x * y, -x * y, x * x;
    EXPECT_EQ(value_of(length(variables(v))), std::hypot(x, y));
    EXPECT_LT((gradient(length, v) - v / r).norm(), 1e-15);
    EXPECT_LT((hessian(length, v) - H / (r * r2)).norm(), 1e-15);

    const auto quotient = [](const auto& u) { return u[0] * u[0] / u[1]; };
    H << 2 / y, -2 * x / (y * y), -2 * x / (y * y), 2 * x * x / (y * y * y);
    EXPECT_LT((gradient(quotient, v) - Vector2d(2 * x / y, -x * x / (y * y))).norm(), 1e-14);
    EXPECT_LT((hessian(quotient, v) - H).norm(), 2e-14 * H.norm());
  }
}

TEST(Dual, PowerOfTwoVariablesHasItsGradientAndHessian) {
  const Vector2d v(1.7, -0.6);
  const double x = v[0], y = v[1], f = std::pow(x, y), l = std::log(x);
  const auto power = [](const auto& u) { return pow(u[0], u[1]); };
  Matrix2d H;
  H << y * (y - 1) / (x * x), (1 + y * l) / x, (1 + y * l) / x, l * l;
  EXPECT_LT((gradient(power, v) - f * Vector2d(y / x, l)).norm(), 1e-15);
  EXPECT_LT((hessian(power, v) - f * H).norm(), 1e-15);
}

TEST(Dual, ConstantsMixInEveryPosition) {
  const Dual1 x = Dual1::variable(3.0, 0), one(1.0);
  const auto expect = [](const Dual1& y, double value, double slope) {
    EXPECT_DOUBLE_EQ(y.value, value);
    EXPECT_DOUBLE_EQ(y.derivative[0], slope);
  };
  expect(x + 2, 5, 1);
  expect(2.0 + x, 5, 1);
  expect(x - 2u, 1, 1);
  expect(2 - x, -1, -1);
  expect(x * 2.0f, 6, 2);
  expect(2L * x, 6, 2);
  expect(x / 2, 1.5, 0.5);
  expect(2 / x, 2.0 / 3, -2.0 / 9);
  expect(-x, -3, -1);
  expect(+x, 3, 1);
  expect(one / x, 1.0 / 3, -1.0 / 9);
  expect(atan2(x, 4), std::atan2(3, 4), 4.0 / 25);
  expect(atan2(4, x), std::atan2(4, 3), -4.0 / 25);
  expect(hypot(4, x), 5, 0.6);
  expect(min(x, 2), 2, 0);
  expect(min(x, 4), 3, 1);
  expect(max(2.0, x), 3, 1);
  expect(max(x, 4.0), 4, 0);
}

TEST(Dual, CompoundAssignmentsMatchTheOperators) {
  const Vector2d v(1.3, -0.4);
  const auto chained = [](const auto& u) {
    auto y = u[0];
    y += u[1];
    y *= u[0];
    y -= u[1] * 2;
    y /= u[0];
    y += 1;
    y *= 3;
    y -= 0.5;
    y /= 4;
    return y;
  };
  const auto direct = [](const auto& u) { return (((u[0] + u[1]) * u[0] - u[1] * 2) / u[0] * 3 + 2.5) / 4; };
  EXPECT_NEAR(value_of(chained(variables(v))), direct(v), 1e-15);
  EXPECT_LT((gradient(chained, v) - gradient(direct, v)).norm(), 1e-15);
  // By hand: y = (3 (x + z - 2 z / x) + 2.5) / 4.
  EXPECT_LT((gradient(chained, v) - 0.75 * Vector2d(1 + 2 * v[1] / (v[0] * v[0]), 1 - 2 / v[0])).norm(), 1e-15);
}

TEST(Dual, AssignmentsMayUseTheirOwnArgument) {
  Dual1 square = Dual1::variable(3.0, 0), one = square, zero = square, twice = square;
  const Dual1 &same_square = square, &same_one = one, &same_zero = zero, &same_twice = twice;
  square *= same_square;
  one /= same_one;
  zero -= same_zero;
  twice += same_twice;
  EXPECT_EQ(square.value, 9);
  EXPECT_EQ(square.derivative[0], 6);
  EXPECT_EQ(one.value, 1);
  EXPECT_EQ(one.derivative[0], 0);
  EXPECT_TRUE(is_zero(zero));
  EXPECT_EQ(twice.derivative[0], 2);
}

TEST(Dual, ComparisonsLookAtTheValue) {
  const Dual1 x = Dual1::variable(2.0, 0), y(2.0), z(3.0);
  EXPECT_TRUE(x == y);
  EXPECT_TRUE(x == 2);
  EXPECT_TRUE(x != z);
  EXPECT_TRUE(x < z && 1 < x && x > 1.5 && z >= x && x <= 2 && x >= y);
  EXPECT_FALSE(x < y || x > y || x != 2.0);
  const Dual1 undefined = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(undefined < x);
  EXPECT_FALSE(undefined >= x);
  EXPECT_FALSE(undefined == undefined);
  EXPECT_FALSE(isfinite(undefined) || isinf(undefined));
  EXPECT_TRUE(isnan(undefined) && isfinite(x) && isinf(Dual1(kInfinity)));
}

TEST(Dual, CornersHaveTheirDocumentedDerivatives) {
  const Dual1 zero = Dual1::variable(0.0, 0), still(0.0), one = Dual1::variable(1.0, 0);
  EXPECT_EQ(abs(zero).derivative[0], 0);
  EXPECT_EQ(hypot(zero, zero).derivative[0], 0);
  EXPECT_EQ(hypot(zero, 2).derivative[0], 0);
  EXPECT_EQ(min(one, Dual1(1.0)).derivative[0], 1);
  EXPECT_EQ(max(Dual1(1.0), one).derivative[0], 0);

  EXPECT_EQ(sqrt(zero).derivative[0], kInfinity);
  EXPECT_EQ(sqrt(still).derivative[0], 0);
  EXPECT_EQ(sqrt(zero * zero).derivative[0], 0);
  EXPECT_EQ(log(zero).derivative[0], kInfinity);
  EXPECT_EQ(asin(one).derivative[0], kInfinity);
  EXPECT_EQ(acos(Dual1(1.0)).derivative[0], 0);
  EXPECT_TRUE(std::isnan(atan2(zero, zero).derivative[0]));
}

TEST(Dual, PowersOfZeroHaveTheirDocumentedDerivatives) {
  const Dual1 zero = Dual1::variable(0.0, 0);
  const auto check = [&](double exponent, double value, double slope) {
    for (const Dual1& y : {pow(zero, exponent), pow(zero, Dual1(exponent))}) {
      EXPECT_EQ(y.value, value) << "exponent " << exponent;
      EXPECT_EQ(y.derivative[0], slope) << "exponent " << exponent;
    }
  };
  check(0, 1, 0);
  check(0.5, 0, kInfinity);
  check(1, 0, 1);
  check(2, 0, 0);
  check(-1, kInfinity, -kInfinity);
  EXPECT_EQ(pow(0.0, Dual1::variable(2.0, 0)).derivative[0], 0);
  EXPECT_EQ(pow(0.0, Dual1::variable(0.0, 0)).derivative[0], -kInfinity);
  // A negative base takes a constant exponent, but has no derivative by it.
  EXPECT_EQ(pow(Dual1::variable(-2.0, 0), Dual1(3.0)).derivative[0], 12);
  EXPECT_TRUE(std::isnan(pow(-2.0, Dual1::variable(3.0, 0)).derivative[0]));
  // The square at zero has second derivative 2 however it is written.
  const auto slope = [](const auto& x) { return derivative([](const auto& y) { return pow(y, 2); }, x); };
  EXPECT_EQ(derivative(slope, 0.0), 2);
}

TEST(Dual, NestedDualsTakeTheInnerNumbersAsConstants) {
  using Second = Dual<Dual1, 1>;
  const Dual1 inner = Dual1::variable(2.0, 0);
  const Second x = Second::variable(inner, 0);
  const Second y = inner * x * x / (1 + inner) - pow(x, inner) + max(inner, 2 * x);
  // f(x, a) = a x^2 / (1 + a) - x^a + 2 x at x = a = 2; the outer direction moves x, the inner one both.
  EXPECT_DOUBLE_EQ(value_of(y), 8.0 / 3);
  EXPECT_DOUBLE_EQ(y.derivative[0].value, 8.0 / 3 - 4 + 2);
  const double f_xx = 4.0 / 3 - 2, f_xa = 4.0 / 9 - 2 * (1 + 2 * std::log(2.0));
  EXPECT_NEAR(y.derivative[0].derivative[0], f_xx + f_xa, 2e-15);
}

TEST(Dual, ThirdDerivativesComeFromThreeLevels) {
  const auto f = [](const auto& x) { return exp(2 * x) * sin(x); };
  const auto d1 = [&](const auto& x) { return derivative(f, x); };
  const auto d2 = [&](const auto& x) { return derivative(d1, x); };
  // f = Im exp((2 + i) x), so f''' = Im (2 + i)^3 exp((2 + i) x), and (2 + i)^3 = 2 + 11 i.
  EXPECT_NEAR(derivative(d2, 0.3), std::exp(0.6) * (2 * std::sin(0.3) + 11 * std::cos(0.3)), 1e-14);
}

TEST(Dual, EigenProductsDifferentiateLikeTheirEntries) {
  using Matrix = Eigen::Matrix<Dual1, Eigen::Dynamic, Eigen::Dynamic>;
  // A(t) = A + t B, so d/dt A(t)^2 = A B + B A at t = 0. Large enough for Eigen's blocked kernels.
  const int n = 40;
  std::srand(7);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(n, n), B = Eigen::MatrixXd::Random(n, n);
  const Matrix A_t = A.cast<Dual1>() + Dual1::variable(0.0, 0) * B;
  const Matrix square = A_t * A_t;
  const auto rate = [](const auto& m) { return m.unaryExpr([](const Dual1& x) { return x.derivative[0]; }).eval(); };
  EXPECT_LT((rate(square) - (A * B + B * A)).norm(), 1e-12);
  EXPECT_LT((rate(B * A_t.col(0)) - B * B.col(0)).norm(), 1e-13);
  EXPECT_LT((rate(B.lazyProduct(A_t).eval()) - B * B).norm(), 1e-12);
  EXPECT_NEAR((A_t.col(0).dot(A_t.col(1))).derivative[0], A.col(0).dot(B.col(1)) + B.col(0).dot(A.col(1)), 1e-13);
  EXPECT_NEAR(A_t.norm().derivative[0], A.cwiseProduct(B).sum() / A.norm(), 1e-13);
}

TEST(Dual, EigenMixesDualsAndNumbersOfFixedSize) {
  Eigen::Matrix3d A;
  A << 1, 2, 3, 4, 5, 6, 7, 8, 10;
  const Eigen::Vector3d x(1, -2, 0.5);
  EXPECT_EQ(jacobian([&](const auto& u) { return (A * u + 2.0 * u - u / 4).eval(); }, x),
            A + 1.75 * Eigen::Matrix3d::Identity());
  const auto form = [&](const auto& u) { return u.dot(A * u); };
  EXPECT_LT((gradient(form, x) - (A + A.transpose()) * x).norm(), 1e-14);
  EXPECT_EQ(hessian(form, x), A + A.transpose());
}

TEST(Dual, EigenSolvesDifferentiateLikeTheInverse) {
  // x = A^-1 b with A(u) = A + u_0 B and b(u) = b + u_1 c: dx/du_0 = -A^-1 B x, dx/du_1 = A^-1 c.
  const int n = 8;
  std::srand(11);
  const Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, n), S = B + B.transpose();
  const Eigen::MatrixXd A = 10 * Eigen::MatrixXd::Identity(n, n) + S;
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n), c = Eigen::VectorXd::Random(n);
  const auto u = variables(Vector2d::Zero());
  const Eigen::Matrix<Dual2, -1, -1> A_u = A.cast<Dual2>() + u[0] * S;
  const Eigen::Matrix<Dual2, -1, 1> b_u = b.cast<Dual2>() + u[1] * c;

  const Eigen::VectorXd x = A.lu().solve(b);
  const Eigen::VectorXd by_matrix = -A.lu().solve(S * x), by_right_side = A.lu().solve(c);
  const auto check = [&](const char* name, const Eigen::Matrix<Dual2, -1, 1>& x_u) {
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(x_u[i].value, x[i], 1e-15) << name;
      EXPECT_NEAR(x_u[i].derivative[0], by_matrix[i], 1e-15) << name;
      EXPECT_NEAR(x_u[i].derivative[1], by_right_side[i], 1e-15) << name;
    }
  };
  check("partial pivoting", A_u.partialPivLu().solve(b_u));
  check("Cholesky", A_u.llt().solve(b_u));
  check("LDLT", A_u.ldlt().solve(b_u));
  check("QR", A_u.colPivHouseholderQr().solve(b_u));
}

TEST(Dual, EigenReductionsDoNotSeeTheDerivatives) {
  const auto u = variables(Eigen::Vector3d(1, -4, 2));
  EXPECT_EQ(u.maxCoeff().derivative[2], 1);
  EXPECT_EQ(u.cwiseAbs().maxCoeff().value, 4);
  EXPECT_EQ(u.cwiseAbs().maxCoeff().derivative[1], -1);
  EXPECT_EQ(u.sum().derivative[0], 1);
  EXPECT_EQ(u.squaredNorm().derivative[1], -8);
  EXPECT_TRUE(u.allFinite());
}

}  // namespace
}  // namespace trammel::math
