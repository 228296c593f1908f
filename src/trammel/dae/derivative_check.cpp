#include "trammel/dae/derivative_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "trammel/dae/evaluation.h"
#include "trammel/dae/numerical_derivative.h"

namespace trammel::dae {
namespace {

using Eigen::MatrixXd;

// Nobody knows the scales of a user's system beforehand, so differences are taken at several widths. Wide ones suffer
// from curvature (error ~ width^2), narrow ones from round-off (error ~ 1/width). Where three neighbours agree best,
// the middle one is taken, and their disagreement bounds its error. The ratios of the widths are uneven on purpose:
// values that are rounded to a grid would agree by chance at widths of ratio 2 or 4.
constexpr std::array kWidthFactors{61.3, 17.9, 4.7, 1.31, 0.37, 0.083, 0.019, 0.0041, 0.00093};
// Three errors may yet agree by chance. Over 69000 random states of the cases (2.4e7 entries) the error of the middle
// one was more than 20 times the uncertainty 20 times, and then far below the tolerance: no false alarm.
constexpr double kUncertaintyMargin = 20;
// Closed forms have round-off of their own, of the size of their largest terms.
constexpr double kRoundOff = 1e-13;

struct Estimate {
  MatrixXd value;
  MatrixXd uncertainty;
};

/// What is differentiated.
struct Function {
  Vector magnitude;  ///< sizes of its terms, by rows: what its round-off is relative to
  Vector widths;     ///< the usual widths of its variables, by columns
};

/// `calc` gives the matrix of differences at widths that are a factor times the usual ones.
template <class Calc>
Estimate estimate(const Function& function, const Calc& calc) {
  std::array<MatrixXd, kWidthFactors.size()> differences;
  for (std::size_t k = 0; k < kWidthFactors.size(); ++k) differences[k] = calc(kWidthFactors[k]);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Eigen::Index rows = differences[0].rows(), columns = differences[0].cols();
  Estimate best{MatrixXd::Constant(rows, columns, nan), MatrixXd::Constant(rows, columns, infinity)};
  for (std::size_t k = 1; k + 1 < kWidthFactors.size(); ++k) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      for (Eigen::Index i = 0; i < rows; ++i) {
        const double middle = differences[k](i, j);
        const double disagreement =
            std::max(std::abs(differences[k - 1](i, j) - middle), std::abs(differences[k + 1](i, j) - middle));
        const double round_off =
            std::numeric_limits<double>::epsilon() * function.magnitude[i] / (kWidthFactors[k] * function.widths[j]);
        if (disagreement + round_off < best.uncertainty(i, j)) {  // false for NaN
          best.value(i, j) = middle;
          best.uncertainty(i, j) = disagreement + round_off;
        }
      }
    }
  }
  return best;
}

/// Numbers in [-1, 1], the same on every machine.
Vector random_vector(int size, std::mt19937& engine) {
  Vector result(size);
  for (double& x : result) x = 2.0 * static_cast<double>(engine()) / static_cast<double>(std::mt19937::max()) - 1.0;
  return result;
}

using Names = std::vector<std::string>;

// How much later a system that does not depend on time must have the same values [s].
constexpr double kOtherTime = 0.375;

class Check {
 public:
  Check(const ConstrainedSystem& system, const State& at, const DerivativeCheckOptions& options)
      : system_(system),
        s_(system.structure()),
        options_(options),
        at_(at),
        evaluation_(system),
        numerical_(system),
        engine_(options.seed) {
    evaluation_.set(at);
    static_cast<State&>(point_) = at;
    point_.workspace = system.make_workspace();
    system.prepare_position(point_);
    system.prepare_velocity(point_);
  }

  DerivativeReport run() {
    check_mass();
    check_kinematics();
    check_constraints();
    check_bias();
    for (int k = 0; k < kDerivativeCount; ++k) check_derivative(static_cast<Derivative>(k));
    if (s_.is_autonomous) check_autonomy();
    std::stable_sort(report_.faults.begin(), report_.faults.end(),
                     [](const DerivativeFault& a, const DerivativeFault& b) { return a.error > b.error; });
    return std::move(report_);
  }

 private:
  using Kind = DerivativeFault::Kind;

  /// A system that says it does not depend on time has the same values at another one, to the last bit.
  void check_autonomy() {
    Evaluation later(system_);
    State moved = at_;
    moved.t += kOtherTime;
    later.set(moved);
    const auto look = [&](const char* quantity, const Vector& now, const Vector& then, const Names& names) {
      for (Eigen::Index i = 0; i < now.size(); ++i) {
        if (now[i] == then[i]) continue;
        const double rate = (then[i] - now[i]) / kOtherTime;
        report_.faults.push_back({Kind::kWrongValue, quantity, name(names, static_cast<int>(i)), "", 0, rate, 1});
      }
    };
    look("df/dt", evaluation_.force(), later.force(), s_.velocity_names);
    look("dg/dt", evaluation_.constraint(), later.constraint(), s_.constraint_names);
    if (s_.m() > 0 && evaluation_.gives_acceleration_bias()) {
      look("dbias/dt", evaluation_.acceleration_bias(), later.acceleration_bias(), s_.constraint_names);
    }
    if (s_.n_x() > 0) look("dd/dt", evaluation_.state_residual(), later.state_residual(), s_.state_names);
    report_.checked.emplace_back("is_autonomous");
  }

  template <class Calc>
  Estimate estimate_by(const Function& function, const Calc& calc) {
    return estimate(function, [&](double factor) {
      numerical_.set_width_factor(factor);
      return calc();
    });
  }

  /// `columns` is empty for a vector; `pattern` is null where every place is given.
  void compare(const std::string& quantity, const Names& rows, const Names& columns, const MatrixXd& given,
               const Estimate& differences, const linalg::Pattern* pattern) {
    Eigen::MatrixX<bool> in_pattern = Eigen::MatrixX<bool>::Constant(given.rows(), given.cols(), pattern == nullptr);
    if (pattern != nullptr) {
      for (const linalg::Entry& e : pattern->entries()) in_pattern(e.row, e.column) = true;
    }
    const auto size_of = [](double x) { return std::isfinite(x) ? std::abs(x) : 0.0; };
    const MatrixXd sizes = given.unaryExpr(size_of).cwiseMax(differences.value.unaryExpr(size_of));
    const double largest = sizes.size() > 0 ? sizes.maxCoeff() : 0.0;
    for (Eigen::Index i = 0; i < given.rows(); ++i) {
      const double scale = sizes.row(i).maxCoeff();
      for (Eigen::Index j = 0; j < given.cols(); ++j) {
        const double error = std::abs(given(i, j) - differences.value(i, j));
        const double accepted =
            options_.tolerance * scale + kUncertaintyMargin * differences.uncertainty(i, j) + kRoundOff * largest;
        if (error <= accepted) continue;  // false for NaN
        report_.faults.push_back(
            {in_pattern(i, j) ? Kind::kWrongValue : Kind::kOutsidePattern, quantity, rows[static_cast<std::size_t>(i)],
             columns.empty() ? "" : columns[static_cast<std::size_t>(j)], given(i, j), differences.value(i, j),
             std::isfinite(error) ? error / scale : std::numeric_limits<double>::infinity()});
      }
    }
  }

  void check_mass() {
    const MatrixXd M = s_.mass.to_dense(evaluation_.mass());
    const double largest = M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0;
    for (int j = 0; j < s_.n_v(); ++j) {
      for (int i = 0; i <= j; ++i) {
        const double error = std::abs(M(i, j) - M(j, i));
        if (error <= kRoundOff * largest) continue;
        const double scale = std::max(std::abs(M(i, j)), std::abs(M(j, i)));
        report_.faults.push_back({Kind::kAsymmetric, "M", name(s_.velocity_names, i), name(s_.velocity_names, j),
                                  M(i, j), M(j, i),
                                  std::isfinite(error) ? error / scale : std::numeric_limits<double>::infinity()});
      }
    }
    report_.checked.emplace_back("M");
  }

  void check_kinematics() {
    if (s_.has_trivial_kinematics) return;
    MatrixXd T(s_.n_q(), s_.n_v());
    Vector rate(s_.n_q()), ahead(s_.n_q()), behind(s_.n_q());
    for (int j = 0; j < s_.n_v(); ++j) {
      rate.setZero();
      system_.calc_position_rate(at_.q, Vector::Unit(s_.n_v(), j), rate);
      T.col(j) = rate;
    }
    const Function retraction{at_.q.cwiseAbs(), Vector::Constant(s_.n_v(), NumericalDerivatives::kWidth)};
    const Estimate along_retract = estimate(retraction, [&](double factor) {
      const double width = factor * NumericalDerivatives::kWidth;
      MatrixXd result(s_.n_q(), s_.n_v());
      for (int j = 0; j < s_.n_v(); ++j) {
        system_.retract(at_.q, width * Vector::Unit(s_.n_v(), j), ahead);
        system_.retract(at_.q, -width * Vector::Unit(s_.n_v(), j), behind);
        result.col(j) = (ahead - behind) / (2 * width);
      }
      return result;
    });
    compare("T", s_.position_names, s_.velocity_names, T, along_retract, nullptr);
    report_.checked.emplace_back("T");
  }

  void check_constraints() {
    if (s_.n_g == 0) return;
    const MatrixXd G = s_.jacobian.to_dense(evaluation_.jacobian()).topRows(s_.n_g);
    const Vector g = evaluation_.constraint().cwiseAbs();
    const Estimate by_q =
        estimate_by({g, usual_widths(Derivative::kVelocityByQ)}, [&] { return numerical_.calc_constraint_by_q(at_); });
    std::vector<linalg::Entry> holonomic;
    for (const linalg::Entry& e : s_.jacobian.entries()) {
      if (e.row < s_.n_g) holonomic.push_back(e);
    }
    const linalg::Pattern pattern(s_.n_g, s_.n_v(), std::move(holonomic));
    compare("G", s_.constraint_names, s_.velocity_names, G, by_q, &pattern);
    report_.checked.emplace_back("G");

    const Vector offset = evaluation_.velocity_offset().head(s_.n_g);
    const Estimate by_t = estimate_by({g, Vector{{NumericalDerivatives::kWidth}}},
                                      [&]() -> MatrixXd { return numerical_.calc_constraint_by_t(at_); });
    compare("g_t", s_.constraint_names, {}, offset, by_t, nullptr);
    report_.checked.emplace_back("g_t");
  }

  void check_bias() {
    Vector bias = Vector::Zero(s_.m());
    if (s_.m() == 0) return;
    if (!system_.calc_acceleration_bias(point_, bias)) {
      report_.not_given.emplace_back("bias");
      return;
    }
    // Differences by time, over a way of the usual width.
    const double speed = std::max(1.0, at_.v.cwiseAbs().maxCoeff());
    const Function velocity{magnitude(Derivative::kVelocityByQ, {}), Vector{{NumericalDerivatives::kWidth / speed}}};
    const Estimate along_motion = estimate_by(velocity, [&]() -> MatrixXd {
      Vector result(s_.m());
      numerical_.calc_bias(at_, result);
      return result;
    });
    compare("bias", s_.constraint_names, {}, bias, along_motion, nullptr);
    report_.checked.emplace_back("bias");
  }

  void check_derivative(Derivative which) {
    const linalg::Pattern& pattern = s_.pattern(which);
    if (pattern.rows() == 0 || pattern.columns() == 0) return;
    const Vector direction = random_vector(direction_length(which), engine_);
    const Estimate differences = estimate_by({magnitude(which, direction), usual_widths(which)},
                                             [&] { return numerical_.calc_full(which, at_, direction); });
    Vector values = Vector::Zero(pattern.size());
    const bool is_given =
        pattern.size() == 0 || system_.calc_derivative(which, point_, direction, {pattern, values.data()});
    if (is_given) {
      report_.checked.push_back(to_string(which));
    } else {
      report_.not_given.push_back(to_string(which));
      values.setZero();
    }
    MatrixXd given = pattern.to_dense(values.data());
    if (!is_given) {
      // Within the pattern there is nothing to compare.
      for (const linalg::Entry& e : pattern.entries()) given(e.row, e.column) = differences.value(e.row, e.column);
    }
    Names rows, columns;
    for (int i = 0; i < pattern.rows(); ++i) rows.push_back(row_name(s_, which, i));
    for (int j = 0; j < pattern.columns(); ++j) columns.push_back(column_name(s_, which, j));
    compare(to_string(which), rows, columns, given, differences, &pattern);
  }

  Vector usual_widths(Derivative which) {
    numerical_.set_width_factor(1);
    return numerical_.calc_widths(which, at_);
  }

  /// The sizes of the terms of what `which` is the derivative of, by rows.
  Vector magnitude(Derivative which, const Vector& direction) {
    const auto product = [](const linalg::Pattern& pattern, const double* values, const Vector& x, bool transposed) {
      const MatrixXd A = pattern.to_dense(values).cwiseAbs();
      return transposed ? Vector(A.transpose() * x.cwiseAbs()) : Vector(A * x.cwiseAbs());
    };
    switch (which) {
      case Derivative::kInertiaByQ: return product(s_.mass, evaluation_.mass(), direction, false);
      case Derivative::kReactionByQ: return product(s_.jacobian, evaluation_.jacobian(), direction, true);
      case Derivative::kForceByQ:
      case Derivative::kForceByV:
      case Derivative::kForceByLambda:
      case Derivative::kForceByX: return evaluation_.force().cwiseAbs();
      case Derivative::kVelocityByQ:
        return product(s_.jacobian, evaluation_.jacobian(), at_.v, false) + evaluation_.velocity_offset().cwiseAbs();
      case Derivative::kAccelerationByQ:
        return product(s_.jacobian, evaluation_.jacobian(), direction, false) +
               evaluation_.acceleration_bias().cwiseAbs();
      case Derivative::kBiasByV: return evaluation_.acceleration_bias().cwiseAbs();
      default: return evaluation_.state_residual().cwiseAbs();
    }
  }

  int direction_length(Derivative which) const {
    switch (which) {
      case Derivative::kInertiaByQ:
      case Derivative::kAccelerationByQ: return s_.n_v();
      case Derivative::kReactionByQ: return s_.m();
      default: return 0;
    }
  }

  static const std::string& name(const Names& names, int i) { return names[static_cast<std::size_t>(i)]; }

  const ConstrainedSystem& system_;
  const Structure& s_;
  const DerivativeCheckOptions& options_;
  const State& at_;
  Evaluation evaluation_;
  NumericalDerivatives numerical_;
  Point point_;
  std::mt19937 engine_;
  DerivativeReport report_;
};

}  // namespace

std::vector<std::string> DerivativeCheckOptions::validate() const {
  if (tolerance > 0 && tolerance < 1) return {};
  return {fmt::format("the tolerance of a derivative check must lie between 0 and 1, not be {}", tolerance)};
}

DerivativeReport check_derivatives(const ConstrainedSystem& system, const State& at,
                                   const DerivativeCheckOptions& options) {
  const std::vector<std::string> problems = options.validate();
  if (!problems.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
  const State sizes = State::zero(system.structure());
  if (at.q.size() != sizes.q.size() || at.v.size() != sizes.v.size() || at.a.size() != sizes.a.size() ||
      at.lambda.size() != sizes.lambda.size() || at.x.size() != sizes.x.size() ||
      at.x_rate.size() != sizes.x_rate.size()) {
    throw std::invalid_argument("the state does not have the sizes of the system; begin with State::zero(structure)");
  }
  return Check(system, at, options).run();
}

std::string to_string(const DerivativeFault& fault) {
  const std::string place = fault.column.empty()
                                ? fmt::format("{}: row {}", fault.quantity, fault.row)
                                : fmt::format("{}: row {}, column {}", fault.quantity, fault.row, fault.column);
  switch (fault.kind) {
    case DerivativeFault::Kind::kOutsidePattern:
      return fmt::format("{}: not in the pattern, differences give {:.8g}", place, fault.numerical);
    case DerivativeFault::Kind::kAsymmetric:
      return fmt::format("{}: {:.8g}, but {:.8g} on the other side of the diagonal", place, fault.given,
                         fault.numerical);
    case DerivativeFault::Kind::kWrongValue: break;
  }
  return fmt::format("{}: given {:.8g}, differences give {:.8g}", place, fault.given, fault.numerical);
}

std::string to_string(const DerivativeReport& report) {
  if (report.is_right()) {
    std::string text = fmt::format("right: {}", fmt::join(report.checked, ", "));
    if (!report.not_given.empty()) text += fmt::format("\nleft to differences: {}", fmt::join(report.not_given, ", "));
    return text;
  }
  std::vector<std::string> lines;
  lines.reserve(report.faults.size());
  for (const DerivativeFault& fault : report.faults) lines.push_back(to_string(fault));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace trammel::dae
