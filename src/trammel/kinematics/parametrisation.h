#pragma once

// Independent coordinates of a system with holonomic constraints (docs/theory/state-space.md, section 1).
//
// A chart is a constant matrix Y (n x d, d = n - m, Y^T Y = I) such that [G; Y^T] is regular around the position where
// it was chosen. Coordinates on the constraints are w = Y^T q, and with
//
//   [G; Y^T]^-1 = [Z P]:    G Z = I,  Y^T Z = 0,  G P = 0,  Y^T P = I,    P = (I - Z G) Y                          (1)
//
// positions, velocities and accelerations that keep the constraints are
//
//   q:  g(t, q) = 0, Y^T q = w;      v = P w' - Z g_t;      a = P w'' + Z bias                                     (2)
//
// Two choices of Y are offered: unit vectors (partitioning into dependent and independent coordinates, thesis 3.1), and
// the tangent plane of the constraints (thesis, appendix B). Systems with q' = v and m = n_g.

#include <memory>
#include <string>
#include <vector>

#include "trammel/dae/structure.h"
#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/pattern.h"

namespace trammel::kinematics {

using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

enum class ChartChoice {
  kSingular,  ///< no d coordinates describe the neighbourhood: G has not full rank. The old chart is lost
  kSame,      ///< the chart is the one that was there
  kAnother,
};

class Parametrisation {
 public:
  virtual ~Parametrisation() = default;

  int n() const { return n_; }
  int m() const { return jacobian_.rows(); }
  int dimension() const { return n() - m(); }

  /// Chooses Y for the G with these values and factorises there.
  [[nodiscard]] virtual ChartChoice choose(const double* jacobian) = 0;
  /// Factorises [G; Y^T] at another position; what follows refers to it.
  [[nodiscard]] virtual linalg::FactorStatus factor(const double* jacobian) = 0;
  /// |Z| |G| in the 1-norm, estimated: how much larger errors of dependent coordinates may be than those of the
  /// constraints. (The condition of the dependent sub-Jacobian alone, which the thesis looks at, does not see that all
  /// of it vanishes: with one constraint it is 1 up to the very end.)
  virtual double calc_condition() = 0;

  virtual void reduce(VectorIn q, VectorOut w) const = 0;        ///< w = Y^T q
  virtual void add_extended(VectorIn w, VectorOut q) const = 0;  ///< q += Y w
  virtual void solve(VectorIn s, VectorOut z) = 0;               ///< z = Z s, n from m
  virtual void solve_transposed(VectorIn r, VectorOut s) = 0;    ///< s = Z^T r, m from n
  /// In words, for reports: which coordinates are independent.
  virtual std::string describe(const dae::Structure& structure) const = 0;

  /// p = P w with the given G: that of factor() for (1) to hold.
  void extend_along(const double* jacobian, VectorIn w, VectorOut p);
  /// w = P^T r.
  void reduce_along(const double* jacobian, VectorIn r, VectorOut w);

 protected:
  /// Keeps a reference to the pattern of G.
  explicit Parametrisation(const linalg::Pattern& jacobian);

  const linalg::Pattern& jacobian_;

 private:
  int n_;
  Vector lower_, upper_;
};

enum class ParametrisationKind { kPartitioning, kTangentPlane };

/// `independent` fixes the partition to these positions; empty: chosen by pivots. The pattern must outlive the
/// result. Throws std::invalid_argument when their number does not fit.
std::unique_ptr<Parametrisation> make_parametrisation(ParametrisationKind kind, const linalg::Pattern& jacobian,
                                                      const std::vector<int>& independent = {});

}  // namespace trammel::kinematics
