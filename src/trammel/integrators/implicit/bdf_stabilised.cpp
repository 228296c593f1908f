#include "trammel/integrators/implicit/bdf_stabilised.h"

#include <algorithm>
#include <cmath>

#include "trammel/integrators/continuous_solution.h"

namespace trammel::integrators {

using kkt::AccelerationStatus;

namespace {

std::unique_ptr<ImplicitStep> make_equations(const MethodContext& context, const BdfStabilisedOptions& options) {
  StabilisedOptions stabilised = options.stabilised;
  stabilised.newton = options.equations;
  stabilised.counts_velocities = options.judges_velocities || options.norm_has_velocities;
  return std::make_unique<StabilisedEquations>(context, context.norm, stabilised);
}

/// All values of a word option, the default first.
std::vector<std::string> with_default(const std::string& first, std::vector<std::string> values) {
  std::stable_partition(values.begin(), values.end(), [&](const std::string& value) { return value == first; });
  return values;
}

}  // namespace

BdfStabilised::BdfStabilised(const MethodContext& context, const BdfStabilisedOptions& options)
    : BdfMethod(context, options, make_equations(context, options), context.evaluation.structure().n_g),
      options_(options),
      stabilised_(static_cast<StabilisedEquations&>(*equations_)) {
  known_q_ = Vector::Zero(n_v_);
}

bool BdfStabilised::solve() {
  const double c = 1 / history_.leading_coefficient();
  const double scale = history_.error_constant();
  known_q_ = predicted_q() - c * rate_.head(n_v_);
  stabilised_.set_past(trial_.t, known_q_, known_v_, known_x_);
  stabilised_.set_start(predicted_q(), predicted_v(), predicted_x(), predicted_lambda(), predicted_more());
  return stabilised_.solve({c * c, c, c, 0}, {scale, scale, scale});
}

bool BdfStabilised::complete() {
  trouble_ = context_.accelerations.factor_position();
  if (trouble_ == AccelerationStatus::kSolved) trouble_ = complete_state(context_, trial_, trial_);
  return trouble_ == AccelerationStatus::kSolved;
}

/// The root mean square of what counts.
double BdfStabilised::measure(Vector& deviation) {
  auto q = deviation.head(n_v_), v = deviation.segment(n_v_, n_v_);
  const auto x = deviation.tail(n_x_);
  int counted_q = n_v_, counted_v = n_v_;
  if (options_.judges_independent) {
    CoordinateSplit& split = *stabilised_.split();
    split.keep_independent_q(q);
    split.keep_independent_v(v);
    counted_q = split.independent_positions();
    counted_v = split.independent_velocities();
  }
  const ErrorNorm& norm = context_.norm;
  const auto mean_of = [](int counted, int all) { return std::sqrt(static_cast<double>(all) / std::max(counted, 1)); };
  if (options_.judges_velocities) {
    return norm.calc(q, v, x) * mean_of(counted_q + counted_v + n_x_, 2 * n_v_ + n_x_);
  }
  v.setZero();
  const int counted = counted_q + (options_.norm_has_velocities ? counted_v : 0) + n_x_;
  return norm.calc_without_velocities(q, x) * mean_of(counted, n_v_ + n_x_);
}

void BdfStabilised::add_notes(std::vector<std::string>& notes) const {
  const StabilisedOptions& s = options_.stabilised;
  if (s.multipliers != MultiplierUse::kEliminated || s.split_point != SplitPoint::kMatrix) return;
  notes.emplace_back(
      "the constraint forces were eliminated with a frozen projector: this damps small fast oscillations, but it "
      "solves "
      "other equations than those of the model, and its error need not fall with the tolerance; check the result with "
      "another method, or with projector=current");
}

std::vector<MethodOptionInfo> with_stabilised_settings(std::vector<MethodOptionInfo> own,
                                                       const std::string& max_order) {
  own.push_back({"max_order", with_default(max_order, {"1", "2", "3", "4", "5", "6"}),
                 "largest order; from 3 on fast undamped oscillations are amplified, at 6 all but well damped ones"});
  own.push_back({"order", {"variable", "fixed"}, "chosen by the errors, or raised at every step up to max_order"});
  own.push_back({"error",
                 {"all", "positions"},
                 "what the tolerance is about: positions, velocities and states; without velocities"});
  own.push_back({"newton",
                 {"modified", "full"},
                 "matrix of Newton's iteration: kept while it serves, or new at every iteration"});
  own.push_back({"rules",
                 {"own", "dassl"},
                 "how steps, orders and the end of Newton's iteration are chosen: our own rules, or those of the code "
                 "DASSL, to compare with what was published"});
  return own;
}

std::vector<MethodOptionInfo> with_split_settings(std::vector<MethodOptionInfo> own, const std::string& judged,
                                                  const std::string& max_order) {
  own.push_back(
      {"split",
       {"lu", "qr"},
       "how dependent directions are chosen: coordinates, by the pivots of an LU decomposition of G^T (sparse "
       "where G is), or the range of G^T, by a QR decomposition (full matrices)"});
  own.push_back({"judged", with_default(judged, {"all", "independent"}),
                 "coordinates whose error counts: all, or the independent ones"});
  own.push_back({"condition_growth",
                 {"1.25"},
                 "growth of the condition of the dependent coordinates from which others are chosen",
                 true,
                 1.001,
                 1e12});
  return with_stabilised_settings(std::move(own), max_order);
}

BdfStabilisedOptions read_stabilised_settings(const MethodEntry& entry, const MethodOptions& options) {
  const auto word = [&](const char* name) { return option_value(entry, options, name); };
  BdfStabilisedOptions result;
  result.max_order = std::stoi(word("max_order"));
  result.fixed_order = word("order") == "fixed";
  result.judges_velocities = word("error") == "all";
  result.equations.newton = read_newton_kind(word("newton"));
  if (word("rules") == "dassl") {
    result.rules = BdfRules::dassl();
    result.norm_has_velocities = true;
    result.equations.policy = {.max_rate = 1, .max_coefficient_change = 0.4, .max_age = 1'000'000'000};
    result.equations.max_iterations = 4;
    result.equations.tolerance = 0.33;
    result.equations.forecasts = false;
    result.stabilised.counts_multipliers = !has_option(entry, "split");
  }
  if (!has_option(entry, "split")) return result;
  using kinematics::ParametrisationKind;
  result.stabilised.split =
      word("split") == "qr" ? ParametrisationKind::kTangentPlane : ParametrisationKind::kPartitioning;
  result.stabilised.max_condition_growth = option_number(entry, options, "condition_growth");
  result.judges_independent = word("judged") == "independent";
  return result;
}

}  // namespace trammel::integrators
