#pragma once

// Eigenvalues mu of small motions (linearise.h), E s mu = A s, and what they say of stability.
//
// Undamped motions with a symmetric stiffness are treated as such, K_r phi = omega^2 M_r phi, mu = +-i omega. Otherwise
// the first-order problem is solved in the coordinates of those phi, each displacement scaled by its |omega|, so that
// soft modes keep their digits beside stiff ones. Entries of the stiffness that are below the round-off of what was
// added up in them count as zero, and displacements on which nothing depends are taken out first: a motion that meets
// neither stiffness nor damping has a double eigenvalue zero with one eigenvector, which no solver would find as zero.

#include <complex>
#include <vector>

#include "trammel/analyses/linearise.h"

namespace trammel::analyses {

enum class Stability {
  kUnknown,   ///< not computed
  kStable,    ///< no eigenvalue has a positive real part, none is zero
  kNeutral,   ///< some eigenvalues are zero, none has a positive real part
  kUnstable,  ///< some eigenvalue has a positive real part
};
std::string to_string(Stability stability);

struct Mode {
  double frequency_hz = 0;            ///< |mu| / (2 pi): that of the motion without its damping
  double damping_ratio = 0;           ///< -Re mu / |mu|: 1 decays without swinging, 0 swings for ever, negative grows
  std::complex<double> eigenvalue{};  ///< mu [1/s]; of a conjugate pair the one with Im mu > 0
  Eigen::VectorXcd shape;  ///< displacement along v, n_v, of unit length; zero for a motion of extra states only
};

struct ModalReport {
  std::vector<Mode> modes;  ///< by frequency
  int stable = 0;           ///< modes with Re mu < 0, and undamped ones
  int neutral = 0;          ///< with mu = 0
  int unstable = 0;         ///< with Re mu > 0
  Stability stability = Stability::kUnknown;
};

struct ModalOptions {
  /// Entries of the stiffness below this share of what was added up in them count as zero; (0, 1). Derivatives by
  /// differences are good to 1e-10.
  double stiffness_noise = 1e-9;
  /// |Re mu| below this share of |mu| counts as undamped; (0, 1).
  double damping_noise = 1e-7;
};

ModalReport calc_modes(const Linearisation& system, const ModalOptions& options = {});

}  // namespace trammel::analyses
