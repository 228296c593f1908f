// mexx: half-explicit Euler steps, extrapolated, with projection after every step.
//
// A step of size H is computed with n_1, n_2, ... small steps of the half-explicit Euler method
// (extrapolation/half_explicit_euler.h). The results x_j have an expansion in h_j = H / n_j, of which
//
//   T_j1 = x_j,   T_j,k+1 = T_jk + (T_jk - T_j-1,k) / (n_j / n_j-k - 1)                                             (1)
//
// removes one power after the other; T_jj - T_j,j-1 estimates the error of q, v and x. Order and step size change
// together (extrapolation/order_control.h). Positions and velocities are then moved onto their constraints in the mass
// metric. Accelerations and reactions are extrapolated, too; acceleration constraints are not needed, but where they
// are there, what users get is solved for at the end. Theory: docs/theory/mexx.md.

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/extrapolation/dense_output.h"
#include "trammel/integrators/extrapolation/half_explicit_euler.h"
#include "trammel/integrators/extrapolation/order_control.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

extern const MethodEntry mexx_entry;

namespace {

using dae::State;
using kkt::AccelerationStatus;
using linalg::Vector;

// An error of the last small step that no row has seen, above which a step is rejected. On smooth problems it is that
// of the extrapolated accelerations: with 1, the seven-body mechanism takes up to a quarter more evaluations for
// nothing.
constexpr double kUnseenError = 5;
// The standard scheme on the cable drum at 1e-5: errors of some tolerances from here on.
constexpr double kDoubtfulFeedback = 0.1;

FrictionScheme read_scheme(const MethodContext& context) {
  const std::string value = option_value(mexx_entry, context.options, "friction");
  if (value == "standard") return FrictionScheme::kStandard;
  return value == "modified" ? FrictionScheme::kModified : FrictionScheme::kAutomatic;
}

ForcePlace read_place(const MethodContext& context) {
  const std::string value = option_value(mexx_entry, context.options, "forces");
  if (value == "begin") return ForcePlace::kBegin;
  const bool has_joint_coordinates = context.evaluation.structure().tree.has_value();
  return value == "end" || has_joint_coordinates ? ForcePlace::kEnd : ForcePlace::kBegin;
}

OrderControlOptions read_control(const MethodContext& context) {
  OrderControlOptions options;
  options.max_rows = std::stoi(option_value(mexx_entry, context.options, "max_order"));
  const std::string fixed = option_value(mexx_entry, context.options, "fixed_order");
  options.fixed_rows = fixed == "no" ? 0 : std::stoi(fixed);
  options.rtol = context.norm.rtol();
  return options;
}

class Mexx final : public Method {
 public:
  explicit Mexx(const MethodContext& context)
      : context_(context),
        evaluation_(context.evaluation),
        layout_(evaluation_.structure()),
        euler_(context, read_scheme(context), read_place(context),
               {.back_end = linear_solver(mexx_entry, context.options)}),
        control_(read_control(context)),
        dense_(layout_, control_.largest(), std::stoi(option_value(mexx_entry, context.options, "dense_order"))),
        accelerations_(option_value(mexx_entry, context.options, "accelerations")),
        uses_common_norm_(option_value(mexx_entry, context.options, "error_norm") == "common") {
    begin_ = state_ = trial_ = State::zero(evaluation_.structure());
    for (int row = 0; row < control_.largest(); ++row) {
      small_steps_.emplace_back(Eigen::MatrixXd::Zero(layout_.size(), step_number(row) + 1));
      tableau_.emplace_back(Vector::Zero(layout_.size()));
    }
    previous_ = difference_ = stacked_ = Vector::Zero(layout_.size());
    begin_rate_ = end_rate_ = Vector::Zero(layout_.y_size());
    residual_ = Vector::Zero(evaluation_.structure().n_v());
    constraint_residual_ = Vector::Zero(evaluation_.structure().m());
  }

  void start(const State& state) override {
    state_ = state;
    control_.reset();
    rows_ = control_.rows();
    has_begun_ = false;
  }

  StepOutcome attempt(double h) override {
    h_ = h;
    trouble_ = Trouble::kNone;
    if (!std::exchange(has_begun_, true)) {
      status_ = euler_.begin(state_);
      if (status_ != AccelerationStatus::kSolved) return fail(Trouble::kEquations);
    }
    control_.begin(h);
    trial_.t = context_.end_of_step(state_.t, h);
    for (rows_ = 1; rows_ <= control_.largest(); ++rows_) {
      if (!add_row()) return fail(Trouble::kEquations);
      if (rows_ < 2) continue;
      const double error = calc_error();
      const OrderControl::Verdict verdict = control_.judge(rows_, error);
      if (verdict == OrderControl::Verdict::kGoOn) continue;
      // Steps that cannot be cut are not given up before they have their rows.
      if (verdict == OrderControl::Verdict::kReject && context_.has_fixed_step && rows_ < control_.rows()) continue;
      if (verdict == OrderControl::Verdict::kAccept || context_.has_fixed_step) {
        if (!project()) return fail(trouble_);
        const double unseen = context_.has_fixed_step ? 0 : calc_unseen_error();
        if (unseen > kUnseenError) {
          control_.give_up(unseen);
          trouble_ = Trouble::kError;
          return {StepStatus::kSolved, unseen};
        }
        control_.finish(rows_, true);
        return {StepStatus::kSolved, error};
      }
      control_.finish(rows_, false);
      trouble_ = Trouble::kError;
      return {StepStatus::kSolved, std::isfinite(error) ? error : std::numeric_limits<double>::max()};
    }
    return fail(Trouble::kError);  // not reached: the last row is judged
  }

  void accept() override {
    std::swap(begin_, state_);
    std::swap(state_, trial_);
    has_begun_ = false;
    is_dense_ = false;
  }

  bool undo() override {
    std::swap(state_, begin_);
    control_.reset();
    has_begun_ = false;
    return true;
  }

  const State& state() const override { return state_; }
  int order() const override { return rows_; }
  int dense_degree() const override { return dense_.degree(rows_); }
  std::optional<double> propose_step() const override { return control_.next_step(); }
  bool interpolates_accelerations() const override { return true; }
  bool gives_accelerations() override { return !solves_accelerations(); }
  AccelerationStatus complete_start(State& state) override { return euler_.complete(state); }
  void add_counts(Statistics& statistics) const override { euler_.add_counts(statistics); }
  void add_notes(std::vector<std::string>& notes) const override {
    if (euler_.lacks_friction() && euler_.largest_feedback() > kDoubtfulFeedback) {
      notes.push_back(fmt::format(
          "forces depend on reactions so strongly (feedback {:.2g}, see docs/theory/mexx.md) that the standard scheme "
          "loses accuracy; use friction=automatic",
          euler_.largest_feedback()));
    }
  }

  void interpolate(double t, State& out) override {
    if (!std::exchange(is_dense_, true)) build_dense_output();
    dense_.evaluate((t - begin_.t) / (state_.t - begin_.t), stacked_);
    out.t = t;
    layout_.unstack(stacked_, out);
  }

  std::string describe_trouble() override {
    switch (trouble_) {
      case Trouble::kEquations: return kinematics::describe_failure(evaluation_, status_);
      case Trouble::kProjection: return "the solution could not be moved back onto the position constraints";
      default: break;
    }
    const std::string advice = euler_.lacks_friction()
                                   ? " (forces depend on reactions, and the standard scheme may not resolve it: use "
                                     "friction=automatic)"
                                   : "";
    return "the largest error is that of " +
           context_.norm.find_worst(evaluation_.structure(), layout_.q(difference_), layout_.v(difference_),
                                    layout_.x(difference_)) +
           advice;
  }

 private:
  enum class Trouble { kNone, kEquations, kError, kProjection };

  StepOutcome fail(Trouble trouble) {
    control_.note_failure();
    trouble_ = trouble;
    return {StepStatus::kNotSolved};
  }

  /// Computes row rows_ of the tableau. tableau_[k] holds T_j,k+1 of the last row j; previous_ the best value before.
  bool add_row() {
    const int j = rows_ - 1, n = step_number(j);
    Eigen::MatrixXd& steps = small_steps_[static_cast<std::size_t>(j)];
    status_ = euler_.integrate(h_ / n, n, trial_.t, steps);
    if (status_ != AccelerationStatus::kSolved) return false;
    difference_ = steps.col(n);
    for (int k = 0; k < j; ++k) {  // difference_ is T_j,k+1; T_j-1,k+1 gives way to it
      Vector& above = tableau_[static_cast<std::size_t>(k)];
      stacked_ = (difference_ - above) / (static_cast<double>(n) / step_number(j - 1 - k) - 1);
      above = difference_;
      difference_ += stacked_;
    }
    if (j > 0) previous_ = tableau_[static_cast<std::size_t>(j - 1)];
    tableau_[static_cast<std::size_t>(j)] = difference_;
    return true;
  }

  const Vector& best() const { return tableau_[static_cast<std::size_t>(rows_ - 1)]; }

  double calc_error() {
    layout_.unstack(best(), trial_);
    context_.norm.set_weights(state_, trial_);
    difference_ = best() - previous_;
    const auto q = layout_.q(difference_), v = layout_.v(difference_), x = layout_.x(difference_);
    return uses_common_norm_ ? context_.norm.calc(q, v, x) : context_.norm.calc_by_parts(q, v, x);
  }

  /// The standard scheme on forces that depend on reactions is shown as it is: solving for reactions would hide that it
  /// diverges.
  bool solves_accelerations() {
    if (accelerations_ != "automatic") return accelerations_ == "solved";
    return evaluation_.gives_acceleration_bias() && !euler_.lacks_friction();
  }

  /// Moves trial_ onto the constraints and completes it.
  bool project() {
    const dae::Structure& s = evaluation_.structure();
    evaluation_.set_x(trial_.x);
    if (s.n_g > 0 || !s.has_trivial_kinematics) {
      // The matrix of the last small step is that of a position nearby; the modified scheme has another one.
      const auto use = euler_.uses_modified_scheme() ? kinematics::MetricUse::kRenew : kinematics::MetricUse::kPresent;
      const kinematics::PositionProjection outcome =
          context_.projector.project_position(trial_.t, trial_.q, context_.norm.q_weights(), use);
      context_.statistics.newton_iterations += outcome.iterations;
      status_ = outcome.metric;
      trouble_ = status_ == AccelerationStatus::kSolved ? Trouble::kProjection : Trouble::kEquations;
      if (!outcome.ok()) return false;
    }
    evaluation_.set_position(trial_.t, trial_.q);
    trouble_ = Trouble::kEquations;
    const bool solves = solves_accelerations();
    status_ = context_.accelerations.factor_position();
    if (status_ != AccelerationStatus::kSolved) return false;
    context_.projector.project_velocity(trial_.v);
    trial_.x = evaluation_.follow_position();
    status_ = solves ? complete_state(context_, trial_, trial_) : complete_rates(context_, trial_);
    // The next step begins with this force; a step must not end where there is none.
    evaluation_.set(trial_);
    if (!std::isfinite(evaluation_.force().sum())) status_ = AccelerationStatus::kNotFinite;
    if (status_ != AccelerationStatus::kSolved) return false;
    trouble_ = Trouble::kNone;
    return true;
  }

  /// Small steps take their force at their beginning, so that a force that sets in at the end of the step is in no row
  /// of the tableau. Accelerations at the end that differ from the extrapolated ones tell of it: the error of v that
  /// the last small step may have missed. trial_ is projected, and the evaluation has its force.
  double calc_unseen_error() {
    const dae::Structure& s = evaluation_.structure();
    auto missed = layout_.v(difference_);
    if (solves_accelerations()) {
      missed = trial_.a - layout_.a(best());
    } else {
      residual_ = evaluation_.force();
      s.mass.add_product(evaluation_.mass(), trial_.a, -1, residual_);
      s.jacobian.add_transposed_product(evaluation_.jacobian(), trial_.lambda, -1, residual_);
      constraint_residual_.setZero();
      context_.accelerations.metric().solve(residual_, constraint_residual_);
      missed = residual_;
    }
    missed *= h_ / step_number(rows_ - 1);
    layout_.q(difference_).setZero();
    layout_.x(difference_).setZero();
    return context_.norm.calc_by_parts(layout_.q(difference_), layout_.v(difference_), layout_.x(difference_));
  }

  void build_dense_output() {
    const double H = state_.t - begin_.t;
    const auto set_rate = [&](const State& at, Vector& rate) {
      evaluation_.system().calc_position_rate(at.q, at.v, layout_.q(rate));
      layout_.q(rate) *= H;
      rate.segment(at.q.size(), at.v.size()) = H * at.a;
      rate.tail(at.x.size()) = H * at.x_rate;
    };
    set_rate(begin_, begin_rate_);
    set_rate(state_, end_rate_);
    layout_.stack(begin_, previous_);
    layout_.stack(state_, stacked_);
    dense_.build(small_steps_, rows_, previous_, begin_rate_, stacked_, end_rate_);
  }

  MethodContext context_;
  dae::Evaluation& evaluation_;
  StackLayout layout_;
  HalfExplicitEuler euler_;
  OrderControl control_;
  DenseOutput dense_;
  std::string accelerations_;  // where those of users come from
  bool uses_common_norm_;
  State begin_, state_, trial_;               // ends of the last accepted step, and the end of the step that is tried
  std::vector<Eigen::MatrixXd> small_steps_;  // of each row, one column a small step, stacked
  std::vector<Vector> tableau_;               // the last row of (1)
  Vector previous_, difference_, stacked_;    // T_j,j-1, T_jj - T_j,j-1; room
  Vector residual_, constraint_residual_;     // of the equations at the end of the step
  Vector begin_rate_, end_rate_;              // H y' at the ends of the step
  double h_ = 0;
  int rows_ = 2;            // of the last step
  bool has_begun_ = false;  // euler_ knows the beginning of the step
  bool is_dense_ = false;   // dense_ belongs to the last accepted step
  AccelerationStatus status_ = AccelerationStatus::kSolved;
  Trouble trouble_ = Trouble::kNone;
};

}  // namespace

const MethodEntry mexx_entry{
    "mexx",
    "extrapolated half-explicit Euler method of orders 3 to 13 with projection, after MEXX; for non-stiff systems",
    13,
    {.nonholonomic = true, .implicit_states = false, .reaction_dependent_forces = true, .general_kinematics = true},
    {{"friction",
      {"automatic", "standard", "modified"},
      "discretisation of forces that depend on reactions: the modified one keeps its accuracy when they do so "
      "strongly"},
     {"forces",
      {"automatic", "begin", "end"},
      "positions at which a small step takes forces: where it begins, which saves some evaluations, or where it ends, "
      "as "
      "masses, which few coordinates with large and variable masses need; automatic: the end in joint coordinates"},
     {"max_order",
      {"13", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"},
      "largest order of the extrapolation, where it changes"},
     {"fixed_order",
      {"no", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"},
      "order of every step; no: it changes with the solution"},
     {"dense_order",
      {"15", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14"},
      "largest degree of the interpolation between the ends of a step"},
     {"accelerations",
      {"automatic", "solved", "extrapolated"},
      "accelerations and reactions for users: solved for at the positions and velocities, or extrapolated like these; "
      "automatic: solved for where the equations give acceleration constraints"},
     {"error_norm",
      {"parts", "common"},
      "parts: (2.7) of the MEXX report, positions, velocities and states count alike; common: as the other methods"},
     linear_solver_option()},
    [](const MethodContext& context) -> std::unique_ptr<Method> { return std::make_unique<Mexx>(context); },
    1,
    true};

}  // namespace trammel::integrators
