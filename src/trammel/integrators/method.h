#pragma once

// An integration method attempts one step. Everything around it (acceptance, step sizes, output, events, limits,
// failure reports) is done by integrate().
//
// A method is one file of methods/: it defines `const MethodEntry <file name>_entry`, and the build finds it.

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/integrators/error_norm.h"
#include "trammel/integrators/options.h"
#include "trammel/integrators/result.h"
#include "trammel/kinematics/projection.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::integrators {

/// What the methods of a run work with. Between calls of a method others may move the evaluation to another point
/// and factorise the metric there, so a method must not rely on where it left them.
struct MethodContext {
  dae::Evaluation& evaluation;
  kkt::AccelerationSolver& accelerations;
  kinematics::Projector& projector;
  ErrorNorm& norm;
  Statistics& statistics;
  const MethodOptions& options;
  const double& horizon;  ///< the next time that a step must hit: the end of the run or an edge of the equations [s]
  bool has_fixed_step = false;  ///< steps cannot be cut: their equations are worth more iterations

  /// t + h, or the horizon itself when only round-off keeps them apart: every method ends its steps with this.
  double end_of_step(double t, double h) const {
    const double end = t + h;
    return std::abs(end - horizon) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(horizon) ? horizon : end;
  }
};

enum class StepStatus {
  kSolved,     ///< the step was computed; its error decides
  kNotSolved,  ///< its equations could not be solved; a smaller step may help
};

struct StepOutcome {
  StepStatus status = StepStatus::kSolved;
  double error = 0;  ///< weighted norm of the local error
};

class Method {
 public:
  virtual ~Method() = default;

  /// Begins, or begins anew after an event, at a consistent state (with a, lambda, x').
  virtual void start(const dae::State& state) = 0;
  /// Computes a step of size h from state(); may be called again with another h.
  virtual StepOutcome attempt(double h) = 0;
  /// Makes the last attempt the new state().
  virtual void accept() = 0;
  /// Takes the last accepted step back, so that state() is where it began; false when the method cannot. Called only
  /// between accept() and the next attempt().
  virtual bool undo() { return false; }
  /// The last accepted state, complete (q, v, a, lambda, x, x').
  virtual const dae::State& state() const = 0;
  /// Positions, velocities and extra states inside of the last accepted step, to the method's accuracy; asked for only
  /// between accept() and the next attempt(). They need not satisfy the constraints exactly.
  virtual void interpolate(double t, dae::State& out) = 0;
  /// Degree in time of the polynomial that interpolate() evaluates in the last accepted step, at least 1.
  virtual int dense_degree() const = 0;
  /// Order of the formula in use: the local error goes like h^(order + 1).
  virtual int order() const = 0;
  /// The size of the next step (> 0) after an accepted one or one with too large an error, from a method that chooses
  /// it together with its order; nothing leaves it to the step controller.
  virtual std::optional<double> propose_step() const { return std::nullopt; }
  /// Whether interpolate() gives a and lambda, too, well enough to look for events.
  virtual bool interpolates_accelerations() const { return false; }
  /// Whether a and lambda of interpolate() are also what users get, and those of a start come from complete_start().
  /// Otherwise they are solved for, from the index-1 equations at the consistent state.
  virtual bool gives_accelerations() { return false; }
  /// Finds a, lambda and x' of a state with consistent t, q, v, x; those of the state are where to look first.
  virtual kkt::AccelerationStatus complete_start(dae::State& /*state*/) {
    return kkt::AccelerationStatus::kNoReactions;
  }
  /// Adds the work of evaluations and solvers of the method's own, at the end of a run.
  virtual void add_counts(Statistics& /*statistics*/) const {}
  /// Adds what users of the method should know about its results, in words, at the end of a run.
  virtual void add_notes(std::vector<std::string>& /*notes*/) const {}
  /// Which component or equation made the last attempt fail, in words.
  virtual std::string describe_trouble() = 0;
};

/// A setting of a method: one of some words, a number in a range, or names of positions.
struct MethodOptionInfo {
  std::string name;
  std::vector<std::string> values;  ///< the default first; of words, all that are allowed
  std::string meaning;
  bool is_number = false;
  double least = -1e300;
  double largest = 1e300;
  /// Names of positions, separated by commas, as many as there are degrees of freedom; or the default.
  bool is_names = false;
};

/// What a method can take; users are told before the run starts when a system has something it cannot.
struct Capabilities {
  bool nonholonomic = true;
  bool implicit_states = false;
  bool reaction_dependent_forces = false;
  bool general_kinematics = true;    ///< q' other than v
  bool switched_constraints = true;  ///< Structure::switchable_rows
};

struct MethodEntry {
  std::string name;
  std::string summary;  ///< one line
  int order = 0;        ///< of the formula; of a method that changes it, the largest
  Capabilities capabilities;
  std::vector<MethodOptionInfo> options;
  std::function<std::unique_ptr<Method>(const MethodContext&)> make;
  /// The share of a run that one step may span when the user gives no largest step. An implicit method at rest would
  /// step over whatever comes later; one that stability holds back does not.
  double largest_step_share = 1;
  bool changes_order = false;
};

/// All methods, by file name. Generated by the build.
const std::vector<const MethodEntry*>& methods();
/// The entry of that name or nullptr.
const MethodEntry* find_method(const std::string& name);

/// Why the method cannot integrate the system with these options, one message each; empty when it can.
std::vector<std::string> find_obstacles(const MethodEntry& method, const dae::Structure& structure,
                                        const MethodOptions& options);

/// The option 'linear_solver', the linear algebra of [M G^T; G 0]: a method that computes accelerations or projections
/// by its context lists it among its options, and integrate() heeds it.
MethodOptionInfo linear_solver_option();
/// The back end that the options ask for; the automatic one for a method without that option.
kkt::BackEnd linear_solver(const MethodEntry& method, const MethodOptions& options);

/// What stands between the commas of an option that is names.
std::vector<std::string> split_names(const std::string& text);

bool has_option(const MethodEntry& method, const std::string& name);

/// The value of an option, or its default; the second for options that are numbers.
std::string option_value(const MethodEntry& method, const MethodOptions& options, const std::string& name);
double option_number(const MethodEntry& method, const MethodOptions& options, const std::string& name);

}  // namespace trammel::integrators
