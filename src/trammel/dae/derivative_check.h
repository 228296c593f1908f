#pragma once

// Tells the author of a system which entry of which derivative he got wrong.
//
// At one state, everything that the system gives in closed form is held against central differences of what it is the
// derivative of:
//
//   each Derivative that calc_derivative() gives;  G of the holonomic rows against dg/dq along retract;
//   g_t of the holonomic rows against dg/dt;       the acceleration bias against -d/dt(G v + g_t) along the motion;
//   T of calc_position_rate() against d retract/d delta.
//
// A system that calls itself autonomous must have the same values at another time.
// Besides, every place that a pattern leaves out is looked at, whether or not the derivative is given, because a solver
// takes it for zero; and M must be symmetric. The mass matrix itself, G and g_t of nonholonomic rows and the forces are
// the definition of the system: nothing is there to hold them against.

#include <string>
#include <vector>

#include "trammel/dae/constrained_system.h"

namespace trammel::dae {

struct DerivativeCheckOptions {
  /// Largest accepted error of an entry, relative to the largest entry of its row; in (0, 1). What the differences
  /// themselves leave uncertain is added to it.
  double tolerance = 1e-6;
  /// Of the random directions s of d(M s)/dq and its like.
  unsigned seed = 1;

  /// What is wrong with the options, one message each; empty when sound.
  std::vector<std::string> validate() const;
};

/// One entry that is wrong.
struct DerivativeFault {
  enum class Kind {
    kWrongValue,      ///< differences give another value
    kOutsidePattern,  ///< not zero, but the pattern has no such place
    kAsymmetric,      ///< of M: `numerical` is the entry on the other side of the diagonal
  };
  Kind kind;
  std::string quantity;  ///< as in "df/dv", "G", "g_t", "bias", "T", "M"
  std::string row;       ///< name of a velocity, constraint, position or extra state
  std::string column;    ///< empty for g_t and bias, which are vectors
  double given;          ///< zero outside of the pattern
  double numerical;
  double error;  ///< |given - numerical| relative to the largest entry of the row, given or numerical
};

struct DerivativeReport {
  bool is_right() const { return faults.empty(); }

  std::vector<DerivativeFault> faults;  ///< worst first
  std::vector<std::string> checked;     ///< quantities that the system gives and that were held against differences
  std::vector<std::string> not_given;   ///< derivatives that are left to differences
};

/// `at` should satisfy what positions must satisfy to make sense (quaternions of unit length), but not the constraints.
/// A state without symmetries and special values (zero velocities, right angles) shows more faults. Takes differences
/// by every column, so its cost grows like n_v times that of one evaluation. Throws std::invalid_argument when the
/// sizes of the state do not fit or an option is out of range.
DerivativeReport check_derivatives(const ConstrainedSystem& system, const State& at,
                                   const DerivativeCheckOptions& options = {});

/// One line a fault: "df/dv: row theta1', column theta2': given 3.2, differences give -3.2".
std::string to_string(const DerivativeFault& fault);
/// All faults, worst first, or what was checked when there are none.
std::string to_string(const DerivativeReport& report);

}  // namespace trammel::dae
