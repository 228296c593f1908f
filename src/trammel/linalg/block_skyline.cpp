#include "trammel/linalg/block_skyline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace trammel::linalg {

static constexpr std::ptrdiff_t kMostNumbers =
    60'000'000;  // half a gigabyte; what is wider is better ordered by sparse LU

BlockSkyline::BlockSkyline(std::span<const int> sizes, std::span<const int> first) {
  if (sizes.size() != first.size()) throw std::invalid_argument("a skyline needs a first block for every row");
  std::ptrdiff_t offset = 0;
  int column = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > kMaxBlock) throw std::invalid_argument("the size of a block is out of range");
    if (first[i] < 0 || first[i] > static_cast<int>(i)) throw std::invalid_argument("a row begins behind its diagonal");
    const int begin = first[i] == static_cast<int>(i) ? column : rows_[first[i]].column;
    const std::ptrdiff_t stride = calc_stride(sizes[i]);
    rows_.push_back({first[i], sizes[i], begin, column, offset + (column - begin) * stride});
    column += sizes[i];
    offset += (column - begin) * stride;
  }
  if (offset > kMostNumbers) throw std::length_error(std::to_string(offset) + " numbers are too many for a skyline");
  data_.assign(offset, 0.0);
  inverse_.assign(column, 1.0);
  original_.assign(column, 1.0);
}

long BlockSkyline::stored() const {
  long count = 0;
  for (const Row& row : rows_) {
    count += static_cast<long>(row.size) * (row.column - row.begin) + row.size * (row.size + 1) / 2;
  }
  return count;
}

void BlockSkyline::clear_row(int i) {
  const Row& row = rows_[i];
  double* data = data_.data() + place(i, row.first);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(row.column + row.size - row.begin) * calc_stride(row.size);
  for (std::ptrdiff_t k = 0; k < count; k += 2) store_pair(Pair{0, 0}, data + k);
}

int BlockSkyline::factor(double relative) {
  for (int i = 0; i < blocks(); ++i) {
    const int row = with_rows(rows_[i].size, [&](auto r) { return factor_row_of<r>(i, relative); });
    if (row >= 0) return row;
  }
  return -1;
}

bool BlockSkyline::is_below(double relative) const {
  const std::size_t n = inverse_.size();
  Pair largest{0, 0};
  for (std::size_t k = 0; k + 1 < n; k += 2) {
    const Pair loss = load_pair(inverse_.data() + k) * load_pair(original_.data() + k);
    largest = loss > largest ? loss : largest;
  }
  const double last = n > 0 ? inverse_.back() * original_.back() : 0;
  return std::max({largest[0], largest[1], last}) * relative > 1;
}

bool BlockSkyline::is_finite_row(int i) const {
  const Row& row = rows_[i];
  const auto* first = original_.data() + row.column;
  return std::all_of(first, first + row.size, [](double x) { return std::isfinite(x); });
}

double BlockSkyline::calc_smallest_pivot() const {
  double smallest = 1;
  for (std::size_t k = 0; k < inverse_.size(); ++k) smallest = std::min(smallest, 1 / (inverse_[k] * original_[k]));
  return smallest;
}

void BlockSkyline::divide(double* x) const {
  for (std::size_t k = 0; k < inverse_.size(); ++k) x[k] *= inverse_[k];
}

void BlockSkyline::solve(double* x) const {
  for (int i = 0; i < blocks(); ++i) {
    with_rows(rows_[i].size, [&](auto r) { forward_row_of<r>(i, Column<r>::load(x + rows_[i].column), x); });
  }
  divide(x);
  for (int i = blocks() - 1; i >= 0; --i) {
    with_rows(rows_[i].size, [&](auto r) { backward_row_of<r>(i, x); });
  }
}

Operations BlockSkyline::calc_factor_operations() const {
  Operations count;
  for (int i = 0; i < blocks(); ++i) {
    const Row& row = rows_[i];
    const long r = row.size;
    long products = 0;  // each with an addition
    for (int j = row.first; j < i; ++j) {
      const Row& other = rows_[j];
      const long s = other.size;
      products += r * s * (other.column - std::max(row.begin, other.begin)) + r * s * (s - 1) / 2;
    }
    const long width = row.column - row.begin;
    products += r * (r + 1) / 2 * width;
    for (long k = 1; k < r; ++k) products += k * (k + 1) / 2;
    count.multiplications += products + r * width + r * (r - 1) / 2;
    count.additions += products;
    count.divisions += r;
  }
  return count;
}

Operations BlockSkyline::calc_solve_operations() const {
  Operations count;
  for (const Row& row : rows_) {
    const long r = row.size;
    const long products = 2 * r * (row.column - row.begin) + r * (r - 1);
    count.multiplications += products + r;
    count.additions += products;
  }
  return count;
}

}  // namespace trammel::linalg
