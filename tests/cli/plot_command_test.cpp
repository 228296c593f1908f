// trammel plot: columns of a result file as figures.

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/cli/program.h"
#include "tests/figures/drawings.h"
#include "trammel/io/result_writer.h"

namespace trammel::cli {
namespace {

using figures::has_text;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Rows at t = 0, 0.5, 1, ..., 5, a history of steps and an event.
class PlotProgram : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    io::ResultHeader header;
    header.model = "slider <crank>";
    header.method = "hht";
    header.tolerance = 1e-6;
    header.columns = {{"crank.x", "m", "bodies", ""},
                      {"crank.y", "m", "bodies", ""},
                      {"hinge.reaction.fx", "N", "reactions", ""},
                      {"hinge.reaction.fy", "N", "reactions", ""},
                      {"hinge.reaction.tz", "N m", "reactions", ""},
                      {"crank.ax", "m/s^2", "bodies", ""}};
    header.step_columns = {{"t", "s", "", ""}, {"h", "s", "", ""}, {"error", "", "", ""}, {"order", "", "", ""}};
    const auto writer = io::create_result_writer(path("r.h5"), header);
    for (int i = 0; i <= 10; ++i) {
      const double t = 0.5 * i;
      const double force = i == 3 || i == 4 ? std::nan("") : 10 * i;
      writer->write_row(t, std::array{std::cos(t), std::sin(t), force, -1e7 * i, 1.0, t - 2});
    }
    for (int i = 1; i <= 8; ++i) writer->write_step(std::array{0.6 * i, std::pow(10, -i), 0.5, 2.0});
    writer->add_event("touch", 2.25);
    writer->finish("{}");
  }

  Answer plot(const std::string& arguments) { return run("plot " + path("r.h5") + " " + arguments); }

  std::string read(const char* name) {
    std::stringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  /// The SVG of a plot that must succeed.
  std::string draw(const std::string& arguments) {
    const Answer answer = plot(arguments + " -o " + path("f.svg"));
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_EQ(answer.out, "");
    return read("f.svg");
  }
  static long count_frames(const std::string& svg) {
    const std::vector<figures::Tag> tags = figures::parse_svg(svg);
    return std::count_if(tags.begin(), tags.end(),
                         [](const figures::Tag& tag) { return tag.name == "svg" && !tag.value("x").empty(); });
  }
};

TEST_F(PlotProgram, WritesAFigureWithAPanelAUnit) {
  const Answer answer = plot("crank.x crank.y hinge.reaction.fx -o " + path("f.svg"));
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(contains(answer.err, "f.svg: 3 columns, 11 rows\n")) << answer.err;
  EXPECT_TRUE(contains(answer.err, "hinge.reaction.fx has no value in 2 of 11 rows")) << answer.err;
  const std::string svg = read("f.svg");
  EXPECT_EQ(count_frames(svg), 2);
  for (const char* text : {"slider &lt;crank&gt;, hht, tolerance 1e-06", "crank [m]", "crank.x", "crank.y",
                           "hinge.reaction.fx [N]", "t [s]", "touch"}) {
    EXPECT_TRUE(has_text(svg, text)) << text;
  }
  EXPECT_EQ(figures::list_curves(svg, figures::kFirstColour).size(), 3u) << "crank.x, and the force in two parts";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3) << "no temporary file is left";
}

TEST_F(PlotProgram, TakesPatternsAndFrontsOfNames) {
  EXPECT_EQ(count_frames(draw("hinge.reaction")), 2) << "N and N m";
  EXPECT_EQ(count_frames(draw("crank 'hinge.*'")), 4);
  const std::string svg = draw("'hinge.reaction.f?'");
  EXPECT_TRUE(has_text(svg, "hinge.reaction [N]"));
  EXPECT_TRUE(has_text(svg, "×10^6"));
  EXPECT_TRUE(has_text(draw("crank.ax"), "crank.ax [m/s²]"));
  const Answer results = run("results " + path("r.h5") + " hinge.reaction --csv --at 0.5");
  EXPECT_EQ(results.out, "t,hinge.reaction.fx,hinge.reaction.fy,hinge.reaction.tz\n0.5,10,-10000000,1\n");
}

TEST_F(PlotProgram, PanelsAreChosen) {
  const std::string together = draw("crank.x hinge.reaction.tz --together");
  EXPECT_EQ(count_frames(together), 1);
  EXPECT_TRUE(has_text(together, "hinge.reaction.tz [N m]")) << "units stand with the names where they differ";
  EXPECT_EQ(count_frames(draw("crank.x crank.y --separate")), 2);
}

TEST_F(PlotProgram, TimesAreChosen) {
  const std::string svg = draw("crank.x --from 1.2 --to 2.4");
  const auto curves = figures::list_curves(svg, figures::kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].size(), 4u) << "1.5 and 2, and the lines to the borders";
  EXPECT_TRUE(has_text(svg, "1.2"));
  EXPECT_TRUE(has_text(svg, "touch"));
  EXPECT_FALSE(has_text(draw("crank.x --from 2.4"), "touch"));
}

TEST_F(PlotProgram, PathsHaveEqualScalesOnRequest) {
  const std::string svg = draw("crank.y --x crank.x --equal --title 'the path' --size 900x400");
  EXPECT_TRUE(has_text(svg, "crank.x [m]"));
  EXPECT_TRUE(has_text(svg, "the path"));
  EXPECT_EQ(draw("crank.y --x t"), draw("crank.y"));
  EXPECT_FALSE(has_text(svg, "touch")) << "an event is at a time, not at a place";
  EXPECT_TRUE(contains(svg, "width=\"900\" height=\"400\""));
  const auto curves = figures::list_curves(svg, figures::kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].size(), 11u);
  // All points of the circle are as far from its middle.
  const auto& points = curves[0];
  const double unit = (points[0].x - points[6].x) / (1 - std::cos(3.0));
  const double middle_x = points[0].x - unit, middle_y = points[0].y;
  for (const figures::DrawnPoint& point : points) {
    EXPECT_NEAR(std::hypot(point.x - middle_x, point.y - middle_y), unit, 0.2);
  }
}

TEST_F(PlotProgram, LogarithmsSayWhatTheyLeaveOut) {
  EXPECT_TRUE(has_text(draw("crank.ax --log"), "5 values of 0 or less left out")) << "those up to t = 2";
  EXPECT_TRUE(has_text(draw("crank.x --log-x"), "1 value of 0 or less left out"));
}

TEST_F(PlotProgram, ShowsTheHistoryOfSteps) {
  const std::string svg = draw("--steps");
  EXPECT_EQ(count_frames(svg), 2) << "h and error; the order does not change";
  EXPECT_TRUE(has_text(svg, "h [s]"));
  EXPECT_TRUE(has_text(svg, "error"));
  EXPECT_TRUE(has_text(svg, "10^−4")) << "step sizes lie over decades";
  EXPECT_TRUE(has_text(draw("order --steps"), "order"));
}

TEST_F(PlotProgram, WritesPng) {
  ASSERT_EQ(plot("crank.x --size 300x200 -o " + path("f.PNG")).status, 0);
  const std::string bytes = read("f.PNG");
  EXPECT_EQ(bytes.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<unsigned char>(bytes.at(18)) * 256 + static_cast<unsigned char>(bytes.at(19)), 600);
}

TEST_F(PlotProgram, PlotsInTheTerminal) {
  const auto in_terminal = [this](const std::string& environment, const std::string& names) {
    const std::string shell =
        "/bin/sh -c '" + environment + " " + TRAMMEL_CLI + " plot " + path("r.h5") + " " + names + "' 2>&1";
    FILE* pipe = popen(shell.c_str(), "r");
    std::string text;
    char buffer[4096];
    for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text;
  };
  const std::string text = in_terminal("LC_ALL=C COLUMNS=50 LINES=20", "crank.x crank.y");
  EXPECT_TRUE(contains(text, "crank [m]\na crank.x   b crank.y\n")) << text;
  EXPECT_FALSE(contains(text, "\x1b")) << "no colours where there is no terminal";
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 19);
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  EXPECT_EQ(longest, 50u);
  EXPECT_TRUE(contains(in_terminal("LC_ALL=C.UTF-8", "crank.ax"), "crank.ax [m/s²]"));
  EXPECT_TRUE(contains(in_terminal("LC_ALL=C", "crank.ax"), "crank.ax [m/s^2]"));
}

TEST_F(PlotProgram, ReadsCsv) {
  ASSERT_EQ(run("results " + path("r.h5") + " -o " + path("r.csv")).status, 0);
  const Answer answer = run("plot " + path("r.csv") + " crank.x -o " + path("f.svg"));
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(has_text(read("f.svg"), "crank.x"));
}

TEST_F(PlotProgram, ManyRowsKeepTheirExtremesInASmallFigure) {
  io::ResultHeader header;
  header.columns = {{"a.x", "m", "bodies", ""}};
  const auto writer = io::create_result_writer(path("long.h5"), header);
  for (int i = 0; i < 300'000; ++i) writer->write_row(i * 1e-3, std::array{i == 222'222 ? 1.0 : 0.0});
  writer->finish("{}");
  ASSERT_EQ(run("plot " + path("long.h5") + " a.x -o " + path("f.svg")).status, 0);
  const std::string svg = read("f.svg");
  EXPECT_LT(svg.size(), 100'000u);
  const auto curves = figures::list_curves(svg, figures::kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  const auto higher = [](const auto& a, const auto& b) { return a.y < b.y; };
  const auto top = std::min_element(curves[0].begin(), curves[0].end(), higher);
  EXPECT_GT(curves[0].front().y - top->y, 200);
  EXPECT_NEAR((top->x - curves[0].front().x) / (curves[0].back().x - curves[0].front().x), 222'222 / 3e5, 1e-3);
}

TEST_F(PlotProgram, WrongInputGetsOneClearMessageAndStatusTwo) {
  std::ofstream(path("text.h5")) << "hello";
  std::ofstream wide(path("wide.csv"));
  std::string names = "t", values = "0";
  for (int i = 0; i < 30; ++i) {
    names += ",b" + std::to_string(i) + ".x";
    values += ",1";
  }
  wide << names << "\n" << values << "\n";
  wide.close();
  const std::string r = path("r.h5");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {r, "name the columns to plot, as in 'trammel plot " + r + " NAME'"},
      {r, "the front of several: crank, hinge"},
      {r + " crank.z", "there is no column 'crank.z'; did you mean crank.x or crank.y"},
      {r + " hinje", "there is no column 'hinje'; did you mean hinge?"},
      {r + " 'rod*'", "has no column that matches 'rod*'"},
      {r + " t", "time over time"},
      {r + " crank.x -o f.jpg", "figures are written as .svg or .png, not as 'f.jpg'"},
      {r + " crank.x -o .svg", "figures are written as .svg or .png"},
      {r + " crank.x -o /nosuch/f.svg", "cannot write '/nosuch/f.svg': No such file or directory"},
      {r + " crank.x -o " + path("f.svg") + " --size 800", "--size takes width and height in px"},
      {r + " crank.x -o " + path("f.svg") + " --size 20x20", "a figure can be 160 to 8000 px wide"},
      {r + " crank.x --size 800x400", "--size is for files"},
      {r + " crank.x --from 3 --to 2", "nothing lies between --from 3 and --to 2"},
      {r + " crank.x --from 7 --to 8", "there are no rows from 7 to 8 s; the results go from 0 to 5 s"},
      {r + " crank.x --x hinge.reaction", "--x hinge.reaction means 3 columns"},
      {r + " crank.x --x nothing", "there is no column 'nothing'"},
      {r + " crank.x --equal", "--equal is for paths"},
      {r + " crank.y --x crank.x --equal --log", "scales cannot be equal"},
      {r + " crank.x --together --separate", "choose one of"},
      {r + " size --steps", "there is no column of steps 'size'"},
      {path("wide.csv") + " --steps", "has no history of steps"},
      {path("wide.csv") + " '*'", "30 columns without a unit are too many for one panel"},
      {path("wide.csv") + " '*' --separate", "30 panels are too many for one figure"},
      {path("nosuch.h5") + " x", "No such file or directory"},
      {path("text.h5") + " x", "is not a Trammel result file"},
      {"", "file is required"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Answer answer = run("plot " + arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_TRUE(contains(answer.err, message)) << arguments << "\n" << answer.err;
    EXPECT_EQ(answer.out, "") << arguments;
  }
  EXPECT_FALSE(fs::exists(path("f.svg")));
}

}  // namespace
}  // namespace trammel::cli
