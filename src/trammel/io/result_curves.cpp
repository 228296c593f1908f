#include "trammel/io/result_curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/math/turns.h"

namespace trammel::io {
namespace {

using Pieces = std::shared_ptr<const std::vector<analyses::CurvePiece>>;

Pieces list_pieces(const ResultFile& file) {
  std::vector<analyses::CurvePiece> pieces;
  for (const ContinuousInterval& interval : file.continuous().intervals) {
    pieces.push_back({interval.begin, interval.end, interval.degree, static_cast<std::size_t>(interval.first)});
  }
  return std::make_shared<const std::vector<analyses::CurvePiece>>(std::move(pieces));
}

/// Values of `rows` rows, a list a column; read in blocks.
template <class Read>
std::vector<std::vector<double>> read_lists(std::size_t columns, long rows, const Read& read) {
  constexpr long kBlock = 1 << 16;
  std::vector<std::vector<double>> lists(columns);
  for (long first = 0; first < rows && columns > 0; first += kBlock) {
    const Eigen::MatrixXd block = read(first, std::min(kBlock, rows - first));
    for (std::size_t i = 0; i < columns; ++i) {
      const auto values = block.col(static_cast<Eigen::Index>(i));
      lists[i].insert(lists[i].end(), values.begin(), values.end());
    }
  }
  return lists;
}

void continue_turns(std::vector<double>& angles) {
  for (std::size_t k = 1; k < angles.size(); ++k) angles[k] = math::nearest_turn(angles[k], angles[k - 1]);
}

bool contains(std::span<const std::size_t> places, std::size_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

}  // namespace

analyses::ReferenceCurves read_curves(const ResultFile& file, std::span<const std::size_t> columns,
                                      std::span<const std::size_t> wrapped) try {
  std::vector<std::size_t> continuous, sampled;
  for (const std::size_t column : columns) (file.is_continuous(column) ? continuous : sampled).push_back(column);
  const Pieces pieces = list_pieces(file);
  const long nodes = continuous.empty() ? 0 : static_cast<long>(pieces->back().first) + pieces->back().degree + 1;
  auto of_nodes = read_lists(continuous.size(), nodes, [&](long first, long count) {
    return file.read_nodes(continuous, {0, 0, static_cast<int>(count) - 1, first});
  });
  auto of_rows =
      read_lists(sampled.size(), file.rows(), [&](long first, long count) { return file.read(sampled, first, count); });
  analyses::ReferenceCurves curves;
  auto next_nodes = of_nodes.begin(), next_rows = of_rows.begin();
  for (const std::size_t column : columns) {
    if (file.is_continuous(column)) {
      curves.push_back(std::make_shared<analyses::PolynomialCurve>(pieces, std::move(*next_nodes++)));
    } else {
      if (contains(wrapped, column)) continue_turns(*next_rows);
      curves.push_back(std::make_shared<analyses::SampledCurve>(file.time(), std::move(*next_rows++)));
    }
  }
  return curves;
} catch (const std::invalid_argument& error) {
  throw ResultFileError(fmt::format("'{}' cannot be a reference: {}", file.path(), error.what()));
}

}  // namespace trammel::io
