#include "trammel/integrators/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trammel/integrators/initial_step.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {
namespace {
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
// Attempts in a row whose equations could not be solved before a run is given up.
constexpr int kMaxFailuresInARow = 12;
// What may be missing of a step that is as long as it was asked for, relative to it.
constexpr double kWholeStep = 1e-6;
}  // namespace

Stepper::Stepper(const MethodContext& context, Method& method, const Options& options, Interruption& interruption,
                 double t_end, double h_max)
    : context_(context),
      method_(method),
      options_(options),
      interruption_(interruption),
      is_fixed_(options.h_fixed > 0),
      t_end_(t_end),
      h_max_(h_max) {}

void Stepper::start(const dae::State& state) {
  controller_.reset();
  h_ = is_fixed_ ? options_.h_fixed : calc_initial_step(context_, method_, state, t_end_ - state.t);
}

/// The size of the next attempt: what is to be tried, within the limits.
double Stepper::calc_size() const {
  const double t = method_.state().t, left = context_.horizon - t;
  double h = is_fixed_ ? h_ : std::min(h_, h_max_);
  // A last step that would leave a sliver is stretched, one that would leave a short step is halved.
  if (h >= left * (1 - 1e-6)) return left;
  if (!is_fixed_ && h > 0.5 * left) h = 0.5 * left;
  return (t + h) - t;  // what the time can resolve, so that the formula and the clock agree
}

long Stepper::count_rejected() const {
  return context_.statistics.rejected_error + context_.statistics.rejected_convergence;
}

std::optional<RunEnd> Stepper::advance() {
  Statistics& statistics = context_.statistics;
  const double t = method_.state().t;
  const double smallest = std::max(options_.h_min, 16 * kRoundOff * std::max(std::abs(t), std::abs(t_end_) * 1e-3));
  int failures = 0;
  for (bool was_tried = false;; was_tried = true) {
    const double h = h_tried_ = calc_size();
    if (!(h > smallest) && h < context_.horizon - t) return fail_for_small_step(smallest, was_tried);
    if (statistics.steps + count_rejected() >= options_.max_steps) {
      return RunEnd::stopped(StopReason::kStepLimit,
                             fmt::format("the limit of {} steps was reached at t = {:g}", options_.max_steps, t));
    }
    const StepOutcome outcome = method_.attempt(h);
    const bool is_solved = outcome.status == StepStatus::kSolved;
    if (is_solved && (is_fixed_ || outcome.error <= 1)) {
      accept(h, outcome.error);
      return std::nullopt;
    }
    ++(is_solved ? statistics.rejected_error : statistics.rejected_convergence);
    if (is_fixed_) {
      return RunEnd::failed(FailureCause::kMethod,
                            fmt::format("at t = {:g} the fixed step of {:g} s could not be computed: {}; use a smaller "
                                        "one",
                                        t, h, method_.describe_trouble()));
    }
    if (is_solved) {
      h_ = method_.propose_step().value_or(controller_.after_rejected(h, method_.order(), outcome.error));
      failures = 0;
    } else {
      h_ = controller_.after_failure(h);
      ++failures;
    }
    if (failures >= kMaxFailuresInARow) {
      const std::string trouble = method_.describe_trouble();  // before describe_position() moves the evaluation
      return RunEnd::failed(FailureCause::kEquations,
                            fmt::format("at t = {:g} the equations could not be solved, last with h = {:.3g}: {}{}", t,
                                        h, trouble, describe_position()));
    }
    if (std::optional<RunEnd> end = interruption_.check(t, h_accepted_, statistics.steps)) return end;
  }
}

void Stepper::accept(double h, double error) {
  const double t = method_.state().t;
  method_.accept();
  h_accepted_ = method_.state().t - t;
  error_ = error;
  if (is_fixed_) return;
  const double next = method_.propose_step().value_or(controller_.after_accepted(h, method_.order(), error));
  // A step cut short by the end or by the limits says little about larger ones; one that the method ended does.
  const bool is_whole = h_accepted_ >= h * (1 - kWholeStep);
  h_ = is_whole && h < h_ ? std::max(next, std::min(h_, 5 * h)) : next;
}

StepRecord Stepper::take_record() {
  const long iterations = context_.statistics.newton_iterations, rejections = count_rejected();
  return {method_.state().t,
          h_accepted_,
          error_,
          method_.order(),
          iterations - std::exchange(iterations_noted_, iterations),
          rejections - std::exchange(rejections_noted_, rejections)};
}

RunEnd Stepper::fail_for_small_step(double smallest, bool was_tried) {
  // What was wrong with the attempt comes first: describe_position() moves the evaluation.
  const std::string trouble = was_tried ? "; " + method_.describe_trouble() : "";
  return RunEnd::failed(
      FailureCause::kStepTooSmall,
      fmt::format(
          "at t = {:g} the step would have to be smaller than {:.3g} s{}. A looser tolerance, another method, or a "
          "look for a discontinuity there may help{}",
          method_.state().t, smallest, trouble, describe_position()));
}

/// A sentence about the position where a run came to its end, if there is something to say.
std::string Stepper::describe_position() {
  dae::Evaluation& evaluation = context_.evaluation;
  evaluation.set_position(method_.state().t, method_.state().q);
  if (evaluation.structure().m() == 0) return {};
  const std::string singularity = kinematics::describe_near_singularity(evaluation);
  return singularity.empty() ? "" : ". At this time " + singularity;
}

}  // namespace trammel::integrators
