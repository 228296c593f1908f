#include "trammel/io/continuous_recorder.h"

#include <algorithm>
#include <limits>

#include "trammel/math/lobatto.h"

namespace trammel::io {

ContinuousRecorder::ContinuousRecorder(ResultWriter& writer, std::vector<std::size_t> columns, int max_degree,
                                       ListValues list)
    : writer_(writer), columns_(std::move(columns)), max_degree_(std::max(max_degree, 1)), list_(std::move(list)) {}

bool ContinuousRecorder::add_node(const integrators::SolutionInterval& interval, double t) {
  const dae::State* state = interval.at(t);
  if (state == nullptr) return false;
  const std::vector<double>& values = list_(*state);
  for (const std::size_t column : columns_) nodes_.push_back(values[column]);
  return true;
}

void ContinuousRecorder::record(const integrators::SolutionInterval& interval) {
  const int degree = std::clamp(interval.degree, 1, max_degree_);
  const bool shares = interval.continues && has_end_;
  const double length = interval.end - interval.begin;
  nodes_.clear();
  bool is_complete = true;
  for (int j = shares ? 1 : 0; j <= degree && is_complete; ++j) {
    const double t = j == degree ? interval.end : interval.begin + math::lobatto_node(degree, j) * length;
    is_complete = add_node(interval, t);
  }
  ++intervals_;
  has_end_ = is_complete;
  if (is_complete) {
    writer_.write_interval({interval.begin, interval.end, degree}, shares, nodes_);
    return;
  }
  if (lost_++ == 0) first_lost_ = interval.begin;
  nodes_.assign(columns_.size(), std::numeric_limits<double>::quiet_NaN());
  writer_.write_interval({interval.begin, interval.end, 0}, false, nodes_);
}

}  // namespace trammel::io
