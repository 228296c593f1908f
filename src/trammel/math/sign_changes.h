#pragma once

// All sign changes of a function of one variable.

#include <cstddef>
#include <vector>

namespace trammel::math {

/// Between these two arguments the sign changes; at most points where the function is exactly zero lie between them.
struct SignChange {
  double before = 0;
  double after = 0;
};

/// The sign changes of f in (from, to], in order. The interval is sampled ever more finely until twice the points find
/// no more changes, so they are found when they are regular, or farther apart than about 1/4000 of the interval. Where
/// f is zero or not a number it has no sign.
template <class Function>
std::vector<SignChange> find_sign_changes(const Function& f, double from, double to) {
  constexpr int kFewest = 1 << 12, kMost = 1 << 18;
  const auto sign = [&](double t) {
    const double value = f(t);
    return (value > 0) - (value < 0);
  };
  /// The neighbours between which `is_left` turns from true to false, found by bisection.
  const auto divide = [](double left, double right, const auto& is_left) {
    for (;;) {
      const double middle = left + 0.5 * (right - left);
      if (!(middle > left && middle < right)) return SignChange{left, right};
      (is_left(middle) ? left : right) = middle;
    }
  };
  std::vector<SignChange> rough, last;
  for (int n = kFewest; n <= kMost; n *= 2) {
    last.swap(rough);
    rough.clear();
    int before = sign(from);
    double t_before = from;
    for (int k = 1; k <= n; ++k) {
      const double t = k == n ? to : from + (to - from) * k / n;
      const int now = sign(t);
      if (now == 0) continue;
      if (before != 0 && now != before) rough.push_back({t_before, t});
      before = now;
      t_before = t;
    }
    if (n > kFewest && rough.size() <= last.size()) break;
  }
  for (SignChange& change : rough) {
    const int old = sign(change.before);
    const auto [left, right] = change;
    change.before = divide(left, right, [&](double t) { return sign(t) == old; }).before;
    change.after = divide(left, right, [&](double t) { return sign(t) != -old; }).after;
  }
  return rough;
}

}  // namespace trammel::math
