// What a figure shows, read from its SVG.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "tests/figures/drawings.h"
#include "trammel/figures/figure.h"

namespace trammel::figures {
namespace {

Figure one_panel(std::vector<Series> series) {
  Figure figure;
  figure.panels.emplace_back();
  figure.panels[0].series = std::move(series);
  return figure;
}

TEST(Svg, IsWellFormedWhateverTheTextsAre) {
  Figure figure = one_panel({{.name = "a<b & \"c\" > 'd'", .x = {0, 1}, .y = {0, 1}},
                             {.name = "bell\a \x1b[31m \xff\xfe bytes", .x = {0, 1}, .y = {1, 0}}});
  figure.title = "</svg><script>&amp;";
  figure.panels[0].title = "t\n&";
  figure.panels[0].x.label = "<x>";
  figure.panels[0].y.label = "Δy [m/s²]";
  figure.panels[0].notes = {"1 < 2"};
  figure.panels[0].marks = {{0.5, "a&b"}};
  const std::string svg = to_svg(figure);
  for (const char* text :
       {"a&lt;b &amp; &quot;c&quot; &gt; 'd'", "bell   [31m \xEF\xBF\xBD\xEF\xBF\xBD bytes", "t &amp;", "&lt;x&gt;",
        "Δy [m/s²]", "1 &lt; 2", "a&amp;b", "&lt;/svg&gt;&lt;script&gt;&amp;amp;"}) {
    EXPECT_TRUE(has_text(svg, text)) << text << "\n" << svg;
  }
  for (const char c : svg) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Svg, PointsLieWhereTheirValuesAre) {
  Figure figure = one_panel({{.x = {0, 5, 10}, .y = {0, 1, 0}}});
  figure.panels[0].y.limits = {{0, 2}};
  const std::string svg = to_svg(figure);
  const auto curves = list_curves(svg, kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].size(), 3u);
  double left = 0, top = 0, width = 0, height = 0;
  for (const Tag& tag : parse_svg(svg)) {
    if (tag.name != "svg" || tag.value("x").empty()) continue;
    left = std::stod(tag.value("x"));
    top = std::stod(tag.value("y"));
    width = std::stod(tag.value("width"));
    height = std::stod(tag.value("height"));
  }
  EXPECT_GT(width, 500);
  EXPECT_NEAR(curves[0][0].x, left, 0.02);
  EXPECT_NEAR(curves[0][1].x, left + width / 2, 0.02);
  EXPECT_NEAR(curves[0][2].x, left + width, 0.02);
  EXPECT_NEAR(curves[0][0].y, top + height, 0.02);
  EXPECT_NEAR(curves[0][1].y, top + height / 2, 0.02);
}

TEST(Svg, ValuesThatAreNotFiniteLeaveGaps) {
  const double none = std::nan("");
  const std::string svg = to_svg(one_panel({{.x = {0, 1, 2, 3, 4, 5}, .y = {1, 2, none, 3, 4, HUGE_VAL}}}));
  const auto curves = list_curves(svg, kFirstColour);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].size(), 2u);
  EXPECT_EQ(curves[1].size(), 2u);
}

TEST(Svg, LogarithmicAxesLeaveOutWhatIsNotPositiveAndSaySo) {
  Figure figure = one_panel({{.x = {1, 2, 3, 4, 5}, .y = {1, 10, 0, -5, 1000}}});
  figure.panels[0].y.is_log = true;
  const std::string svg = to_svg(figure);
  EXPECT_TRUE(has_text(svg, "2 values of 0 or less left out"));
  const auto curves = list_curves(svg, kFirstColour);
  ASSERT_EQ(curves.size(), 1u) << "the last point stands alone";
  EXPECT_EQ(curves[0].size(), 2u);
  figure.panels[0].y.is_log = false;
  EXPECT_EQ(to_svg(figure).find("left out"), std::string::npos);
}

TEST(Svg, DecadesOfALogarithmicAxisAreEquallyHigh) {
  Figure figure = one_panel({{.x = {0, 1, 2}, .y = {1e-8, 1e-5, 1e-2}}});
  figure.panels[0].y.is_log = true;
  const std::string svg = to_svg(figure);
  const auto curves = list_curves(svg, kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_NEAR(curves[0][0].y - curves[0][1].y, curves[0][1].y - curves[0][2].y, 0.03);
  EXPECT_TRUE(has_text(svg, "10^−5"));
}

TEST(Svg, PanelsWithoutValuesSaySo) {
  Figure figure;
  figure.panels.resize(2);
  figure.panels[1].series = {{.name = "nothing", .x = {0, 1}, .y = {std::nan(""), std::nan("")}}};
  const std::vector<std::string> texts = list_texts(to_svg(figure));
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "no values"), 2);
  EXPECT_FALSE(has_text(to_svg(one_panel({{.x = {0}, .y = {1}}})), "no values"));
}

TEST(Svg, ASinglePointIsSeen) {
  const std::string svg = to_svg(one_panel({{.x = {3}, .y = {4}}}));
  EXPECT_NE(svg.find("<circle"), std::string::npos);
  EXPECT_TRUE(has_text(svg, "4.0")) << svg;
}

TEST(Svg, ManyPointsMakeASmallFileThatKeepsTheSpike) {
  Series series;
  for (int i = 0; i < 500'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 123'456 ? 100 : std::sin(i * 1e-4));
  }
  Figure figure = one_panel({series});
  figure.panels[0].y.limits = {{-2, 100}};
  const std::string svg = to_svg(figure);
  EXPECT_LT(svg.size(), 200'000u);
  const auto curves = list_curves(svg, kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  const auto higher = [](const DrawnPoint& a, const DrawnPoint& b) { return a.y < b.y; };
  const DrawnPoint top = *std::min_element(curves[0].begin(), curves[0].end(), higher);
  const DrawnPoint bottom = *std::max_element(curves[0].begin(), curves[0].end(), higher);
  EXPECT_GT(bottom.y - top.y, 300) << "almost the whole height";
  EXPECT_NEAR((top.x - curves[0].front().x) / (curves[0].back().x - curves[0].front().x), 123'456 / 5e5, 1e-3);
}

TEST(Svg, LabelsOfAnAxisDoNotTouch) {
  for (const double end : {1.0, 0.0123, 98765.0, 3e-7}) {
    for (const int width : {200, 320, 800}) {
      Figure figure = one_panel({{.x = {0, end}, .y = {-end, end}}});
      figure.width = width;
      double row = 0, last_end = -1e9;
      int count = 0;
      for (const Tag& tag : parse_svg(to_svg(figure))) {
        if (tag.name != "text" || tag.value("text-anchor") != "middle" || tag.value("font-size") != "11.5") continue;
        if (count++ == 0) row = std::stod(tag.value("y"));
        ASSERT_EQ(std::stod(tag.value("y")), row);
        const double half = 3.0 * static_cast<double>(tag.text.size());  // a narrow font
        const double middle = std::stod(tag.value("x"));
        EXPECT_GT(middle - half, last_end) << end << " " << width << " " << tag.text;
        last_end = middle + half;
      }
      EXPECT_GE(count, 2) << end << " " << width;
    }
  }
}

TEST(Svg, LegendsStandOutsideOfTheFrame) {
  for (const char* name : {"short", "a name that is so long that it would take the better part of the figure away"}) {
    Figure figure = one_panel({{.name = name, .x = {0, 1}, .y = {0, 1}}, {.name = "b", .x = {0, 1}, .y = {1, 0}}});
    const std::string svg = to_svg(figure);
    EXPECT_TRUE(has_text(svg, name));
    double left = 0, top = 0, right = 0;
    for (const Tag& tag : parse_svg(svg)) {
      if (tag.name != "svg" || tag.value("x").empty()) continue;
      left = std::stod(tag.value("x"));
      top = std::stod(tag.value("y"));
      right = left + std::stod(tag.value("width"));
    }
    EXPECT_GT(right - left, 450) << "most of the width is for the curves";
    for (const Tag& tag : parse_svg(svg)) {
      if (tag.name != "text" || (tag.text != name && tag.text != "b")) continue;
      EXPECT_TRUE(std::stod(tag.value("x")) > right || std::stod(tag.value("y")) < top) << tag.text;
    }
    figure.panels[0].has_legend = false;
    EXPECT_FALSE(has_text(to_svg(figure), name));
  }
}

TEST(Svg, SeriesDifferByColourMarkAndDashes) {
  std::vector<Series> series(14, {.x = {1, 2}, .y = {1, 2}, .style = SeriesStyle::kLineAndMarks});
  for (std::size_t i = 0; i < series.size(); ++i) series[i].name = std::string(1, static_cast<char>('a' + i));
  std::set<std::string> lines;
  for (const Tag& tag : parse_svg(to_svg(one_panel(series)))) {
    const bool is_line = tag.name == "path" && tag.value("stroke-width") == "1.6";
    if (is_line) lines.insert(tag.value("stroke") + tag.value("stroke-dasharray"));
  }
  EXPECT_EQ(lines.size(), 14u);
  series[1].colour = 0;
  const std::string svg = to_svg(one_panel(series));
  EXPECT_TRUE(list_curves(svg, kSecondColour).size() == 1) << "only the ninth, which is dashed";
}

TEST(Svg, EventsAreMarkedWithinTheAxisAndLabelledWhereThereIsRoom) {
  Figure figure = one_panel({{.x = {0, 10}, .y = {0, 1}}});
  figure.panels[0].marks = {{2, "touch"}, {2.001, "leave"}, {8, "stop"}, {11, "never"}};
  const std::string svg = to_svg(figure);
  EXPECT_TRUE(has_text(svg, "touch"));
  EXPECT_FALSE(has_text(svg, "leave")) << "would cover the first";
  EXPECT_TRUE(has_text(svg, "stop"));
  EXPECT_FALSE(has_text(svg, "never"));
  int lines = 0;
  for (const Tag& tag : parse_svg(svg)) lines += tag.value("stroke-dasharray") == "3 3" ? 1 : 0;
  EXPECT_EQ(lines, 2) << "two fall on one pixel";
}

TEST(Svg, SharedAxesHaveNumbersOnce) {
  Figure figure = one_panel({{.x = {0, 10}, .y = {0.5, 1.5}}});
  figure.panels.push_back(figure.panels[0]);
  figure.panels[1].series[0].x = {0, 40};
  for (Panel& panel : figure.panels) panel.x.label = "t [s]";
  const auto count = [&](const char* text) {
    const std::vector<std::string> texts = list_texts(to_svg(figure));
    return std::count(texts.begin(), texts.end(), text);
  };
  EXPECT_EQ(count("t [s]"), 2);
  EXPECT_EQ(count("10"), 2);
  figure.shares_x = true;
  EXPECT_EQ(count("t [s]"), 1);
  EXPECT_EQ(count("10"), 1);
  const auto curves = list_curves(to_svg(figure), kFirstColour);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_NEAR(curves[0][1].x - curves[0][0].x, (curves[1][1].x - curves[1][0].x) / 4, 0.05);
}

TEST(Svg, EqualScalesMakeACircleRound) {
  Series circle;
  for (int i = 0; i <= 100; ++i) {
    circle.x.push_back(0.2 * std::cos(i * 0.0628));
    circle.y.push_back(0.2 * std::sin(i * 0.0628) + 5);
  }
  Figure figure = one_panel({circle});
  figure.panels[0].has_equal_scales = true;
  const auto curves = list_curves(to_svg(figure), kFirstColour);
  ASSERT_EQ(curves.size(), 1u);
  const auto by_x = std::minmax_element(curves[0].begin(), curves[0].end(), [](auto& a, auto& b) { return a.x < b.x; });
  const auto by_y = std::minmax_element(curves[0].begin(), curves[0].end(), [](auto& a, auto& b) { return a.y < b.y; });
  EXPECT_NEAR(by_x.second->x - by_x.first->x, by_y.second->y - by_y.first->y, 0.5);
  EXPECT_GT(by_y.second->y - by_y.first->y, 250);
}

TEST(Svg, RefusesWhatCannotBeDrawn) {
  Figure figure = one_panel({{.name = "a", .x = {0, 1}, .y = {0}}});
  EXPECT_THROW(to_svg(figure), std::invalid_argument);
  figure = one_panel({{.x = {0}, .y = {0}, .colour = -1}});
  EXPECT_THROW(to_svg(figure), std::invalid_argument);
  for (const Limits limits : {Limits{1, 1}, Limits{2, 1}, Limits{0, std::nan("")}, Limits{0, HUGE_VAL}}) {
    figure = one_panel({});
    figure.panels[0].x.limits = limits;
    EXPECT_THROW(to_svg(figure), std::invalid_argument) << limits.lower << " " << limits.upper;
  }
  figure = one_panel({});
  figure.panels[0].y = {.is_log = true, .limits = {{0, 1}}};
  EXPECT_THROW(to_svg(figure), std::invalid_argument);
  figure = one_panel({});
  figure.width = kLeastWidth - 1;
  EXPECT_THROW(to_svg(figure), std::invalid_argument);
  figure.width = kLeastWidth;
  figure.height = kLeastHeight;
  EXPECT_NO_THROW(to_svg(figure));
  figure.panels.resize(9);
  EXPECT_THROW(to_svg(figure), std::invalid_argument) << "no room for nine panels";
}

TEST(Svg, ExtremeValuesStayWithinTheDrawing) {
  Figure figure = one_panel({{.x = {0, 1, 2}, .y = {-1e299, 1e299, 3}}, {.x = {-1e305, 1}, .y = {1, 2}}});
  figure.panels[0].y.limits = {{0, 1e-9}};
  for (const auto& curve : list_curves(to_svg(figure), kFirstColour)) {
    for (const DrawnPoint& point : curve) {
      EXPECT_TRUE(point.x >= -20 && point.x <= 820 && point.y >= -20 && point.y <= 820) << point.x << " " << point.y;
    }
  }
  figure.panels[0].y.limits.reset();
  EXPECT_EQ(list_curves(to_svg(figure), kFirstColour).size(), 1u);
}

}  // namespace
}  // namespace trammel::figures
