#include "trammel/figures/panel_drawing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "trammel/figures/clipping.h"
#include "trammel/figures/looks.h"
#include "trammel/figures/thinning.h"

namespace trammel::figures {
namespace {

constexpr double kTick = 4.5;       // [px]
constexpr double kMinorTick = 2.5;  // [px]
constexpr double kTitleRow = 21;    // [px]
constexpr double kRim = 16;         // [px]

/// Fewer and fewer ticks until no two labels touch; where even two do, those in the way of another have none.
Ticks fit_ticks(const Scale& scale, double length, int wanted, double gap,
                const std::function<double(const Tick&)>& extent) {
  const auto touches = [&](const Tick& a, const Tick& b) {
    const double distance = (scale.fraction(b.value) - scale.fraction(a.value)) * length;
    return distance < (extent(a) + extent(b)) / 2 + gap;
  };
  for (; wanted > 2; --wanted) {
    Ticks ticks = calc_ticks(scale, wanted);
    if (std::adjacent_find(ticks.major.begin(), ticks.major.end(), touches) == ticks.major.end()) return ticks;
  }
  Ticks ticks = calc_ticks(scale, 2);
  const Tick* last = nullptr;
  for (Tick& tick : ticks.major) {
    if (last && touches(*last, tick)) {
      tick.label.clear();
    } else {
      last = &tick;
    }
  }
  return ticks;
}

class PanelPainter {
 public:
  PanelPainter(const PanelPlan& plan, DisplayList& list) : plan_(plan), frame_(plan.frame), list_(list) {}

  void paint() {
    draw_grid();
    draw_mark_lines();
    if (plan_.scales.has_values) {
      list_.elements.push_back(Clip{frame_});
      for (std::size_t i = 0; i < plan_.panel->series.size(); ++i) draw_series(plan_.panel->series[i], i);
      list_.elements.push_back(EndClip{});
    } else {
      const Place middle{(frame_.left + frame_.right) / 2, (frame_.top + frame_.bottom) / 2};
      add_text({middle, {{"no values"}}, kText, Anchor::kMiddle, kFaint});
    }
    draw_axes();
    draw_x_labels();
    draw_y_labels();
    draw_rim();
    draw_head();
  }

 private:
  double x_at(double value) const { return frame_.left + plan_.scales.x.fraction(value) * frame_.width(); }
  double y_at(double value) const { return frame_.bottom - plan_.scales.y.fraction(value) * frame_.height(); }
  /// The middle of a pixel, so that a thin line is sharp.
  static double sharp(double place) { return std::floor(place) + 0.5; }

  void add_line(Place from, Place to, Colour colour, double width = 1, Dashes dashes = Dashes::kNone) {
    list_.elements.push_back(Polyline{{from, to}, colour, width, dashes});
  }
  void add_text(Text text) { list_.elements.push_back(std::move(text)); }

  void draw_grid() {
    for (const Tick& tick : plan_.x_ticks.major) {
      const double x = sharp(x_at(tick.value));
      add_line({x, frame_.top}, {x, frame_.bottom}, kGrid);
    }
    for (const Tick& tick : plan_.y_ticks.major) {
      const double y = sharp(y_at(tick.value));
      add_line({frame_.left, y}, {frame_.right, y}, kGrid);
    }
  }

  /// Lines that fall on the same pixel are drawn once.
  void draw_mark_lines() {
    std::set<double> drawn;
    for (const VerticalMark& mark : plan_.panel->marks) {
      if (!plan_.scales.x.contains(mark.x)) continue;
      const double x = sharp(x_at(mark.x));
      if (drawn.insert(x).second) add_line({x, frame_.top}, {x, frame_.bottom}, kFaint, 1, Dashes::kShort);
    }
  }

  std::vector<Place> find_places(const Series& series) const {
    // Half a pixel is finer than what a line of 1.6 px lets see.
    const int columns = static_cast<int>(2 * frame_.width());
    const bool is_long = series.style == SeriesStyle::kLine && series.x.size() > static_cast<std::size_t>(2 * columns);
    std::vector<Place> places;
    const auto add = [&](const std::vector<double>& x, const std::vector<double>& y) {
      for (std::size_t i = 0; i < x.size(); ++i) places.push_back({x_at(x[i]), y_at(y[i])});
    };
    if (!is_long) {
      add(series.x, series.y);
      return places;
    }
    Thinner thinner(plan_.scales.x, columns);
    // What a logarithmic axis leaves out interrupts the line, as it would without thinning.
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      thinner.add(series.x[i], is_drawable(series.y[i], plan_.scales.y.is_log()) ? series.y[i] : std::nan(""));
    }
    const Points points = thinner.finish();
    add(points.x, points.y);
    return places;
  }

  void draw_series(const Series& series, std::size_t place) {
    const Look look = find_look(series, place);
    const std::vector<Place> places = find_places(series);
    if (series.style != SeriesStyle::kMarks) {
      const Box around{frame_.left - 5, frame_.top - 5, frame_.right + 5, frame_.bottom + 5};
      for (std::vector<Place>& part : clip(places, around)) {
        if (part.size() > 1) {
          list_.elements.push_back(Polyline{std::move(part), look.colour, kLineWidth, find_dashes(series, look)});
        } else if (series.style == SeriesStyle::kLine) {
          // A point without neighbours would be no line at all.
          list_.elements.push_back(Mark{part.front(), MarkShape::kCircle, look.colour, places.size() == 1 ? 3.0 : 0.8});
        }
      }
    }
    if (series.style == SeriesStyle::kLine) return;
    std::set<std::pair<long, long>> drawn;  // by half pixels: marks on top of each other are drawn once
    for (const Place& at : places) {
      if (!(at.x >= frame_.left && at.x <= frame_.right && at.y >= frame_.top && at.y <= frame_.bottom)) continue;
      if (!drawn.insert({std::lround(2 * at.x), std::lround(2 * at.y)}).second) continue;
      list_.elements.push_back(Mark{at, look.shape, look.colour, kMarkRadius, look.is_second_round});
    }
  }

  void draw_axes() {
    list_.elements.push_back(Rectangle{frame_, std::nullopt, kInk});
    const auto tick_x = [this](double value, double length) {
      const double x = sharp(x_at(value));
      add_line({x, frame_.bottom}, {x, frame_.bottom + length}, kInk);
    };
    const auto tick_y = [this](double value, double length) {
      const double y = sharp(y_at(value));
      add_line({frame_.left - length, y}, {frame_.left, y}, kInk);
    };
    for (const Tick& tick : plan_.x_ticks.major) tick_x(tick.value, kTick);
    for (const double value : plan_.x_ticks.minor) tick_x(value, kMinorTick);
    for (const Tick& tick : plan_.y_ticks.major) tick_y(tick.value, kTick);
    for (const double value : plan_.y_ticks.minor) tick_y(value, kMinorTick);
  }

  void draw_x_labels() {
    if (!plan_.has_x_labels) return;
    const double row = frame_.bottom + kTick + 3 + kSmallText;
    for (const Tick& tick : plan_.x_ticks.major) {
      if (tick.label.empty()) continue;
      add_text({{x_at(tick.value), row}, with_minus_signs(tick.label), kSmallText, Anchor::kMiddle});
    }
    const double below = row + 6 + kText;
    const RichText factor = with_minus_signs(plan_.x_ticks.factor);
    const double taken = factor.empty() ? 0 : 2 * (estimate_width(factor, kSmallText) + 8);
    const std::string label = shorten(clean(plan_.panel->x.label), kText, frame_.width() - taken);
    if (!plan_.panel->x.label.empty()) {
      add_text({{(frame_.left + frame_.right) / 2, below}, {{label}}, kText, Anchor::kMiddle});
    }
    if (!factor.empty()) add_text({{frame_.right, below}, factor, kSmallText, Anchor::kEnd});
  }

  void draw_y_labels() {
    for (const Tick& tick : plan_.y_ticks.major) {
      if (tick.label.empty()) continue;
      add_text({{frame_.left - kTick - 4, y_at(tick.value) + kMiddle * kSmallText},
                with_minus_signs(tick.label),
                kSmallText,
                Anchor::kEnd});
    }
    if (plan_.y_label.empty()) return;
    const std::string label = shorten(plan_.y_label, kText, frame_.height() + kLabelOverhang);
    const double middle = (frame_.top + frame_.bottom) / 2;
    add_text({{plan_.y_label_place, middle}, {{label}}, kText, Anchor::kMiddle, kInk, false, true});
  }

  /// Labels of vertical marks are written from left to right where they have room.
  void draw_rim() {
    const double row = frame_.top - 5;
    double taken = frame_.left - 30;
    const RichText factor = with_minus_signs(plan_.y_ticks.factor);
    if (!factor.empty()) {
      add_text({{frame_.left, row}, factor, kSmallText});
      taken = frame_.left + estimate_width(factor, kSmallText) + 8;
    }
    std::vector<VerticalMark> marks = plan_.panel->marks;
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    for (const VerticalMark& mark : marks) {
      if (mark.label.empty() || !plan_.scales.x.contains(mark.x)) continue;
      const std::string label = clean(mark.label);
      const double half = estimate_width(label, kTinyText) / 2;
      const double x = std::min(x_at(mark.x), frame_.right + 10 - half);
      if (x - half < taken) continue;
      add_text({{x, row}, {{label}}, kTinyText, Anchor::kMiddle, kFaint});
      taken = x + half + 6;
    }
  }

  void draw_head() {
    double row = plan_.top;
    if (!plan_.title.empty() || !plan_.remark.empty()) {
      const double line = row + kTitleRow - 7;
      const double room = frame_.width() - 10;
      const std::string title = shorten(plan_.title, kBoldWidth * kText, room);
      const double left = room - (title.empty() ? 0 : estimate_width(title, kBoldWidth * kText) + 20);
      if (!title.empty()) add_text({{frame_.left, line}, {{title}}, kText, Anchor::kStart, kInk, true});
      if (!plan_.remark.empty() && left > 60) {
        add_text({{frame_.right, line}, {{shorten(plan_.remark, kTinyText, left)}}, kTinyText, Anchor::kEnd, kFaint});
      }
      row += kTitleRow;
    }
    draw_legend(plan_.legend, frame_, row, list_);
  }

  const PanelPlan& plan_;
  const Box& frame_;
  DisplayList& list_;
};

}  // namespace

double PanelPlan::header_height() const {
  return (title.empty() && remark.empty() ? 0 : kTitleRow) + legend.height + (has_rim ? kRim : 0);
}

double PanelPlan::footer_height() const {
  if (!has_x_labels) return kTick;
  const bool has_second_row = !panel->x.label.empty() || !x_ticks.factor.empty();
  return kTick + 3 + kSmallText + (has_second_row ? 6 + kText : 0) + 5;
}

Ticks fit_ticks_in_row(const Scale& scale, double length) {
  const int most = std::clamp(static_cast<int>(length / 50), 2, 12);
  return fit_ticks(scale, length, most, 12, [](const Tick& tick) { return estimate_width(tick.label, kSmallText); });
}

Ticks fit_ticks_in_column(const Scale& scale, double length) {
  const int most = std::clamp(static_cast<int>(length / 34), 3, 10);
  return fit_ticks(scale, length, most, 5, [](const Tick&) { return kSmallText; });
}

double widest_label(const Ticks& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks.major) {
    widest = std::max(widest, estimate_width(with_minus_signs(tick.label), kSmallText));
  }
  return widest;
}

void draw_panel(const PanelPlan& plan, DisplayList& list) { PanelPainter(plan, list).paint(); }

}  // namespace trammel::figures
