// Draws a display list with cairo.

#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "trammel/figures/display_list.h"
#include "trammel/figures/figure.h"
#include "trammel/figures/layout.h"

namespace trammel::figures {
namespace {

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct DestroyContext {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;
using Context = std::unique_ptr<cairo_t, DestroyContext>;

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("the image could not be made: {}", cairo_status_to_string(status)));
}

class Painter {
 public:
  explicit Painter(cairo_t* context) : cairo_(context) { cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND); }

  void operator()(const Polyline& line) {
    const std::vector<double> dashes = dash_lengths(line);
    cairo_set_dash(cairo_, dashes.data(), static_cast<int>(dashes.size()), 0);
    trace(line.places);
    stroke(line.colour, line.width);
    cairo_set_dash(cairo_, nullptr, 0, 0);
  }

  void operator()(const Rectangle& rectangle) {
    const Box& box = rectangle.box;
    cairo_rectangle(cairo_, box.left, box.top, box.width(), box.height());
    if (rectangle.fill) {
      set_colour(*rectangle.fill);
      cairo_fill_preserve(cairo_);
    }
    if (rectangle.frame) {
      stroke(*rectangle.frame, 1);
    } else {
      cairo_new_path(cairo_);
    }
  }

  void operator()(const Mark& mark) {
    if (mark.shape == MarkShape::kCircle) {
      cairo_new_sub_path(cairo_);
      cairo_arc(cairo_, mark.place.x, mark.place.y, mark.radius, 0, 2 * std::numbers::pi);
    }
    for (const std::vector<Place>& part : outline(mark)) {
      trace(part);
      if (is_closed(mark.shape)) cairo_close_path(cairo_);
    }
    set_colour(mark.is_hollow ? kPaper : mark.colour);
    cairo_fill_preserve(cairo_);
    stroke(mark.colour, 1.5);
  }

  void operator()(const Text& text) {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           text.is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    double length = 0;
    for (const TextRun& run : text.text) {
      cairo_text_extents_t extents;
      set_size(text, run);
      cairo_text_extents(cairo_, run.text.c_str(), &extents);
      length += extents.x_advance;
    }
    const double share = text.anchor == Anchor::kStart ? 0 : text.anchor == Anchor::kMiddle ? 0.5 : 1;
    cairo_save(cairo_);
    cairo_translate(cairo_, text.place.x, text.place.y);
    if (text.is_upright) cairo_rotate(cairo_, -std::numbers::pi / 2);
    cairo_move_to(cairo_, -share * length, 0);
    set_colour(text.colour);
    for (const TextRun& run : text.text) {
      set_size(text, run);
      const double rise = run.is_raised ? kRise * text.size : 0;
      cairo_rel_move_to(cairo_, 0, -rise);
      cairo_show_text(cairo_, run.text.c_str());
      cairo_rel_move_to(cairo_, 0, rise);
    }
    cairo_new_path(cairo_);
    cairo_restore(cairo_);
  }

  void operator()(const Clip& clip) {
    cairo_save(cairo_);
    cairo_rectangle(cairo_, clip.box.left, clip.box.top, clip.box.width(), clip.box.height());
    cairo_clip(cairo_);
  }
  void operator()(const EndClip& /*end*/) { cairo_restore(cairo_); }

 private:
  void set_colour(Colour colour) {
    const auto part = [colour](unsigned shift) { return static_cast<double>((colour >> shift) & 0xFFu) / 255; };
    cairo_set_source_rgb(cairo_, part(16), part(8), part(0));
  }
  void set_size(const Text& text, const TextRun& run) {
    cairo_set_font_size(cairo_, run.is_raised ? kRaisedSize * text.size : text.size);
  }
  void trace(const std::vector<Place>& places) {
    cairo_new_sub_path(cairo_);
    for (const Place& place : places) cairo_line_to(cairo_, place.x, place.y);
  }
  void stroke(Colour colour, double width) {
    set_colour(colour);
    cairo_set_line_width(cairo_, width);
    cairo_stroke(cairo_);
  }

  cairo_t* cairo_;
};

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int size) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string to_png(const Figure& figure, double scale) {
  if (!(scale >= 0.1 && scale <= 10))
    throw std::invalid_argument(fmt::format("a scale of {} is not in 0.1..10", scale));
  const DisplayList list = lay_out(figure);
  const auto pixels = [scale](int length) { return static_cast<int>(std::lround(length * scale)); };
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(list.width), pixels(list.height)));
  check(cairo_surface_status(surface.get()));
  const Context context(cairo_create(surface.get()));
  cairo_scale(context.get(), scale, scale);
  Painter painter(context.get());
  for (const Element& element : list.elements) std::visit(painter, element);
  check(cairo_status(context.get()));
  std::string bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

}  // namespace trammel::figures
