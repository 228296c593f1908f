// Writes a display list as SVG.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "trammel/figures/display_list.h"
#include "trammel/figures/figure.h"
#include "trammel/figures/layout.h"
#include "trammel/figures/markup.h"

namespace trammel::figures {
namespace {

/// A hundredth of a px is finer than anything that can be seen.
std::string number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string colour(Colour value) { return fmt::format("#{:06x}", value); }

std::string path(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    text += fmt::format("{}{} {}", text.empty() ? "M" : "L", number(place.x), number(place.y));
  }
  return text;
}

class SvgWriter {
 public:
  explicit SvgWriter(const DisplayList& list)
      : text_(fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "role=\"img\" "
            "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\" fill=\"none\" stroke-linejoin=\"round\">\n",
            list.width, list.height)) {
    if (!list.title.empty()) text_ += fmt::format("<title>{}</title>\n", escape_markup(list.title));
    for (const Element& element : list.elements) std::visit(*this, element);
    text_ += "</svg>\n";
  }
  std::string take() { return std::move(text_); }

  void operator()(const Polyline& line) {
    const std::vector<double> dashes = dash_lengths(line);
    text_ += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\"", path(line.places), colour(line.colour),
                         number(line.width));
    if (!dashes.empty()) text_ += fmt::format(" stroke-dasharray=\"{}\"", fmt::join(dashes, " "));
    text_ += "/>\n";
  }

  void operator()(const Rectangle& rectangle) {
    const Box& box = rectangle.box;
    text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(box.left), number(box.top),
                         number(box.width()), number(box.height()));
    if (rectangle.fill) text_ += fmt::format(" fill=\"{}\"", colour(*rectangle.fill));
    if (rectangle.frame) text_ += fmt::format(" stroke=\"{}\"", colour(*rectangle.frame));
    text_ += "/>\n";
  }

  void operator()(const Mark& mark) {
    // Hollow marks hide the line below them.
    const std::string paint = fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"",
                                          colour(mark.is_hollow ? kPaper : mark.colour), colour(mark.colour));
    if (mark.shape == MarkShape::kCircle) {
      text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(mark.place.x), number(mark.place.y),
                           number(mark.radius), paint);
      return;
    }
    std::string lines;
    for (const std::vector<Place>& part : outline(mark)) lines += path(part) + (is_closed(mark.shape) ? "Z" : "");
    text_ += fmt::format("<path d=\"{}\" {}/>\n", lines, paint);
  }

  void operator()(const Text& text) {
    static constexpr std::array<const char*, 3> kAnchors{"start", "middle", "end"};
    const std::string x = number(text.place.x), y = number(text.place.y);
    text_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", x, y, number(text.size),
                         colour(text.colour));
    if (text.anchor != Anchor::kStart) {
      text_ += fmt::format(" text-anchor=\"{}\"", kAnchors[static_cast<std::size_t>(text.anchor)]);
    }
    if (text.is_bold) text_ += " font-weight=\"bold\"";
    if (text.is_upright) text_ += fmt::format(" transform=\"rotate(-90 {} {})\"", x, y);
    text_ += ">";
    bool is_raised = false;
    for (const TextRun& run : text.text) {
      // Raised runs lift what follows, so that the next one has to come down again.
      if (run.is_raised) {
        text_ += fmt::format("<tspan dy=\"{}\" font-size=\"{}\">{}</tspan>", number(-kRise * text.size),
                             number(kRaisedSize * text.size), escape_markup(run.text));
      } else if (is_raised) {
        text_ += fmt::format("<tspan dy=\"{}\">{}</tspan>", number(kRise * text.size), escape_markup(run.text));
      } else {
        text_ += escape_markup(run.text);
      }
      is_raised = run.is_raised;
    }
    text_ += "</text>\n";
  }

  void operator()(const Clip& clip) {
    // A drawing within the drawing, of the same coordinates: it shows nothing outside of its box, and unlike a clip
    // path it needs no name that would have to be unique in a page of many figures.
    const Box& box = clip.box;
    const std::string area =
        fmt::format("{} {} {} {}", number(box.left), number(box.top), number(box.width()), number(box.height()));
    text_ += fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"{}\">\n", number(box.left),
                         number(box.top), number(box.width()), number(box.height()), area);
  }

  void operator()(const EndClip& /*end*/) { text_ += "</svg>\n"; }

 private:
  std::string text_;
};

}  // namespace

std::string to_svg(const DisplayList& list) { return SvgWriter(list).take(); }

std::string to_svg(const Figure& figure) { return to_svg(lay_out(figure)); }

}  // namespace trammel::figures
