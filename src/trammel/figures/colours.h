#pragma once

// How series are told apart: by colours that people with any kind of colour vision can tell apart (the palette of Okabe
// and Ito, "Color universal design", 2008, without its yellow, which is too light on white), by marks and by dashes.

#include <cstdint>

namespace trammel::figures {

using Colour = std::uint32_t;  ///< 0xRRGGBB

inline constexpr Colour kInk = 0x222222;    ///< text and frames
inline constexpr Colour kFaint = 0x666666;  ///< remarks, events
inline constexpr Colour kGrid = 0xE4E4E4;
inline constexpr Colour kPaper = 0xFFFFFF;

enum class MarkShape { kCircle, kSquare, kTriangle, kDiamond, kPlus, kInvertedTriangle, kCross };

/// Series from the eighth on have the looks of the first ones, but hollow marks and broken lines.
struct Look {
  Colour colour = kInk;
  int terminal_colour = 0;  ///< of the 256 of ANSI terminals, to be read on dark and on light
  MarkShape shape = MarkShape::kCircle;
  bool is_second_round = false;
};

inline constexpr int kLooks = 14;

/// By place, 0 or more; from kLooks on they repeat.
Look look_at(int place);

}  // namespace trammel::figures
