// trammel compare: what it prints, writes and keeps.

#include <fstream>

#include "tests/cli/program.h"

namespace trammel::cli {
namespace {

class CompareProgram : public Program {
 protected:
  std::string read(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::string report() const { return path("r.html"); }
  std::string kept() const { return path("r.html.runs.jsonl"); }
  Answer compare(const std::string& arguments) { return run("compare " + arguments + " -o " + report()); }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(CompareProgram, PrintsTablesAndAdviceAndWritesAPage) {
  const Answer answer = compare("pendulum --t-end 0.5 --tols 1e-3,1e-6");
  ASSERT_EQ(answer.status, 0) << answer.err;
  for (const char* text : {"reference", "digits", "stiffness", "projection", "bdf-i3", "advice", "not stiff",
                           "trammel run pendulum --t-end 0.5 --method", "r.html"}) {
    EXPECT_TRUE(has(answer.out, text)) << text << "\n" << answer.out;
  }
  const std::string page = read(report());
  EXPECT_TRUE(has(page, "</html>"));
  EXPECT_TRUE(has(page, "<svg"));
  EXPECT_FALSE(has(page, "http://") && has(page, "src=\"http")) << "the page needs the network";
  EXPECT_FALSE(fs::exists(kept())) << "nothing is kept of a comparison that is complete";
}

TEST_F(CompareProgram, ServesPrograms) {
  const auto json = run_json("compare pendulum --t-end 0.5 --tols 1e-3,1e-6 --methods hht,projection -o " + report());
  EXPECT_EQ(json["schema"], "trammel.compare/1");
  EXPECT_EQ(json["complete"], true);
  ASSERT_EQ(json["runs"].size(), 4U);
  EXPECT_EQ(json["runs"][0]["method"], "hht");
  EXPECT_EQ(json["runs"][0]["outcome"], "measured");
  EXPECT_GT(json["runs"][0]["position_error"]["rms"].get<double>(),
            json["runs"][1]["position_error"]["rms"].get<double>());
  EXPECT_GT(json["runs"][0]["statistics"]["jacobian_evaluations"], 0);
  EXPECT_FALSE(json["runs"][0]["step_sizes"].empty());
  EXPECT_LT(json["reference"]["disagreement"].get<double>(), 1e-8);
  EXPECT_EQ(json["problem"]["degrees_of_freedom"], 1);
  EXPECT_FALSE(json["rankings"].empty());
  EXPECT_TRUE(has(json["advice"]["choices"][0]["command"], "trammel run pendulum"));
}

TEST_F(CompareProgram, RefusesWhatMakesNoSense) {
  for (const auto& [arguments, message] :
       {std::pair{"pendlum", "did you mean pendulum"},
        std::pair{"pendulum --methods hht,projektion", "did you mean projection"},
        std::pair{"pendulum --tols 1e-3,0", "tolerance 0"}, std::pair{"pendulum --t-end 0", "nothing to compare"},
        std::pair{"pendulum --samples 0", "samples"}, std::pair{"pendulum --reference none.h5", "none.h5"},
        std::pair{"pendulum --methods hht,hht", "twice"}, std::pair{"pendulum --time-limit -1", "time limit"}}) {
    const Answer answer = compare(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_TRUE(has(answer.err, message)) << arguments << ": " << answer.err;
    EXPECT_FALSE(fs::exists(report())) << arguments;
  }
}

TEST_F(CompareProgram, ShowsNamesAsText) {
  std::ofstream(path("odd.yaml")) << R"(
model: "<script>alert(1)</script> & co"
space: planar
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 0.5, centre_of_mass: [0.6, 0]}}
joints: {j: {type: revolute, between: [ground, a]}}
states: {lag: {residual: "der(lag) + 5*lag - a.angle", initial: 0}}
simulation: {t_end: 0.3}
)";
  const Answer answer = compare(path("odd.yaml") + " --tols 1e-3,1e-5");
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(has(answer.out, "projection cannot take the problem")) << answer.out;
  EXPECT_TRUE(has(answer.out, "implicit form")) << answer.out;
  const std::string page = read(report());
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co"));
  EXPECT_FALSE(has(page, "<script>"));
  EXPECT_TRUE(has(page, "projection cannot take the problem"));
}

TEST_F(CompareProgram, FailsWhenNothingGetsThrough) {
  std::ofstream(path("bad.yaml")) << R"(
space: planar
bodies: {a: {mass: 1, inertia: 1}}
forces: {f: {type: point-force, at: a, force: [sqrt(0.1 - t), 0]}}
simulation: {t_end: 1}
)";
  const Answer answer = compare(path("bad.yaml") + " --tols 1e-3");
  EXPECT_EQ(answer.status, 1) << answer.out << answer.err;
  EXPECT_TRUE(has(answer.out, "failed")) << answer.out << answer.err;
  EXPECT_TRUE(has(answer.err, "no method got through")) << answer.err;
}

TEST_F(CompareProgram, MeasuresByAResultFile) {
  for (const char* problem : {"pendulum", "slider-crank -p driven=0", "spatial-double-pendulum"}) {
    const std::string given = path("given.h5");
    ASSERT_EQ(run(std::string("run ") + problem + " --t-end 0.3 --tol 1e-11 -q --out " + given).status, 0);
    const auto json =
        run_json(std::string("compare ") + problem + " --t-end 0.3 --tols 1e-6 --methods projection,bdf-i3 " +
                 "--reference " + given + " -o " + report());
    for (const auto& one : json["runs"]) {
      EXPECT_EQ(one["outcome"], "measured") << problem;
      EXPECT_LT(one["position_error"]["rms"], 1e-4) << problem << " " << one["method"];
      EXPECT_LT(one["velocity_error"]["rms"], 1e-3) << problem << " " << one["method"];
    }
  }
  const Answer other = compare("andrews --reference " + path("given.h5"));
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(has(other.err, "cannot be the reference")) << other.err;
}

/// Interrupts a comparison once a run of it is on disk, and goes on.
TEST_F(CompareProgram, GoesOnAfterAnInterruption) {
  const std::string given = path("given.h5");
  ASSERT_EQ(run("run double-pendulum --t-end 8 --method bdf-i3 --tol 1e-8 -q --out " + given).status, 0);
  const std::string command = "compare double-pendulum --t-end 8 --reference " + given +
                              " --methods bdf-i3,projection --tols 1e-3 --jobs 1 -o " + report();
  const std::string script = std::string(TRAMMEL_CLI) + " " + command + " > " + path("first") + " 2>&1 & pid=$!; " +
                             "for i in $(seq 1000); do grep -q '\"run\"' " + kept() +
                             " 2>/dev/null && break; sleep 0.01; done; kill -INT $pid; wait $pid";
  const int status = WEXITSTATUS(std::system(script.c_str()));
  const std::string first = read(path("first"));
  ASSERT_EQ(status, 1) << first;
  EXPECT_TRUE(has(first, "goes on from there")) << first;
  EXPECT_TRUE(has(first, "bdf-i3")) << first;
  EXPECT_FALSE(fs::exists(report()));
  std::ofstream(kept(), std::ios::app) << "{\"run\": {\"method\": \"pro";  // as a kill would leave it

  const Answer second = run(command);
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_TRUE(has(second.err, "1 finished run is taken over")) << second.err;
  EXPECT_TRUE(has(second.out, "stiff")) << second.out;
  EXPECT_TRUE(fs::exists(report()));
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(CompareProgram, AStoreThatCannotBeReadIsNotUsed) {
  std::ofstream(kept()) << "garbage{\n{\"run\": {}}\n";
  const Answer answer = compare("pendulum --t-end 0.2 --tols 1e-3 --methods projection,hht");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(has(answer.err, "begins anew")) << answer.err;
  EXPECT_FALSE(has(answer.err, "taken over")) << answer.err;
}

TEST_F(CompareProgram, NeverWritesOnWhatIsNoPage) {
  std::ofstream(path("m.yaml")) << "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\n";
  const std::string before = read(path("m.yaml"));
  EXPECT_EQ(run("compare " + path("m.yaml") + " -o " + path("m.yaml")).status, 2);
  EXPECT_EQ(run("compare pendulum -o /nosuch/x.html").status, 2);
  EXPECT_EQ(read(path("m.yaml")), before);
}

TEST_F(CompareProgram, BeginsAnewWithOtherSettings) {
  std::ofstream(kept()) << "{\"schema\":\"trammel.compare-runs/1\",\"settings\":{\"t_end\":3}}\n";
  const Answer answer = compare("pendulum --t-end 0.2 --tols 1e-3 --methods projection");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(has(answer.err, "other settings")) << answer.err;
}

}  // namespace
}  // namespace trammel::cli
