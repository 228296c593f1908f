#include "trammel/analyses/run_variables.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/math/lobatto.h"

namespace trammel::analyses {
namespace {

// 400 MB of a reference that is kept in memory.
constexpr std::size_t kMostValues = 50'000'000;

class CurveRecorder {
 public:
  CurveRecorder(const RunVariables& variables, double end)
      : list_values_(variables.make_list()), values_(variables.names.size()), nodes_(variables.names.size()) {
    end_ = end + 1e-12 * std::abs(end);
  }

  void record(const integrators::SolutionInterval& interval) {
    if (interval.end > end_ || is_full()) return;
    const int degree = std::max(interval.degree, 1);
    const bool shares = interval.continues && has_end_;
    const std::size_t first = nodes_.front().size() - (shares ? 1 : 0);
    bool is_complete = true;
    for (int j = shares ? 1 : 0; j <= degree && is_complete; ++j) {
      const double share = math::lobatto_node(degree, j);
      const double t = j == degree ? interval.end : interval.begin + share * (interval.end - interval.begin);
      is_complete = add_node(interval.at(t));
    }
    has_end_ = is_complete;
    if (is_complete) {
      pieces_.push_back({interval.begin, interval.end, degree, first});
      return;
    }
    for (std::vector<double>& nodes : nodes_) nodes.push_back(std::numeric_limits<double>::quiet_NaN());
    pieces_.push_back({interval.begin, interval.end, 0, nodes_.front().size() - 1});
  }

  bool is_full() const { return nodes_.size() * nodes_.front().size() > kMostValues; }
  ReferenceCurves finish() {
    ReferenceCurves curves;
    if (pieces_.empty()) return curves;
    const auto pieces = std::make_shared<const std::vector<CurvePiece>>(std::move(pieces_));
    for (std::vector<double>& nodes : nodes_) {
      curves.push_back(std::make_shared<PolynomialCurve>(pieces, std::move(nodes)));
    }
    return curves;
  }

 private:
  bool add_node(const dae::State* state) {
    if (state == nullptr) return false;
    list_values_(*state, values_);
    for (std::size_t i = 0; i < values_.size(); ++i) nodes_[i].push_back(values_[i]);
    return true;
  }

  ListVariables list_values_;
  std::vector<double> values_;
  std::vector<std::vector<double>> nodes_;  // of each variable
  std::vector<CurvePiece> pieces_;
  double end_;
  bool has_end_ = false;  // the last piece is complete, so that its last node serves the next one, too
};

}  // namespace

RunErrors::RunErrors(const RunVariables& variables, const ReferenceCurves& reference)
    : variables_(variables), values_(variables.names.size()) {
  if (reference.size() != variables.names.size()) {
    throw std::invalid_argument(
        fmt::format("{} curves are given for {} variables", reference.size(), variables.names.size()));
  }
  list_values_ = variables.make_list();
  for (const auto& curve : reference) sums_.emplace_back(*curve);
}

void RunErrors::add_point(const integrators::SolutionInterval& interval, double t, CurveSide side) {
  const dae::State* state = interval.at(t);
  if (state != nullptr) {
    list_values_(*state, values_);
  } else {
    std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].add(t, values_[i], side);
}

void RunErrors::add(const integrators::SolutionInterval& interval) {
  if (!interval.continues) add_point(interval, interval.begin, CurveSide::kAfter);
  add_point(interval, interval.end, CurveSide::kBefore);
}

std::vector<VariableError> RunErrors::list() const {
  std::vector<VariableError> errors;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    errors.push_back(sums_[i].error());
    errors.back().name = variables_.names[i];
  }
  return errors;
}

RecordedCurves record_curves(const CompareProblem& problem, const integrators::Options& options,
                             const RunVariables& variables, double end) {
  if (variables.is_empty()) return {};
  CurveRecorder recorder(variables, end);
  SamplingOptions sampling;
  sampling.interval = [&](const integrators::SolutionInterval& interval) { recorder.record(interval); };
  const SampledRun run = run_sampled(problem, options, sampling);
  RecordedCurves recorded;
  if (!run.obstacle.empty()) {
    recorded.obstacle = run.obstacle;
  } else if (!run.result.ok()) {
    recorded.obstacle = run.result.reason;
  } else if (recorder.is_full()) {
    recorded.obstacle = fmt::format("its {} steps are too many to keep of {} variables in memory",
                                    run.result.statistics.steps, variables.names.size());
  } else {
    recorded.curves = recorder.finish();
    if (recorded.curves.empty()) recorded.obstacle = fmt::format("it has no step before t = {:g} s", end);
  }
  return recorded;
}

}  // namespace trammel::analyses
