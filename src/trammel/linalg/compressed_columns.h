#pragma once

// The places of a Pattern in compressed columns, as sparse factorisations want them: rows sorted in each column, every
// place once, and for each entry of the pattern the slot its value is added to.

#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::linalg {

struct CompressedColumns {
  int rows = 0;
  int columns = 0;
  std::vector<int> offsets;      ///< columns + 1; column j holds the slots offsets[j] .. offsets[j + 1] - 1
  std::vector<int> row_indices;  ///< one per slot
  std::vector<int> slots;        ///< one per entry of the pattern

  int size() const { return static_cast<int>(row_indices.size()); }
};

CompressedColumns compress(const Pattern& pattern);

}  // namespace trammel::linalg
