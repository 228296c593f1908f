#include "trammel/analyses/reference_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>

#include "trammel/math/lobatto.h"

namespace trammel::analyses {
namespace {

constexpr std::size_t kPoints = 4;      // of a cubic
constexpr std::size_t kMorePoints = 6;  // of the polynomial that it is compared with

/// The polynomial through all points, by Neville's scheme.
double calc_through(std::span<const double> t, std::span<const double> values, double at) {
  std::array<double, kMorePoints> p{};
  std::copy(values.begin(), values.end(), p.begin());
  for (std::size_t width = 1; width < t.size(); ++width) {
    for (std::size_t i = 0; i + width < t.size(); ++i) {
      p[i] = ((at - t[i]) * p[i + 1] + (t[i + width] - at) * p[i]) / (t[i + width] - t[i]);
    }
  }
  return p[0];
}

}  // namespace

SampledCurve::SampledCurve(std::vector<double> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)) {
  if (times_.empty() || times_.size() != values_.size()) {
    throw std::invalid_argument("a curve needs as many values as times, and at least one");
  }
  starts_.push_back(0);
  for (std::size_t k = 1; k < times_.size(); ++k) {
    if (!(times_[k] >= times_[k - 1])) throw std::invalid_argument("the times of a curve decrease");
    if (times_[k] == times_[k - 1]) starts_.push_back(k);
  }
}

SampledCurve::Piece SampledCurve::find_piece(std::size_t point) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), point);
  return {*(next - 1), next == starts_.end() ? values_.size() : *next};
}

/// Through `count` points of the piece, as many before as after [T_r, T_{r+1}] where there are.
double SampledCurve::interpolate(double t, std::size_t r, std::size_t count, const Piece& piece) const {
  const std::size_t before = std::max<std::size_t>(count / 2, 1) - 1;
  const std::size_t first = std::min(r - std::min(before, r - piece.begin), piece.end - count);
  return calc_through(std::span(times_).subspan(first, count), std::span(values_).subspan(first, count), t);
}

/// How far the value at a point is from what its neighbours let expect.
double SampledCurve::calc_surprise(std::size_t r, const Piece& piece) const {
  const std::size_t count = std::min(piece.size(), kMorePoints + 1);
  const std::size_t first = std::min(r - std::min(count / 2, r - piece.begin), piece.end - count);
  std::array<double, kMorePoints> times{}, values{};
  std::size_t others = 0;
  for (std::size_t k = first; k < first + count; ++k) {
    if (k == r) continue;
    times[others] = times_[k];
    values[others++] = values_[k];
  }
  return std::abs(calc_through(std::span(times).first(others), std::span(values).first(others), times_[r]) -
                  values_[r]);
}

double SampledCurve::calc_uncertainty(std::size_t r, const Piece& piece) const {
  const std::size_t count = std::min(piece.size(), kPoints);
  const std::size_t other = piece.size() > kPoints ? std::min(piece.size(), kMorePoints) : piece.size() - 1;
  double largest = std::max(calc_surprise(r, piece), calc_surprise(r + 1, piece));
  for (const double share : {0.25, 0.5, 0.75}) {
    const double t = times_[r] + share * (times_[r + 1] - times_[r]);
    largest = std::max(largest, std::abs(interpolate(t, r, other, piece) - interpolate(t, r, count, piece)));
  }
  return largest;
}

CurveValue SampledCurve::calc(double t, CurveSide side) const {
  const auto next = side == CurveSide::kAfter ? std::upper_bound(times_.begin(), times_.end(), t)
                                              : std::lower_bound(times_.begin(), times_.end(), t);
  const auto place = static_cast<std::size_t>(next - times_.begin());
  const bool is_point_before = side == CurveSide::kBefore && next != times_.end() && *next == t;
  const std::size_t r = is_point_before ? place : std::max<std::size_t>(place, 1) - 1;
  if (times_[r] == t) return {values_[r], 0};
  const Piece piece = find_piece(r);
  return {interpolate(t, r, std::min(piece.size(), kPoints), piece), calc_uncertainty(r, piece)};
}

PolynomialCurve::PolynomialCurve(std::shared_ptr<const std::vector<CurvePiece>> pieces, std::vector<double> nodes)
    : pieces_(std::move(pieces)), nodes_(std::move(nodes)) {
  if (pieces_->empty()) throw std::invalid_argument("a curve needs at least one piece");
  for (const CurvePiece& piece : *pieces_) {
    if (piece.degree < 0 || piece.first + static_cast<std::size_t>(piece.degree) >= nodes_.size()) {
      throw std::invalid_argument("a piece of a curve lacks nodes");
    }
  }
}

CurveValue PolynomialCurve::calc(double t, CurveSide side) const {
  const auto next = side == CurveSide::kAfter
                        ? std::upper_bound(pieces_->begin(), pieces_->end(), t,
                                           [](double time, const CurvePiece& p) { return time < p.begin; })
                        : std::lower_bound(pieces_->begin(), pieces_->end(), t,
                                           [](const CurvePiece& p, double time) { return p.begin < time; });
  const CurvePiece& piece = next == pieces_->begin() ? *next : *(next - 1);
  const std::span<const double> nodes =
      std::span(nodes_).subspan(piece.first, static_cast<std::size_t>(piece.degree) + 1);
  const double s = std::clamp((t - piece.begin) / (piece.end - piece.begin), 0.0, 1.0);
  std::vector<double> shares(nodes.size());
  math::calc_lobatto_shares(piece.degree, s, shares);
  CurveValue result;
  double highest = 0;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    if (shares[j] == 1) return {nodes[j], 0};
    const bool is_end = j == 0 || j + 1 == nodes.size();
    result.value += shares[j] * nodes[j];
    highest += (j % 2 == 0 ? 1.0 : -1.0) * (is_end ? 0.5 : 1.0) * nodes[j];
  }
  result.uncertainty = std::abs(highest) / piece.degree;
  return result;
}

}  // namespace trammel::analyses
