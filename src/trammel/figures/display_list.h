#pragma once

// A drawing as a list of simple things with their places in px, x to the right and y down. Layout makes it once; SVG
// and PNG only draw it.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trammel/figures/colours.h"
#include "trammel/figures/rich_text.h"

namespace trammel::figures {

struct Place {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

enum class Dashes { kNone, kShort, kLong };

struct Polyline {
  std::vector<Place> places;  ///< at least 2
  Colour colour = kInk;
  double width = 1;  ///< [px]
  Dashes dashes = Dashes::kNone;
};

struct Rectangle {
  Box box;
  std::optional<Colour> fill = std::nullopt;
  std::optional<Colour> frame = std::nullopt;  ///< a line of 1 px
};

struct Mark {
  Place place;
  MarkShape shape = MarkShape::kCircle;
  Colour colour = kInk;
  double radius = 3;  ///< [px]
  bool is_hollow = false;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct Text {
  Place place;  ///< of the anchor, on the line on which the letters stand
  RichText text;
  double size = 12;  ///< [px]
  Anchor anchor = Anchor::kStart;
  Colour colour = kInk;
  bool is_bold = false;
  bool is_upright = false;  ///< turned to be read from below
};

/// What follows is drawn within the box only, until the next EndClip. Clips are not nested.
struct Clip {
  Box box;
};
struct EndClip {};

using Element = std::variant<Polyline, Rectangle, Mark, Text, Clip, EndClip>;

struct DisplayList {
  int width = 0;
  int height = 0;
  std::string title;  ///< what the drawing is, for those who cannot see it
  std::vector<Element> elements;
};

/// The lines of a mark: closed ones can be filled. A circle has none.
std::vector<std::vector<Place>> outline(const Mark& mark);
bool is_closed(MarkShape shape);

/// SVG with real text.
std::string to_svg(const DisplayList& list);

/// Lengths of dashes and gaps [px] for a line.
std::vector<double> dash_lengths(const Polyline& line);

}  // namespace trammel::figures
