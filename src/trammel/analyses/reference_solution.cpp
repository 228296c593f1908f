#include "trammel/analyses/reference_solution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <optional>

namespace trammel::analyses {

using integrators::MethodEntry;
using integrators::RunStatus;
using integrators::StopReason;

namespace {

// A method that the time limit stops is tried again at a looser tolerance when it got through this share of the run.
// Three decades of the tolerance save a method of order 5 three quarters of its steps when accuracy chooses them, and
// nothing when stability does.
constexpr double kPromisingShare = 0.3;

struct Solution {
  double tolerance = 0;
  Trajectory trajectory;
  std::vector<dae::State> states;
};

/// A method and what it has computed, the tightest tolerance last.
struct Candidate {
  const MethodEntry* method = nullptr;
  std::vector<Solution> solutions;
  std::vector<ReferenceAttempt> attempts;
  bool is_exhausted = false;  // tighter tolerances bring nothing
  double share = 0;           // of the run that the last attempt got through

  bool is_usable() const { return !solutions.empty(); }
  const Solution& best() const { return solutions.back(); }
};

struct Agreement {
  const Candidate* first = nullptr;  // the one that has converged further
  const Candidate* second = nullptr;
  double positions = std::numeric_limits<double>::infinity();
  double velocities = 0;
  std::ptrdiff_t count = 0;  // of samples before the solutions part

  bool is_better_than(const Agreement& other) const {
    return count != other.count ? count > other.count : positions < other.positions;
  }
};

/// A tolerance some decades looser, without the round-off that would show in reports.
double loosen(double tolerance, int decades) { return std::pow(10.0, std::round(std::log10(tolerance)) + decades); }

class ReferenceSearch {
 public:
  ReferenceSearch(const ProblemFactory& factory, const integrators::Options& base,
                  const std::map<std::string, integrators::MethodOptions>& method_options,
                  const ReferenceOptions& options)
      : factory_(factory), base_(base), method_options_(method_options), options_(options), problem_(factory()) {}

  ReferenceSolution find(int samples);

 private:
  std::vector<Candidate> list_candidates() const;
  void choose_times(std::vector<Candidate>& candidates, int samples);
  /// Adds a solution; how the run ended.
  StopReason solve(const CompareProblem& problem, Candidate& candidate, double tolerance) const;
  void prepare(Candidate& candidate) const;
  double calc_difference(const Trajectory& a, const Trajectory& b) const {
    return measure(b).calc_position_error(a).rms;
  }
  double calc_self_difference(const Candidate& candidate) const;
  ErrorMeasure measure(const Trajectory& reference) const {
    const dae::Structure& s = problem_.system->structure();
    return {reference, s.position_names, s.velocity_names};
  }
  Agreement compare(const Candidate& a, const Candidate& b) const;
  void improve(Candidate& a, Candidate& b) const;
  bool tighten(Candidate& candidate) const;
  bool is_cancelled() const { return base_.cancel && base_.cancel->load(); }
  /// Whether so many samples are enough to measure errors by.
  bool is_long_enough(std::ptrdiff_t count) const {
    return count >= 2 && 10 * count >= static_cast<std::ptrdiff_t>(times_.size());
  }
  ReferenceSolution describe(const std::vector<Candidate>& candidates, const Agreement& agreement) const;
  void cut_where_they_part(const Agreement& agreement, ReferenceSolution& reference) const;

  const ProblemFactory& factory_;
  const integrators::Options& base_;
  const std::map<std::string, integrators::MethodOptions>& method_options_;
  const ReferenceOptions& options_;
  CompareProblem problem_;
  std::vector<double> times_;
  double t_end_ = 0;
};

/// An explicit and an implicit method of the highest orders first, then the others by order; of equal ones the default
/// method first.
std::vector<Candidate> ReferenceSearch::list_candidates() const {
  std::vector<Candidate> candidates;
  for (const MethodEntry* method : integrators::methods()) {
    if (find_obstacle(problem_, *method).empty()) candidates.push_back({method, {}, {}, false, 0});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [default_name = integrators::Options{}.method](const Candidate& a, const Candidate& b) {
                     const auto rank = [&](const Candidate& c) {
                       return 2 * c.method->order + (c.method->name == default_name);
                     };
                     return rank(a) > rank(b);
                   });
  if (candidates.size() < 2) return candidates;
  const bool first_kind = is_implicit(*candidates.front().method);
  const auto other = std::find_if(candidates.begin() + 1, candidates.end(),
                                  [&](const Candidate& c) { return is_implicit(*c.method) != first_kind; });
  if (other != candidates.end()) std::rotate(candidates.begin() + 1, other, other + 1);
  return candidates;
}

/// Samples lie where the run will be: an event may stop it.
void ReferenceSearch::choose_times(std::vector<Candidate>& candidates, int samples) {
  t_end_ = problem_.t_end;
  times_ = uniform_times(problem_.start.t, t_end_, samples);
  const bool may_stop = std::any_of(problem_.events.begin(), problem_.events.end(), [](const integrators::Event& e) {
    return e.action == integrators::EventAction::kStop;
  });
  if (!may_stop) return;
  for (const Candidate& candidate : candidates) {
    integrators::Options options = base_;
    options.method = candidate.method->name;
    options.rtol = options.atol = 1e-8;
    const SampledRun run = run_sampled(problem_, options, {});
    if (run.result.status == RunStatus::kCompleted || is_cancelled()) return;
    if (run.result.stop_reason != StopReason::kEvent) continue;
    t_end_ = run.result.state.t;
    times_ = uniform_times(problem_.start.t, t_end_, samples, false);
    return;
  }
}

StopReason ReferenceSearch::solve(const CompareProblem& problem, Candidate& candidate, double tolerance) const {
  integrators::Options options = base_;
  options.method = candidate.method->name;
  if (const auto given = method_options_.find(options.method); given != method_options_.end()) {
    options.method_options = given->second;
  }
  options.rtol = options.atol = tolerance;
  SampledRun run = run_sampled(problem, options, {times_, options_.states, 0});
  candidate.share = (run.result.state.t - problem.start.t) / (problem.t_end - problem.start.t);
  const bool is_complete = run.trajectory.size() == static_cast<Eigen::Index>(times_.size());
  const bool is_finite = run.trajectory.q.allFinite() && run.trajectory.v.allFinite();
  const bool is_solution = run.result.ok() && is_complete && is_finite;
  candidate.attempts.push_back(
      {options.method, tolerance, is_solution ? "completed" : run.result.reason, run.result.statistics.cpu_seconds});
  if (is_solution) {
    candidate.solutions.push_back({tolerance, std::move(run.trajectory), std::move(run.states)});
    std::sort(candidate.solutions.begin(), candidate.solutions.end(),
              [](const Solution& a, const Solution& b) { return a.tolerance > b.tolerance; });
  }
  return run.result.stop_reason;
}

/// Two solutions at neighbouring tolerances, as tight as the method gets through.
void ReferenceSearch::prepare(Candidate& candidate) const {
  const CompareProblem problem = factory_();
  double tolerance = loosen(options_.tolerance, 1);
  while (tolerance <= options_.largest_tolerance * (1 + 1e-9)) {
    const StopReason reason = solve(problem, candidate, tolerance);
    if (is_cancelled()) return;
    if (candidate.is_usable()) break;
    // What takes too long by far does so at every tolerance.
    if (reason == StopReason::kTimeLimit && candidate.share < kPromisingShare) return;
    tolerance = loosen(tolerance, reason == StopReason::kTimeLimit ? 3 : 1);
  }
  if (!candidate.is_usable()) return;
  candidate.is_exhausted = tolerance > 10.5 * options_.tolerance;
  const double other = candidate.is_exhausted ? loosen(tolerance, 1) : loosen(options_.tolerance, 0);
  solve(problem, candidate, other);
  if (candidate.solutions.size() == 1 && !candidate.is_exhausted) {
    candidate.is_exhausted = true;
    solve(problem, candidate, loosen(tolerance, 1));
  }
}

double ReferenceSearch::calc_self_difference(const Candidate& candidate) const {
  if (candidate.solutions.size() < 2) return std::numeric_limits<double>::infinity();
  return calc_difference(candidate.solutions[candidate.solutions.size() - 2].trajectory, candidate.best().trajectory);
}

Agreement ReferenceSearch::compare(const Candidate& a, const Candidate& b) const {
  Agreement agreement{&a, &b};
  if (calc_self_difference(b) < calc_self_difference(a)) std::swap(agreement.first, agreement.second);
  const ErrorMeasure by = measure(agreement.first->best().trajectory);
  agreement.positions = by.calc_position_error(agreement.second->best().trajectory).rms;
  agreement.velocities = by.calc_velocity_error(agreement.second->best().trajectory).rms;
  const std::vector<double> errors = by.calc_position_errors_over_time(agreement.second->best().trajectory);
  const auto apart =
      std::find_if(errors.begin(), errors.end(), [&](double e) { return !(e <= options_.usable_agreement); });
  agreement.count = std::distance(errors.begin(), apart);
  return agreement;
}

/// One tolerance further; whether that brought the method on.
bool ReferenceSearch::tighten(Candidate& candidate) const {
  const double tolerance = loosen(candidate.best().tolerance, -1);
  if (candidate.is_exhausted || tolerance < options_.least_tolerance * (1 - 1e-9)) return false;
  const double before = calc_self_difference(candidate);
  const std::size_t count = candidate.solutions.size();
  solve(factory_(), candidate, tolerance);
  if (candidate.solutions.size() == count) return false;
  if (calc_self_difference(candidate) < 0.5 * before) return true;
  candidate.solutions.pop_back();  // round-off
  return false;
}

void ReferenceSearch::improve(Candidate& a, Candidate& b) const {
  while (!is_cancelled() && compare(a, b).positions > options_.wanted_agreement) {
    Candidate& lagging = calc_self_difference(a) > calc_self_difference(b) ? a : b;
    Candidate& other = &lagging == &a ? b : a;
    lagging.is_exhausted = !tighten(lagging);
    if (!lagging.is_exhausted) continue;
    other.is_exhausted = other.is_exhausted || !tighten(other);
    if (other.is_exhausted) return;
  }
}

ReferenceSolution ReferenceSearch::find(int samples) {
  std::vector<Candidate> candidates = list_candidates();
  choose_times(candidates, samples);
  Agreement best;
  std::vector<Candidate*> usable;
  std::size_t next = 0;
  const auto most = std::min<std::size_t>(candidates.size(), static_cast<std::size_t>(options_.most_methods));
  if (options_.jobs > 1 && candidates.size() > 1) {
    auto second = std::async(std::launch::async, [&] { prepare(candidates[1]); });
    prepare(candidates[0]);
    second.get();
  }
  while (next < most && !is_cancelled()) {
    Candidate& candidate = candidates[next++];
    if (candidate.attempts.empty()) prepare(candidate);
    if (!candidate.is_usable()) continue;
    for (Candidate* other : usable) {
      improve(*other, candidate);
      const Agreement agreement = compare(*other, candidate);
      if (agreement.is_better_than(best)) best = agreement;
    }
    usable.push_back(&candidate);
    if (best.positions <= options_.usable_agreement || is_long_enough(best.count)) break;
  }
  if (best.second) best = compare(*best.first, *best.second);  // either may have been run further
  if (!best.first && !usable.empty()) best.first = usable.front();
  return describe(candidates, best);
}

ReferenceSolution ReferenceSearch::describe(const std::vector<Candidate>& candidates,
                                            const Agreement& agreement) const {
  ReferenceSolution reference;
  for (const Candidate& candidate : candidates) {
    reference.attempts.insert(reference.attempts.end(), candidate.attempts.begin(), candidate.attempts.end());
  }
  if (!agreement.first) {
    reference.warnings.push_back("no method got through at a tight tolerance, so that errors are not known");
    return reference;
  }
  const Solution& best = agreement.first->best();
  reference.trajectory = best.trajectory;
  reference.states = best.states;
  reference.method = agreement.first->method->name;
  reference.tolerance = best.tolerance;
  reference.t_end = t_end_;
  if (!agreement.second) {
    const double own = calc_self_difference(*agreement.first);
    reference.other_method = reference.method;
    reference.other_tolerance = loosen(best.tolerance, 1);
    reference.disagreement = reference.velocity_disagreement = std::isfinite(own) ? own : 1;
    reference.warnings.push_back(
        fmt::format("only {} got through at a tight tolerance: it was compared with itself at a tolerance ten times as "
                    "large, which proves less than the agreement of two methods",
                    reference.method));
    return reference;
  }
  reference.other_method = agreement.second->method->name;
  reference.other_tolerance = agreement.second->best().tolerance;
  reference.disagreement = agreement.positions;
  reference.velocity_disagreement = agreement.velocities;
  if (agreement.positions > options_.usable_agreement) cut_where_they_part(agreement, reference);
  return reference;
}

/// Of solutions that agree for a while and then do not, only the first part is of use.
void ReferenceSearch::cut_where_they_part(const Agreement& agreement, ReferenceSolution& reference) const {
  if (!is_long_enough(agreement.count)) {
    reference.warnings.push_back(fmt::format(
        "{} and {} do not agree (relative difference {:.1e}): errors below {:.0e} mean nothing. The motion may be "
        "chaotic, or the model may have forces that jump",
        reference.method, reference.other_method, reference.disagreement, reference.least_meaningful_error()));
    return;
  }
  reference.trajectory.cut(agreement.count);
  reference.warnings.push_back(fmt::format(
      "after t = {:.4g} s the solutions of {} and {} part (relative difference {:.1e} over the whole run), "
      "because the motion is chaotic or the methods fail at tighter tolerances; errors are measured up to there",
      reference.trajectory.t.back(), reference.method, reference.other_method, agreement.positions));
  const Trajectory& other = agreement.second->best().trajectory;
  const ErrorMeasure shorter = measure(reference.trajectory);
  reference.disagreement = shorter.calc_position_error(other).rms;
  reference.velocity_disagreement = shorter.calc_velocity_error(other).rms;
}

}  // namespace

bool is_implicit(const MethodEntry& method) { return method.largest_step_share < 1; }

std::vector<double> uniform_times(double from, double to, int count, bool with_end) {
  std::vector<double> times;
  for (int k = 1; k < count; ++k) times.push_back(from + (to - from) * k / count);
  if (with_end || times.empty()) times.push_back(with_end ? to : from + 0.5 * (to - from));
  return times;
}

ReferenceSolution find_reference(const ProblemFactory& factory, const integrators::Options& base,
                                 const std::map<std::string, integrators::MethodOptions>& method_options, int samples,
                                 const ReferenceOptions& options) {
  return ReferenceSearch(factory, base, method_options, options).find(samples);
}

}  // namespace trammel::analyses
