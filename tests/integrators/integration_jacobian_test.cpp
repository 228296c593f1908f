// Derivatives of the equations in independent coordinates: three ways to them agree, they are the derivatives, and the
// small matrix made of them does what the large one would.

#include "trammel/integrators/state_space/integration_jacobian.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <Eigen/LU>

#include "tests/support/reduced_bench.h"
#include "tests/support/systems.h"
#include "trammel/io/model_reader.h"

namespace trammel::integrators {
namespace {

using dae::State;
using dae::Structure;
using Eigen::MatrixXd;
using kinematics::ParametrisationKind;
using linalg::Vector;
using testing::move_case_on;
using testing::move_on;
using testing::ReducedBench;
using testing::SystemAtWork;

/// A pendulum with everything that may depend on reactions and accelerations: a force -(mu lambda + x) v and a state
/// x' = lambda/4 + a_y - 2 x + v_x.
class RubbingPendulum final : public dae::ConstrainedSystem {
 public:
  RubbingPendulum() : ConstrainedSystem(make_structure()) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    f = -(0.05 * at.lambda[0] + at.x[0]) * at.v;
    f[1] -= 9.81;
  }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override { g[0] = 0.5 * (at.q.squaredNorm() - 1); }
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override { G.dense() = at.q.transpose(); }
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override {
    bias[0] = -at.v.squaredNorm();
    return true;
  }
  void calc_state_rate(const dae::Point& at, dae::VectorOut rate) const override {
    rate[0] = 0.25 * at.lambda[0] + at.a[1] - 2 * at.x[0] + at.v[0];
  }
  State start() const {
    State s = State::zero(structure());
    s.q << 1, 0;
    return s;
  }

 private:
  static Structure make_structure() {
    Structure s = Structure::full({"x", "y"}, {"rod"}, {"drag"});
    s.pattern(dae::Derivative::kForceByLambda) = linalg::Pattern::full(2, 1);
    return s;
  }
};

/// A rod with a spring-damper at the end of a crank that turns as it is told.
constexpr const char* kDrivenCrank = R"yaml(model: driven crank
summary: rheonomic, with a freedom
space: planar
gravity: [0, -9.81]
bodies:
  crank: { mass: 2, inertia: 0.1, centre_of_mass: [0.2, 0], position: [0, 0], angle: 0.3, markers: { tip: [0.4, 0] } }
  rod: { mass: 1, inertia: 0.05, centre_of_mass: [0.3, 0], position: [0.4*cos(0.3), 0.4*sin(0.3)], angle: 0.8 }
joints:
  bearing: { type: revolute, between: [ground, crank] }
  pin: { type: revolute, between: [crank.tip, rod] }
motions:
  drive: { joint: bearing, angle: "0.3 + 3*t + 0.4*sin(5*t)"
}
forces:
  spring: { type: torsion-spring, joint: pin, stiffness: 20, damping: 0.3 }
simulation: { t_end: 1 }
)yaml";

struct Sample {
  SystemAtWork at;
  bool has_blocks = true;    // reactions can be eliminated
  double derivative = 1e-8;  // of the system: exact, or by differences
};

const std::vector<Sample>& samples() {
  using namespace trammel::testing;
  constexpr double kByDifferences = 1e-6;
  static const std::vector<Sample> all = [] {
    const cases::Case driven = cases::make_case(
        analyses::prepare(std::make_shared<model::Model>(io::read_model_text(kDrivenCrank, "driven crank"))));
    return std::vector<Sample>{
        {move_case_on("pendulum", {}, 0.3)},
        {move_case_on("andrews", {}, 0.01)},
        {move_case_on("double-pendulum", {{"k2", 300}, {"c2", 50}}, 0.1)},
        {move_case_on("chain", {{"n", 12}}, 0.4)},
        {move_on("driven crank", driven.system, driven.start, 0.35)},
        {move_case_on("servo-arm", {}, 0.2)},
        {move_case_on("spatial-slider-crank", {}, 0.2)},
        {move_case_on("heavy-top", {}, 0.01)},
        {move_case_on("mass-spring-damper", {}, 0.3)},
        {move_on("bead on turning line", std::make_shared<const BeadOnTurningLine>(1.5), 0.4), true, kByDifferences},
        {move_on("polar point", std::make_shared<const PolarPoint>(2, 2), 0.3), true, kByDifferences},
        {move_on("lagged actuator", std::make_shared<const LaggedActuator>(0.5), 0.7), false, kByDifferences},
        {move_on("rubbing pendulum", std::make_shared<const RubbingPendulum>(), 0.4), false, kByDifferences},
        {move_case_on("cable-drum", {{"mu", 0.5}}, 0.4), false},
    };
  }();
  return all;
}

constexpr ParametrisationKind kCharts[] = {ParametrisationKind::kPartitioning, ParametrisationKind::kTangentPlane};

/// Runs over all samples and both kinds of charts.
void for_all_charts(const std::function<void(const Sample&, ReducedBench&)>& check) {
  for (const Sample& sample : samples()) {
    for (const ParametrisationKind kind : kCharts) {
      SCOPED_TRACE(sample.at.name + (kind == kCharts[0] ? ", partition" : ", tangent plane"));
      ReducedBench bench(sample.at, {.kind = kind});
      check(sample, bench);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

MatrixXd eval_jacobian(ReducedBench& bench, JacobianKind kind) {
  IntegrationJacobian jacobian(bench.context, bench.equations, kind);
  EXPECT_EQ(jacobian.kind(), kind);
  EXPECT_TRUE(jacobian.eval(bench.state));
  MatrixXd J(bench.equations.size(), bench.equations.size());
  jacobian.calc_rate_derivative(J);
  return J;
}

/// The largest difference of a block of dy'/dy, relative to the block; or to what `natural` gives for it, if that is
/// more.
double calc_difference(const ReducedEquations& equations, const MatrixXd& J, const MatrixXd& exact,
                       const std::function<double(int row, int column)>& natural = {}) {
  const int n_w = equations.n_w(), n_x = equations.n_x();
  const std::array<int, 4> ends{0, n_w, 2 * n_w, 2 * n_w + n_x};
  double worst = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const int rows = ends[i + 1] - ends[i], columns = ends[j + 1] - ends[j];
      if (rows == 0 || columns == 0) continue;
      const auto of = [&](const MatrixXd& A) { return A.block(ends[i], ends[j], rows, columns); };
      double size = std::max(of(exact).cwiseAbs().maxCoeff(), 1e-3);
      for (int k = 0; natural && k < rows * columns; ++k) {
        size = std::max(size, natural(ends[i] + k % rows, ends[j] + k / rows));
      }
      worst = std::max(worst, (of(J) - of(exact)).cwiseAbs().maxCoeff() / size);
    }
  }
  return worst;
}

/// dy'/dy by central differences, extrapolated twice, of equations that are solved to round-off.
MatrixXd differentiate(ReducedBench& bench) {
  const int size = bench.equations.size();
  const Vector y = bench.reduced();
  const auto calc_rate = [&](const Vector& at) -> Vector {
    State state = bench.state;
    Vector rate(size);
    EXPECT_TRUE(bench.equations.eval(bench.state.t, at, state, ReducedEquations::Recovery::kTight));
    bench.equations.calc_rate(state, rate);
    return rate;
  };
  MatrixXd J(size, size);
  for (int k = 0; k < size; ++k) {
    const auto difference = [&](double h) -> Vector {
      Vector ahead = y, behind = y;
      ahead[k] += h;
      behind[k] -= h;
      return (calc_rate(ahead) - calc_rate(behind)) / (ahead[k] - behind[k]);
    };
    const double h = 2e-3 * std::max(1.0, std::abs(y[k]));
    const Vector d_1 = difference(h), d_2 = difference(h / 2), d_4 = difference(h / 4);
    const Vector e_1 = (4 * d_2 - d_1) / 3, e_2 = (4 * d_4 - d_2) / 3;
    J.col(k) = (16 * e_2 - e_1) / 15;
  }
  return J;
}

/// The error of a derivative, relative to it or to y'_i / y_j: differences of y' tell no more about one that is zero by
/// nature, as those by velocities are where a tangent plane was chosen.
double calc_error(ReducedBench& bench, JacobianKind kind, const MatrixXd& exact) {
  const Vector y = bench.reduced();
  Vector rate(y.size());
  bench.equations.calc_rate(bench.state, rate);
  return calc_difference(bench.equations, eval_jacobian(bench, kind), exact,
                         [&](int i, int j) { return std::abs(rate[i]) / std::max(1.0, std::abs(y[j])); });
}

TEST(IntegrationJacobian, BlocksAndColumnsAgree) {
  for_all_charts([](const Sample& sample, ReducedBench& bench) {
    if (!sample.has_blocks) {
      const IntegrationJacobian jacobian(bench.context, bench.equations, JacobianKind::kBlocks);
      EXPECT_EQ(jacobian.kind(), JacobianKind::kColumns) << "reactions cannot be eliminated";
      return;
    }
    const MatrixXd blocks = eval_jacobian(bench, JacobianKind::kBlocks);
    const MatrixXd columns = eval_jacobian(bench, JacobianKind::kColumns);
    EXPECT_LT(calc_difference(bench.equations, blocks, columns), 1e-10);
  });
}

TEST(IntegrationJacobian, DifferencesOfTheEquationsAgree) {
  for_all_charts([](const Sample&, ReducedBench& bench) {
    const MatrixXd columns = eval_jacobian(bench, JacobianKind::kColumns);
    const MatrixXd numerical = eval_jacobian(bench, JacobianKind::kNumerical);
    EXPECT_LT(calc_difference(bench.equations, numerical, columns), 1e-5);
  });
}

TEST(IntegrationJacobian, IsTheDerivativeOfTheEquations) {
  for_all_charts([](const Sample& sample, ReducedBench& bench) {
    const MatrixXd exact = differentiate(bench);
    if (sample.has_blocks) {
      EXPECT_LT(calc_error(bench, JacobianKind::kBlocks, exact), sample.derivative) << "blocks";
    }
    EXPECT_LT(calc_error(bench, JacobianKind::kColumns, exact), sample.derivative) << "columns";
  });
}

// A chart may be used away from where it was chosen: P is no longer orthogonal, and dv/dw does not vanish.
TEST(IntegrationJacobian, IsTheDerivativeAwayFromWhereTheChartWasChosen) {
  for (const ParametrisationKind kind : kCharts) {
    ReducedBench bench(move_case_on("andrews", {}, 0.01), {.kind = kind});
    const State later = move_case_on("andrews", {}, 0.0115).state;
    bench.state = later;
    const MatrixXd exact = differentiate(bench);
    for (const JacobianKind way : {JacobianKind::kBlocks, JacobianKind::kColumns}) {
      EXPECT_LT(calc_error(bench, way, exact), 1e-8);
    }
  }
}

TEST(IntegrationJacobian, MassIsThatOfTheIndependentCoordinates) {
  for_all_charts([](const Sample&, ReducedBench& bench) {
    IntegrationJacobian jacobian(bench.context, bench.equations, JacobianKind::kColumns);
    ASSERT_TRUE(jacobian.eval(bench.state));
    const Structure& s = bench.evaluation.structure();
    const int n_w = bench.equations.n_w();
    MatrixXd P(s.n_v(), n_w);
    for (int k = 0; k < n_w; ++k) bench.equations.extend(Vector::Unit(n_w, k), P.col(k));
    const MatrixXd M = P.transpose() * s.mass.to_dense(bench.evaluation.mass()) * P;
    EXPECT_LT((jacobian.mass() - M).norm(), 1e-13 * M.norm());
  });
}

// Proposition 1 of the thesis: the matrix of accelerations is M^ times that of positions and velocities.
TEST(IntegrationJacobian, OneMatrixServesAccelerationsAndPositions) {
  for_all_charts([](const Sample& sample, ReducedBench& bench) {
    if (!sample.has_blocks) return;
    const int n_w = bench.equations.n_w();
    const MatrixXd J = eval_jacobian(bench, JacobianKind::kColumns);
    const MatrixXd J_1 = J.block(n_w, 0, n_w, n_w), J_2 = J.block(n_w, n_w, n_w, n_w);
    IntegrationJacobian blocks(bench.context, bench.equations, JacobianKind::kBlocks);
    ASSERT_TRUE(blocks.eval(bench.state));
    for (const double c : {1e-4, 1e-2, 1.0}) {
      const MatrixXd accelerations = blocks.mass() + c * blocks.velocity_part() + c * c * blocks.position_part();
      const MatrixXd positions = blocks.mass() * (MatrixXd::Identity(n_w, n_w) - c * J_2 - c * c * J_1);
      EXPECT_LT((accelerations - positions).norm(), 1e-11 * accelerations.norm()) << "c = " << c;
    }
  });
}

TEST(IntegrationJacobian, FilterOfSecondOrderIsThatOfAllOfTheState) {
  linalg::Vector b;
  for_all_charts([&](const Sample&, ReducedBench& bench) {
    const int size = bench.equations.size();
    IntegrationJacobian jacobian(bench.context, bench.equations, JacobianKind::kAutomatic);
    ASSERT_TRUE(jacobian.eval(bench.state));
    MatrixXd J(size, size);
    jacobian.calc_rate_derivative(J);
    for (const double c : {1e-5, 1e-3, 0.1}) {
      ASSERT_TRUE(jacobian.factor(StageWeights::of_first_order(c)));
      b = Vector::LinSpaced(size, -1, 2);
      const MatrixXd shifted = MatrixXd::Identity(size, size) - c * J;
      const Vector exact = shifted.partialPivLu().solve(b);
      jacobian.solve_shifted(b);
      // Both are backward stable at best: what they may differ by grows with the condition.
      const double condition = shifted.norm() * shifted.inverse().norm();
      EXPECT_LT((b - exact).norm(), std::max(1e-11, 1e-15 * condition) * exact.norm())
          << "c = " << c << ", condition " << condition;
    }
  });
}

TEST(IntegrationJacobian, StiffDirectionsAreFiltered) {
  ReducedBench bench(move_case_on("double-pendulum", {}, 0.3), {.independent = {2, 5}});
  IntegrationJacobian jacobian(bench.context, bench.equations, JacobianKind::kBlocks);
  ASSERT_TRUE(jacobian.eval(bench.state));
  ASSERT_TRUE(jacobian.factor(StageWeights::of_first_order(1e-2)));
  // The strong spring-damper between the rods takes what turns them against each other.
  Vector against = Vector::Zero(4);
  against << 0, 0, -1, 1;
  jacobian.solve_shifted(against);
  EXPECT_LT(std::abs(against[3] - against[2]), 1e-2);
  Vector together = Vector::Zero(4);
  together << 0, 0, 1, 1;
  jacobian.solve_shifted(together);
  EXPECT_GT(together[2], 0.5);
}

TEST(IntegrationJacobian, AnotherStepSizeCostsNoDerivatives) {
  ReducedBench bench(move_case_on("andrews", {}, 0.01));
  for (const JacobianKind kind : {JacobianKind::kBlocks, JacobianKind::kColumns}) {
    IntegrationJacobian jacobian(bench.context, bench.equations, kind);
    const dae::EvaluationCounts before = bench.evaluation.counts();
    ASSERT_TRUE(jacobian.eval(bench.state));
    const dae::EvaluationCounts after = bench.evaluation.counts();
    EXPECT_GT(after.derivative, before.derivative);
    for (const double h : {1e-2, 1e-3, 1e-4}) ASSERT_TRUE(jacobian.factor(StageWeights::of_first_order(h)));
    EXPECT_EQ(bench.evaluation.counts().derivative, after.derivative);
    EXPECT_EQ(bench.evaluation.counts().force, after.force);
  }
}

TEST(IntegrationJacobian, ARejectedStepEvaluatesNoDerivative) {
  for (const char* name :
       {"for-rosen", "for-sdirk", "ssp-sdirk", "infl-sdirk", "ssp-trap", "infl-trap", "ssp-newmark"}) {
    ReducedBench bench(move_case_on("andrews", {}, 0.01));
    const std::unique_ptr<Method> method = find_method(name)->make(bench.context);
    method->start(bench.state);
    ASSERT_EQ(method->attempt(2e-4).status, StepStatus::kSolved) << name;
    const long derivatives = bench.evaluation.counts().derivative;
    EXPECT_GT(derivatives, 0) << name;
    for (const double h : {1e-4, 5e-5}) {
      ASSERT_EQ(method->attempt(h).status, StepStatus::kSolved) << name;
      EXPECT_EQ(bench.evaluation.counts().derivative, derivatives) << name << ", h = " << h;
    }
  }
}

TEST(IntegrationJacobian, ColumnsHaveTheSameBitsOnAnyNumberOfThreads) {
  const SystemAtWork chain = move_case_on("chain", {{"n", 40}}, 0.2);
  const auto eval = [&](int threads, MatrixXd& J) {
    std::string way;
    tbb::task_arena(threads).execute([&] {
      ReducedBench bench(chain);
      IntegrationJacobian jacobian(bench.context, bench.equations, JacobianKind::kColumns);
      ASSERT_TRUE(jacobian.eval(bench.state));
      J.resize(bench.equations.size(), bench.equations.size());
      jacobian.calc_rate_derivative(J);
      way = jacobian.describe();
    });
    return way;
  };
  MatrixXd one, several;
  EXPECT_EQ(eval(1, one), "by columns");
  for (const int threads : {2, 3, 4}) {
    EXPECT_EQ(eval(threads, several), "by columns, " + std::to_string(threads) + " at a time");
    EXPECT_EQ(one, several) << threads << " threads";
  }
}

}  // namespace
}  // namespace trammel::integrators
