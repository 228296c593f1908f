// for-rosen: a Rosenbrock formula of order 4 on the equations in independent coordinates, y' = F(t, y), y = (w, w', x):
//
//   (I - c J) U_i = c F(t_0 + a_i h, y_0 + sum_{j<i} w_ij U_j) + gamma sum_{j<i} c_ij U_j + c h e_i F_t          (1)
//   y_1 = y_0 + sum s_i U_i,   c = gamma h,   J = F_y and F_t at the begin of the step                           (2)
//
// No nonlinear equations, three evaluations of accelerations a step (stages 3 and 4 share theirs, the first is that of
// the state) and one of the derivatives, whose second-order form halves the matrix: integration_jacobian.h, (3). F_t
// keeps the order where forces or constraints depend on time. One more solution with the same matrix serves outputs
// inside of the step.
// Theory: docs/theory/state-space.md, section 7.

#include <cmath>
#include <utility>

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/state_space_method.h"
#include "trammel/integrators/tableaus/rosenbrock.h"

namespace trammel::integrators {

extern const MethodEntry for_rosen_entry;

namespace {

// Of the step, for F_t by a difference; at least what the time resolves to eight digits.
constexpr double kTimeDifference = 1e-6, kResolution = 1e-8;

class RosenbrockMethod final : public StateSpaceMethod {
 public:
  RosenbrockMethod(const MethodContext& context, const StateSpaceOptions& options)
      : StateSpaceMethod(context, options), jacobian_(context, equations_, options.jacobian) {
    stages_ = Eigen::MatrixXd::Zero(equations_.size(), kStages);
    rate_ = first_rate_ = time_part_ = dense_ = Vector::Zero(equations_.size());
  }

  int order() const override { return tableau_.embedded_order; }
  int dense_degree() const override { return tableau_.dense_degree; }
  void add_counts(Statistics& statistics) const override { jacobian_.add_counts(statistics); }

 private:
  static constexpr int kStages = Rosenbrock::kStages;

  void begin_anew() override { is_current_ = false; }
  void note_accepted() override {
    is_current_ = false;
    has_dense_ = false;
  }
  std::string describe_matrix() const override { return "integration Jacobian " + jacobian_.describe(); }
  std::string describe_advance() override {
    return is_singular_ ? "the matrix of the step is singular or not finite" : "";
  }

  /// Derivatives at the begin of the step; a rejected one needs no new ones.
  bool prepare(double h) {
    equations_.calc_rate(state_, first_rate_);
    if (!is_current_) {
      if (!jacobian_.eval(state_) || !eval_time_derivative(h)) return false;
      is_current_ = true;
      ++context_.statistics.renewals[static_cast<std::size_t>(RenewalCause::kEveryIteration)];
    }
    return jacobian_.factor(StageWeights::of_first_order(tableau_.gamma * h));
  }

  bool eval_time_derivative(double h) {
    time_part_.setZero();
    if (equations_.structure().is_autonomous) return true;
    const double t = state_.t + std::max(kTimeDifference * h, kResolution * std::abs(state_.t));
    stage_ = state_;
    if (!equations_.eval(t, y_, stage_, ReducedEquations::Recovery::kTight)) return false;
    equations_.calc_rate(stage_, time_part_);
    time_part_ = (time_part_ - first_rate_) / (t - state_.t);
    return true;
  }

  bool advance(double h) override {
    is_singular_ = !prepare(h);
    if (is_singular_) return false;
    const double c = tableau_.gamma * h;
    rate_ = first_rate_;
    for (std::size_t i = 0; i < kStages; ++i) {
      if (i == 1 || i == 2) {
        y_work_ = y_;
        for (std::size_t j = 0; j < i; ++j) y_work_ += tableau_.w[i][j] * stages_.col(static_cast<Eigen::Index>(j));
        const double ahead = tableau_.a[i] * h;
        stage_.a = state_.a;
        stage_.lambda = state_.lambda;
        stage_.x_rate = state_.x_rate;
        predict_state(ahead, stage_);
        if (!equations_.eval(state_.t + ahead, y_work_, stage_)) return false;
        equations_.calc_rate(stage_, rate_);
        // w' of the stage is that of the formula, not of the recovered velocities: the same to the last digits.
      }
      auto U = stages_.col(static_cast<Eigen::Index>(i));
      U = c * rate_ + (c * h * tableau_.e[i]) * time_part_;
      for (std::size_t j = 0; j < i; ++j) {
        U += (tableau_.gamma * tableau_.c[i][j]) * stages_.col(static_cast<Eigen::Index>(j));
      }
      jacobian_.solve_shifted(c, U);
    }
    y_trial_ = y_;
    error_.setZero();
    for (std::size_t i = 0; i < kStages; ++i) {
      y_trial_ += tableau_.s[i] * stages_.col(static_cast<Eigen::Index>(i));
      error_ += tableau_.error[i] * stages_.col(static_cast<Eigen::Index>(i));
    }
    if (options_.filters_error) jacobian_.solve_shifted(c, error_);
    return std::isfinite(y_trial_.sum() + error_.sum());
  }

  /// Until the next attempt stages and factors are those of the accepted step.
  void interpolate_reduced(double theta, VectorOut y) override {
    if (!std::exchange(has_dense_, true)) {
      const double c = tableau_.gamma * h_;
      dense_ = stages_.col(0) + (c * c) * time_part_;
      jacobian_.solve_shifted(c, dense_);
    }
    const auto calc_weight = [theta](const Rosenbrock::Vector& powers) {
      double weight = 0;
      for (std::size_t p = powers.size(); p-- > 0;) weight = (weight + powers[p]) * theta;
      return weight;
    };
    y = y_begin_ + calc_weight(tableau_.dense_v) * dense_;
    for (std::size_t i = 0; i < kStages; ++i) {
      y += calc_weight(tableau_.dense[i]) * stages_.col(static_cast<Eigen::Index>(i));
    }
  }

  const Rosenbrock& tableau_ = rosenbrock4();
  IntegrationJacobian jacobian_;
  Eigen::MatrixXd stages_;  // U_i
  Vector rate_, first_rate_, time_part_;
  Vector dense_;             // V of the accepted step
  bool has_dense_ = false;   // it is there
  bool is_current_ = false;  // the derivatives are those of state_
  bool is_singular_ = false;
};

}  // namespace

const MethodEntry for_rosen_entry{
    .name = "for-rosen",
    .summary = "Rosenbrock formula of order 4 in independent coordinates; for stiff systems with exact derivatives",
    .order = 4,
    .capabilities = kStateSpaceCapabilities,
    .options = with_state_space_settings({jacobian_option()}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<RosenbrockMethod>(
          context, read_state_space_settings(for_rosen_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare};

}  // namespace trammel::integrators
