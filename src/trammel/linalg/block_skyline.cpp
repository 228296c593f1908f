#include "trammel/linalg/block_skyline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace trammel::linalg {

static constexpr std::ptrdiff_t kMostNumbers = 60'000'000;  // half a gigabyte; what is wider is better ordered by sparse LU

BlockSkyline::BlockSkyline(std::span<const int> sizes, std::span<const int> first) {
  if (sizes.size() != first.size()) throw std::invalid_argument("a skyline needs a first block for every row");
  std::ptrdiff_t offset = 0;
  int column = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > kMaxBlock) throw std::invalid_argument("the size of a block is out of range");
    if (first[i] < 0 || first[i] > static_cast<int>(i)) throw std::invalid_argument("a row begins behind its diagonal");
    const int begin = first[i] == static_cast<int>(i) ? column : rows_[first[i]].column;
    rows_.push_back({first[i], sizes[i], begin, column, offset});
    column += sizes[i];
    offset += static_cast<std::ptrdiff_t>(column - begin) * calc_stride(sizes[i]);
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
  double* data = data_.data() + row.offset;
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(row.column + row.size - row.begin) * calc_stride(row.size);
  for (std::ptrdiff_t k = 0; k < count; k += 2) store_pair(Pair{0, 0}, data + k);
}

/// Block c of the row, whose columns are those of the other row.
template <int R>
inline void BlockSkyline::eliminate_by(const Row& row, const Row& other, double* panel, double* c) const {
  const int begin = std::max(row.begin, other.begin);
  const double* a = panel + static_cast<std::ptrdiff_t>(begin - row.begin) * kStride<R>;
  const int n = other.column - begin;
  const int stride = calc_stride(other.size);
  const double* b = data_.data() + other.offset + static_cast<std::ptrdiff_t>(begin - other.begin) * stride;
  const double* l = b + static_cast<std::ptrdiff_t>(n) * stride;
  if (other.size == R) {
    eliminate<R, R>(n, a, b, l, c);
  } else {
    with_rows(other.size, [&](auto s) { eliminate<R, s>(n, a, b, l, c); });
  }
}

template <int R>
inline int BlockSkyline::factor_row_of(int i, double relative) {
  const Row& row = rows_[i];
  double* panel = data_.data() + row.offset;
  double* c = panel;
  for (int j = row.first; j < i; ++j) {
    eliminate_by<R>(row, rows_[j], panel, c);
    c += rows_[j].size * kStride<R>;
  }
  // The diagonal is kept before anything is taken from it: what is left tells how far the row is from the others.
  double original[R];
  for (int k = 0; k < R; ++k) original[k] = c[k * kStride<R> + k];
  scale_and_subtract_square<R>(row.column - row.begin, panel, inverse_.data() + row.begin, c);
  const int failed = factor_block<R>(c, relative, original, inverse_.data() + row.column);
  copy_numbers(R, original, original_.data() + row.column);
  return failed < 0 ? -1 : row.column + failed;
}

int BlockSkyline::factor_row(int i, double relative) {
  return with_rows(rows_[i].size, [&](auto r) { return factor_row_of<r>(i, relative); });
}

int BlockSkyline::factor(double relative) {
  for (int i = 0; i < blocks(); ++i) {
    if (const int row = factor_row(i, relative); row >= 0) return row;
  }
  return -1;
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

void BlockSkyline::forward_row(int i, double* x) const {
  const Row& row = rows_[i];
  with_rows(row.size, [&](auto r) {
    auto y = Column<r>::load(x + row.column);
    const double* panel = data_.data() + row.offset;
    const int n = row.column - row.begin;
    y.template add_product<-1>(n, panel, x + row.begin);
    y.solve_unit_lower(panel + static_cast<std::ptrdiff_t>(n) * kStride<r>);
    y.store(x + row.column);
  });
}

void BlockSkyline::backward_row(int i, double* x) const {
  const Row& row = rows_[i];
  with_rows(row.size, [&](auto r) {
    auto y = Column<r>::load(x + row.column);
    const double* panel = data_.data() + row.offset;
    const int n = row.column - row.begin;
    y.solve_unit_lower_transposed(panel + static_cast<std::ptrdiff_t>(n) * kStride<r>);
    y.store(x + row.column);
    y.subtract_transposed_product(n, panel, x + row.begin);
  });
}

void BlockSkyline::divide(double* x) const {
  for (std::size_t k = 0; k < inverse_.size(); ++k) x[k] *= inverse_[k];
}

void BlockSkyline::solve(double* x) const {
  for (int i = 0; i < blocks(); ++i) forward_row(i, x);
  divide(x);
  for (int i = blocks() - 1; i >= 0; --i) backward_row(i, x);
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
