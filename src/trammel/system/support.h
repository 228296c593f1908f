#pragma once

// The unknowns that something depends on: lists of their numbers, increasing, each once.

#include <algorithm>
#include <vector>

namespace trammel::system {

inline void make_unique(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Where a number stands in such a list that holds it.
inline int place_in(const std::vector<int>& sorted, int value) {
  return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

}  // namespace trammel::system
