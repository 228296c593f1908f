// The Rosenbrock-Nystrom formula satisfies its order conditions, is L-stable, agrees with the printed coefficients, and
// is the Rosenbrock formula applied to the system of first order.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "tests/order/fit_order.h"
#include "tests/order/rooted_trees.h"
#include "trammel/integrators/tableaus/explicit_runge_kutta.h"
#include "trammel/integrators/tableaus/rosenbrock_nystrom.h"

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

/// The formula of first order that the coefficients come from, found from w, c and s.
struct FirstOrderForm {
  explicit FirstOrderForm(const RosenbrockNystrom& f)
      : E((Matrix4d::Identity() / f.gamma - map(f.c)).inverse()),
        A(map(f.w) * E),
        B(A + E),
        b(E.transpose() * map(f.s)),
        error(E.transpose() * map(f.error_s)) {}

  Matrix4d E, A, B;
  Vector4d b, error;
};

TEST(RosenbrockTableau, SatisfiesItsOrderConditions) {
  const RosenbrockNystrom& f = rosenbrock_nystrom4();
  const FirstOrderForm r(f);
  const auto trees = make_rooted_trees(r.A, r.B, 5);
  EXPECT_LT(calc_violation(trees, r.b, f.order), 4e-15);
  EXPECT_GT(calc_violation(trees, r.b, f.order + 1), 1e-3) << "of no higher order";
  EXPECT_LT(calc_violation(trees, r.b - r.error, f.embedded_order), 4e-15);
  EXPECT_GT(calc_violation(trees, r.b - r.error, f.embedded_order + 1), 1e-3) << "of no higher order";
}

TEST(RosenbrockTableau, IsOfOrderThreeInsideOfTheStep) {
  const RosenbrockNystrom& f = rosenbrock_nystrom4();
  const FirstOrderForm r(f);
  // h f_0 is a stage in front of the others, which takes nothing from them and gives them nothing.
  MatrixXd A = MatrixXd::Zero(5, 5), B = MatrixXd::Zero(5, 5);
  A.bottomRightCorner(4, 4) = r.A;
  B.bottomRightCorner(4, 4) = r.B;
  const auto trees = make_rooted_trees(A, B, 4);
  const VectorXd tall = B * (B * (B * VectorXd::Ones(5)));
  for (const double theta : {0.0, 0.1, 0.37, 0.5, 0.8, 0.99, 1.0}) {
    VectorXd weights(5);
    weights << map(f.dense_f).dot(calc_powers(theta)), r.E.transpose() * (map(f.dense_s) * calc_powers(theta)).eval();
    EXPECT_LT(calc_violation(trees, weights, f.dense_order, theta), 1e-14) << "at theta = " << theta;
    EXPECT_NEAR(weights.dot(tall), std::pow(theta, 4) / 24, 1e-14) << "at theta = " << theta;
    EXPECT_NEAR(weights[0], theta * (1 - theta) * (1 - 2 * theta), 1e-14) << "at theta = " << theta;
    // Positions have the weights b B of r.
    const Vector4d positions = map(f.dense_p) * calc_powers(theta);
    EXPECT_LT((r.E.transpose() * positions - r.B.transpose() * weights.tail(4)).cwiseAbs().maxCoeff(), 2e-14);
  }
  EXPECT_LT((map(f.dense_s).rowwise().sum() - map(f.s)).cwiseAbs().maxCoeff(), 2e-14) << "meets y'_1";
  EXPECT_LT((map(f.dense_p).rowwise().sum() - map(f.p)).cwiseAbs().maxCoeff(), 2e-14) << "meets y_1";
  // y'' = f_0 at the beginning.
  EXPECT_LT(map(f.dense_s).col(0).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT(map(f.dense_p).col(0).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(f.dense_f[0], 1, 1e-14);
}

// Why h f_0 stands in the continuous extension.
TEST(RosenbrockTableau, HasNoExtensionOfOrderThreeFromItsStagesAlone) {
  const FirstOrderForm r(rosenbrock_nystrom4());
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
  const FirstOrderForm r(rosenbrock_nystrom4());
  // Stages of y' = lambda y are (I - z B) k = z 1.
  EXPECT_NEAR(1 - r.b.dot(r.B.inverse() * Vector4d::Ones()), 0, 2e-8) << "gamma has eight digits";
  for (double y = 1e-3; y < 1e6; y *= 1.1) {
    const std::complex<double> z(0, y);
    const Eigen::Matrix4cd matrix = Matrix4d::Identity() - z * r.B;
    const Eigen::Vector4cd k = matrix.partialPivLu().solve(Eigen::Vector4cd::Constant(z).eval());
    EXPECT_LE(std::abs(1.0 + r.b.cast<std::complex<double>>().cwiseProduct(k).sum()), 1 + 1e-14) << "at " << z;
  }
}

// (4.72) to (4.81), where w21 is printed as 0.2 and the numbers (4.81) are those of stages 2 to 4.
TEST(RosenbrockTableau, AgreesWithThePrintedCoefficients) {
  const RosenbrockNystrom& f = rosenbrock_nystrom4();
  const auto expect_lower = [](const std::array<std::array<double, 4>, 4>& X, double x21, double x31, double x32,
                               double x41, double x42, double x43) {
    Matrix4d printed;
    printed << 0, 0, 0, 0, x21, 0, 0, 0, x31, x32, 0, 0, x41, x42, x43, 0;
    EXPECT_LT((map(X) - printed).cwiseAbs().maxCoeff(), 4e-15) << map(X);
  };
  const auto expect_vector = [](const std::array<double, 4>& x, double x1, double x2, double x3, double x4) {
    EXPECT_LT((map(x) - Vector4d(x1, x2, x3, x4)).cwiseAbs().maxCoeff(), 4e-15) << map(x).transpose();
  };
  EXPECT_EQ(f.gamma, 0.57281606);
  expect_lower(f.w, 2, 1.86794814949823713234476, 0.234445568517238850023220, 1.86794814949823713234476,
               0.234445568517238850023220, 0);
  expect_lower(f.c, -7.13764994334997983036926, 2.58092366650965771448805, 0.651629887302032023387417,
               -2.13711526650661911680637, -0.321469531339951070769241, -0.694966049282445225157329);
  expect_lower(f.d, -1.19636100711201394917052, 1.47028025440978071463387, 0.348105837679204490016704,
               0.0037650943555556165798974, -0.109762486758103255675398, -0.228031035973133829477744);
  expect_lower(f.t, 1.14563212, 0.789509162815638629626980, 0.134294186842504800149232, 0.789509162815638629626980,
               0.134294186842504800149232, 0);
  expect_vector(f.s, 2.25556622860456524372884, 0.287055063194157607662630, 0.435311963379983213402707,
                1.09350765640324780321482);
  expect_vector(f.error_s, 0.187167068076981509470170, 0.048373711126624809706137, 0.071938617944591505140960,
                0.726950528467092658905657);
  expect_vector(f.p, 1.59275081940958534207490, 0.195938266310250609693329, 0, 0.626378747320742177841171);
  expect_vector(f.error_p, 0.15784684756137586944780, -0.027040406278447759351824, -0.124559686414702049774897,
                0.416408937531437856529265);
  expect_vector(f.e, 0.572816060, -1.76917706711201394917052, 0.759293964293209853670967, -0.104894621490955803206743);
  expect_vector(f.a, 0, 1.145632120, 0.655214975973133829477748, 0.655214975973133829477748);
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

struct Point {
  double t;
  Vector2d y, v;
};
const Point kBegin{0.2, {1.0, -0.4}, {0.3, 0.8}};

struct Step {
  Point begin;
  double h;
  Vector2d f0;
  Eigen::Matrix<double, 2, 4> u;
};

/// The formulas of the header, word by word.
Step take_step(const Point& s, double h) {
  const RosenbrockNystrom& r = rosenbrock_nystrom4();
  const Matrix4d w = map(r.w), c = map(r.c), d = map(r.d), t = map(r.t);
  const Vector4d a = map(r.a), e = map(r.e);
  const Matrix2d J1 = calc_J1(s.t, s.y, s.v), J2 = calc_J2(s.t, s.y, s.v);
  const Vector2d f_t = calc_f_t(s.t, s.y, s.v);
  const Matrix2d S = Matrix2d::Identity() - h * r.gamma * J2 - h * h * r.gamma * r.gamma * J1;
  Step step{s, h, calc_f(s.t, s.y, s.v), Eigen::Matrix<double, 2, 4>::Zero()};
  Eigen::Matrix<double, 2, 4>& u = step.u;
  for (int i = 0; i < 4; ++i) {
    const Vector2d y = s.y + h * a[i] * s.v + h * u * t.row(i).transpose();
    const Vector2d v = s.v + u * w.row(i).transpose();
    const Vector2d right = h * r.gamma * calc_f(s.t + a[i] * h, y, v) + h * h * r.gamma * e[i] * (f_t + J1 * s.v) +
                           r.gamma * u * c.row(i).transpose() + h * h * r.gamma * J1 * u * d.row(i).transpose();
    u.col(i) = S.inverse() * right;
  }
  return step;
}

Point calc_end(const Step& s, bool embedded) {
  const RosenbrockNystrom& r = rosenbrock_nystrom4();
  Vector4d weights_y = map(r.p), weights_v = map(r.s);
  if (embedded) {
    weights_y -= map(r.error_p);
    weights_v -= map(r.error_s);
  }
  return {s.begin.t + s.h, s.begin.y + s.h * s.begin.v + s.h * s.u * weights_y, s.begin.v + s.u * weights_v};
}

Point interpolate(const Step& s, double theta) {
  const RosenbrockNystrom& r = rosenbrock_nystrom4();
  const Vector4d powers = calc_powers(theta);
  return {s.begin.t + theta * s.h, s.begin.y + s.h * theta * s.begin.v + s.h * s.u * (map(r.dense_p) * powers),
          s.begin.v + s.h * s.f0 * map(r.dense_f).dot(powers) + s.u * (map(r.dense_s) * powers)};
}

/// What Dormand and Prince's formula finds at t with steps that leave round-off only.
Point calc_reference(double t) {
  const ExplicitRungeKutta& r = dormand_prince_5();
  const int steps = 400 + static_cast<int>(400 * (t - kBegin.t));
  const double h = (t - kBegin.t) / steps;
  Vector4d x;
  x << kBegin.y, kBegin.v;
  for (int n = 0; n < steps; ++n) {
    std::array<Vector4d, 7> k;
    Vector4d sum = Vector4d::Zero();
    for (std::size_t i = 0; i < 7; ++i) {
      Vector4d stage = x;
      for (std::size_t j = 0; j < i; ++j) stage += h * r.a[7 * i + j] * k[j];
      k[i] << stage.tail(2), calc_f(kBegin.t + (n + r.c[i]) * h, stage.head(2), stage.tail(2));
      sum += r.b[i] * k[i];
    }
    x += h * sum;
  }
  return {t, x.head(2), x.tail(2)};
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
    errors[0].push_back((point.y - exact.y).norm());
    errors[1].push_back((point.v - exact.v).norm());
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
  for (const double theta : {0.2, 0.45, 0.7, 0.9}) {
    std::vector<double> errors_y, errors_v;
    for (const double h : kSteps) {
      const Point point = interpolate(take_step(kBegin, h), theta), exact = calc_reference(kBegin.t + theta * h);
      errors_y.push_back((point.y - exact.y).norm());
      errors_v.push_back((point.v - exact.v).norm());
    }
    EXPECT_GT(fit_order(kSteps, errors_y, 1e-14), 3.8) << "of one step, at theta = " << theta;
    EXPECT_GT(fit_order(kSteps, errors_v, 1e-14), 3.8) << "of one step, at theta = " << theta;
  }
  const Step step = take_step(kBegin, 0.1);
  EXPECT_LT((interpolate(step, 1).y - calc_end(step, false).y).norm(), 1e-14);
  EXPECT_LT((interpolate(step, 1).v - calc_end(step, false).v).norm(), 1e-14);
}

// (4.19) with (4.70) for x = (y, y').
TEST(RosenbrockTableau, IsTheFormulaOfFirstOrderForTheDoubledSystem) {
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
  const auto calc_rate = [](double t, const Vector4d& x) -> Vector4d {
    return (Vector4d() << x.tail<2>(), calc_f(t, x.head<2>(), x.tail<2>())).finished();
  };
  for (const double h : {0.5, 0.05}) {
    const Point& s = kBegin;
    Vector4d x, f_t;
    x << s.y, s.v;
    f_t << 0, 0, calc_f_t(s.t, s.y, s.v);
    Matrix4d J = Matrix4d::Zero();
    J.topRightCorner<2, 2>().setIdentity();
    J.bottomLeftCorner<2, 2>() = calc_J1(s.t, s.y, s.v);
    J.bottomRightCorner<2, 2>() = calc_J2(s.t, s.y, s.v);
    Matrix4d k = Matrix4d::Zero();
    for (int i = 0; i < 4; ++i) {
      const Vector4d right = h * calc_rate(s.t + A.row(i).sum() * h, x + k * A.row(i).transpose()) +
                             E.row(i).sum() * h * h * f_t + h * J * k * E.row(i).transpose();
      k.col(i) = (Matrix4d::Identity() - h * gamma * J).inverse() * right;
    }
    const Step step = take_step(s, h);
    for (const bool embedded : {false, true}) {
      const Vector4d expected = x + k * (embedded ? b_embedded : b);
      Vector4d found;
      found << calc_end(step, embedded).y, calc_end(step, embedded).v;
      EXPECT_LT((found - expected).norm(), 1e-14) << "h = " << h << ", embedded " << embedded;
    }
  }
}

}  // namespace
}  // namespace trammel::integrators
