#include "trammel/integrators/state_space/cvode_method.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace trammel::integrators {

using dae::State;
using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

namespace {

// A step that is asked for and differs from CVODE's own by no more than round-off is CVODE's own.
constexpr double kSameStep = 1e-9;
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();

using MapOut = Eigen::Map<Vector>;
using MapIn = Eigen::Map<const Vector>;

/// An object of SUNDIALS that is given back at the end.
template <class Pointer, auto give_back>
class Owned {
 public:
  explicit Owned(Pointer pointer = nullptr) : pointer_(pointer) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (pointer_) give_back(pointer_);
  }
  void reset(Pointer pointer) {
    if (pointer_) give_back(pointer_);
    pointer_ = pointer;
    if (!pointer_) throw std::bad_alloc();
  }
  operator Pointer() const { return pointer_; }  // NOLINT: it stands for the pointer

 private:
  Pointer pointer_;
};

SUNContext make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return context;
}
void free_context(SUNContext context) { SUNContext_Free(&context); }
void free_cvode(void* memory) { CVodeFree(&memory); }
void free_vector(N_Vector vector) { N_VDestroy(vector); }
void free_matrix(SUNMatrix matrix) { SUNMatDestroy(matrix); }
void free_linear(SUNLinearSolver solver) { SUNLinSolFree(solver); }
void free_nonlinear(SUNNonlinearSolver solver) { SUNNonlinSolFree(solver); }

MapOut map(N_Vector vector) { return {N_VGetArrayPointer(vector), N_VGetLength(vector)}; }

/// Numbers of CVODE since it last began anew.
struct Counts {
  long error_failures = 0, convergence_failures = 0, iterations = 0, setups = 0;
};

class Cvode final : public StateSpaceMethod {
 public:
  Cvode(const MethodContext& context, CvodeFormula formula, int max_order, const StateSpaceOptions& options);

  int order() const override { return order_; }
  int dense_degree() const override { return std::max(order_, 1); }
  /// What CVODE wants; a little more where that is below what the time resolves, so that it fails and says why.
  std::optional<double> propose_step() const override {
    return next_h_ > 0 ? std::optional(std::max(next_h_, 4 * smallest_h_)) : std::nullopt;
  }
  void add_counts(Statistics& statistics) const override {
    equations_.add_counts(statistics);
    statistics.linear.factorizations += factorizations_;
    statistics.linear.solves += solves_;
    if (jacobian_) jacobian_->add_counts(statistics);
  }

 private:
  bool is_bdf() const { return formula_ == CvodeFormula::kBdf; }

  void begin_anew() override;
  bool advance(double h) override;
  void predict_trial() override;
  double calc_error() override { return error_size_; }
  void note_accepted() override { is_ahead_ = false; }
  void interpolate_reduced(double theta, VectorOut y) override;
  std::string describe_advance() override;
  std::string describe_matrix() const override {
    return jacobian_ ? "integration Jacobian " + jacobian_->describe() : std::string();
  }

  bool restart(double h);
  void note_counts(bool is_solved);
  void note_error();
  /// The equations at (t, y) into point_; unless they stand there.
  bool eval_point(double t, VectorIn y);

  // --- what CVODE calls. Nothing may be thrown through it: what is thrown is kept and thrown behind it.
  template <class Function>
  int guard(Function&& function) noexcept {
    try {
      return function();
    } catch (...) {
      thrown_ = std::current_exception();
      return -1;
    }
  }
  static int eval_rate(double t, N_Vector y, N_Vector rate, void* self) noexcept;
  static int eval_derivative(double t, N_Vector y, N_Vector rate, SUNMatrix J, void* self, N_Vector, N_Vector,
                             N_Vector) noexcept;
  static int calc_weights(N_Vector y, N_Vector weights, void* self) noexcept;
  static void be_silent(int, const char*, const char*, char*, void*) noexcept {}

  CvodeFormula formula_;
  std::unique_ptr<IntegrationJacobian> jacobian_;
  Owned<SUNContext, free_context> sundials_;
  Owned<N_Vector, free_vector> out_, weights_, error_vector_;
  Owned<SUNMatrix, free_matrix> matrix_;
  Owned<SUNLinearSolver, free_linear> linear_;
  Owned<SUNNonlinearSolver, free_nonlinear> nonlinear_;
  Owned<void*, free_cvode> cvode_;
  State point_;  // where the equations were last evaluated
  Vector y_point_;
  bool is_point_known_ = false;
  bool is_due_ = true;     // CVODE must begin anew
  bool is_ahead_ = false;  // CVODE stands at the end of a step that was not accepted
  int order_ = 1;
  double next_h_ = 0;  // that CVODE wants to take next; 0: not known
  double smallest_h_ = 0;
  double error_size_ = 0;
  int flag_ = CV_SUCCESS;
  std::exception_ptr thrown_;
  Counts noted_;
  long failures_at_derivative_ = 0;                       // of the iteration, when dy'/dy was last evaluated
  bool has_derivative_ = false, had_derivative_ = false;  // since CVODE began anew; at all
  long factorizations_ = 0, solves_ = 0;
};

void require(int flag, const char* what) {
  if (flag != CV_SUCCESS) throw std::runtime_error(fmt::format("CVODE could not be set up ({}: {})", what, flag));
}

Cvode::Cvode(const MethodContext& context, CvodeFormula formula, int max_order, const StateSpaceOptions& options)
    : StateSpaceMethod(context, options), formula_(formula), sundials_(make_context()) {
  equations_.set_measures_independent(true);
  point_ = State::zero(equations_.structure());
  y_point_ = Vector::Zero(equations_.size());
  if (is_bdf()) jacobian_ = std::make_unique<IntegrationJacobian>(context, equations_, options.jacobian);
  const int size = equations_.size();
  if (size == 0) return;  // there is nothing to integrate
  out_.reset(N_VNew_Serial(size, sundials_));
  weights_.reset(N_VNew_Serial(size, sundials_));
  error_vector_.reset(N_VNew_Serial(size, sundials_));
  N_VConst(0, out_);
  cvode_.reset(CVodeCreate(is_bdf() ? CV_BDF : CV_ADAMS, sundials_));
  require(CVodeSetErrHandlerFn(cvode_, be_silent, nullptr), "messages");
  require(CVodeSetMaxOrd(cvode_, max_order), "order");
  require(CVodeInit(cvode_, eval_rate, 0, out_), "memory");
  require(CVodeSetUserData(cvode_, this), "data");
  require(CVodeWFtolerances(cvode_, calc_weights), "weights");
  if (is_bdf()) {
    matrix_.reset(SUNDenseMatrix(size, size, sundials_));
    linear_.reset(SUNLinSol_Dense(out_, matrix_, sundials_));
    require(CVodeSetLinearSolver(cvode_, linear_, matrix_), "linear solver");
    require(CVodeSetJacFn(cvode_, eval_derivative), "derivatives");
  } else {
    nonlinear_.reset(SUNNonlinSol_FixedPoint(out_, 0, sundials_));
    require(CVodeSetNonlinearSolver(cvode_, nonlinear_), "iteration");
  }
}

int Cvode::calc_weights(N_Vector y, N_Vector weights, void* self) noexcept {
  const ErrorNorm& norm = static_cast<Cvode*>(self)->context_.norm;
  const auto values = map(y);
  map(weights) = (norm.rtol() * values.array().abs() + norm.atol()).inverse();
  return 0;
}

bool Cvode::eval_point(double t, VectorIn y) {
  if (is_point_known_ && point_.t == t && y_point_ == y) return true;
  // Where the iteration was last, if it is at the same time.
  if (!is_point_known_ || point_.t != t) {
    predict_state(t - state_.t, point_);
    point_.a = state_.a;
    point_.lambda = state_.lambda;
    point_.x_rate = state_.x_rate;
  }
  y_point_ = y;
  is_point_known_ = equations_.eval(t, y_point_, point_);
  return is_point_known_;
}

int Cvode::eval_rate(double t, N_Vector y, N_Vector rate, void* self) noexcept {
  Cvode& method = *static_cast<Cvode*>(self);
  return method.guard([&] {
    if (!method.eval_point(t, map(y))) return 1;
    method.equations_.calc_rate(method.point_, map(rate));
    return 0;
  });
}

int Cvode::eval_derivative(double t, N_Vector y, N_Vector /*rate*/, SUNMatrix J, void* self, N_Vector, N_Vector,
                           N_Vector) noexcept {
  Cvode& method = *static_cast<Cvode*>(self);
  return method.guard([&] {
    long failures = 0;
    CVodeGetNumNonlinSolvConvFails(method.cvode_, &failures);
    const RenewalCause cause = !method.had_derivative_                     ? RenewalCause::kFirst
                               : !method.has_derivative_                   ? RenewalCause::kRestart
                               : failures > method.failures_at_derivative_ ? RenewalCause::kFailure
                                                                           : RenewalCause::kAge;
    ++method.context_.statistics.renewals[static_cast<std::size_t>(cause)];
    method.failures_at_derivative_ = failures;
    method.has_derivative_ = method.had_derivative_ = true;
    if (!method.eval_point(t, map(y)) || !method.jacobian_->eval(method.point_)) return 1;
    const int size = method.equations_.size();
    method.jacobian_->calc_rate_derivative(Eigen::Map<Eigen::MatrixXd>(SUNDenseMatrix_Data(J), size, size));
    return 0;
  });
}

void Cvode::begin_anew() {
  is_due_ = true;
  order_ = 1;
  next_h_ = 0;
}

/// CVODE begins at state_, with y_ of it.
bool Cvode::restart(double h) {
  map(out_) = y_;
  is_point_known_ = false;
  is_ahead_ = false;
  noted_ = {};
  has_derivative_ = false;
  failures_at_derivative_ = 0;
  flag_ = CVodeReInit(cvode_, state_.t, out_);
  if (flag_ == CV_SUCCESS) flag_ = CVodeSetInitStep(cvode_, h);
  is_due_ = flag_ != CV_SUCCESS;
  next_h_ = h;
  return !is_due_;
}

bool Cvode::advance(double h) {
  if (equations_.size() == 0) return true;
  if ((is_due_ || is_ahead_) && !restart(h)) return false;
  // Shorter than CVODE would like, or as far as it likes.
  const bool is_cut = !(next_h_ > 0) || h < (1 - kSameStep) * next_h_;
  double end = trial_.t;
  // What the time can resolve.
  smallest_h_ = 16 * kRoundOff * std::max(std::abs(state_.t), 1e-3 * std::abs(context_.horizon));
  flag_ = CVodeSetMinStep(cvode_, std::min(smallest_h_, h));
  if (flag_ == CV_SUCCESS) flag_ = CVodeSetStopTime(cvode_, is_cut ? trial_.t : context_.horizon);
  if (flag_ == CV_SUCCESS) flag_ = CVode(cvode_, context_.horizon, out_, &end, CV_ONE_STEP);
  is_ahead_ = true;
  note_counts(flag_ >= 0);
  if (thrown_) {
    is_due_ = true;
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
  note_error();
  if (flag_ < 0) {
    is_due_ = true;
    return false;
  }
  CVodeGetLastOrder(cvode_, &order_);
  if (flag_ == CV_TSTOP_RETURN) {
    next_h_ = 0;  // CVODE does not tell
  } else {
    CVodeGetCurrentStep(cvode_, &next_h_);
  }
  y_trial_ = map(out_);
  trial_.t = end;
  h_ = end - state_.t;
  return h_ > 0 && std::isfinite(y_trial_.sum());
}

/// What happened inside of CVODE; a failure that ends the attempt is counted by the run.
void Cvode::note_counts(bool is_solved) {
  Counts now;
  CVodeGetNumErrTestFails(cvode_, &now.error_failures);
  CVodeGetNumStepSolveFails(cvode_, &now.convergence_failures);
  CVodeGetNumNonlinSolvIters(cvode_, &now.iterations);
  CVodeGetNumLinSolvSetups(cvode_, &now.setups);
  Statistics& statistics = context_.statistics;
  statistics.rejected_error += now.error_failures - noted_.error_failures;
  statistics.rejected_convergence += now.convergence_failures - noted_.convergence_failures;
  if (!is_solved && now.convergence_failures > noted_.convergence_failures) --statistics.rejected_convergence;
  if (is_bdf()) {
    statistics.newton_iterations += now.iterations - noted_.iterations;
    factorizations_ += now.setups - noted_.setups;
    solves_ += now.iterations - noted_.iterations;
  }
  noted_ = now;
}

/// CVODE's estimate and its size, as CVODE measures it.
void Cvode::note_error() {
  CVodeGetEstLocalErrors(cvode_, error_vector_);
  CVodeGetErrWeights(cvode_, weights_);
  error_ = map(error_vector_);
  error_size_ = std::min(N_VWrmsNorm(error_vector_, weights_), 1.0);
}

void Cvode::predict_trial() {
  if (!is_point_known_ || std::abs(point_.t - trial_.t) > kSameStep * h_) return StateSpaceMethod::predict_trial();
  trial_.q = point_.q;  // of the last iterate
  trial_.v = point_.v;
}

void Cvode::interpolate_reduced(double theta, VectorOut y) {
  if (equations_.size() == 0) return;
  if (CVodeGetDky(cvode_, begin_.t + theta * h_, 0, out_) == CV_SUCCESS) {
    y = map(out_);
  } else {
    y = (1 - theta) * y_begin_ + theta * y_trial_;  // not reached: t lies in the last step
  }
}

std::string Cvode::describe_advance() {
  switch (flag_) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN: return {};
    case CV_ERR_FAILURE:
      return "CVODE's error stays too large however small the step; the largest is that of " +
             equations_.find_worst(error_);
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
      return is_bdf() ? "Newton's iteration of CVODE does not converge"
                      : "the fixed-point iteration of CVODE does not converge: the system may be too stiff for it (use "
                        "for-cvode or another implicit method)";
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return "the matrix of the step is singular or not finite";
    case CV_TOO_MUCH_ACC: return "the tolerance is smaller than what double precision allows; use a larger one";
    default: {
      char* name = CVodeGetReturnFlagName(flag_);
      std::string text = fmt::format("CVODE could not take a step ({})", name);
      std::free(name);  // NOLINT: it was made by malloc
      return text;
    }
  }
}

}  // namespace

std::vector<MethodOptionInfo> cvode_settings(CvodeFormula formula) {
  const bool is_bdf = formula == CvodeFormula::kBdf;
  MethodOptionInfo max_order{"max_order", {}, "largest order of the formulas"};
  for (int order = is_bdf ? kMaxBdfOrder : kMaxAdamsOrder; order >= 1; --order) {
    max_order.values.push_back(std::to_string(order));
  }
  std::vector<MethodOptionInfo> own{max_order};
  if (is_bdf) own.push_back(jacobian_option());
  std::vector<MethodOptionInfo> settings = with_state_space_settings(std::move(own), MatrixUse::kNone);
  // CVODE measures independent coordinates.
  std::erase_if(settings, [](const MethodOptionInfo& info) { return info.name == "error"; });
  return settings;
}

std::unique_ptr<Method> make_cvode_method(const MethodContext& context, CvodeFormula formula,
                                          const MethodEntry& entry) {
  return std::make_unique<Cvode>(context, formula, std::stoi(option_value(entry, context.options, "max_order")),
                                 read_state_space_settings(entry, context.options, context.evaluation.structure()));
}

}  // namespace trammel::integrators
