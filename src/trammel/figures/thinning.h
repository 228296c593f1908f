#pragma once

// Lines of very many points, reduced to what the columns of an image can show. Of all points that follow each other
// within one column, the first, the lowest, the highest and the last are kept, in their order: the line covers the same
// pixels, so that a spike of one point stays.
//
//   Thinner thinner(Scale({0, 10}, false), 1600);
//   for (...) thinner.add(t, value);      // any number, in the order of the line
//   const Points points = thinner.finish();

#include <cstddef>
#include <vector>

#include "trammel/figures/scale.h"

namespace trammel::figures {

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

class Thinner {
 public:
  /// Columns over the whole width of the axis. What lies left or right of it counts as two more columns.
  Thinner(const Scale& x, int columns) : x_(x), columns_(columns) {}

  /// A point with a number that cannot be drawn on x, or a y that is not finite, ends the line: it is kept as a gap,
  /// several in a row as one.
  void add(double x, double y);
  Points finish();

 private:
  struct Point {
    double x = 0;
    double y = 0;
    std::size_t place = 0;
  };
  void flush();
  void keep(double x, double y);

  Scale x_;
  int columns_;
  Points kept_;
  bool is_open_ = false;  ///< whether a column is being filled
  int column_ = 0;
  std::size_t place_ = 0;
  Point first_, lowest_, highest_, last_;
};

}  // namespace trammel::figures
