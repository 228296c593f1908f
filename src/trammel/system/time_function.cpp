#include "trammel/system/time_function.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trammel::system {
namespace {

using First = math::Dual<double, 1>;
using Second = math::Dual<First, 1>;

// Programs up to this many operations run on the stack.
constexpr std::size_t kWork = 256;

// The rule of Gauss with seven points and its extension by Kronrod to fifteen, on [-1, 1].
constexpr std::array<double, 8> kKronrodPoints{0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                               0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                               0.586087235467691130294144691693839, 0.405845151377397166906606412076961,
                                               0.207784955007898467600689403773245, 0.0};
constexpr std::array<double, 8> kKronrodWeights{
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
constexpr std::array<double, 4> kGaussWeights{0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
                                              0.381830050505118944950369775488975, 0.417959183673469387755102040816327};
constexpr int kDeepest = 40;

}  // namespace

TimeFunction TimeFunction::of(model::expression::Program program) {
  TimeFunction f;
  f.program_ = std::move(program);
  return f;
}

TimeFunction TimeFunction::integral_of(model::expression::Program program, double t_0, double f_0) {
  TimeFunction f = of(std::move(program));
  f.is_integral_ = true;
  f.t_0_ = t_0;
  f.f_0_ = f_0;
  return f;
}

template <class T>
T TimeFunction::eval(const T& t) const {
  const std::array<T, 1> input{t};
  const std::span<const T> inputs(input.data(), program_.inputs().size());
  const auto size = static_cast<std::size_t>(program_.work_size());
  if (size <= kWork) {
    std::array<T, kWork> work;
    return program_.eval<T>(inputs, std::span<T>(work.data(), size));
  }
  std::vector<T> work(size);
  return program_.eval<T>(inputs, work);
}

double TimeFunction::integrate(double from, double to, double mean, double before, int depth) const {
  const double centre = 0.5 * (from + to), half = 0.5 * (to - from);
  double kronrod = 0, gauss = 0, size = 0;
  for (std::size_t k = 0; k < kKronrodPoints.size(); ++k) {
    const double offset = half * kKronrodPoints[k];
    const double left = eval(centre - offset), right = offset == 0 ? 0 : eval(centre + offset);
    kronrod += kKronrodWeights[k] * (left + right);
    size += kKronrodWeights[k] * (std::abs(left) + std::abs(right));
    if (k % 2 == 1) gauss += kGaussWeights[k / 2] * (left + right);
  }
  if (depth == 0) mean = size;
  const double error = std::abs(kronrod - gauss), scale = std::max(size, mean);
  // Bisection makes a small error much smaller. Where it does not, the rounding of t is left, or a corner, whose
  // interval is short by then.
  const bool is_rounding = error <= 1e-10 * scale && error > 0.1 * before;
  if (depth >= kDeepest || error <= 1e-12 * scale || is_rounding) return half * kronrod;
  return integrate(from, centre, mean, error, depth + 1) + integrate(centre, to, mean, error, depth + 1);
}

TimeValue TimeFunction::calc(double t) const {
  if (!is_integral_) {
    const Second result = eval(Second::variable(First::variable(t, 0), 0));
    return {result.value.value, result.value.derivative[0], result.derivative[0].derivative[0]};
  }
  const First rate = eval(First::variable(t, 0));
  return {f_0_ + (t == t_0_ ? 0.0 : integrate(t_0_, t, 0, std::numeric_limits<double>::infinity(), 0)), rate.value,
          rate.derivative[0]};
}

}  // namespace trammel::system
