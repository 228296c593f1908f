#include "trammel/system/time_function.h"

#include <algorithm>
#include <array>
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

// Parts of the time span, at least: a feature between corners is seen when it is longer than a fraction of a part.
constexpr int kParts = 64;

}  // namespace

std::vector<math::SignChange> find_sign_changes(const model::expression::Program& program, double from, double to) {
  std::vector<double> work(static_cast<std::size_t>(program.work_size()));
  return math::find_sign_changes(
      [&](double t) { return program.eval<double>(std::span(&t, program.inputs().size()), work); }, from, to);
}

TimeFunction TimeFunction::of(model::expression::Program program) {
  TimeFunction f;
  f.program_ = std::move(program);
  return f;
}

TimeFunction TimeFunction::integral_of(model::expression::Program program, double t_0, double t_1) {
  TimeFunction f = of(std::move(program));
  f.integrations_ = 1;
  f.grid_ = {{t_0, 0, 0}};
  f.build_grid(t_0, t_1);
  return f;
}

TimeFunction TimeFunction::double_integral_of(model::expression::Program program, double t_0, double t_1,
                                              double rate_0) {
  TimeFunction f = of(std::move(program));
  f.integrations_ = 2;
  f.grid_ = {{t_0, rate_0, 0}};
  f.build_grid(t_0, t_1);
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

void TimeFunction::build_grid(double t_0, double t_1) {
  if (!(t_1 > t_0) || program_.is_constant()) return;
  std::vector<double> points;
  for (int k = 1; k <= kParts; ++k) points.push_back(t_0 + (t_1 - t_0) * k / kParts);
  // Integrals start on both sides of a corner, so that none goes across.
  for (const math::SignChange& edge : find_edges(t_0, t_1, std::numeric_limits<int>::max())) {
    points.push_back(edge.before);
    points.push_back(edge.after);
  }
  std::sort(points.begin(), points.end());
  for (const double t : points) {
    if (t > grid_.back().t) grid_.push_back(advance(grid_.back(), t));
  }
}

std::vector<math::SignChange> TimeFunction::find_edges(double from, double to, int order) const {
  std::vector<math::SignChange> edges;
  for (const model::expression::Switch& edge : program_.switches()) {
    if (edge.order > order - integrations_) continue;
    const std::vector<math::SignChange> own = find_sign_changes(edge.function, from, to);
    edges.insert(edges.end(), own.begin(), own.end());
  }
  std::sort(edges.begin(), edges.end(),
            [](const math::SignChange& a, const math::SignChange& b) { return a.after < b.after; });
  return edges;
}

TimeFunction::Integrals TimeFunction::integrate(double from, double to, double t, double mean, double before,
                                                int depth) const {
  const double centre = 0.5 * (from + to), half = 0.5 * (to - from);
  Integrals kronrod;
  double gauss = 0, size = 0;
  for (std::size_t k = 0; k < kKronrodPoints.size(); ++k) {
    const double offset = half * kKronrodPoints[k];
    const double left = eval(centre - offset), right = offset == 0 ? 0 : eval(centre + offset);
    kronrod.plain += kKronrodWeights[k] * (left + right);
    kronrod.moment += kKronrodWeights[k] * (left * (t - centre + offset) + right * (t - centre - offset));
    size += kKronrodWeights[k] * (std::abs(left) + std::abs(right));
    if (k % 2 == 1) gauss += kGaussWeights[k / 2] * (left + right);
  }
  if (depth == 0) mean = size;
  const double error = std::abs(kronrod.plain - gauss), scale = std::max(size, mean);
  // Bisection makes a small error much smaller. Where it does not, the rounding of t is left, or a corner, whose
  // interval is short by then.
  const bool is_rounding = error <= 1e-10 * scale && error > 0.1 * before;
  const bool is_narrow = centre == from || centre == to;  // nothing lies between
  if (depth >= kDeepest || is_narrow || error <= 1e-12 * scale || is_rounding)
    return {half * kronrod.plain, half * kronrod.moment};
  const Integrals left = integrate(from, centre, t, mean, error, depth + 1);
  const Integrals right = integrate(centre, to, t, mean, error, depth + 1);
  return {left.plain + right.plain, left.moment + right.moment};
}

TimeFunction::GridPoint TimeFunction::advance(const GridPoint& from, double t) const {
  if (t == from.t) return from;
  const Integrals more =
      program_.is_constant()
          ? Integrals{program_.constant() * (t - from.t), 0.5 * program_.constant() * (t - from.t) * (t - from.t)}
          : integrate(from.t, t, t, 0, std::numeric_limits<double>::infinity(), 0);
  return {t, from.first + more.plain, from.second + from.first * (t - from.t) + more.moment};
}

TimeValue TimeFunction::calc(double t) const {
  if (integrations_ == 0) {
    const Second result = eval(Second::variable(First::variable(t, 0), 0));
    return {result.value.value, result.value.derivative[0], result.derivative[0].derivative[0]};
  }
  const auto after =
      std::upper_bound(grid_.begin(), grid_.end(), t, [](double time, const GridPoint& p) { return time < p.t; });
  const GridPoint at = advance(after == grid_.begin() ? grid_.front() : *std::prev(after), t);
  if (integrations_ == 2) return {at.second, at.first, eval(t)};
  const First rate = eval(First::variable(t, 0));
  return {at.first, rate.value, rate.derivative[0]};
}

}  // namespace trammel::system
