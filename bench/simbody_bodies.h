#pragma once

// Bodies in Simbody, which works in joint coordinates with a recursion and closes loops by constraints. Its headers
// want C++17, so they stay in one source file.

#include <array>
#include <memory>
#include <vector>

#include "bench/rod_tree.h"

namespace trammel::bench {

/// Those of Simbody that cost least at equal error: Merson's for large errors, Fehlberg's (as Simbody spells it) for
/// small ones. RungeKutta3 and Verlet cost more at every error on chains of ten.
enum class SimbodyIntegrator { kMerson, kFeldberg };
const char* name_of(SimbodyIntegrator integrator);

class SimbodyBodies {
 public:
  static SimbodyBodies rods(const RodTree& tree);
  /// The case four-bar: couplers hang on the cranks to their left and are tied to those on their right.
  static SimbodyBodies four_bars(int loops);
  ~SimbodyBodies();
  SimbodyBodies(SimbodyBodies&&) noexcept;
  SimbodyBodies& operator=(SimbodyBodies&&) noexcept;
  SimbodyBodies(const SimbodyBodies&) = delete;
  SimbodyBodies& operator=(const SimbodyBodies&) = delete;

  /// Computes all accelerations anew.
  void accelerate();
  /// Those of the centres of mass, body by body [m/s^2].
  std::vector<std::array<double, 3>> accelerations() const;

  struct Run {
    std::vector<std::array<double, 3>> centres;  ///< of mass at the end [m]
    long steps = 0;
    long evaluations = 0;  ///< realisations of the accelerations
  };
  /// From the start to t_end.
  Run integrate(double t_end, double accuracy, SimbodyIntegrator integrator) const;

 private:
  struct System;
  SimbodyBodies();
  std::unique_ptr<System> system_;
};

}  // namespace trammel::bench
