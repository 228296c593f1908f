#pragma once

// The continuous solution of a run: for each interval between two steps, events or restarts, every column is a
// polynomial in time, given by its values at the Chebyshev-Lobatto nodes of the interval (math/lobatto.h).

#include <cstddef>
#include <vector>

namespace trammel::io {

struct ContinuousInterval {
  double begin = 0, end = 0;  ///< [s]
  int degree = 0;             ///< of the polynomials; 0 where they could not be computed, their values are NaN then
  long first = 0;  ///< its first node among all nodes; it has degree + 1, the last may be shared with the next
};

struct ContinuousContents {
  std::vector<std::size_t> columns;           ///< places among the columns of the file
  std::vector<ContinuousInterval> intervals;  ///< in the order of time; there may be a gap where equations jump

  bool is_empty() const { return columns.empty() || intervals.empty(); }
};

/// Which value is meant at a time at which the solution jumps.
enum class Side { kBefore, kAfter };

/// The interval that a time belongs to: at a border the one after or before it, in a gap between two the earlier one.
/// The time must not lie before the first.
const ContinuousInterval& find_interval(const std::vector<ContinuousInterval>& intervals, double t, Side side);

/// Where the solution stops being one: intervals out of order, nodes that do not follow each other or of which there
/// are fewer than `nodes`. An empty text when it is sound.
const char* find_problem(const std::vector<ContinuousInterval>& intervals, long nodes);

}  // namespace trammel::io
