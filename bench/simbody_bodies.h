#pragma once

// The spatial chain with hinges in Simbody. Its headers want C++17, so they stay in one source file.

#include <memory>

namespace trammel::bench {

class SimbodyChain {
 public:
  explicit SimbodyChain(int n);
  ~SimbodyChain();
  SimbodyChain(const SimbodyChain&) = delete;
  SimbodyChain& operator=(const SimbodyChain&) = delete;

  /// Computes all accelerations anew; returns that of the first hinge [rad/s^2].
  double accelerate();

 private:
  struct System;
  std::unique_ptr<System> system_;
};

}  // namespace trammel::bench
