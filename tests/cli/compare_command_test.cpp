// trammel compare: what it prints, writes and keeps.

#include <cmath>
#include <fstream>
#include <regex>
#include <tuple>

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

/// Where lines are broken depends on the times that were measured.
std::string on_one_line(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

TEST_F(CompareProgram, PrintsTablesAndAdviceAndWritesAPage) {
  const Answer answer = compare("pendulum --t-end 0.5 --tols 1e-3,1e-6");
  ASSERT_EQ(answer.status, 0) << answer.err;
  for (const char* text : {"reference", "digits", "stiffness", "projection", "bdf-i3", "advice", "not stiff",
                           "trammel run pendulum --t-end 0.5 --method", "r.html"}) {
    EXPECT_TRUE(has(on_one_line(answer.out), text)) << text << "\n" << answer.out;
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

class CompareVariables : public CompareProgram {
 protected:
  /// A reference by another method than the runs'.
  std::string make_reference(const char* name, const std::string& options) {
    const Answer answer =
        run("run double-pendulum --t-end 1 --method bdf-i3 --tol 1e-9 -q --out " + path(name) + " " + options);
    EXPECT_EQ(answer.status, 0) << answer.err;
    return path(name);
  }
  std::string command(const std::string& reference, const std::string& variables) const {
    return "compare double-pendulum --t-end 1 --methods hht --tols 1e-3,1e-5,1e-7 --reference " + reference +
           " --variables \"" + variables + "\" -o " + report();
  }
};

TEST_F(CompareVariables, AreAnalysedOneByOne) {
  const std::string reference = make_reference("given.h5", "--continuous");
  const auto json = run_json(command(reference, "body1.angle,body1.angle',lambda(pivot.x)"));
  ASSERT_EQ(json["runs"].size(), 3U);
  EXPECT_EQ(json["variables"][1]["name"], "body1.angle'");
  EXPECT_TRUE(json["variable_notes"].empty()) << json["variable_notes"];
  std::vector<double> last(3, 1e9);
  for (const auto& one : json["runs"]) {
    ASSERT_EQ(one["variables"].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& e = one["variables"][i];
      const double largest = e["largest"], t = e["t"], n = e["points"];
      EXPECT_LT(largest, 0.5 * last[i]) << e;
      EXPECT_GT(t, 0);
      EXPECT_LE(t, 1);
      EXPECT_GE(n, one["statistics"]["steps"].get<double>()) << "the grid is that of the run";
      EXPECT_NEAR(largest, std::abs(e["value"].get<double>() - e["reference"].get<double>()), 1e-9 * largest);
      EXPECT_NEAR(e["rms"].get<double>(), std::sqrt(n) * e["mean"].get<double>(), 1e-9);
      EXPECT_LT(e["rms"].get<double>(), largest);
      EXPECT_LT(e["interpolation"].get<double>(), 0.01 * largest);
      EXPECT_EQ(e["interpolation_shows"], false);
      last[i] = largest;
    }
    // Angles lie between 3.6 and 6.3.
    const auto& angle = one["variables"][0];
    EXPECT_NEAR(angle["relative_percent"].get<double>(),
                100 * angle["largest"].get<double>() / angle["reference"].get<double>(), 1e-9);
  }

  const Answer text = run(command(reference, "body1.angle"));
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"body1.angle, hht", "log10 tol", "t* [s]", "Delta", "RelErr [%]", "mean"}) {
    EXPECT_TRUE(has(text.out, part)) << part << text.out;
  }
  EXPECT_FALSE(has(text.out, "interpolation shows")) << text.out;
  EXPECT_TRUE(has(read(report()), "Errors of variables"));
}

TEST_F(CompareVariables, AreTheSameByRowsAtEveryStep) {
  const auto continuous = run_json(command(make_reference("given.h5", "--continuous"), "body1.angle*"));
  const auto rows = run_json(command(make_reference("given.csv", "--every-step"), "body1.angle*"));
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(rows["runs"][k]["variables"].size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& a = continuous["runs"][k]["variables"][i];
      const auto& b = rows["runs"][k]["variables"][i];
      EXPECT_EQ(a["t"], b["t"]);
      EXPECT_NEAR(a["largest"].get<double>(), b["largest"].get<double>(), 1e-3 * a["largest"].get<double>());
    }
  }
}

TEST_F(CompareVariables, SayWhenTheyMeasureTheInterpolation) {
  // The velocities change by 0.35 within the first of these intervals, and almost all of it within a hundredth of it.
  const std::string reference = make_reference("given.h5", "--every 0.005");
  const auto json = run_json(command(reference, "body1.angle'"));
  for (const auto& one : json["runs"]) EXPECT_EQ(one["variables"][0]["interpolation_shows"], true) << one["variables"];
  const Answer answer = run(command(reference, "body1.angle'"));
  EXPECT_TRUE(has(answer.out, "interpolation shows")) << answer.out;
  EXPECT_TRUE(has(answer.out, "--continuous")) << answer.out;
  EXPECT_TRUE(has(read(report()), "the reference is uncertain"));
}

TEST_F(CompareVariables, SayWhenTheReferenceIsTooLoose) {
  ASSERT_EQ(
      run("run double-pendulum --t-end 1 --tol 1e-4 --method bdf-i3 --continuous -q --out " + path("loose.h5")).status,
      0);
  const Answer answer = run(command(path("loose.h5"), "body1.angle"));
  EXPECT_TRUE(has(answer.out, "too loose for hht at 1e-5, 1e-7")) << answer.out;
}

TEST_F(CompareVariables, NeedNoReferenceFile) {
  const auto json =
      run_json("compare pendulum --t-end 0.5 --methods hht --tols 1e-4,1e-6 --variables x,\"y'\" -o " + report());
  for (const auto& variable : json["variables"]) EXPECT_LT(variable["disagreement"], 1e-7) << variable;
  for (const auto& one : json["runs"]) {
    ASSERT_EQ(one["variables"].size(), 2U);
    EXPECT_GT(one["variables"][0]["largest"], 1e-8);
    EXPECT_LT(one["variables"][0]["largest"], 1e-2);
  }
}

TEST_F(CompareVariables, OfModelsAreColumnsOfResults) {
  for (const auto& [problem, names] : {std::pair{"slider-crank -p driven=0", "slider.x,crank.angle_rate"},
                                       std::pair{"spatial-double-pendulum", "lower.e1,hinge.reaction.fx"}}) {
    const std::string given = path("given.h5");
    ASSERT_EQ(run(std::string("run ") + problem + " --t-end 0.2 --tol 1e-11 --continuous -q --out " + given).status, 0);
    const auto json =
        run_json(std::string("compare ") + problem + " --t-end 0.2 --tols 1e-6 --methods projection,bdf-i3 " +
                 "--reference " + given + " --variables " + names + " -o " + report());
    for (const auto& one : json["runs"]) {
      for (const auto& e : one["variables"]) {
        EXPECT_LT(e["largest"].get<double>(), 1e-3 * e["scale"].get<double>()) << problem << e;
        EXPECT_GT(e["largest"].get<double>(), 0) << problem << e;
      }
    }
  }
}

TEST_F(CompareVariables, RefuseNamesThatAreNotThere) {
  const std::string reference = make_reference("given.h5", "");
  ASSERT_EQ(run("results " + reference + " body1.angle \"body*'\" \"body*\" -o " + path("part.h5")).status, 0);
  const std::string csv = make_reference("given.csv", "");
  std::ofstream(path("back.csv")) << read(csv) << read(csv).substr(read(csv).find('\n') + 1);
  for (const auto& [file, names, message] :
       {std::tuple{"given.h5", "body1.angel", "did you mean body1.angle"},
        std::tuple{"given.h5", "nothing*", "no column that matches 'nothing*'"},
        std::tuple{"given.h5", "t", "no variable"},
        std::tuple{"part.h5", "lambda(pivot.x)", "has no column 'lambda(pivot.x)'"},
        std::tuple{"back.csv", "body1.angle", "back.csv"}}) {
    const Answer answer = run(command(path(file), names));
    EXPECT_EQ(answer.status, 2) << names << answer.out;
    EXPECT_TRUE(has(answer.err, message)) << names << ": " << answer.err;
    EXPECT_FALSE(fs::exists(report()));
  }
}

/// Interrupts a comparison once a run of it is on disk, and goes on.
TEST_F(CompareProgram, GoesOnAfterAnInterruption) {
  const std::string given = path("given.h5");
  ASSERT_EQ(run("run double-pendulum --t-end 8 --method bdf-i3 --tol 1e-8 -q --out " + given).status, 0);
  const std::string command = "compare double-pendulum --t-end 8 --reference " + given +
                              " --variables body1.angle --methods bdf-i3,projection --tols 1e-3 --jobs 1 -o " +
                              report();
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
  const std::size_t table = second.out.find("body1.angle, bdf-i3");
  ASSERT_NE(table, std::string::npos) << second.out;
  EXPECT_TRUE(has(second.out.substr(table, 250), "e-0")) << "errors of variables are kept\n" << second.out;
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
