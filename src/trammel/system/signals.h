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
#include "trammel/system/body_state.h"
#include "trammel/system/body_table.h"
#include "trammel/system/constraints.h"
#include "trammel/system/scalar_law.h"

namespace trammel::system {

/// The derivative of the centre of mass' velocity (ground axes) and of the angular velocity (body axes).
using Acceleration = Twist;

/// What signals are computed from. Accelerations and reactions may be absent when no signal needs them.
struct SignalInput {
  const dae::State& at;
  const std::vector<BodyFrame>& frames;
  const std::vector<Twist>& twists;
  const std::vector<Acceleration>* accelerations = nullptr;
  const std::vector<Wrench>* joint_wrenches = nullptr;  ///< on the body of J, as Constraints gives

  BodyState<double> body(int frame) const {
    const auto k = static_cast<std::size_t>(frame);
    return body_state(frames[k], twists[k], accelerations ? (*accelerations)[k] : Acceleration());
  }
};

class Signals {
 public:
  /// Keeps references. `counters`: joint coordinates whose turns are counted, and the extra states that do so.
  Signals(const model::Model& model, const BodyTable& bodies,
          const std::vector<std::pair<model::JointCoordinate, int>>& counters);

  SignalWork make_work() const;
  /// Values of the given signals and of what they depend on; in an order that order_of() returned.
  void calc_values(const SignalInput& in, std::span<const int> order, SignalWork& work) const;
  /// Values and gradients. Signals that need accelerations or reactions have no gradient.
  void calc_gradients(const SignalInput& in, std::span<const int> order, SignalWork& work) const;

  /// In words, why an expression is not a finite number, with its values computed: '"2*w" reads w, "sqrt(t)" takes
  /// sqrt(-1)'.
  std::string describe_fault(const ProgramUse& program, SignalWork& work) const;

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
  /// The coordinate of a joint, with counted turns where there is a counter.
  double calc_joint_coordinate(const SignalInput& in, const PlacedCoordinate& placed, int counter) const;
  /// The extra state that counts the turns of a joint coordinate, or -1.
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
