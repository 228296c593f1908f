#pragma once

// A field of characters of a terminal to draw on. Lines are made of dots, of which a character holds several.

#include <cstdint>
#include <string>
#include <vector>

#include "trammel/figures/display_list.h"

namespace trammel::figures {

enum class Dots {
  kBraille,     ///< 2 x 4 a character; series differ by colour only
  kCharacters,  ///< one a character, the series' own
};

class TextCanvas {
 public:
  /// Alone is a series that need not be told apart from others.
  TextCanvas(int columns, int rows, Dots dots, bool is_alone);

  /// Size in dots.
  int width() const { return columns_ * (dots_ == Dots::kBraille ? 2 : 1); }
  int height() const { return rows_ * (dots_ == Dots::kBraille ? 4 : 1); }

  /// From dot to dot, both within the canvas; y down.
  void draw_line(const Place& from, const Place& to, int series);
  void draw_dot(const Place& place, int series);
  /// A character in all cells of a column that have no dots.
  void draw_vertical(int column, const char* character);

  /// The characters of one row. With colours, they are those of the series.
  std::string row(int row, bool is_unicode, bool has_colours) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    int series = -1;
    const char* background = nullptr;
  };
  void set(int x, int y, int series);
  const Cell& cell(int column, int row) const { return cells_[static_cast<std::size_t>(row * columns_ + column)]; }

  int columns_, rows_;
  Dots dots_;
  bool is_alone_;
  std::vector<Cell> cells_;
};

/// The character of a series where characters tell them apart.
std::string series_character(int series, bool is_unicode, bool is_alone);

/// Text in one of the 256 colours of ANSI terminals.
std::string coloured(const std::string& text, int terminal_colour);

}  // namespace trammel::figures
