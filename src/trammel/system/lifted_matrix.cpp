#include "trammel/system/lifted_matrix.h"

#include <algorithm>
#include <utility>

namespace trammel::system {
namespace {

using linalg::Entry;
using linalg::Pattern;
/// Pairs of indices, each once and in order: those along the first index vary slowest.
using Places = std::vector<std::pair<int, int>>;

void sort_places(Places& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

int find_place(const Places& places, int first, int second) {
  return static_cast<int>(std::lower_bound(places.begin(), places.end(), std::pair(first, second)) - places.begin());
}

int width(const LiftedAxis::Index& index) { return index.rotation < 0 ? 1 : 4; }

Pattern make_pattern(int rows, int columns, const Places& by_column) {
  if (by_column.size() == static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {
    return Pattern::full(rows, columns);
  }
  std::vector<Entry> entries;
  entries.reserve(by_column.size());
  for (const auto& [column, row] : by_column) entries.push_back({row, column});
  return {rows, columns, std::move(entries)};
}

void add_widened(const double value, int to, int rotation, int component, const RotationBlocks& blocks, double* out) {
  if (rotation < 0) {
    out[to] += value;
    return;
  }
  const math::Matrix34<double>& block = blocks[rotation];
  for (int k = 0; k < 4; ++k) out[to + k] += block(component, k) * value;
}

}  // namespace

LiftedMatrix::LiftedMatrix(const LiftedAxis& rows, const LiftedAxis& columns, const std::vector<Source>& sources,
                           const std::vector<Entry>& further) {
  const auto is_used = [&](const Source& source, const Entry& e) {
    return !source.rotations_only || columns.indices[e.column].rotation >= 0;
  };

  // Rows of the inner system, columns of the plain form; the four columns of a rotation are neighbours.
  Places half;
  for (const Source& source : sources) {
    for (const Entry& e : source.pattern->entries()) {
      if (!is_used(source, e)) continue;
      const LiftedAxis::Index& column = columns.indices[e.column];
      for (int k = 0; k < width(column); ++k) half.emplace_back(e.row, column.place + k);
    }
  }
  sort_places(half);
  for (const Source& source : sources) {
    std::vector<Step>& steps = sources_.emplace_back();
    for (int value = 0; value < source.pattern->size(); ++value) {
      const Entry& e = (*source.pattern)[value];
      if (!is_used(source, e)) continue;
      const LiftedAxis::Index& column = columns.indices[e.column];
      steps.push_back({value, find_place(half, e.row, column.place), column.rotation, column.component});
    }
  }

  // Column by column, so that the four rows of a rotation are neighbours.
  Places whole;
  for (const auto& [inner_row, column] : half) {
    const LiftedAxis::Index& row = rows.indices[inner_row];
    for (int k = 0; k < width(row); ++k) whole.emplace_back(column, row.place + k);
  }
  for (const Entry& e : further) whole.emplace_back(e.column, e.row);
  sort_places(whole);
  for (int from = 0; from < static_cast<int>(half.size()); ++from) {
    const auto& [inner_row, column] = half[from];
    const LiftedAxis::Index& row = rows.indices[inner_row];
    half_.push_back({from, find_place(whole, column, row.place), row.rotation, row.component});
  }
  for (const Entry& e : further) further_.push_back(find_place(whole, e.column, e.row));
  pattern_ = make_pattern(rows.size, columns.size, whole);
}

void LiftedMatrix::gather(int k, const double* values, const RotationBlocks& R, double scale, double* half) const {
  for (const Step& step : sources_[k]) {
    add_widened(scale * values[step.from], step.to, step.rotation, step.component, R, half);
  }
}

void LiftedMatrix::spread(const double* half, const RotationBlocks& S, double* X) const {
  for (const Step& step : half_) {
    add_widened(half[step.from], step.to, step.rotation, step.component, S, X);
  }
}

}  // namespace trammel::system
