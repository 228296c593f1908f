// Figures of characters.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/figures/clipping.h"
#include "trammel/figures/figure.h"
#include "trammel/figures/layout.h"
#include "trammel/figures/looks.h"
#include "trammel/figures/scale.h"
#include "trammel/figures/text_canvas.h"
#include "trammel/figures/thinning.h"
#include "trammel/figures/ticks.h"

namespace trammel::figures {
namespace {

constexpr int kLeastColumns = 20;
constexpr int kLeastPanelRows = 12;
constexpr int kLeastCanvasRows = 4;

/// Letters, which is as many as columns for all but some scripts.
int length(const std::string& text) { return static_cast<int>(split_letters(text).size()); }

/// A line of `columns` characters to write on at any place.
class TextLine {
 public:
  explicit TextLine(int columns) : letters_(static_cast<std::size_t>(columns), " ") {}
  void write(int column, const std::string& text) {
    for (const std::string& letter : split_letters(text)) {
      if (column >= 0 && column < static_cast<int>(letters_.size()))
        letters_[static_cast<std::size_t>(column)] = letter;
      ++column;
    }
  }
  /// Without the blanks at the end.
  std::string text() const {
    std::string joined;
    for (const std::string& letter : letters_) joined += letter;
    joined.erase(joined.find_last_not_of(' ') + 1);
    return joined;
  }

 private:
  std::vector<std::string> letters_;
};

/// As much of the text as has room.
std::string fit(const std::string& text, int columns) {
  const std::vector<std::string> letters = split_letters(text);
  if (static_cast<int>(letters.size()) <= columns) return text;
  std::string front;
  for (int i = 0; i < columns; ++i) front += letters[static_cast<std::size_t>(i)];
  return front;
}

class TextPanel {
 public:
  TextPanel(const Panel& panel, const PanelScales& scales, const TextOptions& options, int rows, bool has_x_labels)
      : panel_(panel), scales_(scales), options_(options), has_x_labels_(has_x_labels) {
    columns_ = std::max(options.columns, kLeastColumns);
    head_ = list_head();
    for (const VerticalMark& mark : panel.marks) {
      has_mark_labels_ = has_mark_labels_ || (!mark.label.empty() && scales.x.contains(mark.x));
    }
    const int around = static_cast<int>(head_.size()) + (has_mark_labels_ ? 1 : 0) + 1 + (has_x_labels ? 2 : 0);
    canvas_rows_ = std::max(kLeastCanvasRows, rows - around);
    if (scales.has_values || panel.y.limits) y_ticks_ = calc_ticks(scales_.y, std::max(2, canvas_rows_ / 3));
    for (const Tick& tick : y_ticks_.major) margin_ = std::max(margin_, length(label(tick)) + 1);
  }

  /// Columns left of the axis.
  int margin() const { return margin_; }

  /// With the axis at that margin.
  std::string draw(int margin) {
    margin_ = std::min(margin, columns_ / 2);
    canvas_columns_ = columns_ - margin_ - 1;
    if (panel_.has_equal_scales) {
      equalize(scales_, canvas_columns_, 2.0 * canvas_rows_);  // characters are about twice as high as wide
      y_ticks_ = calc_ticks(scales_.y, std::max(2, canvas_rows_ / 3));
    }
    std::string text;
    for (const std::string& line : head_) text += line + "\n";
    if (has_mark_labels_) text += draw_mark_labels() + "\n";
    return text + draw_canvas() + draw_axis();
  }

 private:
  const char* symbol(const char* unicode, const char* ascii) const { return options_.is_unicode ? unicode : ascii; }
  std::string label(const Tick& tick) const { return to_plain(tick.label, options_.is_unicode); }
  std::string plain(const std::string& text) const { return options_.is_unicode ? clean(text) : to_ascii(clean(text)); }

  bool is_alone() const { return panel_.series.size() == 1; }
  bool has_own_characters() const { return !options_.is_unicode || (!options_.has_colours && !is_alone()); }

  int column_at(double x) const {
    const double place = scales_.x.fraction(x) * canvas_columns_;
    return margin_ + 1 + std::clamp(static_cast<int>(std::floor(place)), 0, canvas_columns_ - 1);
  }
  int row_at(double y) const {
    const double place = (1 - scales_.y.fraction(y)) * canvas_rows_;
    return std::clamp(static_cast<int>(std::floor(place)), 0, canvas_rows_ - 1);
  }

  /// Title and notes, label and factor of y, legend.
  std::vector<std::string> list_head() const {
    std::vector<std::string> lines;
    const auto add = [&](const std::string& line) {
      if (!line.empty()) lines.push_back(fit(line, columns_));
    };
    add(plain(panel_.title));
    const std::string factor = to_plain(calc_ticks(scales_.y, 5).factor, options_.is_unicode);
    std::string first = plain(panel_.y.label);
    if (!factor.empty()) first += (first.empty() ? "" : "  ") + factor;
    add(first);
    for (const std::string& note : list_notes(panel_, scales_.not_positive)) add("(" + plain(note) + ")");
    std::string line;
    int used = 0;
    for (std::size_t i = 0; i < panel_.series.size() && panel_.has_legend; ++i) {
      if (panel_.series[i].name.empty()) continue;
      const int place = place_of(i);
      const std::string name = fit(plain(panel_.series[i].name), columns_ - 4);
      std::string sample = has_own_characters() ? series_character(place, options_.is_unicode, is_alone()) : "━━";
      const int width = length(sample) + 1 + length(name) + 3;
      if (used > 0 && used + width - 3 > columns_) {
        lines.push_back(line);
        line.clear();
        used = 0;
      }
      if (options_.has_colours) sample = coloured(sample, look_at(place).terminal_colour);
      line += fmt::format("{}{} {}", used > 0 ? "   " : "", sample, name);
      used += width;
    }
    if (used > 0) lines.push_back(line);
    return lines;
  }

  int place_of(std::size_t series) const { return panel_.series[series].colour.value_or(static_cast<int>(series)); }

  std::string draw_mark_labels() const {
    TextLine line(columns_);
    std::vector<VerticalMark> marks = panel_.marks;
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    int taken = 0;
    for (const VerticalMark& mark : marks) {
      if (mark.label.empty() || !scales_.x.contains(mark.x)) continue;
      const std::string text = plain(mark.label);
      const int first = std::min(column_at(mark.x) - length(text) / 2, columns_ - length(text));
      if (first < taken) continue;
      line.write(first, text);
      taken = first + length(text) + 1;
    }
    return line.text();
  }

  void draw_series(TextCanvas& canvas, std::size_t number) const {
    const Series& series = panel_.series[number];
    Thinner thinner(scales_.x, 2 * canvas.width());
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const bool is_drawn = is_drawable(series.y[i], scales_.y.is_log());
      thinner.add(series.x[i], is_drawn ? series.y[i] : std::nan(""));
    }
    const Points points = thinner.finish();
    std::vector<Place> places;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      places.push_back(
          {scales_.x.fraction(points.x[i]) * canvas.width(), (1 - scales_.y.fraction(points.y[i])) * canvas.height()});
    }
    const Box all{0, 0, static_cast<double>(canvas.width()), static_cast<double>(canvas.height())};
    for (const std::vector<Place>& part : clip(places, all)) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (series.style == SeriesStyle::kMarks || i == 0) canvas.draw_dot(part[i], place_of(number));
        if (series.style != SeriesStyle::kMarks && i > 0) canvas.draw_line(part[i - 1], part[i], place_of(number));
      }
    }
  }

  std::string draw_canvas() const {
    TextCanvas canvas(canvas_columns_, canvas_rows_, has_own_characters() ? Dots::kCharacters : Dots::kBraille,
                      is_alone());
    for (const VerticalMark& mark : panel_.marks) {
      if (scales_.x.contains(mark.x)) canvas.draw_vertical(column_at(mark.x) - margin_ - 1, symbol("┊", ":"));
    }
    for (std::size_t i = 0; i < panel_.series.size(); ++i) draw_series(canvas, i);
    std::vector<std::string> labels(static_cast<std::size_t>(canvas_rows_));
    for (const Tick& tick : y_ticks_.major) labels[static_cast<std::size_t>(row_at(tick.value))] = label(tick);
    std::string text;
    for (int row = 0; row < canvas_rows_; ++row) {
      const std::string& number = labels[static_cast<std::size_t>(row)];
      std::string cells = canvas.row(row, options_.is_unicode, options_.has_colours);
      if (!scales_.has_values && row == canvas_rows_ / 2) cells = fit("  no values", canvas_columns_);
      cells.erase(cells.find_last_not_of(' ') + 1);
      text += fmt::format("{}{}{}{}\n",
                          std::string(static_cast<std::size_t>(std::max(0, margin_ - 1 - length(number))), ' '),
                          fit(number, margin_ - 1), number.empty() ? symbol(" │", " |") : symbol(" ┤", " +"), cells);
    }
    return text;
  }

  /// Fewer and fewer ticks until their numbers have room.
  Ticks fit_x_ticks() const {
    if (!scales_.has_values && !panel_.x.limits) return {};
    for (int wanted = std::max(2, canvas_columns_ / 8); wanted > 2; --wanted) {
      Ticks ticks = calc_ticks(scales_.x, wanted);
      const auto touches = [this](const Tick& a, const Tick& b) {
        return column_at(b.value) - column_at(a.value) < (length(label(a)) + length(label(b))) / 2 + 2;
      };
      if (std::adjacent_find(ticks.major.begin(), ticks.major.end(), touches) == ticks.major.end()) return ticks;
    }
    return calc_ticks(scales_.x, 2);
  }

  std::string draw_axis() const {
    const Ticks ticks = fit_x_ticks();
    TextLine axis(columns_), numbers(columns_), name(columns_);
    axis.write(margin_, symbol("└", "+"));
    for (int i = margin_ + 1; i < columns_; ++i) axis.write(i, symbol("─", "-"));
    int taken = 0;
    for (const Tick& tick : ticks.major) {
      const int column = column_at(tick.value);
      axis.write(column, symbol("┬", "+"));
      const std::string text = label(tick);
      const int first = std::min(column - (length(text) - 1) / 2, columns_ - length(text));
      if (first < taken) continue;
      numbers.write(first, text);
      taken = first + length(text) + 1;
    }
    if (!has_x_labels_) return axis.text() + "\n";
    const std::string factor = to_plain(ticks.factor, options_.is_unicode);
    const std::string text = fit(plain(panel_.x.label) + (factor.empty() ? "" : "  " + factor), canvas_columns_);
    name.write(margin_ + 1 + (canvas_columns_ - length(text)) / 2, text);
    return axis.text() + "\n" + numbers.text() + "\n" + (text.empty() ? "" : name.text() + "\n");
  }

  const Panel& panel_;
  PanelScales scales_;
  const TextOptions& options_;
  bool has_x_labels_;
  bool has_mark_labels_ = false;
  int columns_ = 0, canvas_columns_ = 0, canvas_rows_ = 0;
  int margin_ = 2;
  std::vector<std::string> head_;
  Ticks y_ticks_;
};

}  // namespace

std::string to_text(const Figure& figure, const TextOptions& options) {
  check(figure);
  const std::vector<PanelScales> scales = calc_scales(figure);
  std::string text;
  int rows = options.rows;
  if (!figure.title.empty()) {
    const std::string title = options.is_unicode ? clean(figure.title) : to_ascii(clean(figure.title));
    text += fit(title, std::max(options.columns, kLeastColumns)) + "\n";
    --rows;
  }
  const int count = std::max(1, static_cast<int>(figure.panels.size()));
  std::vector<TextPanel> panels;
  int margin = 0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const bool is_last = i + 1 == figure.panels.size();
    const int panel_rows = std::max(kLeastPanelRows, rows / count);
    panels.emplace_back(figure.panels[i], scales[i], options, panel_rows, is_last || !figure.shares_x);
    margin = std::max(margin, panels.back().margin());
  }
  for (TextPanel& panel : panels) text += panel.draw(margin);
  return text;
}

}  // namespace trammel::figures
