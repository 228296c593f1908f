#pragma once

// Where an axis has ticks, and what stands beside them.

#include <string>
#include <vector>

#include "trammel/figures/rich_text.h"
#include "trammel/figures/scale.h"

namespace trammel::figures {

struct Tick {
  double value = 0;
  RichText label;  ///< with '-' for minus
};

struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;
  /// What all labels are to be multiplied with and what is to be added, "×10^3 + 20"; empty for nothing.
  RichText factor;
};

/// About `wanted` (at least 2) labelled ticks within the limits, at 1, 2 or 5 times a power of ten. Logarithmic axes
/// have them at powers of ten; only those of less than about a decade at numbers between.
Ticks calc_ticks(const Scale& scale, int wanted);

/// A number as it is written in text: "0.002", "2×10^-6".
RichText describe_number(double value);

}  // namespace trammel::figures
