#pragma once

// The forms of a model and the back ends that solve for its accelerations, as the programs about topology compare them.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cases/case.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::bench {

enum class Coordinates { kBody, kJoint };

/// One way to the accelerations of a model.
struct Contestant {
  const char* name;
  Coordinates coordinates;
  kkt::BackEnd back_end;
};

inline constexpr std::array kContestants{
    Contestant{"sparse LU", Coordinates::kBody, kkt::BackEnd::kSparse},
    Contestant{"reduced", Coordinates::kBody, kkt::BackEnd::kReduced},
    Contestant{"recursive", Coordinates::kBody, kkt::BackEnd::kRecursive},
    Contestant{"articulated", Coordinates::kJoint, kkt::BackEnd::kArticulated},
    Contestant{"branches", Coordinates::kJoint, kkt::BackEnd::kBranches},
    Contestant{"dense", Coordinates::kJoint, kkt::BackEnd::kCholeskyQr},
};

/// The system of a model and a state of it.
struct Form {
  std::shared_ptr<const dae::ConstrainedSystem> system;
  dae::State start;
};
Form make_form(const cases::Case& setup, Coordinates coordinates);

/// Computes accelerations again and again, everything included: positions, velocities, M, G, f, bias, factors,
/// solution.
class Accelerator {
 public:
  Accelerator(const Form& form, const kkt::SolverOptions& options);

  /// Throws std::runtime_error when they cannot be computed.
  void run();
  /// Without factors and solution.
  void evaluate();
  /// Factors and solution alone, at the last position.
  void solve();
  const dae::Point& point() const { return evaluation_.point(); }
  kkt::Solver& solver() { return accelerations_.metric(); }

 private:
  void move();

  dae::State state_;
  dae::Evaluation evaluation_;
  kkt::AccelerationSolver accelerations_;
};

}  // namespace trammel::bench
