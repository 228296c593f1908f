#include "trammel/analyses/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace trammel::analyses {

namespace {

// What engineers usually ask for, and what those do who need digits.
constexpr double kUsualError = 1e-3, kHighAccuracy = 1e-6;
// Stability holds an explicit method back when its steps are at most so many times those for stability alone,
constexpr double kHeldBack = 3;
// Fewer steps than this are no burden, whatever limits them.
constexpr double kSomeSteps = 10;
// and it matters when an implicit one takes so many times fewer.
constexpr double kFewer = 3;
// Steps of at most so many times those for stability were chosen by stability.
constexpr double kBarelyHeldBack = 1.5;

bool is_of_kind(const std::string& method, bool implicit) {
  const integrators::MethodEntry* entry = integrators::find_method(method);
  return entry && is_implicit(*entry) == implicit;
}

/// The ranking for an error, or the nearest that there is.
const Ranking* find_ranking(const std::vector<Ranking>& rankings, double error) {
  const auto distance = [&](const Ranking& r) { return std::abs(std::log(r.error / error)); };
  const auto nearest = std::min_element(rankings.begin(), rankings.end(),
                                        [&](const Ranking& a, const Ranking& b) { return distance(a) < distance(b); });
  return nearest == rankings.end() ? nullptr : &*nearest;
}

std::string describe_ratio(double ratio) { return ratio < 9.5 ? fmt::format("{:.1f}", ratio) : describe_count(ratio); }

Recommendation recommend(const Ranking& ranking) {
  const RankedMethod& best = ranking.methods.front();
  Recommendation choice;
  choice.error = ranking.error;
  choice.method = best.method;
  choice.tolerance = best.tolerance;
  choice.run_error = best.run_error;
  choice.run_velocity_error = best.run_velocity_error;
  choice.cost = best.run_cost;
  std::vector<std::string> others;
  for (std::size_t k = 1; k < ranking.methods.size(); ++k) {
    const RankedMethod& other = ranking.methods[k];
    if (other.ratio <= kTie) {
      choice.ties.push_back(other.method);
    } else {
      others.push_back(fmt::format("{} {} times", other.method, describe_ratio(other.ratio)));
    }
  }
  choice.text = fmt::format("For an error of {}: {} with a tolerance of {} (error {:.1e}, of velocities {:.1e}; {})",
                            describe_tolerance(choice.error), choice.method, describe_tolerance(choice.tolerance),
                            choice.run_error, choice.run_velocity_error, describe_seconds(choice.cost));
  if (!choice.ties.empty()) {
    choice.text += fmt::format(
        "; {} as fast within 30 percent, which timing hardly tells apart",
        choice.ties.size() == 1 ? choice.ties.front() + " is" : fmt::format("{} are", fmt::join(choice.ties, " and ")));
  }
  if (!others.empty()) choice.text += fmt::format("; {} as long", fmt::join(others, ", "));
  if (!ranking.not_reached.empty()) {
    choice.text += fmt::format("; {} did not get there", fmt::join(ranking.not_reached, ", "));
  }
  choice.text += ".";
  return choice;
}

/// Of the first method of a kind in a ranking.
const RankedMethod* find_kind(const Ranking& ranking, bool implicit) {
  const auto found = std::find_if(ranking.methods.begin(), ranking.methods.end(),
                                  [&](const RankedMethod& m) { return is_of_kind(m.method, implicit); });
  return found == ranking.methods.end() ? nullptr : &*found;
}

struct StepRange {
  std::string method;
  long least = 0, largest = 0;
};

/// The steps that an explicit method took over all tolerances; of the one that took least.
std::optional<StepRange> find_explicit_steps(const std::vector<ComparedRun>& runs) {
  std::optional<StepRange> best;
  for (const ComparedRun& run : runs) {
    if (!is_of_kind(run.method, false) || !run.is_ranked()) continue;
    if (!best || run.statistics.steps < best->least) best = StepRange{run.method, run.statistics.steps, 0};
  }
  if (!best) return best;
  for (const ComparedRun& run : runs) {
    if (run.method == best->method && run.is_ranked()) best->largest = std::max(best->largest, run.statistics.steps);
  }
  return best;
}

std::string describe_fastest(const Stiffness& s) {
  if (s.decay >= 0.5 * s.size) return fmt::format("its fastest motion decays at {:.2g}/s", s.decay);
  return fmt::format("its fastest motion swings at {:.2g} rad/s", s.frequency);
}

/// Sets is_stiff and says why.
void explain_stiffness(const std::vector<ComparedRun>& runs, const Ranking& ranking, const Stiffness& s,
                       Advice& advice) {
  if (!s.is_measured()) {
    advice.reasons.push_back(fmt::format("Stiffness was not measured: {}.", s.why_not));
    return;
  }
  const std::optional<StepRange> steps = find_explicit_steps(runs);
  const RankedMethod* implicit = find_kind(ranking, true);
  const double needed = std::max(1.0, s.stability_steps);
  const bool is_held_back = !steps || static_cast<double>(steps->least) <= kHeldBack * needed;
  const double least = steps ? static_cast<double>(steps->least) : needed;
  advice.is_stiff = is_held_back && implicit && least > kFewer * static_cast<double>(implicit->run_steps);
  std::string taken;
  if (steps) {
    taken = steps->largest > steps->least ? fmt::format("{} took {} to {}", steps->method, describe_count(least),
                                                        describe_count(static_cast<double>(steps->largest)))
                                          : fmt::format("{} took {}", steps->method, describe_count(least));
  }
  if (advice.is_stiff) {
    advice.reasons.push_back(
        fmt::format("The problem is stiff: {}, so that an explicit method needs about {} steps for stability alone{}, "
                    "where {} takes {}.",
                    describe_fastest(s), describe_count(needed), taken.empty() ? "" : " (" + taken + ")",
                    implicit->method, describe_count(static_cast<double>(implicit->run_steps))));
  } else if (steps && least < kBarelyHeldBack * needed && s.stability_steps >= kSomeSteps) {
    advice.reasons.push_back(fmt::format(
        "The problem is mildly stiff: at loose tolerances the steps of an explicit method are limited by stability, "
        "which takes about {} ({}), but implicit methods do not take far fewer.",
        describe_count(needed), taken));
  } else {
    advice.reasons.push_back(
        fmt::format("The problem is not stiff: for stability alone an explicit method would need about {} step{}{}.",
                    describe_count(needed), needed < 1.5 ? "" : "s",
                    taken.empty() ? "" : ", and accuracy asks for more (" + taken + ")"));
  }
}

void explain_restarts(const std::vector<ComparedRun>& runs, const Recommendation& choice, Advice& advice) {
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const ComparedRun& r) {
    return r.method == choice.method && r.tolerance == choice.tolerance;
  });
  if (run == runs.end() || run->statistics.restarts == 0) return;
  const long restarts = run->statistics.restarts, steps = std::max(1L, run->statistics.steps);
  advice.reasons.push_back(fmt::format(
      "Steps end at {} {} of the equations, where methods start anew{}.", restarts,
      restarts == 1 ? "discontinuity" : "discontinuities",
      steps / restarts < 20 ? ": that keeps orders low and takes the advantage from methods that need a history" : ""));
}

/// Vibrations that are hardly damped are followed by small steps, or damped away.
void explain_vibrations(const Stiffness& s, Advice& advice) {
  if (!s.is_measured() || !advice.is_stiff || s.decay >= 0.5 * s.size) return;
  advice.reasons.push_back(
      fmt::format("Its vibrations are lightly damped: implicit methods are faster as far as they step over them, which "
                  "is right only when they do not matter."));
}

}  // namespace

std::string describe_seconds(double seconds) {
  const char* unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
  const double value = seconds * (seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1);
  return value < 99.95 ? fmt::format("{:.3g} {}", value, unit) : fmt::format("{:.0f} {}", value, unit);
}

std::string describe_tolerance(double tolerance) {
  const double exponent = std::round(std::log10(tolerance));
  const bool is_decade = std::abs(tolerance / std::pow(10, exponent) - 1) < 1e-12;
  return is_decade ? fmt::format("1e{:.0f}", exponent) : fmt::format("{:g}", tolerance);
}

std::string describe_count(double count) {
  if (!(count < 1e7)) return fmt::format("{:.1e}", count);
  // From a hundred thousand on, two digits are enough to read.
  if (count >= 1e5) {
    const double unit = std::pow(10, std::floor(std::log10(count)) - 1);
    count = std::round(count / unit) * unit;
  }
  std::string text = fmt::format("{:.0f}", count);
  for (auto k = static_cast<std::ptrdiff_t>(text.size()) - 3; text.size() > 4 && k > 0; k -= 3) {
    text.insert(static_cast<std::size_t>(k), " ");
  }
  return text;
}

std::string Advice::text() const {
  std::vector<std::string> sentences;
  for (const Recommendation& choice : choices) sentences.push_back(choice.text);
  sentences.insert(sentences.end(), reasons.begin(), reasons.end());
  return fmt::format("{}", fmt::join(sentences, " "));
}

Advice advise(const std::vector<ComparedRun>& runs, const std::vector<Ranking>& rankings, const Stiffness& stiffness,
              const ProblemFacts& facts) {
  Advice advice;
  if (facts.degrees_of_freedom == 0) {
    advice.reasons.push_back(
        "The model has no degree of freedom: its constraints and motions alone determine the positions, so that "
        "methods differ only by how exactly they solve them, and 'trammel kinematics' computes the same without "
        "integrating.");
  }
  const Ranking* usual = find_ranking(rankings, kUsualError);
  if (!usual) {
    advice.reasons.push_back("No run has an error that is known, so that methods cannot be ranked.");
    return advice;
  }
  advice.choices.push_back(recommend(*usual));
  const Ranking* exact = find_ranking(rankings, kHighAccuracy);
  if (exact != usual) advice.choices.push_back(recommend(*exact));
  if (facts.degrees_of_freedom == 0) return advice;
  explain_stiffness(runs, *usual, stiffness, advice);
  explain_vibrations(stiffness, advice);
  explain_restarts(runs, advice.choices.front(), advice);
  return advice;
}

}  // namespace trammel::analyses
