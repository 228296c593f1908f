#pragma once

// The equations that an implicit method solves at the end of a step, with accelerations as unknowns (index 3):
//
//   q = retract(q_0, d + c_q a),   v = v_* + c_v a,   x = x_* + c_x x'                                           (1)
//   (M a + G^T lambda - f)(t, q, v, lambda, x) + w (M_0 a + (G^T lambda - f)_0) = 0                              (2)
//   g(t, q) / c_q = 0,   nonholonomic rows of (G v + g_t) / c_v = 0                                              (3)
//   d(x', x, t, q, v, a, lambda) = 0                                                                             (4)
//
// The unknowns are a, lambda and x'. The formula of the method gives c_q ~ h^2, c_v ~ h, c_x ~ h, the known parts d,
// v_*, x_*, and w, the weight of the terms at the begin of the step (HHT: w = -alpha/(1 + alpha)).
//
// Newton's matrix is [M + w M_0 - c_v f_v + c_q K, G^T - f_lambda; G, 0] with the rows and columns of the states, where
// K = d(M a + G^T lambda - f)/dq. Dividing the constraints by c_q keeps its condition bounded as h -> 0. On rotations
// the tangent of the exponential map is taken as the identity in it: an error of O(h) in the matrix, none in (1)-(4).
// Theory: docs/theory/hht.md, section 2.

#include <string>
#include <vector>

#include "trammel/integrators/jacobian_policy.h"
#include "trammel/integrators/method.h"
#include "trammel/kkt/solver.h"

namespace trammel::integrators {

/// MethodEntry::largest_step_share of implicit methods: a hundred steps are cheap, and find most of what happens.
inline constexpr double kImplicitStepShare = 0.01;

/// Which matrix Newton's iteration works with.
enum class NewtonKind {
  kModified,  ///< exact when it was evaluated, kept while it serves
  kFull,      ///< exact and new at every iteration
  kQuasi,     ///< kept, and without the derivatives of M a and G^T lambda
};

/// The numbers of (1) and (2).
struct StepCoefficients {
  double c_q = 0, c_v = 0, c_x = 0;
  double w = 0;
};

/// A correction (da, dx') counts as the error norm of (q c_q da, v c_v da, x c_x dx').
struct CorrectionScale {
  double q = 1, v = 1, x = 1;
};

/// From the word of the option `newton`: modified, full or quasi.
NewtonKind read_newton_kind(const std::string& word);

struct StepEquationsOptions {
  NewtonKind newton = NewtonKind::kModified;
  /// A rate of 0.1 instead of 0.3 saves a third of the iterations on stiff cases (double pendulum at 1e-6: 2.3 a step
  /// instead of 3.4) for as many more matrices (0.18 instead of 0.11), and changes little elsewhere.
  JacobianPolicyOptions policy{.max_rate = 0.1};
  int max_iterations = 10;
  double tolerance = 1e-3;  ///< of the distance to the solution, by CorrectionScale
};

class StepEquations {
 public:
  using Vector = linalg::Vector;

  /// Keeps references; the norm measures corrections.
  StepEquations(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options);

  /// The method begins anew: the matrix is no longer trusted.
  void note_restart() { policy_.note_restart(); }
  /// q_0 of (1), and M_0 and (G^T lambda - f)_0 of (2) at a complete state.
  void set_begin(const dae::State& begin);
  /// d, v_* and x_* of (1), and the time at the end of the step.
  void set_known(double t, linalg::VectorIn displacement, linalg::VectorIn v, linalg::VectorIn x);
  /// Where the iteration starts.
  void set_prediction(linalg::VectorIn a, linalg::VectorIn lambda, linalg::VectorIn x_rate);

  /// Solves (1)-(4) into trial(). An old matrix is renewed before the iteration is given up.
  bool solve(const StepCoefficients& coefficients, const CorrectionScale& scale);
  /// The last iterate, with a, lambda and x' of the equations above.
  const dae::State& trial() const { return trial_; }
  /// Iterations, rate and size of the last correction.
  const math::NewtonOutcome& newton() const { return outcome_; }
  void note_accepted_step();

  /// In place: u of the matrix that is factorised, with the right side (r, 0, 0).
  void filter(Vector& r);

  /// Factorises the matrix with these numbers at the trial and estimates its reciprocal condition.
  double calc_rcond(const StepCoefficients& coefficients);
  void add_counts(Statistics& statistics) const { statistics.linear += solver_.counts(); }
  /// Why solve() returned false, in words.
  std::string describe_trouble();

 private:
  /// A derivative and where it stands in the matrix.
  struct Term {
    dae::Derivative which;
    int row, column;
    const linalg::Pattern* pattern;
  };
  std::vector<Term> make_terms() const;
  kkt::Layout make_layout() const;
  void update_trial();
  bool renew(RenewalCause cause);
  kkt::BlockValues eval_term(const Term& term);
  double correct(const CorrectionScale& scale);
  double round_off(const CorrectionScale& scale);
  bool is_at_round_off() const;

  MethodContext context_;
  dae::Evaluation& evaluation_;
  const ErrorNorm& norm_;
  StepEquationsOptions options_;
  int n_v_, n_x_, m_, n_g_;
  bool constant_mass_;
  linalg::PatternPart nonholonomic_;  // rows of d(G v + g_t)/dq
  std::vector<Term> terms_;
  kkt::Solver solver_;
  JacobianPolicy policy_;
  StepCoefficients c_;
  dae::State trial_;
  Vector q_0_, mass_0_, balance_0_;          // of the begin of the step
  Vector displacement_, v_known_, x_known_;  // of (1)
  Vector a_predicted_, lambda_predicted_, x_rate_predicted_;
  Vector delta_, dq_, dv_, dx_;  // of a correction
  Vector upper_, lower_;
  std::vector<kkt::BlockValues> values_;
  math::NewtonOutcome outcome_;
  linalg::FactorStatus factors_{.ok = true};
};

}  // namespace trammel::integrators
