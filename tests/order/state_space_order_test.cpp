// Orders of the methods in independent coordinates at fixed step, for q, v and lambda: on a pendulum with a torque
// between its rods that is stiff or not, and where time itself stands in the equations.

#include <gtest/gtest.h>

#include <cmath>

#include "cases/case.h"
#include "tests/order/fit_order.h"
#include "tests/support/problems.h"

namespace trammel::testing {
namespace {

using dae::State;
using integrators::MethodOptions;

struct Orders {
  double q, v, lambda;
  Errors smallest;  // at the smallest step
};

/// A motion with its states at equidistant times, by a run at the smallest tolerance that makes sense.
struct Motion {
  std::shared_ptr<const dae::ConstrainedSystem> system;
  State start;
  double t_end;
  std::vector<State> reference;

  static constexpr int kTimes = 8;

  Motion(std::shared_ptr<const dae::ConstrainedSystem> of, const State& from, double end)
      : system(std::move(of)), start(from), t_end(end) {
    integrators::Options options = integrators::Options::with_tolerance(1e-13);
    options.method = "projection";
    options.output.kind = integrators::OutputKind::kPoints;
    for (int k = 1; k <= kTimes; ++k) options.output.points.push_back(start.t + (t_end - start.t) * k / kTimes);
    integrators::Observers observers;
    observers.output = [&](const State& s) { reference.push_back(s); };
    const auto result = integrate(*system, start, t_end, options, {}, observers);
    EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  }

  /// Largest errors at those times with n steps (a multiple of their number).
  Errors measure(const std::string& method, const MethodOptions& settings, int n) const {
    integrators::Options options;
    options.method = method;
    options.method_options = settings;
    options.h_fixed = (t_end - start.t) / n;
    options.output.kind = integrators::OutputKind::kSteps;
    Errors worst;
    int step = 0;
    integrators::Observers observers;
    observers.output = [&](const State& s) {
      const int k = step++;
      if (k == 0 || k % (n / kTimes) != 0) return;
      const State& exact = reference[static_cast<std::size_t>(k / (n / kTimes)) - 1];
      EXPECT_NEAR(s.t, exact.t, 1e-12);
      const Errors e = calc_errors(s, exact);
      worst = {std::max(worst.q, e.q), std::max(worst.v, e.v), std::max(worst.lambda, e.lambda), 0};
    };
    const auto result = integrate(*system, start, t_end, options, {}, observers);
    EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << method << ": " << result.reason;
    EXPECT_EQ(result.statistics.steps, n);
    return worst;
  }

  /// Errors that round-off and the reference make visible are left out: `floor` of q, ten times as much of v and a
  /// thousand times as much of lambda, which are as much larger.
  Orders fit(const std::string& method, const MethodOptions& settings, int first, int count, double floor) const {
    std::vector<double> steps, q, v, lambda;
    Errors e;
    for (int n = first; count > 0; n *= 2, --count) {
      e = measure(method, settings, n);
      steps.push_back((t_end - start.t) / n);
      q.push_back(e.q);
      v.push_back(e.v);
      lambda.push_back(e.lambda);
    }
    return {fit_order(steps, q, floor), fit_order(steps, v, 10 * floor), fit_order(steps, lambda, 1000 * floor), e};
  }
};

void print(const std::string& what, const std::string& method, const Orders& o) {
  std::printf("[ order    ] %-26s %-12s q %.2f v %.2f lambda %.2f   (last errors %.1e %.1e %.1e)\n", what.c_str(),
              method.c_str(), o.q, o.v, o.lambda, o.smallest.q, o.smallest.v, o.smallest.lambda);
}

const Motion& soft_pendulum() {
  static const Motion motion = [] {
    const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"), {{"k2", 300}, {"c2", 50}});
    return Motion(c.system, c.start, 0.4);
  }();
  return motion;
}

const std::vector<MethodOptions>& coordinates() {
  static const std::vector<MethodOptions> all{
      {}, {{"coordinates", "tangent-plane"}}, {{"independent", "body1.angle,body2.angle"}}};
  return all;
}

std::string name_of(const MethodOptions& settings) { return settings.empty() ? "partition" : settings.begin()->second; }

TEST(StateSpaceOrder, OfTheFourthOrderFormulasIsFourWithAllCoordinates) {
  for (const char* method : {"ssp-sdirk", "infl-sdirk", "for-sdirk", "for-rosen"}) {
    for (const MethodOptions& settings : coordinates()) {
      const Orders order = soft_pendulum().fit(method, settings, 160, 4, 3e-12);
      print(name_of(settings), method, order);
      EXPECT_GT(order.q, 3.7) << method << ", " << name_of(settings);
      EXPECT_GT(order.v, 3.7) << method << ", " << name_of(settings);
      EXPECT_GT(order.lambda, 3.7) << method << ", " << name_of(settings);
    }
  }
}

TEST(StateSpaceOrder, OfTheTrapezoidalRuleIsTwoWithAllCoordinates) {
  for (const char* method : {"ssp-trap", "infl-trap", "ssp-newmark"}) {
    for (const MethodOptions& settings : coordinates()) {
      const Orders order = soft_pendulum().fit(method, settings, 640, 4, 1e-10);
      print(name_of(settings), method, order);
      for (const double of : {order.q, order.v, order.lambda}) {
        EXPECT_GT(of, 1.95) << method << ", " << name_of(settings);
        EXPECT_LT(of, 2.05) << method << ", " << name_of(settings);
      }
    }
  }
}

TEST(StateSpaceOrder, OfNewmarkWithDampingIsOne) {
  const Orders order = soft_pendulum().fit("ssp-newmark", {{"gamma", "0.6"}}, 1280, 4, 1e-10);
  print("gamma = 0.6", "ssp-newmark", order);
  EXPECT_NEAR(order.q, 1, 0.1);
  EXPECT_NEAR(order.v, 1, 0.1);
  EXPECT_NEAR(order.lambda, 1, 0.1);
}

// An eigenvalue of -1e5, and steps some hundred times as long as its inverse; the transient is over at the start. In
// Cartesian coordinates the stiff direction turns, and formulas of order 4 show the order of their stages.
TEST(StateSpaceOrder, OnTheStiffPendulumIsAtLeastThatOfTheStages) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"));
  const auto settled = integrate(*c.system, c.start, 0.1, integrators::Options::with_tolerance(1e-13));
  ASSERT_EQ(settled.status, integrators::RunStatus::kCompleted) << settled.reason;
  const Motion stiff(c.system, settled.state, 0.4);
  for (const char* method :
       {"ssp-sdirk", "infl-sdirk", "for-sdirk", "for-rosen", "ssp-trap", "infl-trap", "ssp-newmark"}) {
    for (const MethodOptions& settings : coordinates()) {
      const Orders order = stiff.fit(method, settings, 160, 4, 1e-11);
      print("stiff, " + name_of(settings), method, order);
      // The joint angles move along the stiff direction: what is left of q is round-off.
      EXPECT_TRUE(order.smallest.q < 1e-11 || order.q > 1.9) << method << ", " << name_of(settings);
      EXPECT_GT(order.lambda, 1) << method << ", " << name_of(settings);
    }
  }
}

/// A point mass (m = 1, l = 1) on a rod whose pivot is moved to and fro, with a force along x: time stands in the
/// constraint, in g_t, in the bias and in the force.
class ShakenPendulum final : public dae::ConstrainedSystem {
 public:
  explicit ShakenPendulum(bool claims_to_be_autonomous) : ConstrainedSystem(make_structure(claims_to_be_autonomous)) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    f[0] = 3 * std::cos(4 * at.t) - 0.2 * at.v[0];
    f[1] = -9.81;
  }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override {
    const double x = at.q[0] - pivot(at.t);
    g[0] = 0.5 * (x * x + at.q[1] * at.q[1] - 1);
  }
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override {
    G(0, 0) = at.q[0] - pivot(at.t);
    G(0, 1) = at.q[1];
  }
  void calc_velocity_offset(const dae::Point& at, dae::VectorOut g_t) const override {
    g_t[0] = -(at.q[0] - pivot(at.t)) * pivot_rate(at.t);
  }
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override {
    const double rate = at.v[0] - pivot_rate(at.t);
    bias[0] = -rate * rate - at.v[1] * at.v[1] + (at.q[0] - pivot(at.t)) * pivot_acceleration(at.t);
    return true;
  }
  State start() const {
    State s = State::zero(structure());
    s.q << std::sin(0.5), -std::cos(0.5);
    s.v << 0.3 * 5, 0;
    return s;
  }

 private:
  static dae::Structure make_structure(bool is_autonomous) {
    dae::Structure s = dae::Structure::full({"x", "y"}, {"rod"});
    s.is_autonomous = is_autonomous;
    return s;
  }
  static double pivot(double t) { return 0.3 * std::sin(5 * t); }
  static double pivot_rate(double t) { return 1.5 * std::cos(5 * t); }
  static double pivot_acceleration(double t) { return -7.5 * std::sin(5 * t); }
};

/// The same force without a moving pivot: time stands in the force alone.
class ForcedOscillator final : public dae::ConstrainedSystem {
 public:
  explicit ForcedOscillator(bool claims_to_be_autonomous)
      : ConstrainedSystem(make_structure(claims_to_be_autonomous)) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    f[0] = 3 * std::cos(4 * at.t) - 20 * at.q[0];
    f[1] = -9.81;
  }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override { g[0] = at.q[1] - 0.5 * at.q[0]; }
  void calc_jacobian(const dae::Point&, dae::MatrixValues G) const override {
    G(0, 0) = -0.5;
    G(0, 1) = 1;
  }
  bool calc_acceleration_bias(const dae::Point&, dae::VectorOut) const override { return true; }
  State start() const {
    State s = State::zero(structure());
    s.q << 0.2, 0.1;
    return s;
  }

 private:
  static dae::Structure make_structure(bool is_autonomous) {
    dae::Structure s = dae::Structure::full({"x", "y"}, {"incline"});
    s.is_autonomous = is_autonomous;
    return s;
  }
};

template <class System>
void expect_time_to_matter(const std::string& name) {
  const auto system = std::make_shared<const System>(false), wrong = std::make_shared<const System>(true);
  Motion motion(system, system->start(), 1);
  const Orders right = motion.fit("for-rosen", {}, 80, 5, 1e-12);
  print(name, "for-rosen", right);
  EXPECT_NEAR(right.q, 4, 0.25) << name;
  EXPECT_NEAR(right.v, 4, 0.25) << name;
  EXPECT_NEAR(right.lambda, 4, 0.25) << name;
  motion.system = wrong;
  const Orders without = motion.fit("for-rosen", {}, 80, 5, 1e-12);
  print(name + ", without F_t", "for-rosen", without);
  EXPECT_NEAR(without.q, 1, 0.3) << name;
  EXPECT_NEAR(without.v, 1, 0.3) << name;
}

TEST(StateSpaceOrder, OfRosenbrockNeedsTheDerivativeByTime) {
  expect_time_to_matter<ForcedOscillator>("forced oscillator");
  expect_time_to_matter<ShakenPendulum>("shaken pendulum");
}

TEST(StateSpaceOrder, OfTheOthersOnAShakenPendulumIsThatOfTheFormula) {
  const auto system = std::make_shared<const ShakenPendulum>(false);
  const Motion motion(system, system->start(), 1);
  for (const char* method : {"ssp-sdirk", "infl-sdirk", "for-sdirk", "ssp-trap", "infl-trap", "ssp-newmark"}) {
    for (const char* kind : {"partition", "tangent-plane"}) {
      const double expected = integrators::find_method(method)->order;
      const Orders order = motion.fit(method, {{"coordinates", kind}}, 80, 5, 1e-12);
      print(std::string("shaken pendulum, ") + kind, method, order);
      EXPECT_GT(order.q, expected - 0.3) << method;
      EXPECT_GT(order.v, expected - 0.3) << method;
      EXPECT_GT(order.lambda, expected - 0.3) << method;
    }
  }
}

}  // namespace
}  // namespace trammel::testing
