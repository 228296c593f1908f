#pragma once

// The figure of columns of a result file.

#include <optional>
#include <string>
#include <vector>

#include "trammel/figures/figure.h"
#include "trammel/io/result_file.h"

namespace trammel::cli {

enum class PanelChoice {
  kByUnit,    ///< columns of the same unit share a panel
  kTogether,  ///< one panel
  kSeparate,  ///< one a column
};

struct PlotRequest {
  std::vector<std::string> names;  ///< as choose_columns() takes them; of the history of steps, its columns
  std::optional<std::string> x;    ///< column to plot over; time without one
  std::optional<double> from, to;  ///< [s]
  bool is_log_x = false;
  bool is_log_y = false;
  PanelChoice panels = PanelChoice::kByUnit;
  bool has_equal_scales = false;
  bool takes_steps = false;          ///< the history of steps instead of the rows
  std::optional<std::string> title;  ///< otherwise model and method
  int width = 800;                   ///< [px] of the figure, which decides what detail is kept
};

struct Plot {
  figures::Figure figure;
  std::vector<std::string> notes;  ///< what the user should know: rows without a value
  std::size_t columns = 0;
  long rows = 0;
};

/// Throws InputError and io::ResultFileError.
Plot make_plot(const io::ResultFile& file, const PlotRequest& request);

}  // namespace trammel::cli
