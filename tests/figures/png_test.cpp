// The image of a figure.

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "trammel/figures/figure.h"

namespace trammel::figures {
namespace {

Figure diagonal() {
  Figure figure;
  figure.width = 400;
  figure.height = 300;
  figure.title = "bytes \xff and ×10⁻³";
  figure.panels.emplace_back();
  figure.panels[0].series = {
      {.name = "a", .x = {0, 1}, .y = {0, 1}, .style = SeriesStyle::kLineAndMarks, .is_dashed = true}};
  return figure;
}

unsigned number_at(const std::string& bytes, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(i));
  return value;
}

TEST(Png, HasTheSizeThatWasAskedFor) {
  const std::string bytes = to_png(diagonal(), 1.5);
  ASSERT_GT(bytes.size(), 1000u);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(12, 4), "IHDR");
  EXPECT_EQ(number_at(bytes, 16), 600u);
  EXPECT_EQ(number_at(bytes, 20), 450u);
  EXPECT_EQ(bytes.substr(bytes.size() - 8, 4), "IEND");
  EXPECT_EQ(number_at(to_png(diagonal()), 16), 800u);
}

TEST(Png, ShowsTheCurves) {
  Figure figure = diagonal();
  const std::string with = to_png(figure, 1);
  figure.panels[0].series[0].y = {1, 0};
  EXPECT_NE(to_png(figure, 1), with);
}

TEST(Png, RefusesScalesThatMakeNoImage) {
  EXPECT_THROW(to_png(diagonal(), 0), std::invalid_argument);
  EXPECT_THROW(to_png(diagonal(), 11), std::invalid_argument);
  EXPECT_THROW(to_png(diagonal(), std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::figures
