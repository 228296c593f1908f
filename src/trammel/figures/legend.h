#pragma once

// The names of the series of a panel, with a sample of each, beside the panel or above it.

#include <string>
#include <vector>

#include "trammel/figures/display_list.h"
#include "trammel/figures/figure.h"

namespace trammel::figures {

struct LegendEntry {
  std::string name;
  const Series* series = nullptr;
  Look look;
};

struct Legend {
  std::vector<LegendEntry> entries;
  bool is_beside = false;
  double width = 0;         ///< [px] of what stands beside the panel, the distance to it included; 0 when nothing does
  double height = 0;        ///< [px] of the rows above the panel; 0 when there are none
  double column_width = 0;  ///< [px] of the names above the panel, which stand in columns
  int columns = 1;
};

/// Beside, when that takes at most about a third of the width of the figure and all names have room in the height of
/// the frame; otherwise above, in rows of the width that is left for the frame.
Legend plan_legend(const Panel& panel, double figure_width, double frame_width, double frame_height);

/// Beside the frame: right of it, from its top down. Above: from (frame.left, top) down.
void draw_legend(const Legend& legend, const Box& frame, double top, DisplayList& list);

}  // namespace trammel::figures
