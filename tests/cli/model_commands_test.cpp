// Commands on model files: what they say, print and leave behind when something is odd or wrong.

#include <fstream>

#include "tests/cli/program.h"

namespace trammel::cli {
namespace {

class ModelProgram : public Program {
 protected:
  std::string write(const char* name, const std::string& text) {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  /// A crank that a motion drives through two turns.
  std::string write_crank(const std::string& more = {}) {
    return write("crank.yaml", R"(
space: planar
bodies: {a: {mass: 2, inertia: 0.5, centre_of_mass: [0.6, 0]}}
joints: {j: {type: revolute, between: [ground, a]}}
motions: {m: {joint: j, angle: 2*pi*t}}
)" + more);
  }
  static std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

bool contains(const nlohmann::json& list, const std::string& text) {
  for (const auto& entry : list) {
    if (entry.get<std::string>().find(text) != std::string::npos) return true;
  }
  return false;
}

TEST_F(ModelProgram, KinematicsSaysThatItLooksForNoEvents) {
  const auto without = run_json("kinematics " + write_crank());
  EXPECT_FALSE(contains(without["notes"], "events"));
  const auto summary = run_json("kinematics " + write_crank("events: {half: {when: a.angle - pi, then: stop}}"));
  EXPECT_EQ(summary["t"], 1);
  EXPECT_TRUE(contains(summary["notes"], "events of the model are not looked for")) << summary["notes"];
}

TEST_F(ModelProgram, OptionsOfTheFileBelongToItsMethod) {
  const std::string model = write_crank("simulation: {t_end: 0.1, method: hht, options: {alpha: -0.1}}");
  EXPECT_EQ(run_json("run " + model)["method"], "hht");
  EXPECT_EQ(run_json("run " + model + " --method bdf-i3")["method"], "bdf-i3");
  EXPECT_EQ(run("run " + model + " --method bdf-i3 --option alpha=-0.1").status, 2);
}

TEST_F(ModelProgram, KinematicsKeepsToTheLargestStep) {
  const std::string model = write_crank("simulation: {t_end: 1, max_step: 1e-3}");
  EXPECT_LE(run_json("kinematics " + model)["statistics"]["largest_step"].get<double>(), 1.001e-3);
  EXPECT_LE(run_json("kinematics " + model + " --max-step 5e-4")["statistics"]["largest_step"].get<double>(), 5.001e-4);
}

TEST_F(ModelProgram, AnInterruptedKinematicAnalysisKeepsWhatItHas) {
  const std::string model = write_crank();
  const std::string out = path("r.csv");
  const Answer answer = run("kinematics -q " + model + " --t-end 1e6 --every 0.01 --json --out " + out +
                            " & sleep 0.5; kill -INT $!; wait $!");
  const auto summary = nlohmann::json::parse(answer.out);
  EXPECT_EQ(summary["status"], "stopped") << answer.err;
  EXPECT_EQ(answer.status, 0);
  EXPECT_GT(lines_of(out).size(), 10u);
}

TEST_F(ModelProgram, AFullDiskEndsAKinematicAnalysisWithItsSummary) {
  const std::string model = write_crank();
  const Answer answer = run("joints > /dev/null; trap '' XFSZ; ulimit -f 8; " + std::string(TRAMMEL_CLI) +
                            " kinematics -q " + model + " --t-end 1e5 --every 0.01 --json --out " + path("r.csv"));
  EXPECT_EQ(answer.status, 1);
  EXPECT_NE(answer.err.find("could not write all of"), std::string::npos) << answer.err;
  EXPECT_EQ(nlohmann::json::parse(answer.out)["schema"], "trammel.run/1");
}

TEST_F(ModelProgram, AStandardOutputThatIsFullIsAFailure) {
  const std::string model = write_crank();
  const std::vector<std::string> commands{"run " + model, "check " + model, "statics pendulum", "kinematics " + model,
                                          "cases",        "methods",        "schema",           "joints"};
  for (const std::string& command : commands) {
    for (const char* json : {"", " --json"}) {
      if (command == "schema" && *json != 0) continue;
      const Answer answer = run(command + json + " > /dev/full");
      EXPECT_EQ(answer.status, 1) << command << json;
      EXPECT_NE(answer.err.find("No space left"), std::string::npos) << command << json << "\n" << answer.err;
    }
  }
}

TEST_F(ModelProgram, ErrorsAreAJsonObjectWhereJsonIsAskedFor) {
  const std::string broken = write("broken.yaml", "space: planar\nbodies: {a: {mass: -1, inertia: 1}}\nbogus: 3\n");
  for (const char* command : {"run", "check", "statics", "kinematics"}) {
    const Answer answer = run(std::string(command) + " " + broken + " --json");
    EXPECT_EQ(answer.status, 2);
    EXPECT_NE(answer.err.find("mass must not be negative"), std::string::npos) << answer.err;
    const auto error = nlohmann::json::parse(answer.out);
    EXPECT_EQ(error["schema"], "trammel.error/1");
    EXPECT_EQ(error["cause"], "input");
    ASSERT_EQ(error["problems"].size(), 2u);
    EXPECT_EQ(error["problems"][0]["line"], 2);
    EXPECT_EQ(error["problems"][0]["column"], 20);
    EXPECT_EQ(error["problems"][0]["file"], broken);
    EXPECT_NE(error["problems"][0]["message"].get<std::string>().find("negative"), std::string::npos);
  }
  const Answer unknown = run("run pendulum --nosuch --json");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(nlohmann::json::parse(unknown.out)["error"].get<std::string>().find("--nosuch"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(run("results /nosuch.h5 --json").out)["cause"], "input");

  const std::string open = write("open.yaml", R"(
space: planar
bodies: {a: {mass: 1, inertia: 1, markers: {tip: [1, 0]}}}
joints: {j: {type: revolute, between: [ground, a]}, k: {type: fixed, between: [ground, a.tip]}}
)");
  const Answer answer = run("run " + open + " --json");
  EXPECT_EQ(answer.status, 1);
  const auto error = nlohmann::json::parse(answer.out);
  EXPECT_EQ(error["cause"], "assembly");
  EXPECT_NE(answer.err.find(error["error"].get<std::string>()), std::string::npos);
}

TEST_F(ModelProgram, CheckOfContradictoryVelocitiesCountsNothingAndQuotesOnce) {
  const std::string model = write("contradiction.yaml", R"(
space: planar
bodies: {a: {mass: 2, inertia: 0.5}}
joints: {j: {type: revolute, between: [ground, a]}}
motions: {m: {joint: j, angle: t}, n: {joint: j, angle: 2*t}}
)");
  const Answer answer = run("check " + model);
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.out.find("constraints"), std::string::npos) << answer.out;
  EXPECT_NE(answer.err.find(" motion 'm' by "), std::string::npos) << answer.err;
  EXPECT_EQ(answer.err.find("''"), std::string::npos) << answer.err;
  const auto described = nlohmann::json::parse(run("check " + model + " --json").out);
  EXPECT_EQ(described["ok"], false);
  EXPECT_TRUE(described["coordinates"].is_null());
}

TEST_F(ModelProgram, MotionsThatJumpAreNamedByEveryCommand) {
  const std::string model = write("jump.yaml", R"(
space: planar
bodies: { a: { mass: 2, inertia: 0.5 } }
joints: { j: { type: revolute, between: [ground, a] } }
motions: { m: { joint: j, angle: 'if(t < 0.5, 0.2, 0.4)' } }
)");
  for (const char* command : {"check ", "run ", "kinematics ", "statics "}) {
    const Answer outcome = run(command + model);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_NE((outcome.out + outcome.err).find("motion 'm' jumps from 0.2 to 0.4 at t = 0.5"), std::string::npos)
        << command << outcome.out << outcome.err;
  }
}

TEST_F(ModelProgram, BodiesWithoutInertiaAreNamedByCheckAndRun) {
  const std::string model = write("point.yaml", "bodies: {a: {mass: 1, inertia: [0, 0, 0]}}");
  EXPECT_TRUE(contains(run_json("check " + model)["messages"], "body 'a' has no inertia"));
  EXPECT_NE(run("check " + model).out.find("body 'a' has no inertia"), std::string::npos);
  const Answer answer = run("run " + model);
  EXPECT_EQ(answer.status, 1);
  EXPECT_NE(answer.err.find("body 'a' has no inertia"), std::string::npos) << answer.err;
}

TEST_F(ModelProgram, ImplicitStatesAreNamedByCheck) {
  const std::string model = write("implicit.yaml", R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
states: {z: {residual: z^2 - 4, initial: 1}}
variables: {first: second + 1, second: 2*first}
)");
  const std::string out = run("check " + model).out;
  for (const char* text :
       {"'second', 'first' refer to each other", "'z'", "methods that integrate states in implicit"}) {
    EXPECT_NE(out.find(text), std::string::npos) << out;
  }
  EXPECT_TRUE(run_json("methods")[0]["capabilities"]["implicit_states"].is_boolean());
}

TEST_F(ModelProgram, TheGuidesExampleOfStatesRuns) {
  std::stringstream page;
  page << std::ifstream(std::string(TRAMMEL_SOURCE_DIR) + "/docs/guide/model-format.md").rdbuf();
  const std::string text = page.str(), begin = "```yaml\n";
  const auto at = text.find(begin, text.find("## States and variables")) + begin.size();
  const auto summary = run_json("run " + write("states.yaml", text.substr(at, text.find("```", at) - at)));
  EXPECT_EQ(summary["status"], "completed");
  EXPECT_EQ(summary["x"].size(), 1u);
}

TEST_F(ModelProgram, VelocitiesThatAreOverruledAreSaid) {
  const std::string model = write("twice.yaml", R"(
space: planar
bodies: {a: {mass: 1, inertia: 1, angular_velocity: 3}}
joints: {j: {type: revolute, between: [ground, a], initial: {angle_rate: 1}}}
)");
  EXPECT_NE(run("run " + model).err.find("initial angle_rate 1 is used"), std::string::npos);
  EXPECT_NE(run("check " + model).out.find("initial angle_rate 1 is used"), std::string::npos);
}

TEST_F(ModelProgram, PlanarModelsHaveNoColumnsOutOfThePlane) {
  const std::string model = write("planar.yaml", R"(
space: planar
bodies: {a: {mass: 1, inertia: 1}}
forces:
  push: {type: vector-force, on: a, reaction: ground, force: [1, 2], torque: 3, in: a}
  mount: {type: bushing, between: [ground, a], stiffness: [1, 1, 1]}
simulation: {t_end: 0.1}
)");
  ASSERT_EQ(run("run " + model + " --no-energy --out " + path("r.csv")).status, 0);
  const std::string names = lines_of(path("r.csv")).front();
  EXPECT_NE(names.find(",push.fx,push.fy,push.tz,mount.fx,mount.fy,mount.tz,energy.kinetic"), std::string::npos)
      << names;
}

TEST_F(ModelProgram, AMarkerCanBeDrivenByItsAngle) {
  const std::string model = write("turn.yaml", R"(
space: planar
bodies: {a: {mass: 1, inertia: 2, markers: {tip: {position: [1, 0], angle: 30 deg}}}}
joints: {pin: {type: revolute, between: [ground, a]}}
motions: {turn: {marker: a.tip, angle: 3*t^2 + 30 deg}}
)");
  const auto summary = run_json("kinematics " + model + " --t-end 2");
  EXPECT_NEAR(summary["bodies"]["a"]["angle"].get<double>(), 12, 1e-9);
}

TEST_F(ModelProgram, ARunMayEndWhereItStarts) {
  const std::string model = write("short.yaml", "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nsimulation: {t_end: 0}");
  for (const std::string& arguments : {"run " + model, "run " + model + " --t-end 0"}) {
    ASSERT_EQ(run(arguments + " --out " + path("r.csv")).status, 0);
    EXPECT_EQ(lines_of(path("r.csv")).size(), 2u) << arguments;
  }
}

TEST_F(ModelProgram, ParametersAreGivenByExpressions) {
  const auto summary = run_json("run pendulum -p length=2*3 -p angle=\"30 deg\" --t-end 0");
  const auto expected = run_json("run pendulum -p length=6 -p angle=0.52359877559829887 --t-end 0");
  EXPECT_EQ(summary["q"], expected["q"]);
}

}  // namespace
}  // namespace trammel::cli
