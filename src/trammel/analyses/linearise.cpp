#include "trammel/analyses/linearise.h"

#include <Eigen/QR>
#include <algorithm>

namespace trammel::analyses {

using dae::Derivative;
using Eigen::MatrixXd;

namespace {

MatrixXd to_dense(dae::Evaluation& evaluation, Derivative which, linalg::VectorIn direction = linalg::Vector()) {
  const linalg::Pattern& pattern = evaluation.structure().pattern(which);
  if (pattern.size() == 0) return MatrixXd::Zero(pattern.rows(), pattern.columns());
  return pattern.to_dense(evaluation.derivative(which, direction));
}

/// The extra states that are unknowns: those that follow the position are not.
std::vector<int> free_states(const dae::Structure& s) {
  std::vector<int> states;
  for (int k = 0; k < s.n_x(); ++k) {
    if (std::find(s.following_states.begin(), s.following_states.end(), k) == s.following_states.end()) {
      states.push_back(k);
    }
  }
  return states;
}

/// The matrices of (3) and (4) of the header; all zero at rest.
struct Motion {
  MatrixXd S, Q_y, Q_z;
};

/// Rows of the extra states: E_x x' + S_a a + S_lambda lambda + S_q delta + S_v v + S_x x = 0, where lambda follows
/// from (G^T - df/dlambda) lambda = F x - K delta - D v - M a, with v = N z + S y and a = N z' + Q_y y + Q_z z.
void add_state_rows(dae::Evaluation& evaluation, const std::vector<int>& states, const MatrixXd& K, const MatrixXd& B,
                    const Motion& motion, Linearisation& result) {
  const int y = result.n_y, z = result.n_z, x = result.n_x;
  const dae::Structure& s = evaluation.structure();
  MatrixXd S_a = to_dense(evaluation, Derivative::kStateByA), S_q = to_dense(evaluation, Derivative::kStateByQ);
  MatrixXd S_v = to_dense(evaluation, Derivative::kStateByV), S_x = to_dense(evaluation, Derivative::kStateByX);
  const MatrixXd S_lambda = to_dense(evaluation, Derivative::kStateByLambda);
  if (s.m() > 0 && S_lambda.size() > 0 && !S_lambda.isZero(0)) {
    const MatrixXd R = S_lambda * B.completeOrthogonalDecomposition().pseudoInverse();
    S_a -= R * s.mass.to_dense(evaluation.mass());
    S_q -= R * K;
    S_v += R * to_dense(evaluation, Derivative::kForceByV);
    S_x += R * to_dense(evaluation, Derivative::kForceByX);
  }
  result.E.block(y + z, y, x, z) = (S_a * result.N)(states, Eigen::all);
  result.E.block(y + z, y + z, x, x) = to_dense(evaluation, Derivative::kStateByXRate)(states, states);
  result.A.block(y + z, 0, x, y) = -(S_q * result.N_q + S_v * motion.S + S_a * motion.Q_y)(states, Eigen::all);
  result.A.block(y + z, y, x, z) = -(S_v * result.N + S_a * motion.Q_z)(states, Eigen::all);
  result.A.block(y + z, y + z, x, x) = -S_x(states, states);
}

}  // namespace

MatrixXd calc_null_space(const Eigen::Ref<const MatrixXd>& A, double tolerance) {
  const Eigen::Index n = A.cols();
  if (A.rows() == 0 || n == 0) return MatrixXd::Identity(n, n);
  MatrixXd columns = A.transpose();
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    if (const double length = columns.col(j).norm(); length > 0) columns.col(j) /= length;
  }
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
  const MatrixXd& R = qr.matrixQR();
  Eigen::Index rank = 0;
  while (rank < std::min(R.rows(), R.cols()) && std::abs(R(rank, rank)) > tolerance) ++rank;
  MatrixXd basis = MatrixXd::Zero(n, n - rank);
  basis.bottomRows(n - rank).setIdentity();
  basis.applyOnTheLeft(qr.householderQ());
  return basis;
}

StiffnessParts calc_stiffness(dae::Evaluation& evaluation) {
  const linalg::Vector lambda = evaluation.point().lambda;
  const MatrixXd reaction = to_dense(evaluation, Derivative::kReactionByQ, lambda);
  const MatrixXd force = to_dense(evaluation, Derivative::kForceByQ);
  return {reaction - force, reaction.cwiseAbs() + force.cwiseAbs()};
}

namespace {

/// The bases, which all that follows needs.
struct Bases {
  MatrixXd G, B;  ///< B = G^T - df/dlambda
  Linearisation result;
};

Bases calc_bases(dae::Evaluation& evaluation) {
  const dae::Structure& s = evaluation.structure();
  Bases bases;
  Linearisation& result = bases.result;
  bases.G = s.jacobian.to_dense(evaluation.jacobian());
  result.N = calc_null_space(bases.G);
  result.N_q = s.n_g == s.m() ? result.N : calc_null_space(bases.G.topRows(s.n_g));
  bases.B = bases.G.transpose();
  result.P = result.N;
  if (s.force_depends_on_lambda()) {
    bases.B -= to_dense(evaluation, Derivative::kForceByLambda);
    result.P = calc_null_space(bases.B.transpose());
  }
  return bases;
}

Linearisation assemble(dae::Evaluation& evaluation, Bases bases, const StiffnessParts& stiffness,
                       const Motion& motion) {
  const dae::Structure& s = evaluation.structure();
  Linearisation result = std::move(bases.result);
  const MatrixXd M = s.mass.to_dense(evaluation.mass()), f_v = to_dense(evaluation, Derivative::kForceByV);
  const MatrixXd P_t = result.P.transpose();
  result.M = P_t * M * result.N;
  result.D = P_t * (M * motion.Q_z - f_v * result.N);
  result.K = P_t * (stiffness.K * result.N_q - f_v * motion.S + M * motion.Q_y);
  result.K_noise = result.P.cwiseAbs().transpose() * stiffness.magnitudes * result.N_q.cwiseAbs();
  const std::vector<int> states = free_states(s);
  result.F = P_t * to_dense(evaluation, Derivative::kForceByX)(Eigen::all, states);
  const int y = result.n_y = static_cast<int>(result.N_q.cols());
  const int z = result.n_z = static_cast<int>(result.N.cols());
  const int x = result.n_x = static_cast<int>(states.size());
  result.E = MatrixXd::Zero(y + z + x, y + z + x);
  result.A = result.E;
  result.E.topLeftCorner(y, y).setIdentity();
  // Where all rows are holonomic, N_q^T S = 0 but for round-off, which must not couple displacements.
  if (s.n_g < s.m()) result.A.topLeftCorner(y, y) = result.N_q.transpose() * motion.S;
  result.A.block(0, y, y, z) = result.N_q.transpose() * result.N;
  // Where friction takes more directions than the constraints do, (2) has fewer rows than unknowns.
  const auto rows = std::min<Eigen::Index>(z, result.P.cols());
  result.E.block(y, y, rows, z) = result.M.topRows(rows);
  result.A.block(y, 0, rows, y) = -result.K.topRows(rows);
  result.A.block(y, y, rows, z) = -result.D.topRows(rows);
  result.A.block(y, y + z, rows, x) = result.F.topRows(rows);
  if (x > 0) add_state_rows(evaluation, states, stiffness.K, bases.B, motion, result);
  return result;
}

}  // namespace

Linearisation linearise(dae::Evaluation& evaluation) {
  Bases bases = calc_bases(evaluation);
  const StiffnessParts stiffness = calc_stiffness(evaluation);
  const auto n = bases.result.N.rows();
  const Motion rest{MatrixXd::Zero(n, bases.result.N_q.cols()), MatrixXd::Zero(n, bases.result.N_q.cols()),
                    MatrixXd::Zero(n, bases.result.N.cols())};
  return assemble(evaluation, std::move(bases), stiffness, rest);
}

Linearisation linearise_motion(dae::Evaluation& evaluation) {
  const linalg::Vector a = evaluation.point().a;
  Bases bases = calc_bases(evaluation);
  const MatrixXd inertia = to_dense(evaluation, Derivative::kInertiaByQ, a);
  StiffnessParts stiffness = calc_stiffness(evaluation);
  stiffness.K += inertia;
  stiffness.magnitudes += inertia.cwiseAbs();
  const MatrixXd &N = bases.result.N, &N_q = bases.result.N_q;
  Motion motion{MatrixXd::Zero(N.rows(), N_q.cols()), MatrixXd::Zero(N.rows(), N_q.cols()),
                MatrixXd::Zero(N.rows(), N.cols())};
  if (bases.G.rows() > 0) {
    const MatrixXd G_inverse = bases.G.completeOrthogonalDecomposition().pseudoInverse();
    const MatrixXd b_v = to_dense(evaluation, Derivative::kBiasByV);
    motion.S = -G_inverse * to_dense(evaluation, Derivative::kVelocityByQ) * N_q;
    motion.Q_y = G_inverse * (b_v * motion.S - to_dense(evaluation, Derivative::kAccelerationByQ, a) * N_q);
    if (N.cols() == N_q.cols()) motion.Q_y -= N * (motion.S.transpose() * motion.S);
    motion.Q_z = G_inverse * (b_v * N);
  }
  return assemble(evaluation, std::move(bases), stiffness, motion);
}

}  // namespace trammel::analyses
