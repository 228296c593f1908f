#pragma once

// One panel: where its parts are, and how they are drawn.

#include <string>
#include <vector>

#include "trammel/figures/display_list.h"
#include "trammel/figures/figure.h"
#include "trammel/figures/legend.h"
#include "trammel/figures/scale.h"
#include "trammel/figures/ticks.h"

namespace trammel::figures {

struct PanelPlan {
  const Panel* panel = nullptr;
  PanelScales scales;
  Legend legend;
  std::string title;
  std::string y_label;       ///< upright, left of the numbers
  std::string remark;        ///< all notes in one line
  bool has_rim = false;      ///< a row right above the frame, for the factor of y and the labels of vertical marks
  bool has_x_labels = true;  ///< numbers and label below the frame
  double top = 0;            ///< [px] where the panel begins
  Box frame;                 ///< of the curves
  double y_label_place = 0;  ///< [px] x of the line on which the label of y stands
  Ticks x_ticks, y_ticks;

  double header_height() const;
  double footer_height() const;
};

/// As many ticks as have room beside each other: along `length` px for numbers that stand in a row, or above each
/// other.
Ticks fit_ticks_in_row(const Scale& scale, double length);
Ticks fit_ticks_in_column(const Scale& scale, double length);

double widest_label(const Ticks& ticks);

void draw_panel(const PanelPlan& plan, DisplayList& list);

}  // namespace trammel::figures
