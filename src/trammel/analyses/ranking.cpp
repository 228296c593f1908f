#include "trammel/analyses/ranking.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trammel::analyses {

namespace {

constexpr int kFirstDecade = 1, kLastDecade = 12;  // 10^-1 to 10^-12

struct CurvePoint {
  double error = 0;
  const ComparedRun* run = nullptr;
};

/// From the tightest tolerance to the loosest.
std::vector<CurvePoint> make_curve(const std::vector<ComparedRun>& runs, const std::string& method,
                                   double least_meaningful_error) {
  std::vector<CurvePoint> curve;
  for (const ComparedRun& run : runs) {
    if (run.method == method && run.is_ranked()) curve.push_back({std::max(run.q.rms, least_meaningful_error), &run});
  }
  std::sort(curve.begin(), curve.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.run->tolerance < b.run->tolerance; });
  for (std::size_t k = 1; k < curve.size(); ++k) curve[k].error = std::max(curve[k].error, curve[k - 1].error);
  return curve;
}

std::optional<RankedMethod> read_curve(const std::vector<CurvePoint>& curve, double error, const Cost& cost) {
  const auto above = std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& p) { return p.error > error; });
  if (above == curve.begin()) return std::nullopt;
  // Times are noisy: a tighter run may have been cheaper than the loosest that is exact enough.
  const CurvePoint* cheapest = &*std::prev(above);
  for (auto point = curve.begin(); point != above; ++point) {
    if (cost(*point->run) < cost(*cheapest->run)) cheapest = &*point;
  }
  const CurvePoint& reached = *cheapest;
  RankedMethod ranked;
  ranked.method = reached.run->method;
  ranked.tolerance = reached.run->tolerance;
  ranked.run_error = reached.run->q.rms;
  ranked.run_velocity_error = reached.run->v.rms;
  ranked.run_cost = cost(*reached.run);
  ranked.run_steps = reached.run->statistics.steps;
  ranked.cost = ranked.run_cost;
  if (above != curve.end() && above->error > reached.error && reached.error > 0) {
    const double share = std::log(error / reached.error) / std::log(above->error / reached.error);
    ranked.cost *= std::min(1.0, std::pow(cost(*above->run) / ranked.run_cost, share));
  }
  return ranked;
}

bool is_same_choice(const Ranking& a, const Ranking& b) {
  return std::equal(a.methods.begin(), a.methods.end(), b.methods.begin(), b.methods.end(),
                    [](const RankedMethod& x, const RankedMethod& y) {
                      return x.method == y.method && x.tolerance == y.tolerance && x.cost == y.cost;
                    });
}

}  // namespace

double cost_in_seconds(const ComparedRun& run) { return std::max(run.statistics.cpu_seconds, 1e-9); }

Ranking rank_methods(const std::vector<ComparedRun>& runs, double error, double least_meaningful_error,
                     const Cost& cost) {
  Ranking ranking;
  ranking.error = error;
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) {
    if (std::find(names.begin(), names.end(), run.method) == names.end()) names.push_back(run.method);
  }
  for (const std::string& name : names) {
    const std::vector<CurvePoint> curve = make_curve(runs, name, least_meaningful_error);
    if (const auto ranked = read_curve(curve, error, cost)) {
      ranking.methods.push_back(*ranked);
    } else {
      ranking.not_reached.push_back(name);
    }
  }
  std::stable_sort(ranking.methods.begin(), ranking.methods.end(),
                   [](const RankedMethod& a, const RankedMethod& b) { return a.cost < b.cost; });
  for (RankedMethod& method : ranking.methods) method.ratio = method.cost / ranking.methods.front().cost;
  return ranking;
}

std::vector<Ranking> rank_by_decades(const std::vector<ComparedRun>& runs, double least_meaningful_error,
                                     const Cost& cost) {
  std::vector<Ranking> rankings;
  for (int digits = kFirstDecade; digits <= kLastDecade; ++digits) {
    const double error = std::pow(10, -digits);
    if (error < least_meaningful_error * (1 - 1e-9)) break;
    Ranking ranking = rank_methods(runs, error, least_meaningful_error, cost);
    if (ranking.methods.empty()) break;
    // Errors so large that every method's loosest run is good enough need one row only.
    if (rankings.size() == 1 && is_same_choice(rankings.front(), ranking)) rankings.clear();
    rankings.push_back(std::move(ranking));
  }
  return rankings;
}

}  // namespace trammel::analyses
