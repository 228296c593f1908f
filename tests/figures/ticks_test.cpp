// Ticks and their numbers, and the limits of axes.

#include "trammel/figures/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace trammel::figures {
namespace {

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks.major) texts.push_back(to_plain(tick.label, false));
  return texts;
}

Ticks linear(double lower, double upper, int wanted) { return calc_ticks(Scale({lower, upper}, false), wanted); }
Ticks logarithmic(double lower, double upper, int wanted) { return calc_ticks(Scale({lower, upper}, true), wanted); }

using Texts = std::vector<std::string>;

TEST(Ticks, StepsAreOneTwoOrFive) {
  EXPECT_EQ(labels(linear(0, 10, 10)), (Texts{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}));
  EXPECT_EQ(labels(linear(0, 10, 5)), (Texts{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels(linear(0, 10, 3)), (Texts{"0", "5", "10"}));
  EXPECT_EQ(labels(linear(-0.13, 0.22, 4)), (Texts{"-0.1", "0.0", "0.1", "0.2"}));
}

TEST(Ticks, NumbersOfOneAxisHaveAsManyDigitsAsTheyNeed) {
  EXPECT_EQ(labels(linear(0, 0.1, 4)), (Texts{"0.00", "0.05", "0.10"}));
  EXPECT_EQ(labels(linear(9.9, 10.1, 2)), (Texts{"9.9", "10.0", "10.1"}));
  EXPECT_EQ(labels(linear(-0.002, 0.0025, 4)), (Texts{"-0.002", "0.000", "0.002"}));
}

TEST(Ticks, TinyAndHugeNumbersHaveACommonFactor) {
  const Ticks huge = linear(0, 4.2e7, 4);
  EXPECT_EQ(labels(huge), (Texts{"0", "20", "40"}));
  EXPECT_EQ(to_plain(huge.factor, false), "x10^6");
  EXPECT_EQ(to_plain(huge.factor, true), "×10⁶");
  EXPECT_DOUBLE_EQ(huge.major[1].value, 2e7);
  const Ticks tiny = linear(-2e-9, 2e-9, 4);
  EXPECT_EQ(labels(tiny), (Texts{"-2", "-1", "0", "1", "2"}));
  EXPECT_EQ(to_plain(tiny.factor, false), "x10^-9");
  EXPECT_TRUE(linear(0, 20000, 4).factor.empty());
  EXPECT_TRUE(linear(0, 0.005, 4).factor.empty());
}

TEST(Ticks, NumbersThatDifferLateAreGivenByTheirDifference) {
  const Ticks ticks = linear(1000 - 2e-6, 1000 + 2e-6, 4);
  EXPECT_EQ(labels(ticks), (Texts{"-2", "-1", "0", "1", "2"}));
  EXPECT_EQ(to_plain(ticks.factor, false), "x10^-6 + 1000");
  EXPECT_EQ(ticks.major[2].value, 1000);
}

TEST(Ticks, MinorOnesLieBetweenMajorOnesAndWithinTheAxis) {
  const Ticks ticks = linear(0.3, 2.1, 2);
  ASSERT_EQ(labels(ticks), (Texts{"1", "2"}));
  EXPECT_EQ(ticks.minor.size(), 7u);  // 0.4 0.6 0.8, 1.2 1.4 1.6 1.8, and none at 2.2
  for (const double value : ticks.minor) {
    EXPECT_GE(value, 0.3);
    EXPECT_LE(value, 2.1);
    EXPECT_GT(std::abs(value - std::round(value)), 0.1) << value;
  }
}

TEST(Ticks, LogarithmicAxesHaveDecades) {
  const Ticks ticks = logarithmic(2e-9, 3e-5, 10);
  EXPECT_EQ(labels(ticks), (Texts{"10^-8", "10^-7", "10^-6", "10^-5"}));
  ASSERT_FALSE(ticks.minor.empty());
  EXPECT_NEAR(ticks.minor.front(), 2e-9, 1e-20);
  EXPECT_EQ(labels(logarithmic(0.05, 200, 10)), (Texts{"0.1", "1", "10", "100"}));
  const Ticks many = logarithmic(1e-16, 1, 5);
  EXPECT_EQ(labels(many), (Texts{"10^-16", "10^-12", "10^-8", "10^-4", "10^0"}));
  EXPECT_EQ(many.minor.size(), 12u) << "the decades between";
}

TEST(Ticks, LogarithmicAxesOfLessThanTwoDecadesHaveNumbersBetween) {
  EXPECT_EQ(labels(logarithmic(0.8, 30, 8)), (Texts{"1", "10"}));
  EXPECT_EQ(labels(logarithmic(0.9e-7, 6e-7, 8)), (Texts{"1x10^-7", "2x10^-7", "5x10^-7"}));
  EXPECT_EQ(labels(logarithmic(0.8, 6, 8)), (Texts{"1", "2", "5"}));
  EXPECT_EQ(labels(logarithmic(3.1, 4.4, 3)), (Texts{"3.5", "4.0"}));
}

TEST(Ticks, NoTickLiesOutside) {
  for (double lower = -1e3; lower < 1e3; lower += 77.7) {
    for (const double span : {1e-9, 3.3e-3, 1.0, 7.7, 1e6}) {
      for (const int wanted : {2, 5, 11}) {
        const Ticks ticks = linear(lower, lower + span, wanted);
        ASSERT_LE(ticks.major.size(), static_cast<std::size_t>(wanted) + 1) << lower << " " << span;
        for (const Tick& tick : ticks.major) {
          EXPECT_TRUE(tick.value >= lower && tick.value <= lower + span) << lower << " " << span;
        }
      }
    }
  }
}

TEST(Limits, ShowAllThatIsFiniteAndLeaveRoom) {
  Panel panel;
  panel.series = {{.x = {0, 1, 2, 3}, .y = {1, std::nan(""), 3, HUGE_VAL}}};
  const PanelScales scales = calc_scales(panel);
  EXPECT_EQ(scales.x.limits().lower, 0);
  EXPECT_EQ(scales.x.limits().upper, 2) << "where the last point is that can be drawn";
  EXPECT_NEAR(scales.y.limits().lower, 0.9, 1e-12);
  EXPECT_NEAR(scales.y.limits().upper, 3.1, 1e-12);
}

TEST(Limits, OfConstantsAndNothingHaveAWidth) {
  Panel panel;
  EXPECT_FALSE(calc_scales(panel).has_values);
  panel.series = {{.x = {0, 1}, .y = {5, 5}}};
  EXPECT_LT(calc_scales(panel).y.limits().lower, 5);
  EXPECT_GT(calc_scales(panel).y.limits().upper, 5);
  panel.series = {{.x = {0, 1}, .y = {0, 0}}};
  EXPECT_EQ(calc_scales(panel).y.limits().upper, 1);
  panel.series = {{.x = {0, 1}, .y = {5, 5 + 1e-15}}};
  EXPECT_GT(calc_scales(panel).y.limits().upper, 5.1) << "rounding is not magnified";
  panel.y.is_log = true;
  panel.series = {{.x = {2}, .y = {5}}};
  EXPECT_EQ(calc_scales(panel).y.limits().upper, 10);
}

TEST(Limits, OfYAreThoseOfWhatXShows) {
  Panel panel;
  panel.series = {{.x = {0, 1, 2}, .y = {100, 1, 2}}};
  panel.x.limits = {{0.5, 2}};
  EXPECT_LT(calc_scales(panel).y.limits().upper, 3);
}

TEST(Limits, PathsHaveRoomOnAllSidesAndEqualScalesEqualUnits) {
  Panel panel;
  panel.series = {{.x = {-1, 0, 1, 0, -1}, .y = {0, 2, 0, -2, 0}}};
  PanelScales scales = calc_scales(panel);
  EXPECT_LT(scales.x.limits().lower, -1);
  equalize(scales, 600, 300);
  const auto span = [](const Scale& scale) { return scale.limits().upper - scale.limits().lower; };
  EXPECT_NEAR(span(scales.x) / 600, span(scales.y) / 300, 1e-12);
  EXPECT_GE(scales.y.limits().upper, 2);
  EXPECT_NEAR(scales.x.limits().lower, -scales.x.limits().upper, 1e-12);
}

}  // namespace
}  // namespace trammel::figures
