#pragma once

// Figures: curves over axes, in panels that stand above each other. A figure is plain data; the functions below draw it
// as SVG, as PNG, or with the characters of a terminal.
//
//   Panel panel;
//   panel.x = {.label = "time [s]", .is_log = true};
//   panel.y = {.label = "error", .is_log = true};
//   panel.series.push_back({.name = "hht", .x = times, .y = errors, .style = SeriesStyle::kLineAndMarks});
//   Figure figure;
//   figure.panels.push_back(std::move(panel));
//   const std::string svg = to_svg(figure);
//
// All text is UTF-8. Numbers that are not finite leave a gap in their curve; what is not positive is left out of a
// logarithmic axis, and a note above the panel says how many points that were. Nothing is written to files here.

#include <optional>
#include <string>
#include <vector>

namespace trammel::figures {

enum class SeriesStyle {
  kLine,          ///< straight lines from point to point
  kMarks,         ///< a mark at every point
  kLineAndMarks,  ///< both: for few points, as in work-precision diagrams
};

/// Points (x[i], y[i]), in the order in which a line joins them. Their number may be anything, 0 and 1 included; lines
/// of more points than the pixels can show are thinned when they are drawn, and keep their extremes.
struct Series {
  std::string name = {};  ///< for the legend; without one the series is not in it
  std::vector<double> x = {};
  std::vector<double> y = {};
  SeriesStyle style = SeriesStyle::kLine;
  /// Colour and mark by their place in the palette (colours.h), 0 or more; otherwise the place of the series in its
  /// panel. To be given where one thing shall look alike in all panels.
  std::optional<int> colour = std::nullopt;
  bool is_dashed = false;  ///< for slopes and other lines that are there for comparison
};

struct Limits {
  double lower = 0;
  double upper = 1;  ///< above lower
};

struct Axis {
  std::string label = {};  ///< with the unit: "time [s]"
  bool is_log = false;
  /// What the axis shows; otherwise all there is. Both positive on a logarithmic axis.
  std::optional<Limits> limits = std::nullopt;
};

/// A vertical line across the panel, such as an event.
struct VerticalMark {
  double x = 0;
  std::string label = {};  ///< above the panel, where there is room; may be empty
};

struct Panel {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<VerticalMark> marks = {};
  std::vector<std::string> notes =
      {};                         ///< short remarks above the panel at its right, as the one about values left out
  bool has_legend = true;         ///< beside the panel, or above it when the names are long or many
  bool has_equal_scales = false;  ///< one unit is as long on y as on x, for paths in space; not with a logarithm
};

struct Figure {
  std::string title = {};
  std::vector<Panel> panels = {};
  /// All panels show the same range of x, and only the lowest has numbers and a label below it.
  bool shares_x = false;
  int width = 800;  ///< [px]
  int height = 0;   ///< [px]; 0 is what suits the number of panels
};

/// SVG with real text. Throws std::invalid_argument, as all three, for a series whose x and y differ in length, limits
/// that are not finite, not in order, or not positive on a logarithmic axis, and sizes below kLeastWidth x kLeastHeight
/// or above kGreatestSize.
std::string to_svg(const Figure& figure);

/// The bytes of a PNG file, `scale` pixels (0.1 to 10) a px of the figure. Throws std::runtime_error when the image
/// cannot be made.
std::string to_png(const Figure& figure, double scale = 2);

inline constexpr int kLeastWidth = 160;     ///< [px]
inline constexpr int kLeastHeight = 120;    ///< [px]
inline constexpr int kGreatestSize = 8000;  ///< [px], width and height

struct TextOptions {
  int columns = 80;          ///< of the terminal; at least 20 are taken
  int rows = 24;             ///< of the terminal, for all panels; each gets at least 12
  bool is_unicode = true;    ///< otherwise ASCII only
  bool has_colours = false;  ///< by ANSI sequences
};

/// Lines of text, each with a newline. Curves are dots of Braille characters; where that would leave several series
/// without a difference (no colours, no Unicode), each has a character of its own. The figure's size in px is not used.
std::string to_text(const Figure& figure, const TextOptions& options = {});

}  // namespace trammel::figures
