#include "trammel/dae/numerical_derivative.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel::dae {

/// What is perturbed and what is looked at.
enum class NumericalDerivatives::Variable { kTime, kQ, kV, kA, kLambda, kX, kXRate };
enum class NumericalDerivatives::Function {
  kInertia,       // M s
  kReaction,      // G^T s
  kForce,         // f
  kConstraint,    // g
  kVelocity,      // G v + g_t
  kAcceleration,  // G s - bias
  kBias,          // bias
  kState,         // d
};
struct NumericalDerivatives::Kind {
  Function function;
  Variable variable;
};

NumericalDerivatives::Kind NumericalDerivatives::kind_of(Derivative which) {
  switch (which) {
    case Derivative::kInertiaByQ: return {Function::kInertia, Variable::kQ};
    case Derivative::kReactionByQ: return {Function::kReaction, Variable::kQ};
    case Derivative::kForceByQ: return {Function::kForce, Variable::kQ};
    case Derivative::kForceByV: return {Function::kForce, Variable::kV};
    case Derivative::kForceByLambda: return {Function::kForce, Variable::kLambda};
    case Derivative::kForceByX: return {Function::kForce, Variable::kX};
    case Derivative::kVelocityByQ: return {Function::kVelocity, Variable::kQ};
    case Derivative::kAccelerationByQ: return {Function::kAcceleration, Variable::kQ};
    case Derivative::kBiasByV: return {Function::kBias, Variable::kV};
    case Derivative::kStateByXRate: return {Function::kState, Variable::kXRate};
    case Derivative::kStateByX: return {Function::kState, Variable::kX};
    case Derivative::kStateByQ: return {Function::kState, Variable::kQ};
    case Derivative::kStateByV: return {Function::kState, Variable::kV};
    case Derivative::kStateByA: return {Function::kState, Variable::kA};
    case Derivative::kStateByLambda: break;
  }
  return {Function::kState, Variable::kLambda};
}

std::vector<std::vector<int>> colour_columns(const linalg::Pattern& pattern) {
  std::vector<std::vector<int>> rows_of_column(static_cast<std::size_t>(pattern.columns()));
  std::vector<std::vector<int>> columns_of_row(static_cast<std::size_t>(pattern.rows()));
  for (const linalg::Entry& e : pattern.entries()) {
    rows_of_column[static_cast<std::size_t>(e.column)].push_back(e.row);
    columns_of_row[static_cast<std::size_t>(e.row)].push_back(e.column);
  }
  std::vector<int> colour_of(static_cast<std::size_t>(pattern.columns()), -1);
  std::vector<int> last_user;  // of a colour: the column that found it taken
  std::vector<std::vector<int>> groups;
  for (int column = 0; column < pattern.columns(); ++column) {
    const auto& rows = rows_of_column[static_cast<std::size_t>(column)];
    if (rows.empty()) continue;
    for (int row : rows) {
      for (int other : columns_of_row[static_cast<std::size_t>(row)]) {
        const int colour = colour_of[static_cast<std::size_t>(other)];
        if (colour >= 0) last_user[static_cast<std::size_t>(colour)] = column;
      }
    }
    int colour = 0;
    while (colour < static_cast<int>(groups.size()) && last_user[static_cast<std::size_t>(colour)] == column) ++colour;
    if (colour == static_cast<int>(groups.size())) {
      groups.emplace_back();
      last_user.push_back(-1);
    }
    groups[static_cast<std::size_t>(colour)].push_back(column);
    colour_of[static_cast<std::size_t>(column)] = colour;
  }
  return groups;
}

NumericalDerivatives::NumericalDerivatives(const ConstrainedSystem& system, EvaluationCounts* counts)
    : system_(system), counts_(counts ? counts : &own_counts_) {
  const Structure& s = system.structure();
  static_cast<State&>(point_) = State::zero(s);
  point_.workspace = system.make_workspace();
  mass_ = Vector::Zero(s.mass.size());
  jacobian_ = Vector::Zero(s.jacobian.size());
  work_ = Vector::Zero(s.m());
  for (int k = 0; k < kDerivativeCount; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const linalg::Pattern& pattern = s.derivatives[index];
    colours_[index] = colour_columns(pattern);
    entries_by_column_[index].resize(static_cast<std::size_t>(pattern.columns()));
    for (int e = 0; e < pattern.size(); ++e) {
      entries_by_column_[index][static_cast<std::size_t>(pattern[e].column)].push_back(e);
    }
    // Entries that share a place add up, so only the first of them gets the value.
    std::vector<int> last_column(static_cast<std::size_t>(pattern.rows()), -1);
    for (auto& entries : entries_by_column_[index]) {
      std::erase_if(entries, [&](int e) {
        return std::exchange(last_column[static_cast<std::size_t>(pattern[e].row)], pattern[e].column) ==
               pattern[e].column;
      });
    }
  }
}

void NumericalDerivatives::evaluate(Function function, VectorIn direction, VectorOut result) {
  const Structure& s = system_.structure();
  system_.prepare_position(point_);
  system_.prepare_velocity(point_);
  result.setZero();
  const auto jacobian = [&]() -> const double* {
    jacobian_.setZero();
    ++counts_->jacobian;
    system_.calc_jacobian(point_, {s.jacobian, jacobian_.data()});
    return jacobian_.data();
  };
  const auto bias = [&](VectorOut out) {
    if (system_.calc_acceleration_bias(point_, out)) return;
    // The displaced point is kept while the inner differences move point_.
    kept_ = point_;
    calc_bias(kept_, out);
    static_cast<State&>(point_) = kept_;
  };
  switch (function) {
    case Function::kInertia:
      mass_.setZero();
      ++counts_->mass;
      system_.calc_mass(point_, {s.mass, mass_.data()});
      s.mass.add_product(mass_.data(), direction, 1, result);
      break;
    case Function::kReaction: s.jacobian.add_transposed_product(jacobian(), direction, 1, result); break;
    case Function::kForce:
      ++counts_->force;
      system_.calc_force(point_, result);
      break;
    case Function::kConstraint:
      ++counts_->constraint;
      system_.calc_constraint(point_, result);
      break;
    case Function::kVelocity:
      system_.calc_velocity_offset(point_, result);
      s.jacobian.add_product(jacobian(), point_.v, 1, result);
      break;
    case Function::kAcceleration:
      work_.setZero();
      bias(work_);
      result = -work_;
      system_.prepare_position(point_);
      s.jacobian.add_product(jacobian(), direction, 1, result);
      break;
    case Function::kBias: bias(result); break;
    case Function::kState:
      ++counts_->state;
      system_.calc_state_residual(point_, result);
      break;
  }
}

void NumericalDerivatives::displace(Variable variable, const State& at, double scale) {
  static_cast<State&>(point_) = at;
  switch (variable) {
    case Variable::kTime: point_.t += scale * step_[0]; break;
    case Variable::kQ:
      step_ *= scale;
      system_.retract(at.q, step_, point_.q);
      step_ /= scale;
      break;
    case Variable::kV: point_.v += scale * step_; break;
    case Variable::kA: point_.a += scale * step_; break;
    case Variable::kLambda: point_.lambda += scale * step_; break;
    case Variable::kX: point_.x += scale * step_; break;
    case Variable::kXRate: point_.x_rate += scale * step_; break;
  }
}

void NumericalDerivatives::calc_steps(Variable variable, const State& at) {
  const Structure& s = system_.structure();
  const auto scale_by = [this](VectorIn values) { widths_ = width_ * values.cwiseAbs().cwiseMax(1.0); };
  switch (variable) {
    case Variable::kTime: widths_.setConstant(1, width_ * std::max(1.0, std::cbrt(std::abs(at.t)))); break;
    case Variable::kQ: s.has_trivial_kinematics ? scale_by(at.q) : void(widths_.setConstant(s.n_v(), width_)); break;
    case Variable::kV: scale_by(at.v); break;
    case Variable::kA: scale_by(at.a); break;
    case Variable::kLambda: scale_by(at.lambda); break;
    case Variable::kX: scale_by(at.x); break;
    case Variable::kXRate: scale_by(at.x_rate); break;
  }
  step_.setZero(widths_.size());
}

Vector NumericalDerivatives::calc_widths(Derivative which, const State& at) {
  calc_steps(kind_of(which).variable, at);
  return widths_;
}

void NumericalDerivatives::calc_difference(const Kind& kind, const State& at, VectorIn direction) {
  displace(kind.variable, at, 1);
  evaluate(kind.function, direction, plus_);
  displace(kind.variable, at, -1);
  evaluate(kind.function, direction, minus_);
  plus_ = 0.5 * (plus_ - minus_);
}

void NumericalDerivatives::calc(Derivative which, const State& at, VectorIn direction, MatrixValues values) {
  const auto index = static_cast<std::size_t>(which);
  const linalg::Pattern& pattern = values.pattern();
  const Kind kind = kind_of(which);
  calc_steps(kind.variable, at);
  plus_.setZero(pattern.rows());
  minus_.setZero(pattern.rows());
  for (const std::vector<int>& group : colours_[index]) {
    step_.setZero();
    for (int column : group) step_[column] = widths_[column];
    calc_difference(kind, at, direction);
    for (int column : group) {
      for (int entry : entries_by_column_[index][static_cast<std::size_t>(column)]) {
        values[entry] = plus_[pattern[entry].row] / widths_[column];
      }
    }
  }
}

Eigen::MatrixXd NumericalDerivatives::calc_full(Derivative which, const State& at, VectorIn direction) {
  const linalg::Pattern& pattern = system_.structure().pattern(which);
  const Kind kind = kind_of(which);
  calc_steps(kind.variable, at);
  plus_.setZero(pattern.rows());
  minus_.setZero(pattern.rows());
  Eigen::MatrixXd result(pattern.rows(), pattern.columns());
  for (int column = 0; column < pattern.columns(); ++column) {
    step_.setZero();
    step_[column] = widths_[column];
    calc_difference(kind, at, direction);
    result.col(column) = plus_ / widths_[column];
  }
  return result;
}

Eigen::MatrixXd NumericalDerivatives::calc_constraint_by_q(const State& at) {
  const Structure& s = system_.structure();
  calc_steps(Variable::kQ, at);
  plus_.setZero(s.n_g);
  minus_.setZero(s.n_g);
  Eigen::MatrixXd result(s.n_g, s.n_v());
  for (int column = 0; column < s.n_v(); ++column) {
    step_.setZero();
    step_[column] = widths_[column];
    calc_difference({Function::kConstraint, Variable::kQ}, at, Vector());
    result.col(column) = plus_ / widths_[column];
  }
  return result;
}

Vector NumericalDerivatives::calc_constraint_by_t(const State& at) {
  plus_.setZero(system_.structure().n_g);
  minus_.setZero(system_.structure().n_g);
  calc_steps(Variable::kTime, at);
  step_[0] = widths_[0];
  calc_difference({Function::kConstraint, Variable::kTime}, at, Vector());
  return plus_ / widths_[0];
}

void NumericalDerivatives::calc_bias(const State& at, VectorOut bias) {
  // The displacement of the positions, not of the time, is what must neither vanish nor be large. Rounding of a large
  // time or position asks for a wider one: by the cube root of the time, which has no scale of its own.
  const double speed = std::max(1.0, linalg::largest_abs(at.v));
  const double scale = std::max({1.0, linalg::largest_abs(at.q), std::cbrt(std::abs(at.t))});
  const double width = (at.t + width_ * scale / speed) - at.t;
  ahead_.setZero(bias.size());
  for (const double sign : {1.0, -1.0}) {
    static_cast<State&>(point_) = at;
    point_.t = at.t + sign * width;
    bias_step_ = sign * width * at.v;
    system_.retract(at.q, bias_step_, point_.q);
    evaluate(Function::kVelocity, at.v, bias);
    if (sign > 0) ahead_ = bias;
  }
  bias = (bias - ahead_) / (2 * width);
}

}  // namespace trammel::dae
