#pragma once

// Coordinates split into dependent and independent ones, and what that gives: the pseudo-inverse of G^T and the matrix
// P with P G^T = 0 by which reactions are eliminated (docs/theory/coordinate-split.md, section 3). With X and Y the
// independent and the dependent directions ([X Y] orthogonal, G Y regular) and Z = Y (G Y)^-1,
//
//   P = X^T (I - G^T Z^T),    r - G^T Z^T r = X P r                                                                 (1)
//
// Positions know the holonomic rows of G, velocities all of them: where there are others, there are two splits.

#include <memory>
#include <optional>

#include "trammel/dae/structure.h"
#include "trammel/kinematics/parametrisation.h"

namespace trammel::integrators {

class CoordinateSplit {
 public:
  using Vector = linalg::Vector;

  /// Keeps a reference to the structure. Other directions are chosen when the condition of the dependent ones has grown
  /// by the factor.
  CoordinateSplit(const dae::Structure& structure, kinematics::ParametrisationKind kind, double max_condition_growth);

  /// Takes over the values of G, and with `may_choose` looks at the condition. False: no choice makes G Y regular.
  [[nodiscard]] bool renew(const double* jacobian, bool may_choose);
  /// The values of G that were taken over.
  const double* jacobian() const { return jacobian_.data(); }

  /// lambda = Z^T r of all rows.
  void solve_lambda(linalg::VectorIn r, linalg::VectorOut lambda);
  /// mu = Z^T r of the holonomic rows.
  void solve_mu(linalg::VectorIn r, linalg::VectorOut mu);

  /// Leaves of a change of positions or velocities X X^T of it.
  void keep_independent_q(linalg::VectorOut change) { keep_independent(*of_positions_, change); }
  void keep_independent_v(linalg::VectorOut change) { keep_independent(*of_velocities_, change); }
  int independent_positions() const { return of_positions_->dimension(); }
  int independent_velocities() const { return of_velocities_->dimension(); }

 private:
  /// One of the two splits.
  struct Part {
    std::unique_ptr<kinematics::Parametrisation> chart;
    double condition = 0;  // when it was chosen; 0: it was not
  };

  bool renew(Part& part, const double* jacobian, bool may_choose) const;
  void keep_independent(const kinematics::Parametrisation& chart, linalg::VectorOut change);

  double max_growth_;
  Vector jacobian_;
  std::optional<linalg::PatternPart> holonomic_rows_;  // where there are others
  Part all_, holonomic_;                               // the second only where there are other rows
  kinematics::Parametrisation* of_positions_ = nullptr;
  kinematics::Parametrisation* of_velocities_ = nullptr;
  Vector reduced_;
};

}  // namespace trammel::integrators
