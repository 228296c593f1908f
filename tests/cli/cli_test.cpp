// The program as a user runs it: output, exit status, messages.

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/cli/program.h"

namespace trammel::cli {
namespace {

TEST_F(Program, AndrewsMeetsThePublishedReference) {
  const auto summary = run_json("run andrews --method projection --tol 1e-9");
  const std::vector<double> published{15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                                      0.5244099658805304, 0.5347301163226948, 1.048080741042263};
  ASSERT_EQ(summary["q"].size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(summary["q"][i].get<double>(), published[i], 1e-6);
  EXPECT_LE(summary["drift"]["position"].get<double>(), 1e-9);
  EXPECT_EQ(summary["schema"], "trammel.run/1");
  EXPECT_EQ(summary["status"], "completed");
  EXPECT_EQ(summary["t"], 0.03);
  EXPECT_GT(summary["statistics"]["steps"], 10);
  for (const char* key : {"rejected_error", "rejected_convergence", "force_evaluations", "constraint_evaluations",
                          "jacobian_evaluations", "factorizations", "solves", "wall_seconds", "cpu_seconds"}) {
    EXPECT_TRUE(summary["statistics"].contains(key)) << key;
  }
  EXPECT_NEAR(summary["energy"]["initial"].get<double>(), summary["energy"]["final"].get<double>(), 1e-7);
  EXPECT_TRUE(summary["bodies"].contains("K7"));
}

TEST_F(Program, InsulatorChainFindsTheFirstTurning) {
  const auto summary = run_json("run insulator-chain -p n=32 --t-end 0.2 --events");
  ASSERT_EQ(summary["events"].size(), 1u);
  EXPECT_NEAR(summary["events"][0]["t"].get<double>(), 0.128295766704175, 2e-5);
  EXPECT_EQ(summary["status"], "stopped");
}

TEST_F(Program, WrongInputGetsOneClearMessageAndStatusTwo) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"run nosuch", "there is no case 'nosuch'; there are: andrews"},
      {"run andrew", "did you mean andrews?"},
      {"run pendulm", "did you mean pendulum?"},
      {"run pendulum --tol -1", "tolerance is -1"},
      {"run pendulum --tol abc", "abc"},
      {"run pendulum -p nosuch=1", "has no parameter 'nosuch'; it has: mass, length, g, angle, rods"},
      {"run pendulum -p length=-1", "must lie between"},
      {"run pendulum -p length", "name=value"},
      {"run pendulum -p length=1m", "'1m'"},
      {"run chain -p n=2.5", "whole number"},
      {"run pendulum --method nosuch", "there is no method 'nosuch'"},
      {"run pendulum --option project=maybe", "must be one of: yes, no"},
      {"run pendulum --option nosuch=1", "has no option 'nosuch'"},
      {"run pendulum -p length=2*x", "there is no name 'x'"},
      {"run pendulum --t-end -1", "lies before the start"},
      {"run pendulum --t-end inf", "trammel: --t-end is inf, but must be a finite number\n"},
      {"kinematics pendulum --t-end nan", "trammel: --t-end is nan, but must be a finite number\n"},
      {"run pendulum --fixed-step 0", "the fixed step is 0, but must be positive"},
      {"run pendulum --out ''", "--out needs the name of a file"},
      {"kinematics pendulum --out ''", "--out needs the name of a file"},
      {"results x.csv --out ''", "--out needs the name of a file"},
      {"run pendulum --out x.txt", "results are written as .h5, .hdf5 or .csv"},
      {"run pendulum --out /nosuch/x.csv", "cannot write '/nosuch/x.csv'"},
      {"run pendulum --out /tmp", "results are written as .h5, .hdf5 or .csv"},
      {"run pendulum --at 1,1 --out x.csv", "must increase"},
      {"run pendulum --fixed-step 0.1 --max-step 1", "excludes"},
      {"run pendulum --tol 1e-16", "double precision"},
      {"run pendulum --every 1e-12 --out x.csv", "1e9 outputs"},
      {"run pendulum --every 0.1", "add --out"},
      {"run pendulum --nosuch", "--nosuch"},
      {"run", "case is required"},
      {"nosuch",
       "there is no command 'nosuch'; there are: run, check, statics, kinematics, compare, report, plot, results, "
       "cases, methods, joints, forces, schema"},
      {"rnu pendulum", "did you mean run?"},
      {"", "A subcommand is required"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_NE(answer.err.find(message), std::string::npos) << arguments << "\n" << answer.err;
    EXPECT_EQ(answer.out, "") << arguments;
    EXPECT_LE(std::count(answer.err.begin(), answer.err.end(), '\n'), 2) << arguments << "\n" << answer.err;
  }
}

TEST_F(Program, AFailedSimulationHasStatusOneSaysWhyAndKeepsItsResults) {
  // At mu = 1.1 the reactions of the cable drum have no solution.
  const Answer answer = run("run cable-drum -p mu=1.1 --json");
  EXPECT_EQ(answer.status, 1);
  EXPECT_NE(answer.err.find("trammel: "), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(answer.out)["status"], "failed");
}

TEST_F(Program, CsvHoldsTheNamesAndTheAskedPoints) {
  const Answer answer = run("run pendulum --t-end 1 --every 0.25 --out " + path("p.csv"));
  ASSERT_EQ(answer.status, 0) << answer.err;
  std::ifstream file(path("p.csv"));
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "t,x,y,x',y',a(x'),a(y'),lambda(rod),mass.x,mass.y,mass.angle");
  std::vector<double> times;
  while (std::getline(file, line)) times.push_back(std::stod(line));
  EXPECT_EQ(times, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "no temporary file is left";
}

TEST_F(Program, TwoEqualConstraintsAreNamed) {
  const Answer answer = run("run pendulum -p rods=2");
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.err.find("constraint 'rod 2' depends on 'rod'"), std::string::npos) << answer.err;
}

TEST_F(Program, AFolderInPlaceOfTheResultIsSaid) {
  fs::create_directory(path("folder.csv"));
  const Answer folder = run("run pendulum --out " + path("folder.csv"));
  EXPECT_EQ(folder.status, 2);
  EXPECT_NE(folder.err.find("it is a folder"), std::string::npos) << folder.err;
}

TEST_F(Program, ListsWhatThereIs) {
  EXPECT_NE(run("cases").out.find("andrews"), std::string::npos);
  EXPECT_NE(run("methods").out.find("projection"), std::string::npos);
  const auto cases = run_json("cases");
  ASSERT_GE(cases.size(), 10u);
  for (const auto& c : cases) {
    EXPECT_FALSE(c["summary"].get<std::string>().empty());
    EXPECT_FALSE(c["origin"].get<std::string>().empty()) << c["name"];
  }
  EXPECT_GE(run_json("methods").size(), 1u);
}

TEST_F(Program, LimitsStopWithStatusZeroAndAReason) {
  const auto summary = run_json("run pendulum --max-steps 7");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_NE(summary["reason"].get<std::string>().find("limit of 7 steps"), std::string::npos);
}

}  // namespace
}  // namespace trammel::cli
