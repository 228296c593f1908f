#include "trammel/analyses/modes.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel::analyses {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

namespace {

// Of df/dv, relative to the frequencies of the modes that it couples: differences of forces that do not depend on v at
// all leave this much.
constexpr double kDampingRoundOff = 1e-9;

bool is_symmetric(const MatrixXd& A, const MatrixXd& noise) {
  if (A.rows() != A.cols()) return false;
  const MatrixXd allowed = noise + noise.transpose();
  return ((A - A.transpose()).cwiseAbs().array() <= allowed.array()).all();
}

double largest(const MatrixXd& A) { return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0; }

/// Displacements as combinations Phi of the y of a linearisation, and the stiffness among them.
struct NormalCoordinates {
  MatrixXd Phi;    // M_r = I in them, when is_normal
  MatrixXd K;      // Phi^T K_r Phi, zeros set
  MatrixXd D;      // Phi^T D_r Phi, zeros set
  VectorXd scale;  // |omega| of each, 1 where there is no stiffness
  bool is_normal = false;
};

NormalCoordinates choose_coordinates(const Linearisation& system, const MatrixXd& noise) {
  NormalCoordinates c;
  const Index n = system.n_y;
  c.Phi = MatrixXd::Identity(n, n);
  c.scale = VectorXd::Ones(n);
  c.K = system.K;
  c.D = system.D;
  MatrixXd K_noise = noise;
  const bool is_square = system.n_y == system.n_z && system.M.rows() == n && system.M.cols() == n;
  if (is_square && n > 0 && is_symmetric(system.M, MatrixXd::Constant(n, n, 1e-12 * largest(system.M)))) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> mass(system.M, Eigen::EigenvaluesOnly);
    if (mass.eigenvalues()[0] > 1e-12 * mass.eigenvalues()[n - 1]) {
      const MatrixXd K = 0.5 * (system.K + system.K.transpose());
      const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, system.M);
      c.Phi = solver.eigenvectors();
      c.K = c.Phi.transpose() * system.K * c.Phi;
      c.D = c.Phi.transpose() * system.D * c.Phi;
      K_noise = c.Phi.cwiseAbs().transpose() * noise * c.Phi.cwiseAbs();
      c.is_normal = true;
    }
  }
  for (Index j = 0; j < c.K.cols(); ++j) {
    for (Index i = 0; i < c.K.rows(); ++i) {
      if (std::abs(c.K(i, j)) <= K_noise(i, j)) c.K(i, j) = 0;
    }
  }
  if (!c.is_normal) return c;
  for (Index i = 0; i < n; ++i) {
    if (c.K(i, i) != 0) c.scale[i] = std::sqrt(std::abs(c.K(i, i)));
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (std::abs(c.D(i, j)) <= kDampingRoundOff * (c.scale[i] + c.scale[j])) c.D(i, j) = 0;
    }
  }
  return c;
}

/// E s' = A s in the given coordinates.
void transform(const Linearisation& system, const NormalCoordinates& c, MatrixXd& E, MatrixXd& A) {
  E = system.E;
  A = system.A;
  const Index y = system.n_y, z = system.n_z;
  if (!c.is_normal) {
    A.block(y, 0, c.K.rows(), y) = -c.K;
    return;
  }
  const MatrixXd to_y = c.Phi * c.scale.cwiseInverse().asDiagonal();
  E.block(y, y, z, z).setIdentity();
  E.block(y + z, y, E.rows() - y - z, z) *= c.Phi;
  A.block(0, y, y, z) = c.scale.asDiagonal();
  A.block(y, 0, z, y) = -c.K * c.scale.cwiseInverse().asDiagonal();
  A.block(y, y, z, z) = -c.D;
  A.block(y, y + z, z, A.cols() - y - z) = (c.Phi.transpose() * A.block(y, y + z, z, A.cols() - y - z)).eval();
  A.block(y + z, 0, A.rows() - y - z, y) *= to_y;
  A.block(y + z, y, A.rows() - y - z, z) *= c.Phi;
}

class ModeCollector {
 public:
  ModeCollector(const Linearisation& system, const ModalOptions& options) : system_(system), options_(options) {}

  /// `largest`: of all |mu|, to judge round-off by.
  void add(std::complex<double> mu, const VectorXcd& y, double largest) {
    const double size = std::abs(mu);
    const bool is_zero = size <= 1e-12 * largest;
    if (std::abs(mu.imag()) <= options_.damping_noise * size) mu = mu.real();
    if (std::abs(mu.real()) <= options_.damping_noise * size) mu = {0, mu.imag()};
    if (!is_zero && mu.imag() < 0) return;  // its conjugate is there
    Mode mode;
    mode.eigenvalue = is_zero ? 0.0 : mu;
    mode.frequency_hz = is_zero ? 0 : std::abs(mu) / (2 * std::numbers::pi);
    mode.damping_ratio = is_zero || mu.real() == 0 ? 0 : -mu.real() / std::abs(mu);
    mode.shape = system_.N_q * y;
    if (const double length = mode.shape.norm(); length > 0) mode.shape /= length;
    ++(is_zero ? report_.neutral : mu.real() > 0 ? report_.unstable : report_.stable);
    report_.modes.push_back(std::move(mode));
  }
  ModalReport finish() {
    std::stable_sort(report_.modes.begin(), report_.modes.end(),
                     [](const Mode& a, const Mode& b) { return a.frequency_hz < b.frequency_hz; });
    report_.stability = report_.unstable > 0  ? Stability::kUnstable
                        : report_.neutral > 0 ? Stability::kNeutral
                                              : Stability::kStable;
    return std::move(report_);
  }

 private:
  const Linearisation& system_;
  const ModalOptions& options_;
  ModalReport report_;
};

void add_undamped(const NormalCoordinates& c, ModeCollector& collector) {
  const double fastest = c.K.rows() > 0 ? std::sqrt(largest(c.K.diagonal())) : 0.0;
  for (Index i = 0; i < c.K.rows(); ++i) {
    const double k = c.K(i, i), omega = std::sqrt(std::abs(k));
    const VectorXcd shape = c.Phi.col(i);
    if (k >= 0) {
      collector.add({0, omega}, shape, k > 0 ? 0 : fastest);
    } else {
      collector.add(omega, shape, 0);
      collector.add(-omega, shape, 0);
    }
  }
}

/// Variables whose column of A is zero, taken out one after the other: nothing depends on them, so each is an
/// eigenvalue zero. What remains is listed in `kept`; displacements that were taken out are given to the collector.
std::vector<Index> remove_idle(const MatrixXd& E, const MatrixXd& A, const NormalCoordinates& c,
                               const Linearisation& system, ModeCollector& collector) {
  std::vector<Index> kept(static_cast<std::size_t>(A.cols()));
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<Index>(i);
  const auto is_idle = [&](Index j) {
    return std::all_of(kept.begin(), kept.end(), [&](Index i) { return A(i, j) == 0 && (i == j || E(i, j) == 0); });
  };
  for (bool found = true; found;) {
    const auto idle = std::find_if(kept.begin(), kept.end(), is_idle);
    found = idle != kept.end();
    if (!found) break;
    // The velocity that is left over when its displacement has been taken out belongs to the same mode.
    if (*idle < system.n_y) {
      collector.add(0, c.Phi.col(*idle), 1);
    } else if (*idle >= system.n_y + system.n_z) {
      collector.add(0, VectorXcd::Zero(system.n_y), 1);
    }
    kept.erase(idle);
  }
  return kept;
}

void add_general(const Linearisation& system, const NormalCoordinates& c, ModeCollector& collector) {
  MatrixXd E, A;
  transform(system, c, E, A);
  const std::vector<Index> kept = remove_idle(E, A, c, system, collector);
  const MatrixXd e = E(kept, kept), a = A(kept, kept);
  if (kept.empty()) return;
  const auto displacement = [&](const VectorXcd& s) {
    VectorXcd y = VectorXcd::Zero(system.n_y);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] < system.n_y) y[kept[i]] = s[static_cast<Index>(i)] / c.scale[kept[i]];
    }
    return (c.Phi * y).eval();
  };
  const Eigen::PartialPivLU<MatrixXd> lu(e);
  const VectorXd pivots = lu.matrixLU().diagonal().cwiseAbs();  // rcond() does not survive a pivot that is zero
  if (pivots.minCoeff() > 1e-13 * pivots.maxCoeff()) {
    const Eigen::EigenSolver<MatrixXd> solver(lu.solve(a));
    const double fastest = solver.eigenvalues().cwiseAbs().maxCoeff();
    const MatrixXcd vectors = solver.eigenvectors();
    for (Index i = 0; i < vectors.cols(); ++i) {
      collector.add(solver.eigenvalues()[i], displacement(vectors.col(i)), fastest);
    }
    return;
  }
  // Motions without inertia have infinite eigenvalues. Those of (a - shift e)^-1 e are 1 / (mu - shift): zero for them.
  const double shift = std::max(largest(a), 1e-300) / std::max(largest(e), 1e-300);
  const MatrixXd inverted = (a - shift * e).partialPivLu().solve(e);
  const Eigen::EigenSolver<MatrixXd> solver(inverted);
  const VectorXcd& inverses = solver.eigenvalues();
  const double most = inverses.cwiseAbs().maxCoeff();
  const MatrixXcd vectors = solver.eigenvectors();
  for (Index i = 0; i < inverses.size(); ++i) {
    // A coordinate with stiffness only is infinite twice, with one eigenvector: zero to the root of round-off.
    if (!(std::abs(inverses[i]) > 1e-6 * most)) continue;
    collector.add(shift + 1.0 / inverses[i], displacement(vectors.col(i)), 1e3 * shift);
  }
}

}  // namespace

std::string to_string(Stability stability) {
  switch (stability) {
    case Stability::kStable: return "stable";
    case Stability::kNeutral: return "neutral";
    case Stability::kUnstable: return "unstable";
    case Stability::kUnknown: break;
  }
  return "unknown";
}

ModalReport calc_modes(const Linearisation& system, const ModalOptions& options) {
  ModeCollector collector(system, options);
  const MatrixXd noise = options.stiffness_noise * system.K_noise;
  const NormalCoordinates coordinates = choose_coordinates(system, noise);
  const bool is_undamped = coordinates.is_normal && system.n_x == 0 && coordinates.D.isZero(0) &&
                           is_symmetric(system.K, noise + MatrixXd::Constant(noise.rows(), noise.cols(), 1e-300));
  if (is_undamped) {
    add_undamped(coordinates, collector);
  } else {
    add_general(system, coordinates, collector);
  }
  return collector.finish();
}

}  // namespace trammel::analyses
