#include "trammel/kkt/accelerations.h"

#include <array>
#include <cmath>
#include <limits>

namespace trammel::kkt {

using dae::Derivative;
using linalg::largest_abs;

namespace {
constexpr int kMaxIterations = 25;
// Velocities of a tree up to which its mass matrix is factorised as such: docs/decisions/0025-automatic-solvers.md.
constexpr int kTreeLimit = 8;

/// Articulated bodies are chosen here, where the tree is at hand.
SolverOptions choose_metric(const dae::Structure& s, SolverOptions options) {
  const bool is_free = options.back_end == BackEnd::kAutomatic && s.tree && s.n_v() > kTreeLimit;
  if (is_free && find_obstacle(BackEnd::kArticulated, s).empty()) options.back_end = BackEnd::kArticulated;
  return options;
}

AccelerationStatus to_acceleration_status(const linalg::FactorStatus& status) {
  if (status.ok) return AccelerationStatus::kSolved;
  switch (status.cause) {
    case linalg::FactorCause::kNotFinite: return AccelerationStatus::kNotFinite;
    case linalg::FactorCause::kNotPositiveDefinite:  // the automatic choice has tried LU then
    case linalg::FactorCause::kSingularBlock: return AccelerationStatus::kUnsuitable;
    default: return AccelerationStatus::kSingular;
  }
}
}  // namespace

AccelerationSolver::AccelerationSolver(dae::Evaluation& evaluation, const SolverOptions& options)
    : evaluation_(evaluation),
      options_(options),
      metric_(Layout::mass(evaluation.structure()), choose_metric(evaluation.structure(), options)),
      has_implicit_states_(evaluation.structure().n_x() > 0 &&
                           evaluation.structure().state_form == dae::StateForm::kImplicit),
      is_algebraic_(evaluation.structure().algebraic_states()),
      force_by_variables_(evaluation.structure().pattern(Derivative::kForceByX), 0, is_algebraic_),
      state_by_variables_(evaluation.structure().pattern(Derivative::kStateByX), 0, is_algebraic_) {
  const dae::Structure& s = evaluation.structure();
  if (s.force_depends_on_lambda() || has_implicit_states_) {
    together_.emplace(make_layout(), options.for_unsymmetric());
    values_.reserve(8);
  }
  a_ = Vector::Zero(s.n_v());
  x_ = x_rate_ = Vector::Zero(s.n_x());
  upper_ = Vector::Zero(s.n_v() + (has_implicit_states_ ? s.n_x() : 0));
  lambda_ = lower_ = Vector::Zero(s.m());
}

/// Of the matrix of solve_together(); the order of the blocks is that of factor_together().
Layout AccelerationSolver::make_layout() const {
  const dae::Structure& s = evaluation_.structure();
  if (!has_implicit_states_) return Layout::mass_with_friction(s);
  const int x = s.n_v(), lambda = s.n_v() + s.n_x();
  Layout layout = Layout::mass(s);
  layout.upper = lambda;
  layout.is_mass_only = false;
  layout.blocks.insert(layout.blocks.end(), {{&s.pattern(Derivative::kForceByLambda), 0, lambda},
                                             {&force_by_variables_.pattern(), 0, x},
                                             {&state_by_variables_.pattern(), x, x},
                                             {&s.pattern(Derivative::kStateByXRate), x, x},
                                             {&s.pattern(Derivative::kStateByA), x, 0},
                                             {&s.pattern(Derivative::kStateByLambda), x, lambda}});
  return layout;
}

AccelerationStatus AccelerationSolver::factor_position() {
  if (metric_.takes_tree()) {
    const linalg::FactorStatus status = metric_.factor_tree(evaluation_.tree(), evaluation_.jacobian());
    if (status.ok || options_.back_end != BackEnd::kAutomatic || status.cause == linalg::FactorCause::kNotFinite) {
      return to_acceleration_status(status);
    }
    // Branches that end without mass, or rows nearly dependent: the whole matrix may be regular all the same.
    earlier_counts_ += metric_.counts();
    metric_ = Solver(Layout::mass(evaluation_.structure()), options_);
  }
  const std::array values{BlockValues{evaluation_.mass()}};
  return to_acceleration_status(metric_.factor(values, evaluation_.jacobian()));
}

AccelerationStatus AccelerationSolver::solve(const dae::State& near, VectorIn feedback) {
  if (together_) {
    const AccelerationStatus status = solve_together(near, feedback);
    if (status != AccelerationStatus::kSolved) return status;
  } else {
    lambda_ = evaluation_.acceleration_bias();
    if (feedback.size() > 0) lambda_ += feedback;
    const double* wrenches = metric_.takes_tree() ? evaluation_.tree_force() : nullptr;
    if (wrenches != nullptr) {
      metric_.solve_tree(wrenches, a_, lambda_);
    } else {
      a_ = evaluation_.force();
      metric_.solve(a_, lambda_);
    }
    if (!metric_.is_factored()) return AccelerationStatus::kSingular;  // as an iteration may find only now
  }
  // One sum finds any value that is not finite.
  if (!std::isfinite(a_.sum() + lambda_.sum())) return AccelerationStatus::kNotFinite;
  evaluation_.set_acceleration(a_);
  evaluation_.set_lambda(lambda_);
  const dae::Structure& s = evaluation_.structure();
  if (s.n_x() > 0 && s.state_form == dae::StateForm::kExplicit) {
    if (!std::isfinite(evaluation_.state_rate().sum())) return AccelerationStatus::kNotFinite;
    evaluation_.set_x_rate(evaluation_.state_rate());
  }
  return AccelerationStatus::kSolved;
}

bool AccelerationSolver::factor_together() {
  values_.clear();
  values_.push_back({evaluation_.mass()});
  values_.push_back({evaluation_.derivative(Derivative::kForceByLambda), -1});
  if (has_implicit_states_) {
    values_.push_back({force_by_variables_.select(evaluation_.derivative(Derivative::kForceByX)), -1});
    values_.push_back({state_by_variables_.select(evaluation_.derivative(Derivative::kStateByX))});
    for (const Derivative which : {Derivative::kStateByXRate, Derivative::kStateByA, Derivative::kStateByLambda}) {
      values_.push_back({evaluation_.derivative(which)});
    }
  }
  return together_->factor(values_, evaluation_.jacobian()).ok;
}

void AccelerationSolver::move_states(VectorIn change) {
  for (Eigen::Index i = 0; i < change.size(); ++i) {
    (is_algebraic_[static_cast<std::size_t>(i)] ? x_ : x_rate_)[i] += change[i];
  }
  evaluation_.set_x(x_);
  evaluation_.set_x_rate(x_rate_);
}

AccelerationStatus AccelerationSolver::solve_together(const dae::State& near, VectorIn feedback) {
  const dae::Structure& s = evaluation_.structure();
  const Eigen::Index n_u = upper_.size() - s.n_v();
  const AccelerationStatus no_solution =
      has_implicit_states_ ? AccelerationStatus::kNoStates : AccelerationStatus::kNoReactions;
  a_ = near.a;
  lambda_ = near.lambda;
  for (std::size_t k = 0; k < s.switchable_rows.size(); ++k) {
    if (metric_.switched_off()[k]) lambda_[s.switchable_rows[k]] = 0;  // and nothing changes it
  }
  if (n_u > 0) {
    x_ = evaluation_.point().x;
    x_rate_ = near.x_rate;
    evaluation_.set_x_rate(x_rate_);
  }
  double previous = std::numeric_limits<double>::infinity();
  bool is_slow = true;  // a new matrix is due
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    evaluation_.set_lambda(lambda_);
    evaluation_.set_acceleration(a_);
    // Residuals of the equations; their size is judged against the largest terms in them.
    auto balance = upper_.head(s.n_v());
    balance = evaluation_.force();
    lower_ = evaluation_.acceleration_bias();
    if (feedback.size() > 0) lower_ += feedback;
    const double scale = largest_abs(balance) + largest_abs(lower_) + largest_abs(lambda_);
    s.mass.add_product(evaluation_.mass(), a_, -1, balance);
    s.jacobian.add_transposed_product(evaluation_.jacobian(), lambda_, -1, balance);
    s.jacobian.add_product(evaluation_.jacobian(), a_, -1, lower_);
    if (n_u > 0) upper_.tail(n_u) = -evaluation_.state_residual();
    const double residual = largest_abs(upper_) + largest_abs(lower_);
    if (!std::isfinite(residual)) return AccelerationStatus::kNotFinite;
    if (iteration > 0 && n_u == 0 && residual <= 1e-13 * scale) return AccelerationStatus::kSolved;
    if (is_slow && !factor_together()) return no_solution;
    together_->solve(upper_, lower_);
    a_ += upper_.head(s.n_v());
    lambda_ += lower_;
    if (n_u > 0) move_states(upper_.tail(n_u));
    const double change = largest_abs(upper_) + largest_abs(lower_);
    const double size = largest_abs(a_) + largest_abs(lambda_) + (n_u > 0 ? largest_abs(x_) + largest_abs(x_rate_) : 0);
    // At round-off corrections stop shrinking.
    const bool is_round_off = change <= 1e-9 * size && !(change < 0.5 * previous);
    if (change <= 1e-12 * size || is_round_off) return AccelerationStatus::kSolved;
    is_slow = !(change < 0.01 * previous);
    previous = change;
  }
  return no_solution;
}

SolverCounts AccelerationSolver::counts() const {
  SolverCounts total = earlier_counts_;
  total += metric_.counts();
  if (together_) total += together_->counts();
  return total;
}

}  // namespace trammel::kkt
