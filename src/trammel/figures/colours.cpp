#include "trammel/figures/colours.h"

#include <array>

namespace trammel::figures {

Look look_at(int place) {
  static constexpr std::array<Look, kLooks / 2> kRound{{{0x0072B2, 32, MarkShape::kCircle, false},
                                                        {0xD55E00, 166, MarkShape::kSquare, false},
                                                        {0x009E73, 36, MarkShape::kTriangle, false},
                                                        {0xCC79A7, 175, MarkShape::kDiamond, false},
                                                        {0xE69F00, 178, MarkShape::kInvertedTriangle, false},
                                                        {0x56B4E9, 74, MarkShape::kPlus, false},
                                                        {0x222222, 245, MarkShape::kCross, false}}};
  constexpr int kCount = static_cast<int>(kRound.size());
  Look look = kRound[static_cast<std::size_t>(place % kCount)];
  look.is_second_round = place / kCount % 2 == 1;
  return look;
}

}  // namespace trammel::figures
