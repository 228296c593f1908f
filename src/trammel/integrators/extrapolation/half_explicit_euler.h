#pragma once

// The half-explicit Euler method (MEXX report, (2.1) and (2.2)): explicit in the differential equations, linearly
// implicit in the constraints on velocities. One step of size h is
//
//   q+ = retract(q, h v)                                                                                       (1)
//   [ M  G^T - F ] [ a+      ]   [ f - F lambda     ]
//   [ G  0       ] [ lambda+ ] = [ -(G v + g_t) / h ]       M, G, g_t at (t+, q+), f at (t', q', v, lambda, x)  (2)
//   v+ = v + h a+                                                                                              (3)
//   x+ = x + h x'(t+, q+, v+, a+, lambda+, x)                                                                  (4)
//
// with (t', q') = (t, q), or (t+, q+) where M varies and its condition is large, as in joint coordinates. (2) is (2.1b)
// of the report solved for (v+ - v)/h, which saves the products with M. F = 0 in the standard scheme; in the modified
// one it is df/dlambda at the beginning of the big step that the small ones belong to. Nothing here needs the
// acceleration constraints. Theory: docs/theory/mexx.md.

#include <optional>

#include "trammel/integrators/extrapolation/stacked_state.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {

/// Which F stands in (2).
enum class FrictionScheme {
  kAutomatic,  ///< the modified scheme once the standard one may lose accuracy
  kStandard,
  kModified,
};

/// (t', q') in (2).
enum class ForcePlace {
  kBegin,  ///< of the small step: f is that of the end of the step before
  kEnd,    ///< where M and G are: the condition of M magnifies what the difference of positions does
};

class HalfExplicitEuler {
 public:
  /// `linear` is for the matrix of (2) with F; without it the solver of the context is used.
  HalfExplicitEuler(const MethodContext& context, FrictionScheme scheme, ForcePlace place,
                    const kkt::SolverOptions& linear = {});

  /// Begins a big step at `state` (complete): f and, where it may be needed, F there. The state is kept by reference.
  kkt::AccelerationStatus begin(const dae::State& state);
  /// `n` steps of size h to t_end; column k of `out` becomes the state (stacked) after k of them, column 0 the first
  /// one.
  kkt::AccelerationStatus integrate(double h, int n, double t_end, Eigen::Ref<Eigen::MatrixXd> out);

  /// Finds a, lambda and x' of a state from its t, q, v and x, by extrapolation of the first of the small steps to h =
  /// 0. Where forces depend on reactions, those of the state are the first guess.
  kkt::AccelerationStatus complete(dae::State& state);

  bool uses_modified_scheme() const { return is_modified_; }
  /// Whether forces depend on reactions and the user wants the standard scheme all the same.
  bool lacks_friction() const { return with_friction_ && scheme_ == FrictionScheme::kStandard; }
  /// Of the reactions on those of the next small step of the standard scheme, over all big steps: |B| of the theory
  /// page.
  double largest_feedback() const { return largest_feedback_; }
  void add_counts(Statistics& statistics) const;

 private:
  kkt::AccelerationStatus factor_and_solve();
  kkt::AccelerationStatus take_step(double h, double t, Eigen::Ref<const linalg::Vector> from,
                                    Eigen::Ref<linalg::Vector> to);
  kkt::AccelerationStatus extrapolate_start(double H, dae::State& state, double& spread);
  kkt::AccelerationStatus complete_at(double H, dae::State& state, double& spread);
  void take_friction();
  double estimate_feedback();

  MethodContext context_;
  dae::Evaluation& evaluation_;
  StackLayout layout_;
  FrictionScheme scheme_;
  ForcePlace place_;
  std::optional<kkt::Solver> with_friction_;  // the matrix of (2) with F
  std::vector<kkt::BlockValues> blocks_;
  const dae::State* begin_ = nullptr;
  bool is_modified_ = false;
  double largest_feedback_ = 0;
  linalg::Vector friction_;               // values of F
  linalg::Vector force_begin_, force_;    // f at the beginning of the big step, and of the present small one
  linalg::Vector upper_, lower_, delta_;  // right sides and solutions of (2); h v
  linalg::Vector from_, to_, z_;          // for complete()
};

}  // namespace trammel::integrators
