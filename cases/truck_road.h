#pragma once

// The roads of the truck as its front wheel meets them, u(t) with all derivatives continuous. Both begin level, rise
// within a second and are our own:
//   sine     u = S(t) 0.04 m sin(2 pi 1.5 Hz t)
//   uneven   u = S(t) (1 - S((t - 8 s) / 4)) sum_k a_k sin(2 pi (k t / T + p_k)),  k = 1..64,
// where the second has the spectrum of class C of ISO 8608, G(n) = 256e-6 m^3 (0.1/m / n)^2, at n = k/(100 m) and 15
// m/s: a_k = sqrt(2 G(k/(100 m)) / (100 m)), T = 100 m / (15 m/s), and phases that only look random, p_k = (k^3 mod
// 101)/101. S(t) = a/(a + b), a = exp(-1/t), b = exp(-1/(1 - t)), rises from 0 to 1 within 0 <= t <= 1.

#include <complex>
#include <vector>

namespace trammel::cases {

class TruckRoad {
 public:
  static constexpr double kSpeed = 15;  ///< of the truck [m/s]
  enum class Kind { kSine, kUneven };
  struct Height {
    double value;  ///< [m]
    double rate;   ///< [m/s]
  };

  explicit TruckRoad(Kind kind);
  Height at(double t) const;

 private:
  Height calc_waves(double t) const;

  Kind kind_;
  std::vector<std::complex<double>> waves_;  // a_k exp(2 pi i p_k), from k = 1
};

}  // namespace trammel::cases
