#pragma once

// The values of signals (inputs of expressions) at a point of the motion, and their derivatives.
//
// A derivative is by the unknowns z = (q, v, x) of the system, numbered 0 .. 2 n_v + n_x - 1 ("by q" along retract). A
// signal depends on a few of them only, its support; gradients are stored densely over it. Measures between markers are
// differentiated by dual numbers, expressions in reverse mode, both exact.

#include <span>
#include <string>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/model/model.h"
#include "trammel/system/body_table.h"
#include "trammel/system/constraints.h"
#include "trammel/system/marker_geometry.h"

namespace trammel::system {

/// The derivative of the centre of mass' velocity (ground axes) and of the angular velocity (body axes).
using Acceleration = Twist;

/// What signals are computed from. Accelerations and reactions may be absent when no signal needs them.
struct SignalInput {
  const dae::State& at;
  const std::vector<BodyFrame>& frames;
  const std::vector<Twist>& twists;
  const std::vector<Acceleration>* accelerations = nullptr;
  const std::vector<Eigen::Matrix<double, 6, 1>>* joint_wrenches = nullptr;  ///< on the body of J, as Constraints gives
};

/// Room for one evaluation; one per thread.
struct SignalWork {
  std::vector<double> values;     ///< one a signal
  std::vector<double> gradients;  ///< over the supports of all signals
  std::vector<double> inputs, work, partials, gather_room;
};

class Signals;

/// An expression together with where its inputs come from.
class ProgramUse {
 public:
  ProgramUse() = default;
  ProgramUse(model::Program program, const Signals& signals);

  const model::Program& program() const { return program_; }
  /// Unknowns that the value depends on, increasing.
  const std::vector<int>& support() const { return support_; }
  double eval(SignalWork& work) const;
  /// The value; its gradient over support() is added, times `scale`.
  double eval_gradient(const Signals& signals, SignalWork& work, double scale, double* gradient) const;

 private:
  void gather(SignalWork& work) const;

  model::Program program_;
  std::vector<int> support_;
  std::vector<std::vector<int>> places_;  // for each input: where its support stands in support_
};

/// The law of a scalar force (model::ForceLaw), with its expression.
class ScalarLaw {
 public:
  ScalarLaw() = default;
  ScalarLaw(const model::Model& model, const model::ForceLaw& law, const Signals& signals);

  struct Value {
    double force = 0;      ///< F, without the expression
    double by_value = 0;   ///< dF/dc
    double by_rate = 0;    ///< dF/dc'
    double potential = 0;  ///< of the elastic parts [J]
  };
  Value calc(double c, double rate) const;
  /// The part of the force that has no potential: damping and friction.
  double calc_dissipative(double c, double rate) const;
  bool has_expression() const { return has_expression_; }
  const ProgramUse& expression() const { return expression_; }

 private:
  model::ForceLaw law_;
  const math::Spline* stiffness_curve_ = nullptr;
  const math::Spline* damping_curve_ = nullptr;
  bool has_expression_ = false;
  ProgramUse expression_;
};

class Signals {
 public:
  /// Keeps references. `counter_of(joint coordinate)` is the extra state that counts its turns, or -1.
  Signals(const model::Model& model, const BodyTable& bodies, int n_x,
          const std::vector<std::pair<model::JointCoordinate, int>>& counters);

  SignalWork make_work() const;
  /// Values of the given signals and of what they depend on; in an order that order_of() returned.
  void calc_values(const SignalInput& in, std::span<const int> order, SignalWork& work) const;
  /// Values and gradients. Signals that need accelerations or reactions have no gradient.
  void calc_gradients(const SignalInput& in, std::span<const int> order, SignalWork& work) const;

  /// The signals that programs need, in the order in which they can be computed.
  std::vector<int> order_of(const std::vector<const model::Program*>& programs) const;
  /// All signals, each after what it depends on.
  std::vector<int> order_of_all() const;
  /// Whether some of them needs accelerations or reactions.
  bool needs_accelerations(std::span<const int> order) const;
  bool needs_reactions(std::span<const int> order) const;

  const std::vector<int>& support(int signal) const { return infos_[static_cast<std::size_t>(signal)].support; }
  const double* gradient(int signal, const SignalWork& work) const {
    return work.gradients.data() + infos_[static_cast<std::size_t>(signal)].offset;
  }
  int n_v() const { return bodies_.n_v(); }
  /// The coordinate of a joint, with counted turns where there is a counter.
  double calc_joint_coordinate(const SignalInput& in, const PlacedCoordinate& placed, int counter) const;
  int counter_of(const model::JointCoordinate& which) const;

 private:
  struct Info {
    std::vector<int> support;
    int offset = 0;
    MarkerGeometry a, b, c, d;
    std::vector<int> frames;  // that a measure depends on
    PlacedCoordinate coordinate;
    int counter = -1;
    ProgramUse program;  // of a variable
    /// Of a vector force: axis of its own frame, which is c, and component along it.
    std::vector<std::pair<int, ProgramUse>> parts;
    ScalarLaw law;                            // of a scalar force
    const model::Bushing* bushing = nullptr;  // between a and b
    double angle_offset = 0;
    std::vector<int> needs;  // signals that must be computed before
  };

  void set_up(int signal, std::vector<int>& marks);
  void set_up_measure(const model::Signal& signal, Info& info) const;
  void set_up_force_value(const model::Signal& signal, Info& info) const;
  void visit(int signal, std::vector<char>& marks, std::vector<int>& order) const;
  double calc_value(int signal, const SignalInput& in, SignalWork& work) const;
  void calc_gradient(int signal, const SignalInput& in, SignalWork& work, double* gradient) const;
  void calc_measure_gradient(const model::Signal& signal, const Info& info, const SignalInput& in,
                             double* gradient) const;
  double calc_vector_force(const model::Signal& signal, const Info& info, const SignalInput& in,
                           SignalWork& work) const;
  void calc_vector_force_gradient(const model::Signal& signal, const Info& info, const SignalInput& in,
                                  SignalWork& work, double* gradient) const;
  /// Adds the gradient of a program that is a part of the signal, times `scale`, and returns its value.
  double add_program_gradient(const Info& info, const ProgramUse& program, double scale, SignalWork& work,
                              double* gradient) const;
  void add_coordinate_gradient(const Info& info, const SignalInput& in, double by_value, double by_rate,
                               double* gradient) const;

  const model::Model& model_;
  const BodyTable& bodies_;
  std::vector<std::pair<model::JointCoordinate, int>> counters_;
  std::vector<Info> infos_;
  std::size_t gradient_size_ = 0;
  std::size_t largest_program_ = 0;
};

}  // namespace trammel::system
