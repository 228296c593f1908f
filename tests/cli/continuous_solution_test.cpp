// trammel run --continuous, and trammel results that evaluates what it has stored.

#include <cmath>

#include "tests/cli/program.h"
#include "trammel/io/result_file.h"

namespace trammel::cli {
namespace {

class ContinuousProgram : public Program {
 protected:
  void write_model(const std::string& text) { std::ofstream(path("m.yaml")) << text; }
  /// Values of columns at times, from a file.
  nlohmann::json values(const char* file, const std::string& arguments) {
    return run_json("results " + path(file) + " " + arguments);
  }
};

/// What the run itself gives at some times, and what the continuous solution gives there.
TEST_F(ContinuousProgram, GivesAtAnyTimeWhatTheRunWouldHaveWritten) {
  struct Sample {
    std::string arguments, times;
    double tolerance;
  };
  const std::vector<Sample> samples{
      {"pendulum --tol 1e-7 --t-end 2", "0.0123,0.777,1.31,1.98", 1e-7},
      {"andrews --tol 1e-7 --t-end 0.02", "0.0011,0.0077,0.0131,0.0199", 1e-7},
      {"slider-crank --tol 1e-7 --t-end 1", "0.0123,0.33,0.777", 1e-7},
      {"seven-body --tol 1e-6 --t-end 0.02 --method hht", "0.0011,0.0077,0.0131", 1e-6},
      {"spatial-slider-crank --tol 1e-7 --t-end 2", "0.123,0.777,1.31,1.98", 1e-7},
      {"heavy-top --tol 1e-6 --t-end 1 --method bdf-i3", "0.0123,0.33,0.777", 1e-6},  // in plain form
  };
  for (const Sample& sample : samples) {
    SCOPED_TRACE(sample.arguments);
    const std::string common = "run " + sample.arguments + " -q --out ";
    ASSERT_EQ(run(common + path("c.h5") + " --continuous").status, 0);
    ASSERT_EQ(run(common + path("r.h5") + " --at " + sample.times).status, 0);
    const nlohmann::json found = values("c.h5", "'*' --at " + sample.times), wanted = values("r.h5", "'*'");
    ASSERT_EQ(found["columns"].size(), wanted["columns"].size());
    const nlohmann::json contents = run_json("results " + path("c.h5"));
    for (std::size_t i = 0; i < wanted["columns"].size(); ++i) {
      const nlohmann::json& column = wanted["columns"][i];
      EXPECT_EQ(found["columns"][i]["between_rows"], "continuous");
      if (column["name"] == "energy.balance") continue;  // counted from the first row
      // In units of the largest value in the run.
      const nlohmann::json& range = contents["columns"][i];
      const double size =
          1 + std::max(std::abs(range["maximum"].get<double>()), std::abs(range["minimum"].get<double>()));
      for (std::size_t k = 0; k < wanted["t"].size(); ++k) {
        const double difference =
            std::abs(column["values"][k].get<double>() - found["columns"][i]["values"][k].get<double>());
        EXPECT_LT(difference / size, 10 * sample.tolerance) << column["name"] << " at " << wanted["t"][k];
      }
    }
  }
}

TEST_F(ContinuousProgram, StoresOnlyTheChosenColumnsAndSaysWhatWasUsed) {
  ASSERT_EQ(run("run slider-crank --t-end 0.5 -q --out " + path("c.h5") + " --continuous='crank.x,slider'").status, 0);
  const auto contents = run_json("results " + path("c.h5"));
  EXPECT_GT(contents["continuous"]["intervals"], 5);
  EXPECT_EQ(contents["continuous"]["largest_degree"], 4);
  EXPECT_EQ(contents["continuous"]["t_end"], 0.5);
  EXPECT_EQ(contents["continuous"]["columns"][0], "crank.x");
  EXPECT_EQ(contents["continuous"]["columns"][1], "slider.x");
  EXPECT_NE(run("results " + path("c.h5")).out.find("from t = 0 to 0.5 s, degree 4, "), std::string::npos);
  const auto mixed = values("c.h5", "crank.x crank.y --at 0.1234");
  EXPECT_EQ(mixed["columns"][0]["between_rows"], "continuous");
  EXPECT_EQ(mixed["columns"][1]["between_rows"], "linear");
  const Answer answer = run("results " + path("c.h5") + " crank.x crank.y --at 0.1234");
  EXPECT_NE(answer.err.find("of crank.y they lie on a straight line between rows"), std::string::npos) << answer.err;
  EXPECT_NE(run("results " + path("c.h5") + " crank.x --every 0.1").err.find("those of the continuous solution"),
            std::string::npos);
  EXPECT_FALSE(values("c.h5", "crank.x")["columns"][0].contains("between_rows")) << "rows as they are";
}

TEST_F(ContinuousProgram, ResamplesEvenlyAndIntoOtherFiles) {
  ASSERT_EQ(run("run pendulum --t-end 1 -q --every-step --out " + path("c.h5") + " --continuous").status, 0);
  const auto even = values("c.h5", "x --every 0.001");
  ASSERT_EQ(even["t"].size(), 1001u);
  EXPECT_EQ(even["t"][1000], 1);
  ASSERT_EQ(run("results " + path("c.h5") + " y x -o " + path("d.h5")).status, 0);
  EXPECT_EQ(values("d.h5", "x --every 0.001")["columns"][0]["values"], even["columns"][0]["values"])
      << "the continuous solution goes with its columns";
  ASSERT_EQ(run("results " + path("c.h5") + " -o " + path("d.csv")).status, 0);
  EXPECT_EQ(values("d.csv", "x --at 0.5")["columns"][0]["between_rows"], "linear");
}

TEST_F(ContinuousProgram, DegreeCanBeLimited) {
  ASSERT_EQ(run("run pendulum -q --out " + path("c.h5") + " --continuous --continuous-degree 2").status, 0);
  EXPECT_EQ(run_json("results " + path("c.h5"))["continuous"]["largest_degree"], 2);
}

TEST_F(ContinuousProgram, AnglesDoNotJumpByTurns) {
  ASSERT_EQ(run("run gyroscope -q --t-end 1 --out " + path("c.h5") + " --continuous").status, 0);
  const io::ResultFile file = io::ResultFile::open(path("c.h5"));
  for (std::size_t i = 0; i < file.columns().size(); ++i) {
    if (file.columns()[i].unit != "rad") continue;
    const std::size_t rate = *file.find_column(file.columns()[i].name + "_rate");
    std::vector<double> times;
    for (int k = 0; k <= 2000; ++k) times.push_back(0.0005 * k);
    const Eigen::MatrixXd values = file.evaluate(std::array{i, rate}, times);
    for (int k = 1; k <= 2000; ++k) {
      const double expected = 0.00025 * (values(k, 1) + values(k - 1, 1));
      ASSERT_NEAR(values(k, 0) - values(k - 1, 0), expected, 1e-2) << file.columns()[i].name << " at " << times[k];
    }
  }
}

constexpr const char* kSlider = R"(
space: planar
gravity: [0, -9.81]
bodies:
  block: { mass: 1, inertia: 1, position: [0, 0], velocity: [1, 0] }
joints:
  guide: { type: translational, between: [ground, block] }
outputs:
  side: sign(block.x - 0.2)
  distance: abs(block.x)
simulation: { t_end: 1, outputs: { every: 0.5, continuous: SETTING } }
)";

std::string slider(const std::string& setting) {
  std::string text = kSlider;
  return text.replace(text.find("SETTING"), 7, setting);
}

TEST_F(ContinuousProgram, ModelFilesCanAskForIt) {
  write_model(slider("[block.*, distance], continuous_degree: 3"));
  ASSERT_EQ(run("run " + path("m.yaml") + " -q --out " + path("c.h5")).status, 0);
  const auto contents = run_json("results " + path("c.h5"));
  EXPECT_EQ(contents["continuous"]["columns"][0], "block.x");
  EXPECT_EQ(contents["continuous"]["largest_degree"], 3);
  EXPECT_NEAR(values("c.h5", "block.x --at 0.3")["columns"][0]["values"][0].get<double>(), 0.3, 1e-9);
  write_model(slider("false"));
  ASSERT_EQ(run("run " + path("m.yaml") + " -q --out " + path("c.h5")).status, 0);
  EXPECT_TRUE(run_json("results " + path("c.h5"))["continuous"].is_null());
  write_model(slider("true"));
  EXPECT_EQ(run("run " + path("m.yaml") + " -q").status, 0) << "without a file there is nothing to store";
  const Answer csv = run("run " + path("m.yaml") + " -q --out " + path("c.csv"));
  EXPECT_EQ(csv.status, 0);
  EXPECT_NE(csv.err.find("only .h5 files hold"), std::string::npos) << csv.err;
}

TEST_F(ContinuousProgram, OutputsThatJumpWithinStepsAreLeftOutAndSaid) {
  write_model(slider("true"));
  const Answer answer = run("run " + path("m.yaml") + " -q --out " + path("c.h5"));
  ASSERT_EQ(answer.status, 0);
  EXPECT_NE(answer.err.find("'side' may jump where no step ends"), std::string::npos) << answer.err;
  const auto found = values("c.h5", "side block.x --at 0.25");
  EXPECT_EQ(found["columns"][0]["between_rows"], "linear");
  EXPECT_EQ(found["columns"][1]["between_rows"], "continuous");
}

TEST_F(ContinuousProgram, RunsThatEndEarlyKeepWhatTheyHave) {
  ASSERT_EQ(run("run pendulum -q --max-steps 20 --out " + path("c.h5") + " --continuous").status, 0);
  const auto stopped = run_json("results " + path("c.h5"));
  EXPECT_EQ(stopped["continuous"]["intervals"], stopped["steps"]);
  EXPECT_EQ(stopped["continuous"]["t_end"], stopped["t_end"]);
  // The rate of a state is no number from t = 0.5 on.
  write_model(slider("true") + "states: { s: { derivative: sqrt(0.5 - t) } }\n");
  EXPECT_EQ(run("run " + path("m.yaml") + " -q --out " + path("f.h5")).status, 1);
  const auto failed = run_json("results " + path("f.h5"));
  EXPECT_EQ(failed["summary"]["status"], "failed");
  EXPECT_GT(failed["continuous"]["intervals"], 0);
  EXPECT_NEAR(failed["continuous"]["t_end"].get<double>(), 0.5, 1e-3);
}

TEST_F(ContinuousProgram, PagesAndFiguresTakeNoNoticeOfIt) {
  ASSERT_EQ(run("run slider-crank --t-end 0.5 -q --out " + path("c.h5") + " --continuous --report").status, 0);
  EXPECT_TRUE(fs::exists(path("c.html")));
  EXPECT_EQ(run("report " + path("c.h5") + " -o " + path("d.html")).status, 0);
  EXPECT_EQ(run("plot " + path("c.h5") + " crank.x -o " + path("c.svg")).status, 0);
}

TEST_F(ContinuousProgram, WrongInputGetsOneClearMessageBeforeTheRun) {
  const std::string out = " --out " + path("c.h5");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"run pendulum --continuous", "write --out FILE.h5"},
      {"run pendulum --continuous --out " + path("c.csv"), "write --out FILE.h5"},
      {"run pendulum --continuous=nosuch" + out, "there is no column 'nosuch'"},
      {"run pendulum --continuous='n*'" + out, "'pendulum' has no column that matches 'n*'"},
      {"run pendulum --continuous=," + out, "names no column"},
      {"run pendulum --continuous-degree 3" + out, "--continuous-degree needs --continuous"},
      {"run pendulum --continuous --continuous-degree 0" + out, "must be from 1 to 100"},
      {"run pendulum --continuous --continuous-degree 2.5" + out, "continuous-degree"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_NE(answer.err.find(message), std::string::npos) << arguments << "\n" << answer.err;
    EXPECT_FALSE(fs::exists(path("c.h5"))) << arguments;
  }
  ASSERT_EQ(run("run pendulum -q --t-end 1 --continuous --at 0.5" + out).status, 0);
  EXPECT_EQ(values("c.h5", "x --at 0,1")["t"].size(), 2u) << "it knows more than the row";
  EXPECT_NE(run("results " + path("c.h5") + " x --at 1.5").err.find("go from 0 to 1 s"), std::string::npos);
  EXPECT_NE(run("results " + path("c.h5") + " x --at 0.5 --every 0.1").err.find("choose one of"), std::string::npos);
  EXPECT_NE(run("results " + path("c.h5") + " x --every 0").err.find("must be positive"), std::string::npos);
  EXPECT_NE(run("results " + path("c.h5") + " x --every 1e-12").err.find("more than 1e+07 rows"), std::string::npos);
}

}  // namespace
}  // namespace trammel::cli
