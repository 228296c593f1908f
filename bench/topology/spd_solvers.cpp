#include "bench/topology/spd_solvers.h"

#include <cholmod.h>
#include <klu.h>

#include <Eigen/Dense>
#include <algorithm>
#include <stdexcept>

#include "trammel/linalg/block_kernels.h"
#include "trammel/linalg/lapack.h"

// NOLINTBEGIN(readability-identifier-naming): names as the Fortran compiler makes them
extern "C" {
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda, const int* ipiv,
             double* b, const int* ldb, int* info, std::size_t trans_length);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t uplo_length);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info, std::size_t uplo_length);
}
// NOLINTEND(readability-identifier-naming)

namespace trammel::bench {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void check(bool is_fine) {
  if (!is_fine) throw std::runtime_error("a solver of the reduced matrix has failed");
}

double lu_multiplications(double n) { return (n - 1) * n * (n + 1) / 3; }
double cholesky_multiplications(double n) { return (n - 1) * n * (n + 1) / 6 + n * (n - 1) / 2; }

/// What has a copy of B to overwrite.
class DenseSpdSolver : public SpdSolver {
 public:
  explicit DenseSpdSolver(const MatrixXd& B) : B_(B), a_(B), n_(static_cast<int>(B.rows())) {}

 protected:
  MatrixXd B_, a_;
  int n_;
};

class LapackLu final : public DenseSpdSolver {
 public:
  explicit LapackLu(const MatrixXd& B) : DenseSpdSolver(B), pivots_(static_cast<std::size_t>(n_)) {}
  void run(VectorXd& x) override {
    a_ = B_;
    int info = 0;
    const int one = 1;
    dgetrf_(&n_, &n_, a_.data(), &n_, pivots_.data(), &info);
    check(info == 0);
    dgetrs_("N", &n_, &one, a_.data(), &n_, pivots_.data(), x.data(), &n_, &info, 1);
  }
  double multiplications() const override { return lu_multiplications(n_); }

 private:
  std::vector<int> pivots_;
};

class LapackCholesky final : public DenseSpdSolver {
 public:
  using DenseSpdSolver::DenseSpdSolver;
  void run(VectorXd& x) override {
    a_ = B_;
    int info = 0;
    const int one = 1;
    dpotrf_("L", &n_, a_.data(), &n_, &info, 1);
    check(info == 0);
    dpotrs_("L", &n_, &one, a_.data(), &n_, x.data(), &n_, &info, 1);
  }
  double multiplications() const override { return cholesky_multiplications(n_); }
};

class EigenLu final : public DenseSpdSolver {
 public:
  explicit EigenLu(const MatrixXd& B) : DenseSpdSolver(B), lu_(n_) {}
  void run(VectorXd& x) override {
    lu_.compute(B_);
    x = lu_.solve(x);
  }
  double multiplications() const override { return lu_multiplications(n_); }

 private:
  Eigen::PartialPivLU<MatrixXd> lu_;
};

class EigenCholesky final : public DenseSpdSolver {
 public:
  explicit EigenCholesky(const MatrixXd& B) : DenseSpdSolver(B), llt_(n_) {}
  void run(VectorXd& x) override {
    llt_.compute(B_);
    check(llt_.info() == Eigen::Success);
    llt_.solveInPlace(x);
  }
  double multiplications() const override { return cholesky_multiplications(n_); }

 private:
  Eigen::LLT<MatrixXd> llt_;
};

/// Columns one after the other.
struct Columns {
  std::vector<int> begins{0}, rows;
  std::vector<double> values;

  /// Of a symmetric matrix the whole, or its lower triangle.
  Columns(const MatrixXd& B, const linalg::Pattern& pattern, bool takes_lower) {
    std::vector<std::vector<int>> rows_of(static_cast<std::size_t>(B.cols()));
    for (const linalg::Entry& e : pattern.entries()) {
      if (!takes_lower || e.row >= e.column) rows_of[static_cast<std::size_t>(e.column)].push_back(e.row);
    }
    for (std::size_t j = 0; j < rows_of.size(); ++j) {
      std::sort(rows_of[j].begin(), rows_of[j].end());
      for (const int i : rows_of[j]) {
        rows.push_back(i);
        values.push_back(B(i, static_cast<Eigen::Index>(j)));
      }
      begins.push_back(static_cast<int>(rows.size()));
    }
  }
};

class KluSolver final : public SpdSolver {
 public:
  KluSolver(const MatrixXd& B, const linalg::Pattern& pattern)
      : columns_(B, pattern, false), n_(static_cast<int>(B.rows())) {
    klu_defaults(&common_);
    common_.ordering = 0;  // AMD
    common_.btf = 0;
    common_.scale = 0;
    symbolic_ = klu_analyze(n_, columns_.begins.data(), columns_.rows.data(), &common_);
    check(symbolic_ != nullptr);
    numeric_ = klu_factor(columns_.begins.data(), columns_.rows.data(), columns_.values.data(), symbolic_, &common_);
    check(numeric_ != nullptr);
    klu_flops(symbolic_, numeric_, &common_);
  }
  ~KluSolver() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;
  void run(VectorXd& x) override {
    check(klu_refactor(columns_.begins.data(), columns_.rows.data(), columns_.values.data(), symbolic_, numeric_,
                       &common_) == 1);
    klu_solve(symbolic_, numeric_, n_, 1, x.data(), &common_);
  }
  double multiplications() const override { return common_.flops / 2; }

 private:
  Columns columns_;
  int n_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

class CholmodSolver final : public SpdSolver {
 public:
  CholmodSolver(const MatrixXd& B, const linalg::Pattern& pattern, CholmodKind kind)
      : columns_(B, pattern, true), n_(static_cast<std::size_t>(B.rows())) {
    cholmod_start(&common_);
    const bool is_supernodal = kind == CholmodKind::kSupernodal;
    common_.supernodal = is_supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.postorder = 1;
    matrix_.nrow = matrix_.ncol = n_;
    matrix_.nzmax = columns_.rows.size();
    matrix_.p = columns_.begins.data();
    matrix_.i = columns_.rows.data();
    matrix_.x = columns_.values.data();
    matrix_.stype = -1;
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = CHOLMOD_REAL;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = matrix_.packed = 1;
    factor_ = cholmod_analyze(&matrix_, &common_);
    check(factor_ != nullptr);
    const int* counts = static_cast<const int*>(factor_->ColCount);
    for (std::size_t j = 0; j < n_; ++j) {
      const double below = counts[j] - 1;
      multiplications_ += below + below * (below + 1) / 2;
    }
    right_side_ = cholmod_allocate_dense(n_, 1, n_, CHOLMOD_REAL, &common_);
    check(right_side_ != nullptr);
  }
  ~CholmodSolver() override {
    cholmod_free_dense(&right_side_, &common_);
    cholmod_free_dense(&solution_, &common_);
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;
  void run(VectorXd& x) override {
    check(cholmod_factorize(&matrix_, factor_, &common_) == 1 && common_.status == CHOLMOD_OK);
    std::copy_n(x.data(), n_, static_cast<double*>(right_side_->x));
    check(cholmod_solve2(CHOLMOD_A, factor_, right_side_, nullptr, &solution_, nullptr, &y_, &e_, &common_) == 1);
    std::copy_n(static_cast<const double*>(solution_->x), n_, x.data());
  }
  double multiplications() const override { return multiplications_; }

 private:
  Columns columns_;
  std::size_t n_;
  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *right_side_ = nullptr, *solution_ = nullptr, *y_ = nullptr, *e_ = nullptr;
  double multiplications_ = 0;
};

class SkylineSolver final : public SpdSolver {
 public:
  SkylineSolver(const MatrixXd& B, const BlockOrder& order) : order_(order) {
    std::vector<int> sizes;
    for (const std::vector<int>& block : order.blocks) {
      sizes.push_back(static_cast<int>(block.size()));
      rows_.insert(rows_.end(), block.begin(), block.end());
    }
    skyline_ = linalg::BlockSkyline(sizes, order.first);
    for (int i = 0; i < skyline_.blocks(); ++i) {
      for (int j = skyline_.first(i); j <= i; ++j) fill(B, i, j);
    }
    const int last = skyline_.blocks() - 1;
    const double* begin = skyline_.block(0, 0);
    const double* end = skyline_.block(last, last) + static_cast<std::ptrdiff_t>(skyline_.rows_of(last)) *
                                                         linalg::calc_stride(skyline_.rows_of(last));
    values_.assign(begin, end);
    x_.resize(B.rows());
  }
  void run(VectorXd& x) override {
    std::copy(values_.begin(), values_.end(), skyline_.block(0, 0));
    check(skyline_.factor(1e-14) < 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) x_[static_cast<Eigen::Index>(i)] = x[rows_[i]];
    skyline_.solve(x_.data());
    for (std::size_t i = 0; i < rows_.size(); ++i) x[rows_[i]] = x_[static_cast<Eigen::Index>(i)];
  }
  double multiplications() const override {
    return static_cast<double>(skyline_.calc_factor_operations().multiplications);
  }

 private:
  void fill(const MatrixXd& B, int i, int j) {
    const std::vector<int>& rows = order_.blocks[static_cast<std::size_t>(i)];
    const std::vector<int>& columns = order_.blocks[static_cast<std::size_t>(j)];
    double* block = skyline_.block(i, j);
    const int stride = linalg::calc_stride(static_cast<int>(rows.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        block[static_cast<std::ptrdiff_t>(c) * stride + static_cast<std::ptrdiff_t>(r)] = B(rows[r], columns[c]);
      }
    }
  }

  BlockOrder order_;
  std::vector<int> rows_;  // of B, by place
  linalg::BlockSkyline skyline_;
  std::vector<double> values_;
  VectorXd x_;
};

}  // namespace

std::unique_ptr<SpdSolver> make_lapack_lu(const MatrixXd& B) { return std::make_unique<LapackLu>(B); }
std::unique_ptr<SpdSolver> make_lapack_cholesky(const MatrixXd& B) { return std::make_unique<LapackCholesky>(B); }
std::unique_ptr<SpdSolver> make_eigen_lu(const MatrixXd& B) { return std::make_unique<EigenLu>(B); }
std::unique_ptr<SpdSolver> make_eigen_cholesky(const MatrixXd& B) { return std::make_unique<EigenCholesky>(B); }
std::unique_ptr<SpdSolver> make_klu(const MatrixXd& B, const linalg::Pattern& pattern) {
  return std::make_unique<KluSolver>(B, pattern);
}
std::unique_ptr<SpdSolver> make_cholmod(const MatrixXd& B, const linalg::Pattern& pattern, CholmodKind kind) {
  return std::make_unique<CholmodSolver>(B, pattern, kind);
}
std::unique_ptr<SpdSolver> make_skyline(const MatrixXd& B, const BlockOrder& order) {
  return std::make_unique<SkylineSolver>(B, order);
}

}  // namespace trammel::bench
