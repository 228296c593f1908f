#include "trammel/figures/text_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel::figures {
namespace {

/// U+2800 and the dots as bits, in UTF-8.
std::string braille(std::uint8_t dots) {
  const unsigned code = 0x2800u + dots;
  return {static_cast<char>(0xE0u | (code >> 12)), static_cast<char>(0x80u | ((code >> 6) & 0x3Fu)),
          static_cast<char>(0x80u | (code & 0x3Fu))};
}

}  // namespace

std::string series_character(int series, bool is_unicode, bool is_alone) {
  static constexpr std::array<const char*, 7> kMarks{"●", "□", "▲", "◆", "▽", "+", "×"};
  const auto place = static_cast<std::size_t>(std::max(series, 0));
  if (is_alone) return "*";
  if (is_unicode && place < kMarks.size()) return kMarks[place];
  return {static_cast<char>('a' + place % 26)};
}

std::string coloured(const std::string& text, int terminal_colour) {
  return fmt::format("\x1b[38;5;{}m{}\x1b[0m", terminal_colour, text);
}

TextCanvas::TextCanvas(int columns, int rows, Dots dots, bool is_alone)
    : columns_(columns),
      rows_(rows),
      dots_(dots),
      is_alone_(is_alone),
      cells_(static_cast<std::size_t>(columns * rows)) {}

void TextCanvas::set(int x, int y, int series) {
  // Bits of a Braille character by row and column.
  static constexpr std::array<std::array<std::uint8_t, 2>, 4> kBits{{{1, 8}, {2, 16}, {4, 32}, {64, 128}}};
  x = std::clamp(x, 0, width() - 1);
  y = std::clamp(y, 0, height() - 1);
  const bool is_braille = dots_ == Dots::kBraille;
  const int column = is_braille ? x / 2 : x, row = is_braille ? y / 4 : y;
  Cell& cell = cells_[static_cast<std::size_t>(row * columns_ + column)];
  const std::uint8_t bit = is_braille ? kBits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)] : 1;
  cell.dots = static_cast<std::uint8_t>(cell.dots | bit);
  cell.series = series;
}

void TextCanvas::draw_dot(const Place& place, int series) {
  set(static_cast<int>(std::floor(place.x)), static_cast<int>(std::floor(place.y)), series);
}

void TextCanvas::draw_line(const Place& from, const Place& to, int series) {
  const double length = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
  // Two a dot: one could leave a hole where rounding moves a dot to its neighbour.
  const int steps = std::max(1, static_cast<int>(std::ceil(2 * length)));
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    draw_dot({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)}, series);
  }
}

void TextCanvas::draw_vertical(int column, const char* character) {
  column = std::clamp(column, 0, columns_ - 1);
  for (int row = 0; row < rows_; ++row) {
    cells_[static_cast<std::size_t>(row * columns_ + column)].background = character;
  }
}

std::string TextCanvas::row(int row, bool is_unicode, bool has_colours) const {
  std::string text, run;  // neighbours of one colour are coloured together
  int run_series = -1;
  const auto end_run = [&] {
    if (!run.empty()) text += has_colours ? coloured(run, look_at(run_series).terminal_colour) : run;
    run.clear();
  };
  for (int column = 0; column < columns_; ++column) {
    const Cell& at = cell(column, row);
    if (at.dots == 0 || at.series != run_series) end_run();
    if (at.dots == 0) {
      text += at.background ? at.background : " ";
      continue;
    }
    run_series = at.series;
    run += dots_ == Dots::kBraille ? braille(at.dots) : series_character(at.series, is_unicode, is_alone_);
  }
  end_run();
  return text;
}

}  // namespace trammel::figures
