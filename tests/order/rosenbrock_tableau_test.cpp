// The Rosenbrock formula satisfies its order conditions, at the end and inside of the step, is L-stable, agrees with
// the printed coefficients, and in its second-order form is the formula of the thesis.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "tests/order/fit_order.h"
#include "tests/order/rooted_trees.h"
#include "trammel/integrators/tableaus/explicit_runge_kutta.h"
#include "trammel/integrators/tableaus/rosenbrock.h"

namespace trammel::integrators {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector4d;
using Eigen::VectorXd;
using testing::calc_violation;
using testing::fit_order;
using testing::make_rooted_trees;

Vector4d map(const std::array<double, 4>& x) { return Eigen::Map<const Vector4d>(x.data()); }

Matrix4d map(const std::array<std::array<double, 4>, 4>& X) {
  Matrix4d M;
  for (int i = 0; i < 4; ++i) M.row(i) = map(X[static_cast<std::size_t>(i)]);
  return M;
}

Vector4d calc_powers(double theta) { return {theta, theta * theta, std::pow(theta, 3), std::pow(theta, 4)}; }

/// The formula with products by J that the coefficients come from, found from w, c and s.
struct ProductForm {
  explicit ProductForm(const Rosenbrock& f)
      : E((Matrix4d::Identity() / f.gamma - map(f.c)).inverse()),
        A(map(f.w) * E),
        B(A + E),
        b(E.transpose() * map(f.s)),
        error(E.transpose() * map(f.error)) {}

  Matrix4d E, A, B;
  Vector4d b, error;
};

TEST(RosenbrockTableau, SatisfiesItsOrderConditions) {
  const Rosenbrock& f = rosenbrock4();
  const ProductForm r(f);
  const auto trees = make_rooted_trees(r.A, r.B, 5);
  EXPECT_LT(calc_violation(trees, r.b, f.order), 4e-15);
  EXPECT_GT(calc_violation(trees, r.b, f.order + 1), 1e-3) << "of no higher order";
  EXPECT_LT(calc_violation(trees, r.b - r.error, f.embedded_order), 4e-15);
  EXPECT_GT(calc_violation(trees, r.b - r.error, f.embedded_order + 1), 1e-3) << "of no higher order";
}

TEST(RosenbrockTableau, IsOfOrderThreeInsideOfTheStep) {
  const Rosenbrock& f = rosenbrock4();
  const ProductForm r(f);
  // V / gamma is a fifth stage, k_5 = h F_0 + c J (k_1 + k_5).
  MatrixXd A = MatrixXd::Zero(5, 5), B = MatrixXd::Zero(5, 5);
  A.topLeftCorner(4, 4) = r.A;
  B.topLeftCorner(4, 4) = r.B;
  B(4, 0) = B(4, 4) = f.gamma;
  const auto trees = make_rooted_trees(A, B, 4);
  const VectorXd tall = B * (B * (B * VectorXd::Ones(5)));
  EXPECT_NEAR(tall[4], 4 * std::pow(f.gamma, 3), 1e-15);
  for (const double theta : {0.0, 0.1, 0.37, 0.5, 0.8, 0.99, 1.0}) {
    VectorXd weights(5);
    weights << r.E.transpose() * (map(f.dense) * calc_powers(theta)).eval(),
        f.gamma * map(f.dense_v).dot(calc_powers(theta));
    EXPECT_LT(calc_violation(trees, weights, f.dense_order, theta), 1e-14) << "at theta = " << theta;
    EXPECT_NEAR(weights.dot(tall), std::pow(theta, 4) / 24, 1e-14) << "at theta = " << theta;
  }
  const VectorXd middle = map(f.dense) * calc_powers(0.25);
  EXPECT_GT(calc_violation(make_rooted_trees(r.A, r.B, 3), r.E.transpose() * middle, f.dense_order, 0.25), 1e-2)
      << "V is needed";
  EXPECT_LT((map(f.dense).rowwise().sum() - map(f.s)).cwiseAbs().maxCoeff(), 2e-14) << "meets y_1";
  EXPECT_LT(std::abs(map(f.dense_v).sum()), 2e-14) << "meets y_1";
}

// Why V stands in the continuous extension.
TEST(RosenbrockTableau, HasNoExtensionOfOrderThreeFromItsStagesAlone) {
  const ProductForm r(rosenbrock4());
  const auto trees = make_rooted_trees(r.A, r.B, 3);
  ASSERT_EQ(trees.size(), 4u);
  Matrix4d conditions;
  Vector4d right;
  for (int k = 0; k < 4; ++k) {
    conditions.row(k) = trees[static_cast<std::size_t>(k)].weights;
    right[k] = std::pow(0.3, trees[static_cast<std::size_t>(k)].order) / trees[static_cast<std::size_t>(k)].density;
  }
  Eigen::FullPivLU<Matrix4d> lu(conditions);
  lu.setThreshold(1e-12);
  EXPECT_EQ(lu.rank(), 3);
  EXPECT_GT((conditions * lu.solve(right) - right).norm(), 1e-3);
}

TEST(RosenbrockTableau, IsLStable) {
  const ProductForm r(rosenbrock4());
  // Stages of y' = lambda y are (I - z B) k = z 1.
  EXPECT_NEAR(1 - r.b.dot(r.B.inverse() * Vector4d::Ones()), 0, 2e-8) << "gamma has eight digits";
  for (double y = 1e-3; y < 1e6; y *= 1.1) {
    const std::complex<double> z(0, y);
    const Eigen::Matrix4cd matrix = Matrix4d::Identity() - z * r.B;
    const Eigen::Vector4cd k = matrix.partialPivLu().solve(Eigen::Vector4cd::Constant(z).eval());
    EXPECT_LE(std::abs(1.0 + r.b.cast<std::complex<double>>().cwiseProduct(k).sum()), 1 + 1e-14) << "at " << z;
  }
}

// On y' = lambda y the continuous solution does not leave [-1, 1], however stiff it is.
TEST(RosenbrockTableau, DampsStiffComponentsInsideOfTheStep) {
  const Rosenbrock& f = rosenbrock4();
  for (double theta = 0; theta <= 1; theta += 1.0 / 64) {
    for (const double z : {-1e-2, -1.0, -1e1, -1e2, -1e4, -1e8}) {
      const double shifted = 1 - f.gamma * z;
      Vector4d U;
      for (int i = 0; i < 4; ++i) {
        const double stage = 1 + map(f.w).row(i).head(i).dot(U.head(i));
        U[i] = (f.gamma * z * stage + f.gamma * map(f.c).row(i).head(i).dot(U.head(i))) / shifted;
      }
      const double y =
          1 + (map(f.dense) * calc_powers(theta)).dot(U) + map(f.dense_v).dot(calc_powers(theta)) * U[0] / shifted;
      EXPECT_LE(std::abs(y), 1 + 1e-14) << "z = " << z << ", theta = " << theta;
    }
  }
}

// (4.72) to (4.81), where w21 is printed as 0.2 and the numbers (4.81) are those of stages 2 to 4.
TEST(RosenbrockTableau, AgreesWithThePrintedCoefficients) {
  const Rosenbrock& f = rosenbrock4();
  const auto expect_lower = [](const Matrix4d& X, double x21, double x31, double x32, double x41, double x42,
                               double x43) {
    Matrix4d printed;
    printed << 0, 0, 0, 0, x21, 0, 0, 0, x31, x32, 0, 0, x41, x42, x43, 0;
    const Matrix4d lower = X.triangularView<Eigen::StrictlyLower>();
    EXPECT_LT((lower - printed).cwiseAbs().maxCoeff(), 4e-15) << X;
  };
  const auto expect_vector = [](const Vector4d& x, double x1, double x2, double x3, double x4) {
    EXPECT_LT((x - Vector4d(x1, x2, x3, x4)).cwiseAbs().maxCoeff(), 4e-15) << x.transpose();
  };
  EXPECT_EQ(f.gamma, 0.57281606);
  expect_lower(map(f.w), 2, 1.86794814949823713234476, 0.234445568517238850023220, 1.86794814949823713234476,
               0.234445568517238850023220, 0);
  expect_lower(map(f.c), -7.13764994334997983036926, 2.58092366650965771448805, 0.651629887302032023387417,
               -2.13711526650661911680637, -0.321469531339951070769241, -0.694966049282445225157329);
  expect_vector(map(f.s), 2.25556622860456524372884, 0.287055063194157607662630, 0.435311963379983213402707,
                1.09350765640324780321482);
  expect_vector(map(f.error), 0.187167068076981509470170, 0.048373711126624809706137, 0.071938617944591505140960,
                0.726950528467092658905657);
  expect_vector(map(f.e), 0.572816060, -1.76917706711201394917052, 0.759293964293209853670967,
                -0.104894621490955803206743);
  expect_vector(map(f.a), 0, 1.145632120, 0.655214975973133829477748, 0.655214975973133829477748);
  // Those of its form for y'' = f follow.
  const ProductForm r(f);
  const Matrix4d E_inverse = r.E.inverse(), to_position = (r.B * E_inverse).transpose();
  expect_lower(r.E * r.B * E_inverse, -1.19636100711201394917052, 1.47028025440978071463387, 0.348105837679204490016704,
               0.0037650943555556165798974, -0.109762486758103255675398, -0.228031035973133829477744);
  expect_lower(r.A * r.B * E_inverse, 1.14563212, 0.789509162815638629626980, 0.134294186842504800149232,
               0.789509162815638629626980, 0.134294186842504800149232, 0);
  expect_vector(to_position * r.b, 1.59275081940958534207490, 0.195938266310250609693329, 0,
                0.626378747320742177841171);
  expect_vector(to_position * r.error, 0.15784684756137586944780, -0.027040406278447759351824,
                -0.124559686414702049774897, 0.416408937531437856529265);
}

// Two coupled nonlinear oscillators that are driven, with a force that depends on t, y and y' together.
Vector2d calc_f(double t, const Vector2d& y, const Vector2d& v) {
  return {-std::sin(y[0]) - 0.3 * v[0] * (1 + v[1] * v[1]) + 0.5 * y[1] * std::cos(2 * t),
          -y[1] * y[1] * y[1] - 0.4 * v[1] + 0.6 * y[0] * v[0] * std::sin(t) + 0.7 * std::cos(3 * t)};
}
Matrix2d calc_J1(double t, const Vector2d& y, const Vector2d& v) {
  return (Matrix2d() << -std::cos(y[0]), 0.5 * std::cos(2 * t), 0.6 * v[0] * std::sin(t), -3 * y[1] * y[1]).finished();
}
Matrix2d calc_J2(double t, const Vector2d& y, const Vector2d& v) {
  return (Matrix2d() << -0.3 * (1 + v[1] * v[1]), -0.6 * v[0] * v[1], 0.6 * y[0] * std::sin(t), -0.4).finished();
}
Vector2d calc_f_t(double t, const Vector2d& y, const Vector2d& v) {
  return {-y[1] * std::sin(2 * t), 0.6 * y[0] * v[0] * std::cos(t) - 2.1 * std::sin(3 * t)};
}

/// Of first order: x = (y, y').
Vector4d calc_rate(double t, const Vector4d& x) {
  Vector4d rate;
  rate << x.tail<2>(), calc_f(t, x.head<2>(), x.tail<2>());
  return rate;
}
Matrix4d calc_jacobian(double t, const Vector4d& x) {
  Matrix4d J = Matrix4d::Zero();
  J.topRightCorner<2, 2>().setIdentity();
  J.bottomLeftCorner<2, 2>() = calc_J1(t, x.head<2>(), x.tail<2>());
  J.bottomRightCorner<2, 2>() = calc_J2(t, x.head<2>(), x.tail<2>());
  return J;
}
Vector4d calc_rate_by_time(double t, const Vector4d& x) {
  Vector4d rate = Vector4d::Zero();
  rate.tail<2>() = calc_f_t(t, x.head<2>(), x.tail<2>());
  return rate;
}

struct Point {
  double t;
  Vector4d x;
};
const Point kBegin{0.2, {1.0, -0.4, 0.3, 0.8}};

struct Step {
  Point begin;
  double h;
  Matrix4d U;  // a column each stage
  Vector4d V;
};

/// The formulas of the header, word by word.
Step take_step(const Point& s, double h) {
  const Rosenbrock& r = rosenbrock4();
  const double c = r.gamma * h;
  const Matrix4d inverse = (Matrix4d::Identity() - c * calc_jacobian(s.t, s.x)).inverse();
  const Vector4d F_t = calc_rate_by_time(s.t, s.x);
  Step step{s, h, Matrix4d::Zero(), Vector4d::Zero()};
  for (int i = 0; i < 4; ++i) {
    const Vector4d stage = s.x + step.U * map(r.w).row(i).transpose();
    step.U.col(i) = inverse * (c * calc_rate(s.t + map(r.a)[i] * h, stage) +
                               r.gamma * step.U * map(r.c).row(i).transpose() + c * h * map(r.e)[i] * F_t);
  }
  step.V = inverse * (step.U.col(0) + c * r.gamma * h * F_t);
  return step;
}

Point calc_end(const Step& s, bool embedded) {
  const Rosenbrock& r = rosenbrock4();
  return {s.begin.t + s.h, s.begin.x + s.U * (map(r.s) - (embedded ? 1 : 0) * map(r.error))};
}

Point interpolate(const Step& s, double theta) {
  const Rosenbrock& r = rosenbrock4();
  const Vector4d powers = calc_powers(theta);
  return {s.begin.t + theta * s.h, s.begin.x + s.U * (map(r.dense) * powers) + s.V * map(r.dense_v).dot(powers)};
}

/// What Dormand and Prince's formula finds at t with steps that leave round-off only.
Point calc_reference(double t) {
  const ExplicitRungeKutta& r = dormand_prince_5();
  const int steps = 400 + static_cast<int>(400 * (t - kBegin.t));
  const double h = (t - kBegin.t) / steps;
  Vector4d x = kBegin.x;
  for (int n = 0; n < steps; ++n) {
    std::array<Vector4d, 7> k;
    Vector4d sum = Vector4d::Zero();
    for (std::size_t i = 0; i < 7; ++i) {
      Vector4d stage = x;
      for (std::size_t j = 0; j < i; ++j) stage += h * r.a[7 * i + j] * k[j];
      k[i] = calc_rate(kBegin.t + (n + r.c[i]) * h, stage);
      sum += r.b[i] * k[i];
    }
    x += h * sum;
  }
  return {t, x};
}

const std::vector<double> kSteps{1.0 / 10, 1.0 / 20, 1.0 / 40, 1.0 / 80, 1.0 / 160};

/// Errors of y and y' after the time 2.
std::array<std::vector<double>, 2> calc_errors(bool embedded) {
  std::array<std::vector<double>, 2> errors;
  const Point exact = calc_reference(kBegin.t + 2);
  for (const double h : kSteps) {
    Point point = kBegin;
    for (int n = 0; n < std::lround(2 / h); ++n) {
      point = calc_end(take_step(point, h), embedded);
      point.t = kBegin.t + (n + 1) * h;
    }
    const Vector4d error = point.x - exact.x;
    errors[0].push_back(error.head<2>().norm());
    errors[1].push_back(error.tail<2>().norm());
  }
  return errors;
}

TEST(RosenbrockTableau, ReachesOrderFourInPositionsAndVelocities) {
  for (const auto& errors : calc_errors(false)) {
    const double order = fit_order(kSteps, errors, 1e-13);
    EXPECT_NEAR(order, 4, 0.2);
    EXPECT_LT(errors.back(), 1e-9);
  }
}

TEST(RosenbrockTableau, ReachesOrderThreeWithTheEmbeddedFormula) {
  for (const auto& errors : calc_errors(true)) EXPECT_NEAR(fit_order(kSteps, errors, 1e-13), 3, 0.2);
}

TEST(RosenbrockTableau, ReachesOrderThreeInsideOfTheStep) {
  const std::vector<double> steps{1.0 / 20, 1.0 / 40, 1.0 / 80, 1.0 / 160, 1.0 / 320};
  for (const double theta : {0.2, 0.45, 0.7, 0.9}) {
    std::vector<double> errors_y, errors_v;
    for (const double h : steps) {
      const Vector4d error = interpolate(take_step(kBegin, h), theta).x - calc_reference(kBegin.t + theta * h).x;
      errors_y.push_back(error.head<2>().norm());
      errors_v.push_back(error.tail<2>().norm());
    }
    EXPECT_GT(fit_order(steps, errors_y, 1e-14), 3.8) << "of one step, at theta = " << theta;
    EXPECT_GT(fit_order(steps, errors_v, 1e-14), 3.8) << "of one step, at theta = " << theta;
  }
  const Step step = take_step(kBegin, 0.1);
  EXPECT_LT((interpolate(step, 1).x - calc_end(step, false).x).norm(), 1e-14);
}

// (4.19) with (4.70) for x = (y, y').
TEST(RosenbrockTableau, IsTheFormulaWithProductsByTheJacobian) {
  const double gamma = 0.57281606;
  Matrix4d A = Matrix4d::Zero(), E = gamma * Matrix4d::Identity();
  A(1, 0) = 1.14563212;
  A(2, 0) = A(3, 0) = 0.520920789130629029328516;
  A(2, 1) = A(3, 1) = 0.134294186842504800149232;
  E(1, 0) = -2.34199312711201394917052;
  E(2, 0) = -0.0273337465434898361965046;
  E(2, 1) = 0.213811650836699689867472;
  E(3, 0) = -0.259083837785510222112641;
  E(3, 1) = -0.190595807732311751616358;
  E(3, 2) = -0.228031035973133829477744;
  const Vector4d b{0.324534707891734513474196, 0.049086544787523308684633, 0, 0.6263787473207421778411711};
  const Vector4d b_embedded{0.520920789130629029328516, 0.144549714665364599584681, 0.124559686414702049774897,
                            0.209969809789304321311906};
  for (const double h : {0.5, 0.05}) {
    const auto& [t, x] = kBegin;
    const Matrix4d J = calc_jacobian(t, x);
    Matrix4d k = Matrix4d::Zero();
    for (int i = 0; i < 4; ++i) {
      const Vector4d right = h * calc_rate(t + A.row(i).sum() * h, x + k * A.row(i).transpose()) +
                             E.row(i).sum() * h * h * calc_rate_by_time(t, x) + h * J * k * E.row(i).transpose();
      k.col(i) = (Matrix4d::Identity() - h * gamma * J).inverse() * right;
    }
    const Step step = take_step(kBegin, h);
    for (const bool embedded : {false, true}) {
      const Vector4d expected = x + k * (embedded ? b_embedded : b);
      EXPECT_LT((calc_end(step, embedded).x - expected).norm(), 1e-14) << "h = " << h << ", embedded " << embedded;
    }
  }
}

}  // namespace
}  // namespace trammel::integrators
