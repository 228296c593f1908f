// What every case must satisfy, whatever it models: right derivatives in closed form, a consistent start, names that
// tell things apart, poses whose velocity is the rate of their position, no allocation, messages for wrong parameters.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <ostream>
#include <random>
#include <set>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/dae/evaluation.h"

namespace trammel::cases {
namespace {

using dae::Derivative;
using dae::Evaluation;
using dae::State;
using dae::Structure;
using dae::Vector;

struct Variant {
  const CaseEntry* entry;
  ParameterValues parameters;
};

/// Every case as it comes, and the variants that stress it.
std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const CaseEntry* entry : cases()) variants.push_back({entry, {}});
  const auto add = [&](const std::string& name, const ParameterValues& parameters) {
    variants.push_back({find_case(name), parameters});
  };
  add("bushing-chain", {{"n", 2}, {"stiffness", 1e4}});
  add("bushing-chain", {{"n", 5}, {"ratio", 3}, {"damping", 100}});
  add("bushing-pendulum", {{"eps", 1e-6}, {"g", 9.81}});
  add("cable-drum", {{"mu", 0}});
  add("cable-drum", {{"mu", 1.5}});
  add("chain", {{"n", 1}});
  add("chain", {{"n", 40}});
  add("chain-bodies", {{"n", 1}});
  add("double-pendulum", {{"variant", 1}});
  add("four-bar", {{"n", 3}});
  add("heavy-top", {{"tilt", 0.5}, {"w_z", 5}});
  add("insulator-bodies", {{"n", 1}});
  add("mixed-chain", {{"n", 1}});
  add("mixed-chain", {{"n", 40}});
  add("pendulum-bodies", {{"inertia", 0.3}});
  add("slider-crank", {{"driven", 0}});
  add("spatial-chain", {{"n", 3}, {"hinges", 1}});
  add("truck", {{"road", 1}});
  add("double-pendulum", {{"k2", 300}, {"c2", 50}});
  add("insulator-chain", {{"n", 1}});
  add("insulator-chain", {{"n", 16}});
  add("pendulum", {{"mass", 7}, {"length", 0.3}, {"angle", 2.5}});
  for (double eps : {1e-4, 1e-6}) {
    add("point-mass-linear", {{"eps", eps}});
    add("point-mass-linear", {{"eps", eps}, {"variant", 2}});
    add("point-mass-spring", {{"eps", eps}});
  }
  return variants;
}

std::string name_of(const Variant& variant) {
  std::string name = variant.entry->name;
  for (const auto& [parameter, value] : variant.parameters) name += fmt::format("_{}{:g}", parameter, value);
  return name;
}
std::ostream& operator<<(std::ostream& stream, const Variant& variant) { return stream << name_of(variant); }

std::string test_name(const ::testing::TestParamInfo<Variant>& tested) {
  std::string name = name_of(tested.param);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

class EachCase : public ::testing::TestWithParam<Variant> {
 protected:
  EachCase()
      : c_(build_case(*GetParam().entry, GetParam().parameters)),
        system_(*c_.system),
        structure_(system_.structure()) {}

  /// The start, moved at random: angles by up to 0.3 rad and lengths by 0.3 m, less where springs have no more room;
  /// speeds up to those of the case.
  State random_state(unsigned seed) const {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const double speed = GetParam().entry->name == "andrews" ? 1000 : 5;
    const double reach = GetParam().entry->name == "truck" ? 0.03 : 0.3;
    State state = c_.start;
    state.t += 0.3 * uniform(engine);
    Vector step(structure_.n_v());
    for (double& delta : step) delta = reach * uniform(engine);
    system_.retract(c_.start.q, step, state.q);
    if (c_.mechanism) c_.mechanism->set_counters(state);
    for (double& v : state.v) v += speed * uniform(engine);
    for (double& a : state.a) a += speed * uniform(engine);
    for (double& lambda : state.lambda) lambda += uniform(engine);
    return state;
  }

  Case c_;
  const dae::ConstrainedSystem& system_;
  const Structure& structure_;
};

TEST_P(EachCase, GivesEveryDerivativeInClosedFormAndRight) {
  const dae::DerivativeReport at_start = check_derivatives(system_, c_.start);
  EXPECT_TRUE(at_start.not_given.empty()) << to_string(at_start);
  // Dampers with two rates have a kink at rest, where the car starts.
  const std::set<std::string> start_at_a_kink{"double-wishbone", "hmmwv14", "hmmwv14-bushings"};
  if (!start_at_a_kink.contains(GetParam().entry->name)) {
    EXPECT_TRUE(at_start.is_right()) << "at the start:\n" << to_string(at_start);
  }
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const dae::DerivativeReport report = check_derivatives(system_, random_state(seed), {.seed = seed});
    EXPECT_TRUE(report.is_right()) << "at random state " << seed << ":\n" << to_string(report);
  }
}

TEST_P(EachCase, StartsOnItsConstraints) {
  if (structure_.m() == 0) GTEST_SKIP() << "no constraints";
  Evaluation evaluation(system_);
  evaluation.set(c_.start);
  EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-12);
  Vector residual(structure_.m());
  evaluation.calc_velocity_residual(residual);
  EXPECT_LT(residual.cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(EachCase, TellsEverythingApartByName) {
  std::set<std::string> names;
  for (const auto* list : {&structure_.position_names, &structure_.velocity_names, &structure_.constraint_names}) {
    for (const std::string& name : *list) EXPECT_TRUE(names.insert(name).second) << name << " stands twice";
  }
  std::set<std::string> events;
  for (const integrators::Event& event : c_.events) EXPECT_TRUE(events.insert(event.name).second) << event.name;
}

TEST_P(EachCase, HasEventsThatCanBeEvaluated) {
  for (const integrators::Event& event : c_.events) {
    EXPECT_TRUE(std::isfinite(event.function(c_.start))) << event.name;
    // A switching function that never changes would find nothing. Edges may belong to modes that are off here.
    if (event.is_edge) continue;
    EXPECT_NE(event.function(random_state(1)), event.function(random_state(2))) << event.name;
  }
  EXPECT_GT(c_.t_end, c_.start.t);
}

TEST_P(EachCase, ReportsPosesThatMoveAsTheCoordinatesDo) {
  ASSERT_TRUE(c_.bodies);
  const State state = random_state(3);
  const double width = 1e-7;
  State ahead = state, behind = state;
  system_.retract(state.q, width * state.v, ahead.q);
  system_.retract(state.q, -width * state.v, behind.q);
  const auto poses = c_.bodies(state), later = c_.bodies(ahead), earlier = c_.bodies(behind);
  ASSERT_FALSE(poses.empty());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double speed = 1 + poses[i].velocity.norm();
    EXPECT_LT((poses[i].velocity - (later[i].position - earlier[i].position) / (2 * width)).norm(), 1e-6 * speed)
        << poses[i].name;
    EXPECT_NEAR(poses[i].angular_velocity, (later[i].angle - earlier[i].angle) / (2 * width),
                1e-6 * (1 + std::abs(poses[i].angular_velocity)))
        << poses[i].name;
  }
}

TEST_P(EachCase, AllocatesNothingWhenEvaluated) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring their own allocator";
  Evaluation evaluation(system_);
  const Vector s = Vector::Ones(structure_.n_v()), r = Vector::Ones(structure_.m());
  const auto evaluate_all = [&](const State& at) {
    evaluation.set(at);
    evaluation.mass();
    evaluation.jacobian();
    evaluation.constraint();
    evaluation.velocity_offset();
    evaluation.force();
    evaluation.acceleration_bias();
    for (int k = 0; k < dae::kDerivativeCount; ++k) {
      const auto which = static_cast<Derivative>(k);
      evaluation.derivative(which, which == Derivative::kReactionByQ ? r : s);
    }
    evaluation.calc_energy();
  };
  const State first = random_state(4), second = random_state(5);
  evaluate_all(first);
  const long before = testing::allocation_count();
  evaluate_all(second);
  EXPECT_EQ(testing::allocation_count(), before);
}

INSTANTIATE_TEST_SUITE_P(Cases, EachCase, ::testing::ValuesIn(all_variants()), test_name);

// --- parameters

std::string message_of(const std::string& name, const ParameterValues& changes) {
  try {
    build_case(*find_case(name), changes);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(CaseParameters, OutOfRangeAreRefusedWithTheRange) {
  EXPECT_EQ(message_of("cable-drum", {{"mu", -0.5}}),
            "parameter 'mu' of case 'cable-drum' is -0.5, but must lie between 0 and 10");
  EXPECT_EQ(message_of("chain", {{"n", 0}}), "parameter 'n' of case 'chain' is 0, but must lie between 1 and 1000000");
  EXPECT_EQ(message_of("point-mass-linear", {{"variant", 3}}),
            "parameter 'variant' of case 'point-mass-linear' is 3, but must lie between 1 and 2");
  EXPECT_EQ(message_of("point-mass-spring", {{"eps", std::nan("")}}),
            "parameter 'eps' of case 'point-mass-spring' is nan, but must lie between 1e-08 and 1");
}

TEST(CaseParameters, CountsMustBeWhole) {
  EXPECT_EQ(message_of("insulator-chain", {{"n", 2.5}}),
            "parameter 'n' of case 'insulator-chain' is 2.5, but must be a whole number");
}

TEST(CaseParameters, UnknownOnesAreRefusedWithThoseThatExist) {
  EXPECT_EQ(message_of("bushing-pendulum", {{"epsilon", 1e-3}}),
            "case 'bushing-pendulum' has no parameter 'epsilon'; it has: eps, g");
  EXPECT_EQ(message_of("andrews", {{"n", 3}}), "case 'andrews' has no parameters, so 'n' cannot be set");
}

TEST(CaseParameters, DefaultsLieInTheirRanges) {
  for (const CaseEntry* entry : cases()) {
    EXPECT_FALSE(entry->summary.empty());
    EXPECT_FALSE(entry->origin.empty());
    for (const Parameter& p : entry->parameters) {
      EXPECT_NO_THROW(build_case(*entry, {{p.name, p.value}})) << entry->name << ": " << p.name;
      EXPECT_FALSE(p.meaning.empty());
    }
  }
}

TEST(Cases, AreFoundByName) {
  for (const char* name : {"andrews",
                           "bdf-exercise",
                           "bricard",
                           "bushing-chain",
                           "bushing-pendulum",
                           "bushing-pendulum-bodies",
                           "cable-drum",
                           "chain",
                           "chain-bodies",
                           "double-pendulum",
                           "double-pendulum-bodies",
                           "double-wishbone",
                           "flyball-governor",
                           "four-bar",
                           "free-body",
                           "gyroscope",
                           "heavy-top",
                           "hmmwv14",
                           "hmmwv14-bushings",
                           "insulator-bodies",
                           "insulator-chain",
                           "mass-spring-damper",
                           "mixed-chain",
                           "pendulum",
                           "pendulum-bodies",
                           "point-mass-linear",
                           "point-mass-spring",
                           "servo-arm",
                           "seven-body",
                           "slider-crank",
                           "slider-crank-bushings",
                           "spatial-chain",
                           "spatial-double-pendulum",
                           "spatial-slider-crank",
                           "trammel",
                           "truck"}) {
    ASSERT_NE(find_case(name), nullptr) << name;
    EXPECT_EQ(find_case(name)->name, name);
  }
  EXPECT_EQ(find_case("nosuch"), nullptr);
}

}  // namespace
}  // namespace trammel::cases
