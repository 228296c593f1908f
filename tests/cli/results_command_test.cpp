// trammel results: what a result file holds, and columns out of it.

#include <array>
#include <cmath>

#include "tests/cli/program.h"
#include "trammel/io/result_file.h"
#include "trammel/io/result_writer.h"

namespace trammel::cli {
namespace {

/// A file with rows at t = 0, 0.5, 1 and 2.
class ResultsProgram : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    io::ResultHeader header;
    header.model = "slider crank";
    header.method = "projection";
    header.tolerance = 1e-8;
    header.version = "0.1.0";
    header.parameters = {{"mass", 1.5}};
    header.columns = {{"crank.x", "m", "bodies", "centre of mass, ground axes"},
                      {"crank.y", "m", "bodies", ""},
                      {"hinge.force.y", "N", "reactions", "force on rod at hinge, ground axes"},
                      {"odd name, \"quoted\"", "", "variables", ""}};
    header.step_columns = {{"h", "s", "", ""}};
    const auto writer = io::create_result_writer(path("r.h5"), header);
    writer->write_row(0, std::array{1.0, -1.0, 10.0, 7.0});
    writer->write_row(0.5, std::array{2.0, -2.0, std::nan(""), 7.0});
    writer->write_row(1, std::array{3.0, -3.0, 30.0, 7.0});
    writer->write_row(2, std::array{4.0, 0.1, 40.0, 7.0});
    writer->write_step(std::array{0.25});
    writer->add_event("touch", 0.75);
    writer->finish(R"({"status": "stopped", "reason": "event 'touch'"})");
  }
  Answer results(const std::string& arguments) { return run("results " + path("r.h5") + " " + arguments); }
};

TEST_F(ResultsProgram, ListsWhatTheFileHolds) {
  const Answer answer = results("");
  ASSERT_EQ(answer.status, 0) << answer.err;
  for (const char* text : {"4 rows from t = 0 to 2 s", "slider crank", "projection, tolerance 1e-08",
                           "stopped: event 'touch'", "mass = 1.5", "touch at t = 0.75 s",
                           "4 (bodies 2, reactions 1, variables 1)", "force on rod at hinge, ground axes"}) {
    EXPECT_NE(answer.out.find(text), std::string::npos) << text << "\n" << answer.out;
  }
  const std::string force = answer.out.substr(answer.out.find("hinge.force.y"));
  EXPECT_NE(force.substr(0, force.find('\n')).find("10             40"), std::string::npos) << force;
}

TEST_F(ResultsProgram, ListsForProgramsToo) {
  const auto contents = nlohmann::json::parse(results("--json").out);
  EXPECT_EQ(contents["schema"], "trammel.contents/1");
  EXPECT_EQ(contents["rows"], 4);
  EXPECT_EQ(contents["t_end"], 2);
  EXPECT_EQ(contents["finished"], true);
  EXPECT_EQ(contents["summary"]["status"], "stopped");
  EXPECT_EQ(contents["events"][0]["name"], "touch");
  EXPECT_EQ(contents["parameters"]["mass"], 1.5);
  EXPECT_EQ(contents["columns"][2]["name"], "hinge.force.y");
  EXPECT_EQ(contents["columns"][2]["unit"], "N");
  EXPECT_EQ(contents["columns"][2]["maximum"], 40);
}

TEST_F(ResultsProgram, TakesColumnsByNameAndPattern) {
  EXPECT_EQ(results("hinge.force.y t --csv").out, "t,hinge.force.y\n0,10\n0.5,nan\n1,30\n2,40\n");
  EXPECT_EQ(results("'crank.?' 'cr*y' --csv --at 2").out, "t,crank.x,crank.y\n2,4,0.1\n");
  EXPECT_EQ(results("'odd*' --csv --at 2").out, "t,\"odd name, \"\"quoted\"\"\"\n2,7\n");
  const std::string table = results("crank.x").out;
  EXPECT_NE(table.find("t [s]       crank.x [m]"), std::string::npos) << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  const auto columns = nlohmann::json::parse(results("'*.y' --json").out);
  EXPECT_EQ(columns["schema"], "trammel.columns/1");
  EXPECT_EQ(columns["t"], (std::vector<double>{0, 0.5, 1, 2}));
  EXPECT_EQ(columns["columns"][0]["name"], "crank.y");
  EXPECT_EQ(columns["columns"][1]["values"][3], 40);
  EXPECT_TRUE(columns["columns"][1]["values"][1].is_null());
}

TEST_F(ResultsProgram, GivesValuesBetweenRows) {
  EXPECT_EQ(results("crank.x --csv --at 0,0.25,1.5,2").out, "t,crank.x\n0,1\n0.25,1.5\n1.5,3.5\n2,4\n");
}

TEST_F(ResultsProgram, WritesOtherFiles) {
  ASSERT_EQ(results("'crank.*' -o " + path("s.csv")).status, 0);
  const io::ResultFile csv = io::ResultFile::open(path("s.csv"));
  EXPECT_EQ(csv.read_column("crank.y"), (std::vector<double>{-1, -2, -3, 0.1}));
  ASSERT_EQ(results("hinge.force.y -o " + path("s.h5")).status, 0);
  const io::ResultFile h5 = io::ResultFile::open(path("s.h5"));
  ASSERT_EQ(h5.columns().size(), 1u);
  EXPECT_EQ(h5.columns()[0].unit, "N");
  EXPECT_EQ(h5.header().model, "slider crank");
  EXPECT_EQ(h5.steps(), 1);
  EXPECT_EQ(h5.events().size(), 1u);
  ASSERT_EQ(results("-o " + path("r.h5")).status, 0) << "onto itself";
  EXPECT_EQ(io::ResultFile::open(path("r.h5")).rows(), 4);
}

TEST_F(ResultsProgram, WrongInputGetsOneClearMessageAndStatusTwo) {
  std::ofstream(path("text.h5")) << "hello";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {path("r.h5") + " crank.z", "there is no column 'crank.z'; did you mean crank.x or crank.y?"},
      {path("r.h5") + " 'rod*'", "has no column that matches 'rod*'"},
      {path("r.h5") + " --at 3", "--at 3 lies outside of the results, which go from 0 to 2 s"},
      {path("r.h5") + " --csv --json", "choose one of"},
      {path("r.h5") + " -o x.txt", "results are written as .h5, .hdf5 or .csv"},
      {path("r.h5") + " -o /nosuch/x.csv", "cannot write '/nosuch/x.csv': No such file or directory"},
      {path("nosuch.h5"), "No such file or directory"},
      {path("text.h5"), "is not a Trammel result file"},
      {"", "file is required"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Answer answer = run("results " + arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_NE(answer.err.find(message), std::string::npos) << arguments << "\n" << answer.err;
    EXPECT_EQ(answer.out.empty(), arguments.find("--json") == std::string::npos) << arguments;
  }
}

TEST_F(ResultsProgram, ShowsARunOfTheProgram) {
  ASSERT_EQ(run("run pendulum --t-end 1 --every 0.25 -p length=2 --out " + path("p.h5")).status, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3) << "no temporary file is left";
  const auto contents = run_json("results " + path("p.h5"));
  EXPECT_EQ(contents["model"], "pendulum");
  EXPECT_EQ(contents["parameters"]["length"], 2);
  EXPECT_EQ(contents["summary"]["schema"], "trammel.run/1");
  EXPECT_EQ(contents["rows"], 5);
  EXPECT_EQ(run("results " + path("p.h5") + " 'lambda(rod)' --csv").out.substr(0, 14), "t,lambda(rod)\n");
}

}  // namespace
}  // namespace trammel::cli
