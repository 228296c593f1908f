// Mechanisms that are there twice, as equations written by hand and as a model of bodies and joints or as equations in
// other coordinates, move alike.

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/reference.h"
#include "trammel/integrators/integrate.h"

namespace trammel::cases {
namespace {

struct Pair {
  std::string equations, model;
  ParameterValues parameters;
  double t_end;
};

class EquationsAndModel : public ::testing::TestWithParam<Pair> {
 protected:
  static std::pair<Case, dae::State> run(const std::string& name) {
    Case c = build_case(*find_case(name), GetParam().parameters);
    const auto result = integrate(*c.system, c.start, GetParam().t_end, integrators::Options::with_tolerance(1e-9));
    EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << name << ": " << result.reason;
    return {std::move(c), result.state};
  }
};

TEST_P(EquationsAndModel, MoveAlike) {
  const auto [equations, expected] = run(GetParam().equations);
  const auto [model, found] = run(GetParam().model);
  const dae::Structure& s = model.system->structure();
  int compared = 0;
  for (const BodyPose& pose : equations.bodies(expected)) {
    const auto has = [&](const std::string& name) {
      return std::find(s.position_names.begin(), s.position_names.end(), name) != s.position_names.end();
    };
    if (!has(pose.name + ".x")) continue;  // points under load are no bodies of a model
    ++compared;
    const auto compare = [&](const std::string& coordinate, double value) {
      EXPECT_NEAR(named_value(s, found, pose.name + coordinate), value, 1e-6 * (1 + std::abs(value)))
          << pose.name << coordinate;
    };
    compare(".x", pose.position[0]);
    compare(".y", pose.position[1]);
    compare(".angle", pose.angle);
    compare(".x'", pose.velocity[0]);
    compare(".y'", pose.velocity[1]);
    compare(".angle'", pose.angular_velocity);
  }
  EXPECT_GE(compared, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, EquationsAndModel,
    ::testing::Values(Pair{"andrews", "seven-body", {}, 0.01},
                      Pair{"bushing-pendulum", "bushing-pendulum-bodies", {{"eps", 1e-4}}, 0.3},
                      Pair{"bushing-pendulum", "bushing-pendulum-bodies", {{"g", 9.81}}, 0.3},
                      Pair{"chain", "chain-bodies", {{"n", 6}}, 0.7}, Pair{"chain", "mixed-chain", {{"n", 6}}, 0.7},
                      Pair{"double-pendulum", "double-pendulum-bodies", {{"k2", 300}, {"c2", 50}}, 1},
                      Pair{"insulator-chain", "insulator-bodies", {{"n", 8}}, 0.03},
                      Pair{"pendulum", "pendulum-bodies", {{"length", 0.7}, {"angle", 1}}, 1}),
    [](const auto& tested) {
      std::string name = tested.param.model + "_" + std::to_string(tested.index);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace trammel::cases
