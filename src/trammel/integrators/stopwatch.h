#pragma once

// How long a run has taken since the stopwatch was made: on the wall and of this thread [s].

#include <chrono>
#include <ctime>

namespace trammel::integrators {

class Stopwatch {
 public:
  double wall_seconds() const { return std::chrono::duration<double>(Clock::now() - wall_).count(); }
  double cpu_seconds() const { return thread_seconds() - cpu_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  Clock::time_point wall_ = Clock::now();
  double cpu_ = thread_seconds();
};

}  // namespace trammel::integrators
