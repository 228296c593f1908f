// The equations of the cases against the reference solutions, point by point and without integrating: at a state of a
// reference the constraints hold, the equations of motion give its accelerations and multipliers, and the energy
// changes by the power of what is not conservative.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "cases/reference.h"
#include "cases/truck_road.h"
#include "tests/cases/index1.h"

namespace trammel::cases {
namespace {

using dae::Derivative;
using dae::Evaluation;
using dae::State;
using dae::Structure;
using dae::Vector;

const std::filesystem::path kFolder = std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference";

const std::vector<Reference>& references() {
  static const std::vector<Reference> loaded = load_references(kFolder);
  return loaded;
}

class EachReference : public ::testing::TestWithParam<std::size_t> {
 protected:
  EachReference()
      : reference_(references()[GetParam()]),
        c_(build_case(*find_case(reference_.case_name), reference_.parameters)),
        system_(*c_.system),
        structure_(system_.structure()) {}

  /// The points with all positions and velocities.
  std::vector<State> states() const {
    std::vector<State> states;
    for (const ReferencePoint& point : reference_.points) {
      if (is_complete(structure_, point)) states.push_back(to_state(structure_, point));
    }
    return states;
  }

  /// A force (y + 1)/eps^2 amplifies the rounding of y, which is near -1; this is its error.
  double force_round_off() const {
    if (reference_.case_name != "point-mass-linear") return 0;
    return 0.5 * std::numeric_limits<double>::epsilon() / std::pow(reference_.parameters.at("eps"), 2);
  }

  const Reference& reference_;
  Case c_;
  const dae::ConstrainedSystem& system_;
  const Structure& structure_;
};

TEST_P(EachReference, BeginsAsTheCaseDoes) {
  const State first = to_state(structure_, reference_.points.front());
  EXPECT_EQ(first.t, c_.start.t);
  // Round-off of sines at 2 pi, times the rate.
  EXPECT_LT((first.q - c_.start.q).cwiseAbs().maxCoeff(), 5e-15);
  EXPECT_LT((first.v - c_.start.v).cwiseAbs().maxCoeff(), 2e-14);
}

TEST_P(EachReference, SaysWhereItComesFromAndIsInOrder) {
  EXPECT_FALSE(reference_.origin.empty());
  EXPECT_GE(states().size(), 2u);
  for (std::size_t i = 1; i < reference_.points.size(); ++i) {
    EXPECT_GT(reference_.points[i].t, reference_.points[i - 1].t);
  }
  for (const auto& [event, times] : reference_.event_times) {
    bool exists = false;
    for (const integrators::Event& candidate : c_.events) exists = exists || candidate.name == event;
    EXPECT_TRUE(exists) << event;
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  }
}

TEST_P(EachReference, LiesOnTheConstraints) {
  if (structure_.m() == 0) GTEST_SKIP() << "no constraints";
  Evaluation evaluation(system_);
  Vector residual(structure_.m());
  for (const State& state : states()) {
    evaluation.set(state);
    EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 5e-15) << "t = " << state.t;
    evaluation.calc_velocity_residual(residual);
    // References have 13 digits of the largest velocity at least.
    EXPECT_LT(residual.cwiseAbs().maxCoeff(), 1e-13 * std::max(1.0, state.v.cwiseAbs().maxCoeff()))
        << "t = " << state.t;
  }
}

// Of accelerations that vanish as the sum of weight and reactions [m/s^2].
constexpr double kRestRoundOff = 1e-14;

TEST_P(EachReference, HasTheAccelerationsAndMultipliersOfTheEquations) {
  for (const ReferencePoint& point : reference_.points) {
    if (!is_complete(structure_, point)) continue;
    const State expected = to_state(structure_, point);
    State state = expected;
    solve_accelerations(system_, state);
    const double a_scale = expected.a.cwiseAbs().maxCoeff();
    const double lambda_scale = structure_.m() > 0 ? expected.lambda.cwiseAbs().maxCoeff() : 0;
    for (const auto& [name, value] : point.values) {
      const double computed = named_value(structure_, std::as_const(state), name);
      const bool is_acceleration = name.starts_with("a(");
      const double scale = is_acceleration ? a_scale : lambda_scale;
      EXPECT_NEAR(computed, value, 1e-11 * scale + (is_acceleration ? kRestRoundOff : force_round_off()))
          << name << " at t = " << point.t;
    }
  }
}

/// Power of the dampers of the truck, the road taken as standing still: -d L' (dL/dq v) each.
double truck_power(double road_kind, const State& s) {
  const auto rate = [&](int y, double x, double z) {  // of a point of a body that turns
    return s.v[y] + (x * std::cos(s.q[y + 1]) - z * std::sin(s.q[y + 1])) * s.v[y + 1];
  };
  const auto chassis = [&](double x, double z) { return rate(2, x + 1.094949, z); };
  const auto engine = [&](double x) { return rate(4, x - 1.6, 0); };
  const auto cabin = [&](double x) { return rate(6, x - 2.756345, 0); };
  const auto power = [](double d, double speed) { return -d * speed * speed; };
  const TruckRoad road(road_kind == 0 ? TruckRoad::Kind::kSine : TruckRoad::Kind::kUneven);
  return -600 * (s.v[0] - road.at(s.t - 0.3).rate) * s.v[0] - 300 * (s.v[1] - road.at(s.t).rate) * s.v[1] +
         power(21593, chassis(-2.06, -1.34) - s.v[0]) + power(38537, chassis(2.44, -1.34) - s.v[1]) +
         power(9400, engine(1.05) - chassis(1.05, -0.25)) + power(9400, engine(2.15) - chassis(2.15, -0.25)) +
         power(12218, cabin(1.94) - chassis(1.94, 0)) + power(12218, cabin(3.64) - chassis(3.64, 0)) +
         power(650, s.v[8] - cabin(2.6)) + power(38500, rate(9, 0.98 + 1.46, 0) - chassis(0.98, 0));
}

/// Power of the forces that have no potential, at a state that satisfies the constraints.
double power(const std::string& name, const ParameterValues& p, const State& s) {
  if (name == "cable-drum") return -s.v[0] * s.v[0] - p.at("mu") * s.lambda[1] * (s.v[1] + s.v[3]);
  if (name == "double-pendulum" || name == "double-pendulum-bodies")
    return -15 * s.v[2] * s.v[2] - 5e4 * std::pow(s.v[5] - s.v[2], 2);
  if (name == "bushing-pendulum" || name == "bushing-pendulum-bodies") return -10 * s.v.squaredNorm();
  if (name == "incline-block") {  // the rope, and friction where the block slips
    const double alpha = std::numbers::pi / 15, speed = s.v[0] * std::cos(alpha) + s.v[1] * std::sin(alpha);
    const double weight = 2 * 9.81 * std::cos(alpha);
    return 17 * std::sin(std::numbers::pi / 2 * s.t) * speed - 0.4 * weight * std::abs(speed);
  }
  if (name == "belt-oscillator") return -0.3 * 9.81 * std::abs(s.v[3] - s.v[0]);
  if (name == "brake") {
    const Eigen::Vector2d pin(3 * s.a[0], 3 * (s.a[1] + 9.81));
    return -0.4 * 0.08 * (pin.norm() + 60) * std::abs(s.v[2]);
  }
  if (name == "seven-body") return 0.033 * s.v[2];
  if (name == "flyball-governor") {  // the damper of the collar, and engine and load on the shaft
    const double height = s.q[23], u = std::clamp((s.t - 0.5) / 0.1, 0.0, 1.0);
    const double torque = 60 * (-0.4 * std::cos(std::numbers::pi / 6) - height) - u * u * (3 - 2 * u);
    return -30 * s.v[20] * s.v[20] + torque * s.v[5];
  }
  if (name == "servo-arm") return s.x[0] * s.v[2] + s.x[1] * (s.v[5] - s.v[2]);
  if (name == "slider-crank-bushings") {  // the motor; dampers in the bearing, at the spring, in the bushings
    const double u = std::clamp(s.t / 0.1, 0.0, 1.0), torque = 40 * u * u * u * (10 - 15 * u + 6 * u * u);
    const auto along = [](double angle) { return Eigen::Vector2d(std::cos(angle), std::sin(angle)); };
    const auto across = [](const Eigen::Vector2d& r) { return Eigen::Vector2d(-r.y(), r.x()); };
    const Eigen::Vector2d rod = along(s.q[5]), big = s.q.segment<2>(3) - 0.18 * rod;
    const Eigen::Vector2d big_rate = s.v.segment<2>(3) - 0.18 * s.v[5] * across(rod) - s.v[2] * across(big);
    Eigen::Vector2d small_rate = s.v.segment<2>(3) + 0.27 * s.v[5] * across(rod);
    small_rate.x() -= s.v[6];
    return (torque - 1.2 * s.v[2]) * s.v[2] - 20 * s.v[6] * s.v[6] -
           3e3 * (big_rate.squaredNorm() + small_rate.squaredNorm());
  }
  if (name == "bushing-chain") {  // dampers in the bushings
    double sum = 0;
    for (Eigen::Index i = 3; i < s.q.size(); i += 6) {  // the rod below, and before it the rod above
      const Eigen::Vector2d above = 0.05 * Eigen::Vector2d(std::cos(s.q[i - 1]), std::sin(s.q[i - 1]));
      const Eigen::Vector2d below = 0.05 * Eigen::Vector2d(std::cos(s.q[i + 2]), std::sin(s.q[i + 2]));
      const auto across = [](const Eigen::Vector2d& r) { return Eigen::Vector2d(-r.y(), r.x()); };
      const Eigen::Vector2d d = s.q.segment<2>(i) - below - s.q.segment<2>(i - 3) - above;
      const Eigen::Vector2d end_rates =
          s.v.segment<2>(i) - s.v[i + 2] * across(below) - s.v.segment<2>(i - 3) - s.v[i - 1] * across(above);
      sum += (end_rates - s.v[i - 1] * across(d)).squaredNorm();  // as seen from the rod above
    }
    return -p.at("damping") * sum;
  }
  if (name == "insulator-bodies") {  // the cable at the corner of the triangle
    const double vx = s.v[0] + 0.37 * std::cos(s.q[2]) * s.v[2], vy = s.v[1] + 0.37 * std::sin(s.q[2]) * s.v[2];
    const double slope = vx / std::sqrt(230000 / (3.4e-4 * 3325));
    const double tension = 230000 + 8e9 * 3.4e-4 / std::sqrt(8e9 / 3325) * vy;
    return -tension * (slope * vx + vy) / std::sqrt(1 + slope * slope);
  }
  if (name == "truck") return truck_power(p.at("road"), s);
  if (name == "mass-spring-damper") return s.v[0] * std::sin(2 * s.t) - 200 * std::pow(s.v[0], 4);
  return 0;
}

TEST_P(EachReference, ChangesItsEnergyByThePowerOfWhatIsNotConservative) {
  Evaluation evaluation(system_);
  const auto potential_at = [&](const State& state, double time) {
    Vector q(structure_.n_q());
    system_.retract(state.q, time * state.v, q);
    evaluation.set_position(state.t, q);
    evaluation.mass();  // prepares the position
    return system_.calc_potential_energy(evaluation.point());
  };
  if (!potential_at(c_.start, 0)) GTEST_SKIP() << "no potential energy";
  for (State state : states()) {
    solve_accelerations(system_, state);
    // d/dt(v^T M v / 2) = v^T M a + v^T (d(M v)/dq v) / 2
    evaluation.set(state);
    const Eigen::MatrixXd M = structure_.mass.to_dense(evaluation.mass());
    double kinetic = state.v.dot(M * state.a);
    if (structure_.pattern(Derivative::kInertiaByQ).size() > 0) {
      const double* values = evaluation.derivative(Derivative::kInertiaByQ, state.v);
      kinetic += 0.5 * state.v.dot(structure_.pattern(Derivative::kInertiaByQ).to_dense(values) * state.v);
    }
    const double width = 1e-5 / (1 + state.v.cwiseAbs().maxCoeff());
    const double ahead = *potential_at(state, width), behind = *potential_at(state, -width);
    const double potential = (ahead - behind) / (2 * width);
    evaluation.set(state);
    const bool is_constrained = structure_.m() > 0;
    const double driven = is_constrained ? state.lambda.dot(evaluation.velocity_offset()) : 0;
    const double drive_terms =
        is_constrained ? state.lambda.cwiseAbs().maxCoeff() * evaluation.velocity_offset().cwiseAbs().sum() : 0;
    const double lost = power(reference_.case_name, reference_.parameters, state) + driven;
    const double terms = drive_terms + state.v.cwiseAbs().dot(M.cwiseAbs() * (state.v + state.a).cwiseAbs());
    const double round_off = 4 * std::numeric_limits<double>::epsilon() * (std::abs(ahead) / width + terms);
    EXPECT_NEAR(kinetic + potential, lost,
                1e-8 * (std::abs(kinetic) + std::abs(potential) + std::abs(lost)) + round_off)
        << "t = " << state.t;
  }
}

TEST_P(EachReference, KeepsItsEnergyWhereNothingIsLost) {
  const std::set<std::string> conservative{"andrews",
                                           "bricard",
                                           "bushing-chain",
                                           "chain",
                                           "chain-bodies",
                                           "four-bar",
                                           "free-body",
                                           "gyroscope",
                                           "heavy-top",
                                           "mixed-chain",
                                           "pendulum",
                                           "pendulum-bodies",
                                           "spatial-chain",
                                           "spatial-double-pendulum",
                                           "spatial-slider-crank",
                                           "point-mass-linear",
                                           "point-mass-spring"};
  const auto damping = reference_.parameters.find("damping");
  const bool is_damped = damping != reference_.parameters.end() && damping->second > 0;
  if (is_damped || !conservative.contains(reference_.case_name)) GTEST_SKIP() << "dissipative";
  Evaluation evaluation(system_);
  evaluation.set(c_.start);
  const double at_start = *evaluation.calc_energy();
  double largest_kinetic = 0;
  std::vector<double> energies;
  for (const State& state : states()) {
    evaluation.set(state);
    energies.push_back(*evaluation.calc_energy());
    largest_kinetic = std::max(largest_kinetic, energies.back() - *system_.calc_potential_energy(evaluation.point()));
  }
  for (std::size_t k = 0; k < energies.size(); ++k) {
    const State state = states()[k];
    EXPECT_NEAR(energies[k], at_start,
                2e-14 * (std::abs(at_start) + largest_kinetic) + force_round_off() * std::abs(state.q[1] + 1))
        << "t = " << state.t;
  }
  EXPECT_GT(largest_kinetic, 0);
}

INSTANTIATE_TEST_SUITE_P(References, EachReference, ::testing::Range<std::size_t>(0, references().size()),
                         [](const auto& tested) {
                           std::string name = references()[tested.param].name;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

TEST(References, ThereIsOneForEveryCaseOrAReason) {
  const std::map<std::string, std::string> reasons{
      {"double-wishbone", "no second formulation of the suspension; vehicles_test.cpp checks its kinematics"},
      {"hmmwv14", "no second formulation of the car; vehicles_test.cpp checks loads at rest, pitch and when it bumps"},
      {"hmmwv14-bushings", "the same as hmmwv14"},
  };
  std::set<std::string> covered;
  for (const Reference& reference : references()) covered.insert(reference.case_name);
  for (const CaseEntry* entry : cases()) {
    EXPECT_NE(covered.contains(entry->name), reasons.contains(entry->name)) << entry->name;
  }
}

TEST(References, ABrokenFileIsNamed) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "broken.json";
  std::ofstream(file) << R"({"case": "chain", "parameters": {}})";
  try {
    load_reference(file);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("broken.json"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("origin"), std::string::npos) << e.what();
  }
  EXPECT_THROW(load_reference(kFolder / "nosuch.json"), std::runtime_error);
}

TEST(References, ANameThatTheCaseDoesNotHaveIsRefused) {
  const Case c = build_case(*find_case("pendulum"));
  State state = c.start;
  EXPECT_THROW(named_value(c.system->structure(), state, "z"), std::out_of_range);
  named_value(c.system->structure(), state, "a(y')") = 3;
  EXPECT_EQ(state.a[1], 3);
}

}  // namespace
}  // namespace trammel::cases
