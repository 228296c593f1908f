#pragma once

// Sizes [px] that the parts of a drawing share, and how series look.

#include <cstddef>

#include "trammel/figures/display_list.h"
#include "trammel/figures/figure.h"

namespace trammel::figures {

inline constexpr double kTitleText = 16;
inline constexpr double kText = 12.5;
inline constexpr double kSmallText = 11.5;
inline constexpr double kTinyText = 10.5;

/// From the middle of a letter down to the line on which it stands, a share of its size.
inline constexpr double kMiddle = 0.36;

/// How much wider bold letters are than others.
inline constexpr double kBoldWidth = 1.13;

/// By how much an upright label may be longer than its axis.
inline constexpr double kLabelOverhang = 10;

inline constexpr double kLineWidth = 1.6;
inline constexpr double kMarkRadius = 3.4;

/// How a series looks, at a place of its panel.
inline Look find_look(const Series& series, std::size_t place) {
  return look_at(series.colour.value_or(static_cast<int>(place)));
}

inline Dashes find_dashes(const Series& series, const Look& look) {
  if (series.is_dashed) return Dashes::kShort;
  return look.is_second_round ? Dashes::kLong : Dashes::kNone;
}

}  // namespace trammel::figures
