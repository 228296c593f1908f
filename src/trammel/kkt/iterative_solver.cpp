#include "trammel/kkt/iterative_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace trammel::kkt {

using linalg::FactorStatus;
using linalg::largest_abs;
using linalg::Pattern;

namespace {

// A residual is round-off when it is at most this part, nine units in the last place, of what its row makes of the
// largest unknowns: sums of a few products leave about as much.
constexpr double kRoundOff = 2e-15;
// What the true residual may exceed that by when the one that is updated has come down.
constexpr double kVerified = 4;
// After k matrices in a row for which the iteration was given up, the next 2^k - 1 are factorised at once; largest k.
constexpr int kMostFailures = 5;
// Corrections by factors of the present matrix, as for a direct solution that is in doubt.
constexpr int kRefinements = 2;

class IterativeSolver final : public DirectSolver {
 public:
  IterativeSolver(const Layout& layout, const Pattern& whole, std::unique_ptr<DirectSolver> earlier)
      : upper_(layout.upper),
        mass_(*layout.blocks.front().pattern),
        jacobian_(*layout.jacobian),
        switchable_(layout.switchable_rows),
        earlier_(std::move(earlier)) {
    const Vector zero = Vector::Zero(whole.rows());
    b_ = z_ = residual_ = preconditioned_ = direction_ = product_ = allowed_ = zero;
    by_upper_ = by_lower_ = zero;
    values_ = Vector::Zero(whole.size());
    factored_switches_ = Vector::Zero(static_cast<Eigen::Index>(switchable_.size()));
  }

  BackEnd kind() const override { return BackEnd::kIterative; }
  bool is_in_doubt() const override { return false; }  // every solution is judged by its residual
  double calc_rcond() override { return earlier_->calc_rcond(); }
  double factor_cost() const override { return earlier_->factor_cost(); }
  std::optional<Work> take_work() override {
    const Work done = work_;
    work_.factorizations = work_.refinements = 0;
    return done;
  }

  FactorStatus factor(const Vector& values) override {
    const bool is_due = !work_.status.ok || matrices_ == 0 || is_factorisation_due() || untried_ > 0;
    if (untried_ > 0) --untried_;
    if (matrices_ > 1) failures_ = 0;
    values_ = values;
    has_row_sums_ = false;
    spent_ += excess_;
    excess_ = 0;
    if (is_due || switches() != factored_switches_ || !std::isfinite(values.sum())) return renew();
    ++matrices_;
    is_fresh_ = false;
    return {};
  }

  void solve(VectorOut upper, VectorOut lower) override {
    b_ << upper, lower;
    bool is_solved = work_.status.ok && iterate();
    if (!is_solved && work_.status.ok) {
      failures_ = std::min(failures_ + 1, kMostFailures);
      untried_ = (1 << failures_) - 1;
      if (renew().ok) is_solved = iterate();
    }
    if (!is_solved) z_.setConstant(std::numeric_limits<double>::quiet_NaN());
    upper = z_.head(upper_);
    lower = z_.tail(b_.size() - upper_);
  }

 private:
  /// The ones on the diagonal of rows that are switched off.
  Eigen::Ref<const Vector> switches() const { return values_.tail(factored_switches_.size()); }

  /// The cost of a matrix is what its solutions take beyond one solution each with factors of its own, or the
  /// factorisation. Once that of the last one exceeds the mean since the last factorisation, the mean would grow.
  bool is_factorisation_due() const { return excess_ > (factor_cost() + spent_) / static_cast<double>(matrices_); }

  FactorStatus renew() {
    ++work_.factorizations;
    work_.status = earlier_->factor(values_);
    factored_switches_ = switches();
    matrices_ = 1;
    spent_ = excess_ = 0;
    is_fresh_ = true;
    return work_.status;
  }

  void apply_earlier(Vector& r) { earlier_->solve(r.head(upper_), r.tail(r.size() - upper_)); }

  /// out += scale * A x.
  void add_product(const Vector& x, double scale, Vector& out) const {
    const double* jacobian = values_.data() + mass_.size();
    const Eigen::Index lower = x.size() - upper_;
    mass_.add_product(values_.data(), x.head(upper_), scale, out.head(upper_));
    jacobian_.add_transposed_product(jacobian, x.tail(lower), scale, out.head(upper_));
    jacobian_.add_product(jacobian, x.head(upper_), scale, out.tail(lower));
    for (std::size_t k = 0; k < switchable_.size(); ++k) {
      const Eigen::Index row = upper_ + switchable_[k];
      out[row] += scale * switches()[static_cast<Eigen::Index>(k)] * x[row];
    }
  }

  /// Sums of magnitudes of each row, by the upper and by the lower unknowns.
  void sum_rows() {
    by_upper_.setZero();
    by_lower_.setZero();
    const double* value = values_.data();
    for (const linalg::Entry& e : mass_.entries()) by_upper_[e.row] += std::abs(*value++);
    for (const linalg::Entry& e : jacobian_.entries()) {
      const double size = std::abs(*value++);
      by_upper_[upper_ + e.row] += size;
      by_lower_[e.column] += size;
    }
    for (std::size_t k = 0; k < switchable_.size(); ++k) {
      by_lower_[upper_ + switchable_[k]] = switches()[static_cast<Eigen::Index>(k)];
    }
    has_row_sums_ = true;
  }

  /// What round-off of unknowns as large as those of z_ makes of each row.
  void set_allowed() {
    if (!has_row_sums_) sum_rows();
    const double upper = largest_abs(z_.head(upper_)), lower = largest_abs(z_.tail(z_.size() - upper_));
    allowed_ = kRoundOff * (upper * by_upper_ + lower * by_lower_ + b_.cwiseAbs());
  }

  /// The largest residual, relative to what is allowed in its row.
  double measure_residual() const {
    double largest = 0;
    for (Eigen::Index i = 0; i < residual_.size(); ++i) {
      const double size = std::abs(residual_[i]);
      if (size > largest * allowed_[i] || std::isnan(size)) largest = size / allowed_[i];
      if (std::isnan(largest)) break;
    }
    return largest;
  }

  double eval_residual() {
    residual_ = b_;
    add_product(z_, -1, residual_);
    return measure_residual();
  }

  /// (1) for the right side b_; false when a factorisation of the present matrix is the shorter way.
  bool iterate() {
    const long before = work_.refinements;
    const bool is_solved = try_to_converge();
    excess_ += static_cast<double>(work_.refinements - before);
    return is_solved;
  }

  bool try_to_converge() {
    z_ = b_;
    apply_earlier(z_);
    if (!std::isfinite(b_.sum())) return true;  // and the solution is no number either
    set_allowed();
    const double first = eval_residual();
    double residual = first, previous = first, energy = 0;
    for (int k = 0; !(residual <= 1); ++k) {
      if (k > 0 && is_hopeless(k, first, previous, residual)) return is_fresh_;
      ++work_.refinements;
      preconditioned_ = residual_;
      apply_earlier(preconditioned_);
      const double energy_before = energy;
      energy = residual_.dot(preconditioned_);
      if (k == 0 || is_fresh_) {
        direction_ = preconditioned_;
      } else {
        direction_ = preconditioned_ + (energy / energy_before) * direction_;
      }
      product_.setZero();
      add_product(direction_, 1, product_);
      const double alpha = is_fresh_ ? 1 : energy / direction_.dot(product_);
      z_ += alpha * direction_;
      residual_ -= alpha * product_;
      previous = residual;
      residual = measure_residual();
      // The residual that is updated may have lost touch with the true one.
      if (residual <= 1) {
        const double verified = eval_residual();
        if (verified > kVerified) residual = verified;
      }
    }
    return true;
  }

  /// Whether, after k steps, those that are missing at the rate so far cost more than factors of the present matrix; or
  /// with these, whether round-off is all that is left.
  bool is_hopeless(int k, double first, double previous, double residual) const {
    if (!std::isfinite(residual)) return true;
    if (is_fresh_) return k >= kRefinements || !(residual < 0.5 * previous);
    const double rate = std::log(residual / first) / k;
    return !(rate < 0) || std::log(residual) / -rate > factor_cost() + 1;
  }

  Eigen::Index upper_;
  const Pattern& mass_;
  const Pattern& jacobian_;
  std::span<const int> switchable_;
  std::unique_ptr<DirectSolver> earlier_;
  Work work_;
  Vector values_;             // of the present matrix
  Vector factored_switches_;  // those of the one that is factorised
  bool is_fresh_ = false;     // which is the present one
  long matrices_ = 0;         // since the last factorisation, with that one
  double spent_ = 0;          // solutions with the factors, beyond one a right side, before the present matrix
  double excess_ = 0;         // the same for the present matrix
  int failures_ = 0;          // matrices in a row for which the iteration was given up
  int untried_ = 0;           // matrices that are factorised at once after that
  bool has_row_sums_ = false;
  Vector by_upper_, by_lower_;  // sums of the magnitudes of each row
  Vector b_, z_, residual_, preconditioned_, direction_, product_;
  Vector allowed_;  // residual of each row that is round-off
};

}  // namespace

std::unique_ptr<DirectSolver> make_iterative_solver(const Layout& layout, const Pattern& whole,
                                                    std::unique_ptr<DirectSolver> earlier) {
  if (!layout.is_mass_only)
    throw std::invalid_argument("conjugate gradients need a matrix whose only block is the mass");
  return std::make_unique<IterativeSolver>(layout, whole, std::move(earlier));
}

std::string find_iterative_obstacle(const dae::Structure&) { return {}; }

}  // namespace trammel::kkt
