#pragma once

// Solvers that take the reduced matrix B as numbers: dense ones and general sparse ones, to stand beside the block
// skyline. Whatever needs the pattern only is done once, by the constructor.

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/linalg/block_skyline.h"
#include "trammel/linalg/pattern.h"

namespace trammel::bench {

class SpdSolver {
 public:
  virtual ~SpdSolver() = default;
  /// Factorises the matrix of the constructor anew and solves with it: x becomes B^-1 x. Throws std::runtime_error when
  /// the matrix is singular.
  virtual void run(Eigen::VectorXd& x) = 0;
  /// Multiplications of the factorisation.
  virtual double multiplications() const = 0;
};

/// LAPACK as the system has it, and the same of Eigen, whose loops are compiled for this program.
std::unique_ptr<SpdSolver> make_lapack_lu(const Eigen::MatrixXd& B);
std::unique_ptr<SpdSolver> make_lapack_cholesky(const Eigen::MatrixXd& B);
std::unique_ptr<SpdSolver> make_eigen_lu(const Eigen::MatrixXd& B);
std::unique_ptr<SpdSolver> make_eigen_cholesky(const Eigen::MatrixXd& B);
/// KLU with AMD, which is right for symmetric matrices; factorisations keep the pivots of the first. `pattern`: where B
/// may be nonzero, columns in order.
std::unique_ptr<SpdSolver> make_klu(const Eigen::MatrixXd& B, const linalg::Pattern& pattern);
enum class CholmodKind { kSimplicial, kSupernodal };
std::unique_ptr<SpdSolver> make_cholmod(const Eigen::MatrixXd& B, const linalg::Pattern& pattern, CholmodKind kind);

/// Rows of B in blocks, in an order of elimination, and for each block the first one of its skyline.
struct BlockOrder {
  std::vector<std::vector<int>> blocks;
  std::vector<int> first;
};
std::unique_ptr<SpdSolver> make_skyline(const Eigen::MatrixXd& B, const BlockOrder& order);

}  // namespace trammel::bench
