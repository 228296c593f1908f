#include "bench/peers/ida_peer.h"

#include <ida/ida.h>

#include "bench/peers/iteration_matrix.h"
#include "bench/peers/sundials.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::bench {
namespace {

using dae::Derivative;
using linalg::Pattern;
using linalg::Vector;

// Multipliers follow from the rest: they are left out of the error test, and with this absolute tolerance weigh nothing
// in Newton's. (With the tolerance of the rest, index 2 fails on andrews from 1e-6 on.)
constexpr double kFree = 1e30;
// Change of the step size at which the Jacobian is renewed. The default of 0.25 and IDA's scaling of old solutions cost
// up to a fourth more for the same error, on both problems and in both forms.
constexpr double kRenewalChange = 0.1;

struct FreeIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};

/// y = (q, v, lambda, mu); mu only in the stabilised form.
class IdaEquations {
 public:
  IdaEquations(const cases::Case& setup, IdaForm form);

  Outcome run(double t_end, double tolerance);

 private:
  /// Views of the parts of y, y' or a residual.
  struct Parts {
    Eigen::Map<Vector> q, v, lambda, mu;
  };
  Parts parts(N_Vector y) const;
  bool is_stabilised() const { return form_ == IdaForm::kStabilised; }
  void place_blocks();
  void set(double t, const Parts& y);

  static int calc_residual(double t, N_Vector y, N_Vector y_rate, N_Vector residual, void* user_data);
  static int calc_jacobian(double t, double c, N_Vector y, N_Vector y_rate, N_Vector residual, SUNMatrix matrix,
                           void* user_data, N_Vector, N_Vector, N_Vector);

  IdaForm form_;
  const dae::Structure& structure_;
  int n_, m_, size_;
  dae::Evaluation evaluation_;
  IterationMatrix matrix_;
  VectorOwner start_, start_rate_;
  Vector ones_;
  Pattern unit_;
  // Numbers of the blocks: rows of q', of v', of the third and of the fourth equation.
  int q_by_q_, q_by_v_, q_by_mu_, stabilisation_by_q_;
  int v_by_v_, inertia_by_q_, reaction_by_q_, force_by_q_, force_by_v_, v_by_lambda_;
  int third_by_q_, third_by_v_, bias_by_v_, constraint_by_q_;
};

IdaEquations::IdaEquations(const cases::Case& setup, IdaForm form)
    : form_(form),
      structure_(setup.system->structure()),
      n_(structure_.n_v()),
      m_(structure_.m()),
      size_(2 * n_ + (is_stabilised() ? 2 : 1) * m_),
      evaluation_(*setup.system),
      matrix_(size_),
      ones_(Vector::Ones(n_)),
      unit_(Pattern::diagonal(n_)) {
  // Consistent values: a and lambda from the accelerations, mu = 0.
  evaluation_.set(setup.start);
  kkt::AccelerationSolver accelerations(evaluation_);
  if (accelerations.factor_position() != kkt::AccelerationStatus::kSolved ||
      accelerations.solve(setup.start) != kkt::AccelerationStatus::kSolved) {
    throw std::runtime_error("no consistent start");
  }
  start_ = make_vector(Vector::Zero(size_));
  start_rate_ = make_vector(Vector::Zero(size_));
  Parts y = parts(start_.get()), rate = parts(start_rate_.get());
  y.q = setup.start.q;
  y.v = rate.q = setup.start.v;
  y.lambda = evaluation_.point().lambda;
  rate.v = evaluation_.point().a;
  place_blocks();
}

IdaEquations::Parts IdaEquations::parts(N_Vector y) const {
  double* data = N_VGetArrayPointer(y);
  return {{data, n_}, {data + n_, n_}, {data + 2 * n_, m_}, {data + 2 * n_ + m_, is_stabilised() ? m_ : 0}};
}

void IdaEquations::place_blocks() {
  const int v = n_, lambda = 2 * n_, mu = lambda + m_;  // where parts begin, as rows and as columns
  const auto pattern = [this](Derivative which) -> const Pattern& { return structure_.pattern(which); };
  const Pattern& G = structure_.jacobian;
  q_by_q_ = matrix_.add_block(unit_, 0, 0);
  q_by_v_ = matrix_.add_block(unit_, 0, v);
  v_by_v_ = matrix_.add_block(structure_.mass, v, v);
  inertia_by_q_ = matrix_.add_block(pattern(Derivative::kInertiaByQ), v, 0);
  reaction_by_q_ = matrix_.add_block(pattern(Derivative::kReactionByQ), v, 0);
  force_by_q_ = matrix_.add_block(pattern(Derivative::kForceByQ), v, 0);
  force_by_v_ = matrix_.add_block(pattern(Derivative::kForceByV), v, v);
  v_by_lambda_ = matrix_.add_block(G, v, lambda, IterationMatrix::kTransposed);
  third_by_v_ = matrix_.add_block(G, lambda, v);
  if (is_stabilised()) {
    stabilisation_by_q_ = matrix_.add_block(pattern(Derivative::kReactionByQ), 0, 0);
    q_by_mu_ = matrix_.add_block(G, 0, mu, IterationMatrix::kTransposed);
    third_by_q_ = matrix_.add_block(pattern(Derivative::kVelocityByQ), lambda, 0);
    constraint_by_q_ = matrix_.add_block(G, mu, 0);
  } else {
    third_by_q_ = matrix_.add_block(pattern(Derivative::kAccelerationByQ), lambda, 0);
    bias_by_v_ = matrix_.add_block(pattern(Derivative::kBiasByV), lambda, v);
  }
}

void IdaEquations::set(double t, const Parts& y) {
  evaluation_.set_position(t, y.q);
  evaluation_.set_velocity(y.v);
}

int IdaEquations::calc_residual(double t, N_Vector y, N_Vector y_rate, N_Vector residual, void* user_data) {
  auto& self = *static_cast<IdaEquations*>(user_data);
  const Pattern& G = self.structure_.jacobian;
  const Parts at = self.parts(y), rate = self.parts(y_rate);
  Parts r = self.parts(residual);
  self.set(t, at);
  const double* jacobian = self.evaluation_.jacobian();
  r.q = rate.q - at.v;
  r.v = -self.evaluation_.force();
  self.structure_.mass.add_product(self.evaluation_.mass(), rate.v, 1, r.v);
  G.add_transposed_product(jacobian, at.lambda, 1, r.v);
  if (self.is_stabilised()) {
    G.add_transposed_product(jacobian, at.mu, 1, r.q);
    self.evaluation_.calc_velocity_residual(r.lambda);
    r.mu = self.evaluation_.constraint();
  } else {
    r.lambda = -self.evaluation_.acceleration_bias();
    G.add_product(jacobian, rate.v, 1, r.lambda);
  }
  return 0;
}

int IdaEquations::calc_jacobian(double t, double c, N_Vector y, N_Vector y_rate, N_Vector, SUNMatrix matrix,
                                void* user_data, N_Vector, N_Vector, N_Vector) {
  auto& self = *static_cast<IdaEquations*>(user_data);
  dae::Evaluation& evaluation = self.evaluation_;
  IterationMatrix& sum = self.matrix_;
  const Parts at = self.parts(y), rate = self.parts(y_rate);
  self.set(t, at);
  const double* G = evaluation.jacobian();
  sum.begin(matrix);
  sum.add(self.q_by_q_, self.ones_.data(), c);
  sum.add(self.q_by_v_, self.ones_.data(), -1);
  sum.add(self.v_by_v_, evaluation.mass(), c);
  sum.add(self.inertia_by_q_, evaluation.derivative(Derivative::kInertiaByQ, rate.v));
  sum.add(self.reaction_by_q_, evaluation.derivative(Derivative::kReactionByQ, at.lambda));
  sum.add(self.force_by_q_, evaluation.derivative(Derivative::kForceByQ), -1);
  sum.add(self.force_by_v_, evaluation.derivative(Derivative::kForceByV), -1);
  sum.add(self.v_by_lambda_, G);
  if (self.is_stabilised()) {
    sum.add(self.stabilisation_by_q_, evaluation.derivative(Derivative::kReactionByQ, at.mu));
    sum.add(self.q_by_mu_, G);
    sum.add(self.third_by_v_, G);
    sum.add(self.third_by_q_, evaluation.derivative(Derivative::kVelocityByQ));
    sum.add(self.constraint_by_q_, G);
  } else {
    sum.add(self.third_by_v_, G, c);
    sum.add(self.third_by_q_, evaluation.derivative(Derivative::kAccelerationByQ, rate.v));
    sum.add(self.bias_by_v_, evaluation.derivative(Derivative::kBiasByV), -1);
  }
  return 0;
}

Outcome IdaEquations::run(double t_end, double tolerance) {
  const std::unique_ptr<void, FreeIda> ida(IDACreate(context()));
  const VectorOwner y = make_vector(as_vector(start_.get())), y_rate = make_vector(as_vector(start_rate_.get()));
  const VectorOwner atol = make_vector(Vector::Constant(size_, kFree)), id = make_vector(Vector::Zero(size_));
  as_vector(atol.get()).head(2 * n_).setConstant(tolerance);
  as_vector(id.get()).head(2 * n_).setOnes();
  check(IDAInit(ida.get(), calc_residual, 0, y.get(), y_rate.get()), "IDAInit");
  check(IDASVtolerances(ida.get(), tolerance, atol.get()), "IDASVtolerances");
  check(IDASetUserData(ida.get(), this), "IDASetUserData");
  check(IDASetId(ida.get(), id.get()), "IDASetId");
  check(IDASetSuppressAlg(ida.get(), SUNTRUE), "IDASetSuppressAlg");
  check(IDASetMaxNumSteps(ida.get(), 10'000'000), "IDASetMaxNumSteps");
  const MatrixOwner matrix = matrix_.make_matrix(!structure_.mass.is_full());
  const LinearSolverOwner solver = IterationMatrix::make_solver(y.get(), matrix.get());
  check(IDASetLinearSolver(ida.get(), solver.get(), matrix.get()), "IDASetLinearSolver");
  check(IDASetJacFn(ida.get(), calc_jacobian), "IDASetJacFn");
  check(IDASetDeltaCjLSetup(ida.get(), kRenewalChange), "IDASetDeltaCjLSetup");
  check(IDASetLinearSolutionScaling(ida.get(), SUNFALSE), "IDASetLinearSolutionScaling");
  check(IDASetStopTime(ida.get(), t_end), "IDASetStopTime");
  double t = 0;
  check(IDASolve(ida.get(), t_end, &t, y.get(), y_rate.get(), IDA_NORMAL), "IDASolve");
  Outcome outcome;
  check(IDAGetNumSteps(ida.get(), &outcome.steps), "IDAGetNumSteps");
  check(IDAGetNumResEvals(ida.get(), &outcome.evaluations), "IDAGetNumResEvals");
  outcome.q = parts(y.get()).q;
  outcome.solver = structure_.mass.is_full() ? "dense LU" : "KLU";
  return outcome;
}

}  // namespace

Contender make_ida(const Problem& problem, IdaForm form) {
  const cases::Case& setup = problem.setup;
  const bool stabilised = form == IdaForm::kStabilised;
  return {stabilised ? "ida index 2" : "ida index 1", decades(4, 12),
          [&setup, form](double tolerance) { return IdaEquations(setup, form).run(setup.t_end, tolerance); }};
}

}  // namespace trammel::bench
