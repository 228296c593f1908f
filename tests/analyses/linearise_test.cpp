#include "trammel/analyses/linearise.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/analyses/mechanisms.h"
#include "tests/support/systems.h"
#include "trammel/analyses/modes.h"

namespace trammel::analyses {
namespace {

using dae::State;
using Eigen::MatrixXd;
using std::numbers::pi;

/// M q'' + D q' + K q = 0.
class LinearSystem final : public dae::ConstrainedSystem {
 public:
  LinearSystem(MatrixXd M, MatrixXd D, MatrixXd K)
      : ConstrainedSystem(dae::Structure::full(names(M.rows()))),
        M_(std::move(M)),
        D_(std::move(D)),
        K_(std::move(K)) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M.dense() = M_; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override { f = -K_ * at.q - D_ * at.v; }
  ModalReport modes() const {
    dae::Evaluation evaluation(*this);
    evaluation.set(State::zero(structure()));
    return calc_modes(linearise(evaluation));
  }

 private:
  static std::vector<std::string> names(Eigen::Index size) {
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < size; ++i) names.push_back(fmt::format("q{}", i));
    return names;
  }
  MatrixXd M_, D_, K_;
};

TEST(Linearise, NullSpaceOfDependentRows) {
  MatrixXd A(3, 5);
  A << 1, 2, 3, 4, 5, 0, 1, 0, 1, 0, 1e6, 3e6, 3e6, 5e6, 5e6;  // the third is a million times the sum of the others
  const MatrixXd N = calc_null_space(A);
  ASSERT_EQ(N.cols(), 3);
  EXPECT_LT((A * N).topRows(2).norm(), 1e-13);
  EXPECT_LT((N.transpose() * N - MatrixXd::Identity(3, 3)).norm(), 1e-14);
  EXPECT_EQ(calc_null_space(MatrixXd(0, 4)), MatrixXd::Identity(4, 4));
  EXPECT_EQ(calc_null_space(MatrixXd::Zero(2, 3)).cols(), 3);

  const testing::Bricard bricard;
  dae::Evaluation evaluation(bricard);
  evaluation.set(bricard.start());
  EXPECT_EQ(calc_null_space(bricard.structure().jacobian.to_dense(evaluation.jacobian())).cols(), 1);
}

TEST(Modes, DampedUndampedAndOverdamped) {
  const MatrixXd one = MatrixXd::Identity(1, 1);
  const ModalReport damped = LinearSystem(2 * one, 0.4 * one, 50 * one).modes();
  ASSERT_EQ(damped.modes.size(), 1U);
  EXPECT_NEAR(damped.modes[0].frequency_hz, 5 / (2 * pi), 1e-9);
  EXPECT_NEAR(damped.modes[0].damping_ratio, 0.4 / (2 * 2 * 5), 1e-9);
  EXPECT_EQ(damped.stability, Stability::kStable);
  const ModalReport overdamped = LinearSystem(one, 5 * one, 4 * one).modes();
  ASSERT_EQ(overdamped.modes.size(), 2U);  // mu = -1 and -4
  EXPECT_NEAR(overdamped.modes[0].eigenvalue.real(), -1, 1e-9);
  EXPECT_NEAR(overdamped.modes[1].eigenvalue.real(), -4, 1e-9);
  EXPECT_EQ(overdamped.stable, 2);
  const ModalReport pumped = LinearSystem(one, -0.1 * one, 4 * one).modes();
  EXPECT_EQ(pumped.stability, Stability::kUnstable);
  EXPECT_NEAR(pumped.modes[0].damping_ratio, -0.025, 1e-9);
}

TEST(Modes, SoftModesKeepTheirDigitsBesideStiffOnes) {
  MatrixXd M = Eigen::Vector2d(1, 1e-3).asDiagonal(), K = Eigen::Vector2d(1e-4, 1e9).asDiagonal();
  MatrixXd D = Eigen::Vector2d(1e-4, 1).asDiagonal();
  const ModalReport report = LinearSystem(M, D, K).modes();
  ASSERT_EQ(report.modes.size(), 2U);
  EXPECT_NEAR(report.modes[0].frequency_hz * 2 * pi, 1e-2, 1e-8);
  EXPECT_NEAR(report.modes[0].damping_ratio, 5e-3, 1e-7);
  EXPECT_NEAR(report.modes[1].frequency_hz * 2 * pi, 1e6, 1e-2);
}

TEST(Modes, FreeMotionsAreNeutralWithAndWithoutDamping) {
  MatrixXd K(2, 2);
  K << 7, -7, -7, 7;  // two masses and a spring: the pair drifts
  const MatrixXd one = MatrixXd::Identity(2, 2);
  const ModalReport free = LinearSystem(one, MatrixXd::Zero(2, 2), K).modes();
  EXPECT_EQ(free.neutral, 1);
  EXPECT_EQ(free.stable, 1);
  EXPECT_EQ(free.stability, Stability::kNeutral);
  // With a damper beside the spring, the drift still meets nothing.
  const ModalReport internal = LinearSystem(one, 0.01 * K, K).modes();
  EXPECT_EQ(internal.neutral, 1);
  EXPECT_EQ(internal.stable, 1);
  // Dampers to the ground stop the drift, wherever it is: mu = 0 and mu = -d.
  const ModalReport braked = LinearSystem(one, 0.1 * one, K).modes();
  EXPECT_EQ(braked.neutral, 1);
  EXPECT_EQ(braked.stable, 2);
  EXPECT_EQ(braked.stability, Stability::kNeutral);
  EXPECT_NEAR(std::abs(free.modes[0].shape[0] - free.modes[0].shape[1]), 0, 1e-12);
}

TEST(Modes, MotionsWithoutInertiaHaveNoModesOfTheirOwn) {
  // A mass on a spring whose other end, without mass, is held by a damper: m c mu^2 + m k mu + k c = 0, and mu = 0.
  const double m = 2, k = 8, c = 3;
  MatrixXd M = Eigen::Vector2d(m, 0).asDiagonal(), D = Eigen::Vector2d(0, c).asDiagonal(), K(2, 2);
  K << k, -k, -k, k;
  const ModalReport report = LinearSystem(M, D, K).modes();
  int oscillating = 0;
  for (const Mode& mode : report.modes) {
    const auto mu = mode.eigenvalue;
    if (std::abs(mu) < 1e-9) continue;
    ++oscillating;
    EXPECT_NEAR(std::abs(m * c * mu * mu + m * k * mu + k * c), 0, 1e-7);
  }
  EXPECT_EQ(oscillating, 1);  // a pair
  EXPECT_EQ(report.neutral, 1);
  EXPECT_EQ(report.unstable, 0);
}

TEST(Modes, ABladeAtRestIsNeutral) {
  const testing::KnifeEdge system(0, 0);
  dae::Evaluation evaluation(system);
  evaluation.set(system.structure().n_v() == 3 ? State::zero(system.structure()) : State());
  const Linearisation linear = linearise(evaluation);
  EXPECT_EQ(linear.n_y, 3);  // it can be put anywhere,
  EXPECT_EQ(linear.n_z, 2);  // but moves along itself and turns only
  const ModalReport report = calc_modes(linear);
  EXPECT_EQ(report.neutral, 3);
  EXPECT_EQ(report.stability, Stability::kNeutral);
}

}  // namespace
}  // namespace trammel::analyses
