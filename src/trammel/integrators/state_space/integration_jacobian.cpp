#include "trammel/integrators/state_space/integration_jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "trammel/linalg/parallel.h"

namespace trammel::integrators {

using dae::Derivative;
using dae::State;
using linalg::Pattern;

namespace {
// Multiplications in all columns from which they are shared between threads.
constexpr double kWorthSharing = 2e6;
const double kDifference = std::sqrt(std::numeric_limits<double>::epsilon());
}  // namespace

/// Columns of (da, dlambda) by w, w' and x as solutions of [M, G^T - f_lambda; G, 0]. Every worker has a factorisation
/// of its own, since solving needs room.
class IntegrationJacobian::Columns {
 public:
  Columns(const dae::Structure& structure, int n_w) : structure_(structure) {
    const int m = structure.m(), n = structure.n_v(), count = 2 * n_w + structure.n_x();
    upper = Eigen::MatrixXd::Zero(n, count);
    lower = Eigen::MatrixXd::Zero(m, count);
    const double size = n + m;
    const bool is_shared = 2.0 * size * size * count > kWorthSharing;
    const int workers = is_shared ? linalg::thread_count() : 1;
    const bool has_friction = structure.force_depends_on_lambda();
    for (int i = 0; i < workers; ++i) {
      solvers_.emplace_back(has_friction ? kkt::Layout::mass_with_friction(structure) : kkt::Layout::mass(structure),
                            has_friction ? kkt::SolverOptions{}.for_unsymmetric() : kkt::SolverOptions{});
    }
  }

  /// In place: right sides become solutions.
  bool solve(const double* mass, const double* friction, const double* jacobian) {
    const int count = static_cast<int>(upper.cols()), workers = static_cast<int>(solvers_.size());
    is_ok_.assign(solvers_.size(), 0);
    const auto work = [&](int worker) {
      kkt::Solver& solver = solvers_[static_cast<std::size_t>(worker)];
      const std::array values{kkt::BlockValues{mass}, kkt::BlockValues{friction, -1}};
      const std::size_t blocks = structure_.force_depends_on_lambda() ? 2 : 1;
      if (!solver.factor(std::span(values).first(blocks), jacobian).ok) return;
      for (int k = worker; k < count; k += workers) solver.solve(upper.col(k), lower.col(k));
      is_ok_[static_cast<std::size_t>(worker)] = 1;
    };
    linalg::parallel_for_ranges(workers, 1, [&](int begin, int end) {
      for (int worker = begin; worker < end; ++worker) work(worker);
    });
    return std::all_of(is_ok_.begin(), is_ok_.end(), [](char ok) { return ok != 0; });
  }

  void add_counts(Statistics& statistics) const {
    for (const kkt::Solver& solver : solvers_) statistics.linear += solver.counts();
  }
  int workers() const { return static_cast<int>(solvers_.size()); }

  /// Column by column: n_w by w, n_w by w', n_x by x.
  Eigen::MatrixXd upper, lower;

 private:
  const dae::Structure& structure_;
  std::vector<kkt::Solver> solvers_;
  std::vector<char> is_ok_;
};

IntegrationJacobian::IntegrationJacobian(const MethodContext& context, ReducedEquations& equations, JacobianKind kind)
    : equations_(equations),
      evaluation_(context.evaluation),
      kind_(kind),
      n_v_(equations.structure().n_v()),
      n_w_(equations.n_w()),
      n_x_(equations.n_x()),
      m_(equations.structure().m()) {
  kind_ = choose_kind(kind);
  P_ = v_by_w_ = full_ = part_ = RowMajor::Zero(n_v_, n_w_);
  lower_ = RowMajor::Zero(m_, n_w_);
  x_by_w_ = x_by_v_ = RowMajor::Zero(n_x_, n_w_);
  x_by_x_ = RowMajor::Zero(n_x_, n_x_);
  force_by_x_ = RowMajor::Zero(n_v_, n_x_);
  mass_ = velocity_ = position_ = Eigen::MatrixXd::Zero(n_w_, n_w_);
  force_ = Eigen::MatrixXd::Zero(n_w_, n_x_);
  state_rate_.resize(n_x_);
  factors_.resize(n_w_ + n_x_);
  mass_factors_.resize(n_w_);
  work_ = Vector::Zero(std::max(n_v_, n_w_ + n_x_));
  column_ = Vector::Zero(n_v_);
  reduced_ = y_ = rate_ = moved_ = Vector::Zero(equations.size());
  if (kind_ == JacobianKind::kColumns) columns_ = std::make_unique<Columns>(equations.structure(), n_w_);
  probe_ = State::zero(equations.structure());
}

IntegrationJacobian::~IntegrationJacobian() = default;

/// Blocks cost 4 n_w solutions with the m x m sub-Jacobian and products of n_w^2 n_v, columns 2 n_w solutions of the
/// equations of accelerations, which are sparse where the system is large. Chains of 5 to 40 rods take as long either
/// way, of 160 rods 0.89 and of 320 rods 0.78 of the time by columns, on one thread.
JacobianKind IntegrationJacobian::choose_kind(JacobianKind wanted) const {
  const dae::Structure& s = equations_.structure();
  if (wanted == JacobianKind::kNumerical || wanted == JacobianKind::kColumns) return wanted;
  // Blocks eliminate reactions, so nothing but G^T may contain them.
  if (s.force_depends_on_lambda() || s.pattern(Derivative::kStateByA).size() > 0 ||
      s.pattern(Derivative::kStateByLambda).size() > 0) {
    return JacobianKind::kColumns;
  }
  if (wanted == JacobianKind::kBlocks) return wanted;
  const double n = n_v_, m = m_, d = n_w_;
  const double sparse = 20.0 * (s.mass.size() + 2.0 * s.jacobian.size());  // entries of the factors, twice
  const double dense = 2 * (n + m) * (n + m);
  const double blocks = 4 * d * 2 * m * m + 6 * d * d * n, columns = 2 * d * std::min(dense, sparse);
  return columns < 0.5 * blocks && n + m > 400 ? JacobianKind::kColumns : JacobianKind::kBlocks;
}

std::string IntegrationJacobian::describe() const {
  switch (kind_) {
    case JacobianKind::kColumns:
      return columns_->workers() > 1 ? fmt::format("by columns, {} at a time", columns_->workers()) : "by columns";
    case JacobianKind::kNumerical: return "by differences";
    default: return "by blocks";
  }
}

void IntegrationJacobian::add_product(const Pattern& pattern, const double* values, double weight, const RowMajor& in,
                                      RowMajor& out) const {
  for (int k = 0; k < pattern.size(); ++k) out.row(pattern[k].row) += (weight * values[k]) * in.row(pattern[k].column);
}

void IntegrationJacobian::add_derivative(Derivative which, double weight, const RowMajor& in, RowMajor& out,
                                         linalg::VectorIn direction) {
  const Pattern& pattern = equations_.structure().pattern(which);
  if (pattern.size() > 0) add_product(pattern, derivative(which, direction), weight, in, out);
}

const double* IntegrationJacobian::derivative(Derivative which, linalg::VectorIn direction) {
  const double*& values = known_[static_cast<std::size_t>(which)];
  if (values == nullptr) values = evaluation_.derivative(which, direction);
  return values;
}

void IntegrationJacobian::solve_chart(const RowMajor& in, RowMajor& out) {
  for (int k = 0; k < n_w_; ++k) {
    work_.head(m_) = in.col(k);
    equations_.chart().solve(work_.head(m_), column_);
    out.col(k) = column_;
  }
}

/// P and dv/dw = -Z (G v + g_t)_q P at the state, where the chart is factorised.
bool IntegrationJacobian::eval_tangents(const State& at) {
  evaluation_.set(at);
  known_.fill(nullptr);
  if (!equations_.factor_chart()) return false;
  const double* jacobian = evaluation_.jacobian();
  for (int k = 0; k < n_w_; ++k) {
    reduced_.head(n_w_).setZero();
    reduced_[k] = 1;
    equations_.chart().extend_along(jacobian, reduced_.head(n_w_), column_);
    P_.col(k) = column_;
  }
  lower_.setZero();
  if (m_ > 0) add_derivative(Derivative::kVelocityByQ, -1, P_, lower_);
  solve_chart(lower_, v_by_w_);
  full_.setZero();
  add_product(equations_.structure().mass, evaluation_.mass(), 1, P_, full_);
  mass_.noalias() = P_.transpose() * full_;
  return true;
}

bool IntegrationJacobian::eval(const State& at) {
  if (!eval_tangents(at)) return false;
  if (n_x_ > 0) eval_state_derivatives();
  bool ok = true;
  switch (kind_) {
    case JacobianKind::kColumns: ok = eval_by_columns(at); break;
    case JacobianKind::kNumerical: ok = eval_by_differences(at); break;
    default: eval_by_blocks(at); break;
  }
  return ok && std::isfinite(mass_.sum() + velocity_.sum() + position_.sum());
}

/// Derivatives of x' at constant accelerations and reactions.
void IntegrationJacobian::eval_state_derivatives() {
  const dae::Structure& s = equations_.structure();
  auto rates = state_rate_.matrix();
  rates.setZero();
  const Pattern& by_rate = s.pattern(Derivative::kStateByXRate);
  const double* values = derivative(Derivative::kStateByXRate);
  for (int k = 0; k < by_rate.size(); ++k) rates(by_rate[k].row, by_rate[k].column) += values[k];
  if (!state_rate_.factor().ok) rates.setConstant(std::nan(""));
  x_by_w_.setZero();
  x_by_v_.setZero();
  x_by_x_.setZero();
  add_derivative(Derivative::kStateByQ, 1, P_, x_by_w_);
  add_derivative(Derivative::kStateByV, 1, v_by_w_, x_by_w_);
  add_derivative(Derivative::kStateByV, 1, P_, x_by_v_);
  const Pattern& by_x = s.pattern(Derivative::kStateByX);
  values = derivative(Derivative::kStateByX);
  for (int k = 0; k < by_x.size(); ++k) x_by_x_(by_x[k].row, by_x[k].column) += values[k];
  force_by_x_.setZero();
  const Pattern& force = s.pattern(Derivative::kForceByX);
  values = derivative(Derivative::kForceByX);
  for (int k = 0; k < force.size(); ++k) force_by_x_(force[k].row, force[k].column) += values[k];
  if (kind_ == JacobianKind::kColumns) return;
  divide_by_state_rate(x_by_w_);
  divide_by_state_rate(x_by_v_);
  divide_by_state_rate(x_by_x_);
}

void IntegrationJacobian::divide_by_state_rate(RowMajor& out) {
  for (Eigen::Index k = 0; k < out.cols(); ++k) {
    work_.head(n_x_) = -out.col(k);
    state_rate_.solve(work_.head(n_x_));
    out.col(k) = work_.head(n_x_);
  }
}

void IntegrationJacobian::eval_by_blocks(const State& at) {
  const dae::Structure& s = equations_.structure();
  // da/dw = P J_1 + Z (-(G a - bias)_q P + bias_v dv/dw)
  lower_.setZero();
  if (m_ > 0) {
    add_derivative(Derivative::kAccelerationByQ, -1, P_, lower_, at.a);
    add_derivative(Derivative::kBiasByV, 1, v_by_w_, lower_);
  }
  solve_chart(lower_, part_);
  // M2^ = P^T (K P + M Z (..) - f_v dv/dw)
  full_.setZero();
  add_product(s.mass, evaluation_.mass(), 1, part_, full_);
  add_derivative(Derivative::kInertiaByQ, 1, P_, full_, at.a);
  if (m_ > 0) add_derivative(Derivative::kReactionByQ, 1, P_, full_, at.lambda);
  add_derivative(Derivative::kForceByQ, -1, P_, full_);
  add_derivative(Derivative::kForceByV, -1, v_by_w_, full_);
  position_.noalias() = P_.transpose() * full_;
  // M1^ = P^T (M Z bias_v P - f_v P)
  lower_.setZero();
  if (m_ > 0) add_derivative(Derivative::kBiasByV, 1, P_, lower_);
  solve_chart(lower_, part_);
  full_.setZero();
  add_product(s.mass, evaluation_.mass(), 1, part_, full_);
  add_derivative(Derivative::kForceByV, -1, P_, full_);
  velocity_.noalias() = P_.transpose() * full_;
  if (n_x_ > 0) force_.noalias() = P_.transpose() * force_by_x_;
}

bool IntegrationJacobian::eval_by_columns(const State& at) {
  const dae::Structure& s = equations_.structure();
  const int n_w = n_w_;
  // Right sides: of w, then of w', then of x.
  full_.setZero();
  add_derivative(Derivative::kInertiaByQ, -1, P_, full_, at.a);
  if (m_ > 0) add_derivative(Derivative::kReactionByQ, -1, P_, full_, at.lambda);
  add_derivative(Derivative::kForceByQ, 1, P_, full_);
  add_derivative(Derivative::kForceByV, 1, v_by_w_, full_);
  columns_->upper.leftCols(n_w) = full_;
  lower_.setZero();
  if (m_ > 0) {
    add_derivative(Derivative::kAccelerationByQ, -1, P_, lower_, at.a);
    add_derivative(Derivative::kBiasByV, 1, v_by_w_, lower_);
  }
  columns_->lower.leftCols(n_w) = lower_;
  full_.setZero();
  add_derivative(Derivative::kForceByV, 1, P_, full_);
  columns_->upper.middleCols(n_w, n_w) = full_;
  lower_.setZero();
  if (m_ > 0) add_derivative(Derivative::kBiasByV, 1, P_, lower_);
  columns_->lower.middleCols(n_w, n_w) = lower_;
  columns_->upper.rightCols(n_x_) = force_by_x_;
  columns_->lower.rightCols(n_x_).setZero();
  if (!columns_->solve(evaluation_.mass(), derivative(Derivative::kForceByLambda), evaluation_.jacobian())) {
    return false;
  }
  // x' may depend on what was solved for.
  const auto add_to_states = [&](Derivative which, const Eigen::MatrixXd& by) {
    const Pattern& pattern = s.pattern(which);
    if (pattern.size() == 0) return;
    const double* values = derivative(which);
    for (int k = 0; k < pattern.size(); ++k) {
      const auto row = values[k] * by.row(pattern[k].column);
      x_by_w_.row(pattern[k].row) += row.leftCols(n_w);
      x_by_v_.row(pattern[k].row) += row.middleCols(n_w, n_w);
      x_by_x_.row(pattern[k].row) += row.rightCols(n_x_);
    }
  };
  if (n_x_ > 0) {
    add_to_states(Derivative::kStateByA, columns_->upper);
    add_to_states(Derivative::kStateByLambda, columns_->lower);
    divide_by_state_rate(x_by_w_);
    divide_by_state_rate(x_by_v_);
    divide_by_state_rate(x_by_x_);
  }
  for (int k = 0; k < 2 * n_w + n_x_; ++k) {
    const int first = k < n_w ? 0 : (k < 2 * n_w ? n_w : 2 * n_w);
    Eigen::MatrixXd& target = k < n_w ? position_ : (k < 2 * n_w ? velocity_ : force_);
    equations_.chart().reduce(columns_->upper.col(k), reduced_.head(n_w));
    target.col(k - first).noalias() = (k < 2 * n_w ? -1.0 : 1.0) * (mass_ * reduced_.head(n_w));
  }
  return true;
}

bool IntegrationJacobian::eval_by_differences(const State& at) {
  const int n_w = n_w_, size = equations_.size();
  Vector &y = y_, &rate = rate_, &moved = moved_;
  equations_.reduce(at, y);
  probe_ = at;
  if (!equations_.eval(at.t, y, probe_, ReducedEquations::Recovery::kTight)) return false;
  equations_.calc_rate(probe_, rate);
  for (int k = 0; k < size; ++k) {
    const double y_k = y[k], step = kDifference * std::max(std::abs(y_k), 1.0);
    y[k] = y_k + step;
    const double difference = y[k] - y_k;
    probe_ = at;
    if (!equations_.eval(at.t, y, probe_, ReducedEquations::Recovery::kTight)) return false;
    equations_.calc_rate(probe_, moved);
    y[k] = y_k;
    moved = (moved - rate) / difference;
    Eigen::MatrixXd& target = k < n_w ? position_ : (k < 2 * n_w ? velocity_ : force_);
    const int column = k < n_w ? k : (k < 2 * n_w ? k - n_w : k - 2 * n_w);
    target.col(column).noalias() = (k < 2 * n_w ? -1.0 : 1.0) * (mass_ * moved.segment(n_w, n_w));
    if (n_x_ == 0) continue;
    (k < n_w ? x_by_w_ : (k < 2 * n_w ? x_by_v_ : x_by_x_)).col(column) = moved.tail(n_x_);
  }
  evaluation_.set(at);
  return equations_.factor_chart();
}

bool IntegrationJacobian::factor(const StageWeights& weights) {
  weights_ = weights;
  auto matrix = factors_.matrix();
  matrix.topLeftCorner(n_w_, n_w_) = mass_ + weights.v * velocity_ + weights.q * position_;
  if (n_x_ > 0) {
    matrix.topRightCorner(n_w_, n_x_) = -weights.x * force_;
    matrix.bottomLeftCorner(n_x_, n_w_) = -weights.v * x_by_v_ - weights.q * x_by_w_;
    matrix.bottomRightCorner(n_x_, n_x_) = -weights.x * x_by_x_;
    matrix.bottomRightCorner(n_x_, n_x_).diagonal().array() += 1;
  }
  ++factorizations_;
  return factors_.factor().ok;
}

void IntegrationJacobian::solve(VectorOut right_side) {
  ++solves_;
  factors_.solve(right_side);
}

void IntegrationJacobian::solve_shifted(VectorOut b) {
  auto e_w = b.head(n_w_);
  auto right_side = work_.head(n_w_ + n_x_);
  right_side.head(n_w_).noalias() = mass_ * b.segment(n_w_, n_w_);
  right_side.head(n_w_).noalias() -= weights_.v * (position_ * e_w);
  if (n_x_ > 0) {
    right_side.tail(n_x_) = b.tail(n_x_);
    right_side.tail(n_x_).noalias() += weights_.x * (x_by_w_ * e_w);
  }
  solve(right_side);
  b.tail(n_w_ + n_x_) = right_side;
  e_w += (weights_.q / weights_.v) * b.segment(n_w_, n_w_);
}

void IntegrationJacobian::calc_rate_derivative(Eigen::Ref<Eigen::MatrixXd> J) const {
  mass_factors_.matrix() = mass_;
  if (!mass_factors_.factor().ok) {
    J.setConstant(std::nan(""));
    return;
  }
  const auto set = [&](int column, const Eigen::MatrixXd& part, double sign) {
    for (int k = 0; k < part.cols(); ++k) {
      auto target = J.col(column + k).segment(n_w_, n_w_);
      target = sign * part.col(k);
      mass_factors_.solve(target);
    }
  };
  J.setZero();
  J.block(0, n_w_, n_w_, n_w_).setIdentity();
  set(0, position_, -1);
  set(n_w_, velocity_, -1);
  if (n_x_ == 0) return;
  set(2 * n_w_, force_, 1);
  J.block(2 * n_w_, 0, n_x_, n_w_) = x_by_w_;
  J.block(2 * n_w_, n_w_, n_x_, n_w_) = x_by_v_;
  J.block(2 * n_w_, 2 * n_w_, n_x_, n_x_) = x_by_x_;
}

void IntegrationJacobian::add_counts(Statistics& statistics) const {
  statistics.linear.factorizations += factorizations_;
  statistics.linear.solves += solves_;
  if (columns_) columns_->add_counts(statistics);
}

}  // namespace trammel::integrators
