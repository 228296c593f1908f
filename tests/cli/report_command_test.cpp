// trammel report, trammel run --report: pages of results.

#include <cstdlib>
#include <set>

#include "tests/cli/program.h"

namespace trammel::cli {
namespace {

class ReportProgram : public Program {
 protected:
  std::string read(const std::string& file) const {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// What the program has put into a page.
  nlohmann::json report_in(const std::string& file) const {
    const std::string page = read(file), opening = R"(<script id="report" type="application/json">)";
    const std::size_t begin = page.find(opening) + opening.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }
  void write(const std::string& file, const std::string& text) const { std::ofstream(file) << text; }
};

TEST_F(ReportProgram, RunWritesResultsAndPageInOneGo) {
  const Answer answer = run("run trammel -q --out " + path("t.h5") + " --report");
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(answer.out.find(path("t.html") + " (201 frames)"), std::string::npos) << answer.out;
  const auto report = report_in(path("t.html"));
  EXPECT_EQ(report["schema"], "trammel.report/1");
  EXPECT_EQ(report["rows"], 201);
  EXPECT_EQ(report["scene"]["trails"][0], "beam.pen");
  EXPECT_EQ(report["summary"]["status"], "completed");
  EXPECT_NE(report["source"].get<std::string>().find("first_shuttle"), std::string::npos);
  // Every column that the scene names is there.
  std::set<std::string> names;
  for (const auto& column : report["columns"]) names.insert(column["name"]);
  for (const auto& body : report["scene"]["bodies"]) {
    for (const auto& name : body["pose"]["position"]) EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_TRUE(names.contains(body["pose"]["angle"]));
  }
}

TEST_F(ReportProgram, FilesAreNamedAfterTheModelOrThePage) {
  const std::string here = "cd " + folder_.string() + " && " + TRAMMEL_CLI;
  ASSERT_EQ(std::system((here + " run pendulum -q --report >out 2>err").c_str()), 0) << read(path("err"));
  EXPECT_TRUE(fs::exists(path("pendulum.html")) && fs::exists(path("pendulum.h5")));
  ASSERT_EQ(std::system((here + " run pendulum -q --report=other.html >out 2>err").c_str()), 0) << read(path("err"));
  EXPECT_TRUE(fs::exists(path("other.html")) && fs::exists(path("other.h5")));
}

TEST_F(ReportProgram, EquationsAreDrawnAsWell) {
  for (const char* name : {"andrews", "chain", "double-pendulum", "pendulum", "insulator-chain", "cable-drum",
                           "bushing-pendulum", "mass-spring-damper", "point-mass-spring"}) {
    const Answer answer =
        run(std::string("run ") + name + " -q --t-end 0.01 --every 0.001 --out " + path("c.h5") + " --report");
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto report = report_in(path("c.html"));
    std::set<std::string> names;
    for (const auto& column : report["columns"]) names.insert(column["name"]);
    ASSERT_FALSE(report["scene"]["bodies"].empty()) << name;
    for (const auto& body : report["scene"]["bodies"]) {
      for (const auto& column : body["pose"]["position"]) EXPECT_TRUE(names.contains(column)) << name << ": " << column;
      EXPECT_TRUE(names.contains(body["pose"]["angle"])) << name << ": " << body["pose"]["angle"];
    }
  }
}

TEST_F(ReportProgram, PagesOfFailedRunsShowWhatThereIs) {
  const Answer answer = run("run pendulum -q --max-steps 20 --out " + path("p.h5") + " --report");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(report_in(path("p.html"))["summary"]["status"], "stopped");
}

TEST_F(ReportProgram, ThinsLongRuns) {
  ASSERT_EQ(run("run pendulum -q --every 0.005 --out " + path("p.h5")).status, 0);
  const auto made = run_json("report " + path("p.h5") + " --frames 50");
  EXPECT_EQ(made["schema"], "trammel.page/1");
  EXPECT_EQ(made["frames"], 50);
  EXPECT_EQ(made["notes"][0], "50 of 2001 rows are shown, at even distances; extremes are those of all rows");
  EXPECT_EQ(report_in(path("p.html"))["rows"], 50);
}

TEST_F(ReportProgram, DotsInTheNameOfAModelBelongToIt) {
  for (const char* name : {"arm.v1.yaml", "arm.v2.yaml"}) {
    write(path(name), "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\n");
    const std::string command =
        "cd " + folder_.string() + " && " + TRAMMEL_CLI + " run " + name + " -q --report >out 2>err";
    ASSERT_EQ(std::system(command.c_str()), 0) << read(path("err"));
  }
  for (const char* name : {"arm.v1.h5", "arm.v1.html", "arm.v2.h5", "arm.v2.html"}) EXPECT_TRUE(fs::exists(path(name)));
}

TEST_F(ReportProgram, NeverWritesOnTheFileThatItReads) {
  ASSERT_EQ(run("run pendulum -q --out " + path("p.h5")).status, 0);
  fs::create_symlink(path("p.h5"), path("page.html"));
  fs::create_symlink(path("p.h5"), path("figure.svg"));
  EXPECT_EQ(run("report " + path("p.h5") + " -o " + path("page.html")).status, 2);
  EXPECT_EQ(run("plot " + path("p.h5") + " x -o " + path("figure.svg")).status, 2);
  EXPECT_EQ(run("results " + path("p.h5")).status, 0) << "it is still there";
}

TEST_F(ReportProgram, APlaceThatCannotBeWrittenIsKnownBeforeTheRun) {
  const Answer answer = run("run pendulum -q --json --out " + path("p.h5") + " --report=/nosuch/x.html");
  EXPECT_EQ(answer.status, 2);
  EXPECT_EQ(nlohmann::json::parse(answer.out)["schema"], "trammel.error/1") << "one object only";
  EXPECT_EQ(run("report " + path("p.h5") + " -o /nosuch/x.html").status, 2);
}

TEST_F(ReportProgram, ResultsOfAKilledRunArePointedTo) {
  ASSERT_EQ(run("run pendulum -q --out " + path("p.h5")).status, 0);
  fs::rename(path("p.h5"), path("k.h5.part"));
  EXPECT_NE(run("report " + path("k.h5")).err.find("k.h5.part"), std::string::npos);
}

TEST_F(ReportProgram, MarkupInAModelIsText) {
  write(path("m.yaml"),
        "model: \"</script><script>alert(1)</script>\"\nspace: planar\nbodies: {a: {mass: 1, inertia: 1}}\n");
  ASSERT_EQ(run("run " + path("m.yaml") + " -q --out " + path("m.h5") + " --report").status, 0);
  EXPECT_EQ(read(path("m.html")).find("<script>alert"), std::string::npos);
}

TEST_F(ReportProgram, RefusesWhatItCannotShow) {
  const auto expect_refusal = [&](const std::string& arguments, const std::string& message) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_NE(answer.err.find(message), std::string::npos) << answer.err;
  };
  write(path("no.h5"), "hello");
  expect_refusal("report " + path("no.h5"), "is not a Trammel result file");
  expect_refusal("report " + path("missing.h5"), "cannot read");
  ASSERT_EQ(run("run pendulum -q --out " + path("p.h5")).status, 0);
  expect_refusal("report " + path("p.h5") + " -o " + path("page.pdf"), "written as NAME.html");
  expect_refusal("report " + path("p.h5") + " --frames 1", "at least 2");
  expect_refusal("run pendulum --report --out " + path("p.csv"), "write --out FILE.h5");
  const std::string whole = read(path("p.h5"));
  write(path("half.h5"), whole.substr(0, whole.size() / 2));
  expect_refusal("report " + path("half.h5"), "is cut off");
  EXPECT_FALSE(fs::exists(path("half.html")));
}

}  // namespace
}  // namespace trammel::cli
