// Figures of characters.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "trammel/figures/figure.h"
#include "trammel/figures/rich_text.h"

namespace trammel::figures {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Figure ramp() {
  Figure figure;
  figure.panels.emplace_back();
  figure.panels[0].x.label = "t [s]";
  figure.panels[0].y.label = "x [m/s²]";
  figure.panels[0].series = {{.name = "up", .x = {0, 10}, .y = {0, 1}}};
  return figure;
}

TextOptions ascii() { return {.columns = 60, .rows = 16, .is_unicode = false}; }

TEST(Text, DrawsALineFromCornerToCorner) {
  const std::vector<std::string> lines = lines_of(to_text(ramp(), ascii()));
  EXPECT_EQ(lines.size(), 16u);
  EXPECT_EQ(lines[0], "x [m/s^2]");
  EXPECT_EQ(lines[1], "* up");
  // From the top row on, the curve moves to the left.
  std::size_t last = 60;
  int rows = 0;
  for (std::size_t i = 2; i < lines.size() - 3; ++i) {
    EXPECT_EQ(lines[i].find_first_of("|+"), lines[2].find_first_of("|+")) << "one axis";
    const std::size_t first = lines[i].find('*');
    ASSERT_NE(first, std::string::npos) << lines[i];
    EXPECT_LT(first, last);
    last = first;
    ++rows;
  }
  EXPECT_EQ(rows, 11);
  EXPECT_EQ(lines[lines.size() - 2].back(), '0') << "10 s at the right end";
  EXPECT_NE(lines.back().find("t [s]"), std::string::npos);
}

TEST(Text, IsNoWiderThanAskedForAndPureAscii) {
  Figure figure = ramp();
  figure.title = std::string(200, 'T') + "…";
  figure.panels[0].series[0].name = "Größe [m²] of a name that is far too long for a terminal of sixty characters";
  figure.panels[0].marks = {{5, "évent"}};
  for (const std::string& line : lines_of(to_text(figure, ascii()))) {
    EXPECT_LE(line.size(), 60u) << line;
    EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; })) << line;
  }
  for (const std::string& line : lines_of(to_text(figure, {.columns = 60}))) {
    EXPECT_LE(split_letters(line).size(), 60u) << line;
  }
}

TEST(Text, OneSeriesIsBrailleAndSeveralHaveMarks) {
  Figure figure = ramp();
  EXPECT_NE(to_text(figure).find("⠤"), std::string::npos) << to_text(figure);
  figure.panels[0].series.push_back({.name = "down", .x = {0, 10}, .y = {1, 0}});
  const std::string marks = to_text(figure);
  EXPECT_EQ(marks.find("⠤"), std::string::npos);
  EXPECT_NE(marks.find("● up   □ down"), std::string::npos) << marks;
  const std::string letters = to_text(figure, ascii());
  EXPECT_NE(letters.find("a up   b down"), std::string::npos);
  const std::string coloured = to_text(figure, {.has_colours = true});
  EXPECT_NE(coloured.find("\x1b[38;5;32m"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[38;5;166m"), std::string::npos);
  EXPECT_EQ(marks.find('\x1b'), std::string::npos);
}

TEST(Text, LinesHaveNoHoles) {
  for (const int columns : {37, 60, 80, 101}) {
    Figure figure = ramp();
    figure.panels[0].series[0].y = {1, 1};
    TextOptions options = ascii();
    options.columns = columns;
    int rows = 0;
    for (const std::string& line : lines_of(to_text(figure, options))) {
      const std::size_t first = line.find("**");
      if (first == std::string::npos) continue;
      ++rows;
      EXPECT_EQ(line.find_first_not_of('*', first), std::string::npos) << line;
      EXPECT_EQ(line.size(), static_cast<std::size_t>(columns));
    }
    EXPECT_EQ(rows, 1);
  }
}

TEST(Text, GapsSpikesAndEventsAreSeen) {
  Figure figure = ramp();
  Series& series = figure.panels[0].series[0];
  series = {.name = "s"};
  for (int i = 0; i < 100'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i > 20'000 && i < 40'000 ? std::nan("") : i == 77'777 ? 9 : 0);
  }
  figure.panels[0].marks = {{30'000, "gone"}};
  const std::vector<std::string> lines = lines_of(to_text(figure, ascii()));
  int spikes = 0, events = 0, gaps = 0;
  for (const std::string& line : lines) {
    const std::size_t axis = line.find_first_of("|+");
    if (axis == std::string::npos) continue;
    const std::string cells = line.substr(axis + 1);
    if (std::count(cells.begin(), cells.end(), '*') == 1) ++spikes;
    if (cells.find(':') != std::string::npos) ++events;
    if (cells.find("*** ") != std::string::npos && cells.find(" ***") != std::string::npos) ++gaps;
  }
  EXPECT_GE(spikes, 6) << to_text(figure, ascii());
  EXPECT_GE(events, 9);
  EXPECT_EQ(gaps, 1);
  EXPECT_NE(lines[2].find("gone"), std::string::npos) << lines[2];
}

TEST(Text, PanelsStandAboveEachOtherWithOneAxisOfTime) {
  Figure figure = ramp();
  figure.panels.push_back(figure.panels[0]);
  figure.panels[1].y.label = "long [N]";
  figure.panels[1].series[0].y = {-1234.5, 1234.5};
  figure.shares_x = true;
  const std::string text = to_text(figure, ascii());
  EXPECT_LT(text.find("x [m/s^2]"), text.find("long [N]"));
  EXPECT_EQ(text.find("t [s]"), text.rfind("t [s]"));
  EXPECT_GE(lines_of(text).size(), 23u) << "each has rows enough";
}

TEST(Text, EqualScalesCountACharacterAsTwiceAsHighAsWide) {
  Figure figure = ramp();
  figure.panels[0].series[0] = {.name = "square", .x = {0, 1, 1, 0, 0}, .y = {0, 0, 1, 1, 0}};
  figure.panels[0].has_equal_scales = true;
  TextOptions options = ascii();
  options.rows = 30;
  options.columns = 100;
  int height = 0;
  std::size_t width = 0;
  for (const std::string& line : lines_of(to_text(figure, options))) {
    const std::size_t first = line.find('*'), last = line.rfind('*');
    if (first == std::string::npos || line == "* square") continue;
    ++height;
    width = std::max(width, last - first + 1);
  }
  EXPECT_GT(height, 15);
  EXPECT_NEAR(static_cast<double>(width), 2 * height, 3);
}

TEST(Text, SaysThatThereIsNothing) {
  Figure figure = ramp();
  figure.panels[0].series[0].y = {-1, 0};
  EXPECT_EQ(to_text(figure, ascii()).find("no values"), std::string::npos);
  figure.panels[0].y.is_log = true;
  const std::string text = to_text(figure, ascii());
  EXPECT_NE(text.find("no values"), std::string::npos);
  EXPECT_NE(text.find("(2 values of 0 or less left out)"), std::string::npos) << text;
}

TEST(Text, LabelsNameTheFactorOfTen) {
  Figure figure = ramp();
  figure.panels[0].series[0].y = {0, 5e7};
  EXPECT_NE(to_text(figure, ascii()).find("x [m/s^2]  x10^6"), std::string::npos);
  EXPECT_NE(to_text(figure).find("x [m/s²]  ×10⁶"), std::string::npos);
  figure.panels[0].y.is_log = true;
  figure.panels[0].series[0].y = {1e-7, 1e-2};
  EXPECT_NE(to_text(figure, ascii()).find("10^-4 +"), std::string::npos) << to_text(figure, ascii());
}

TEST(RichText, ShortensInTheMiddle) {
  EXPECT_EQ(shorten("crank.x", 10, 100), "crank.x");
  const std::string shorter = shorten("a_long_name_of_a_body.reaction.fx", 10, 120);
  EXPECT_LE(estimate_width(shorter, 10), 120);
  EXPECT_TRUE(shorter.starts_with("a_long")) << shorter;
  EXPECT_TRUE(shorter.ends_with(".fx")) << shorter;
  EXPECT_NE(shorter.find("…"), std::string::npos);
}

}  // namespace
}  // namespace trammel::figures
