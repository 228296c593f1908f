#include "trammel/integrators/state_space/state_space_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace trammel::integrators {

using dae::State;

namespace {
// Growth of the condition of given coordinates from which steps are looked at closely, and where they end: at a hundred
// dependent coordinates are known with two digits less than independent ones.
constexpr double kWorn = 3, kWornOut = 100;
}  // namespace

std::vector<MethodOptionInfo> with_state_space_settings(std::vector<MethodOptionInfo> own, MatrixUse use) {
  own.push_back(
      {"coordinates",
       {"partition", "tangent-plane"},
       "independent coordinates: some of the positions, chosen by pivots, or coordinates in the tangent plane of "
       "the constraints"});
  MethodOptionInfo independent{
      "independent",
      {"automatic"},
      "positions that are the independent coordinates of a partition, by name and separated by "
      "commas; they are kept whatever happens"};
  independent.is_names = true;
  own.push_back(independent);
  own.push_back({"condition_growth",
                 {"1.25"},
                 "growth of the condition of the dependent coordinates from which others are chosen",
                 true,
                 1.001,
                 1e12});
  own.push_back({"error",
                 {"all", "independent"},
                 "what the tolerance is about: all positions and velocities, or the independent ones alone"});
  if (use != MatrixUse::kNone) {
    own.push_back({"filter",
                   {"yes", "no"},
                   "damp what is stiff in the estimate of the error by the matrix of the step; no: the bare estimate"});
  }
  if (use == MatrixUse::kNewton) {
    own.push_back({"newton_tolerance", {"1e-3"}, "of Newton's iteration, relative to the tolerance", true, 1e-8, 0.5});
  }
  own.push_back(linear_solver_option());
  return own;
}

std::vector<std::string> find_state_space_conflicts(const MethodOptions& options) {
  const auto coordinates = options.find("coordinates"), independent = options.find("independent");
  if (coordinates == options.end() || coordinates->second != "tangent-plane") return {};
  if (independent == options.end() || independent->second == "automatic") return {};
  return {"option 'independent' names coordinates of a partition, but option 'coordinates' asks for the tangent plane"};
}

StateSpaceOptions read_state_space_settings(const MethodEntry& entry, const MethodOptions& options,
                                            const dae::Structure& structure) {
  const auto word = [&](const char* name) { return option_value(entry, options, name); };
  StateSpaceOptions result;
  result.chart.kind = word("coordinates") == "partition" ? kinematics::ParametrisationKind::kPartitioning
                                                         : kinematics::ParametrisationKind::kTangentPlane;
  if (word("independent") != "automatic") {
    for (const std::string& name : split_names(word("independent"))) {
      const auto found = std::find(structure.position_names.begin(), structure.position_names.end(), name);
      result.chart.independent.push_back(static_cast<int>(found - structure.position_names.begin()));
    }
  }
  result.chart.max_condition_growth = option_number(entry, options, "condition_growth");
  if (has_option(entry, "error")) result.measures_independent = word("error") == "independent";
  if (has_option(entry, "filter")) result.filters_error = word("filter") == "yes";
  if (has_option(entry, "newton_tolerance")) result.stage.tolerance = option_number(entry, options, "newton_tolerance");
  if (has_option(entry, "jacobian")) {
    const std::string kind = word("jacobian");
    result.jacobian = kind == "blocks"      ? JacobianKind::kBlocks
                      : kind == "columns"   ? JacobianKind::kColumns
                      : kind == "numerical" ? JacobianKind::kNumerical
                                            : JacobianKind::kAutomatic;
  }
  return result;
}

MethodOptionInfo jacobian_option() {
  return {"jacobian",
          {"automatic", "blocks", "columns", "numerical"},
          "how derivatives in independent coordinates are had: products of matrices (blocks), one solution of the "
          "equations of accelerations a column, shared between threads (columns), or differences; automatic chooses by "
          "size"};
}

StateSpaceMethod::StateSpaceMethod(const MethodContext& context, const StateSpaceOptions& options)
    : context_(context),
      equations_(context, options.chart),
      options_(options),
      n_w_(equations_.n_w()),
      n_x_(equations_.n_x()) {
  equations_.set_measures_independent(options.measures_independent);
  begin_ = state_ = trial_ = stage_ = State::zero(equations_.structure());
  y_begin_ = y_ = y_trial_ = error_ = y_work_ = Vector::Zero(equations_.size());
}

void StateSpaceMethod::start(const State& state) {
  state_ = state;
  chart_is_due_ = true;
  begin_anew();
}

bool StateSpaceMethod::choose_chart() {
  const kinematics::ChartChoice choice = equations_.choose_chart(state_);
  chart_is_due_ = choice == kinematics::ChartChoice::kSingular;  // what it has left is no chart
  if (chart_is_due_) return false;
  equations_.keep_chart();
  chart_is_fresh_ = true;
  if (choice == kinematics::ChartChoice::kAnother) begin_anew();
  return true;
}

StepOutcome StateSpaceMethod::attempt(double h) {
  h_ = h;
  context_.norm.set_weights(state_);
  if (chart_is_due_ && !choose_chart()) return {StepStatus::kNotSolved};
  for (;;) {
    // Neither attempts that failed nor what was looked at inside of the last step may leave a trace.
    if (!equations_.return_to_kept_chart()) return {StepStatus::kNotSolved};
    equations_.reduce(state_, y_);
    trial_.t = context_.end_of_step(state_.t, h);
    if (advance(h) && complete_trial()) {
      if (stays_in_chart()) break;
      return {StepStatus::kNotSolved};
    }
    // Coordinates that have become bad are no reason for a smaller step.
    if (chart_is_fresh_ || !equations_.is_recovery_failed() || !choose_chart()) return {StepStatus::kNotSolved};
  }
  context_.norm.set_weights(state_, trial_);
  return {StepStatus::kSolved, calc_error()};
}

/// The end of the step with everything that belongs to it, on the constraints to the last digits.
bool StateSpaceMethod::complete_trial() {
  predict_trial();
  trial_.lambda = state_.lambda;
  trial_.a = state_.a;
  trial_.x_rate = state_.x_rate;
  if (!equations_.recover(trial_.t, y_trial_, trial_, ReducedEquations::Recovery::kTight)) return false;
  trial_.x = equations_.evaluation().follow_position();
  return equations_.eval_accelerations(trial_);
}

/// Coordinates of the user's choice are kept until they describe the motion no longer. A step across such a position
/// finds independent coordinates that are right, and may find dependent ones that have turned around: a pendulum that
/// is described by x would be thrown back at x = l, with all of its energy. Where coordinates are worn, velocities must
/// therefore change by about what accelerations say.
bool StateSpaceMethod::stays_in_chart() {
  const double wear = equations_.calc_wear();
  if (wear < kWorn) return true;
  if (!(wear < kWornOut)) return false;
  const auto norm = [&](const auto& v) { return linalg::largest_abs(v.cwiseQuotient(context_.norm.v_weights())); };
  stage_.v = trial_.v - state_.v;
  const double change = norm(stage_.v);
  stage_.v -= (0.5 * h_) * (state_.a + trial_.a);
  return norm(stage_.v) <= std::max(0.5 * change, 1.0);
}

void StateSpaceMethod::predict_trial() {
  predict_state(h_, stage_);
  trial_.q = stage_.q;
  trial_.v = stage_.v;
}

void StateSpaceMethod::accept() {
  std::swap(begin_, state_);
  std::swap(state_, trial_);
  y_begin_.swap(y_);
  chart_is_fresh_ = false;
  chart_is_due_ = equations_.is_chart_worn();
  equations_.keep_chart();
  note_accepted();
}

bool StateSpaceMethod::undo() {
  std::swap(state_, begin_);
  chart_is_due_ = true;
  begin_anew();
  return true;
}

void StateSpaceMethod::predict_state(double ahead, State& out) const {
  out.q = state_.q + ahead * state_.v + (0.5 * ahead * ahead) * state_.a;
  out.v = state_.v + ahead * state_.a;
  out.x = state_.x;
}

void StateSpaceMethod::interpolate(double t, State& out) {
  const double theta = (t - begin_.t) / h_;
  interpolate_reduced(theta, y_work_);
  // Dependent coordinates from the constraints, near the cubic through both ends.
  const double rest = 1 - theta;
  const double b_0 = rest * rest * (1 + 2 * theta), b_1 = theta * theta * (3 - 2 * theta);
  const double s_0 = h_ * theta * rest * rest, s_1 = -h_ * theta * theta * rest;
  out.q = b_0 * begin_.q + b_1 * state_.q + s_0 * begin_.v + s_1 * state_.v;
  out.v = rest * begin_.v + theta * state_.v;
  if (equations_.recover(t, y_work_, out)) return;
  out.x = y_work_.tail(n_x_);
}

void StateSpaceMethod::add_counts(Statistics& statistics) const {
  equations_.add_counts(statistics);
  add_matrix_counts(statistics);
}

void StateSpaceMethod::add_notes(std::vector<std::string>& notes) const {
  fmt::memory_buffer note;
  const auto out = std::back_inserter(note);
  fmt::format_to(out, "{}", equations_.describe_chart());
  if (const long changes = equations_.chart_changes(); changes > 0) {
    fmt::format_to(out, ", chosen anew {} time{}", changes, changes == 1 ? "" : "s");
  }
  if (const std::string matrix = describe_matrix(); !matrix.empty()) fmt::format_to(out, "; {}", matrix);
  notes.push_back(fmt::to_string(note));
}

std::string StateSpaceMethod::describe_trouble() {
  if (std::string trouble = equations_.describe_trouble(); !trouble.empty()) return trouble;
  if (std::string trouble = describe_advance(); !trouble.empty()) return trouble;
  return "the largest error is that of " + equations_.find_worst(error_);
}

}  // namespace trammel::integrators
