#pragma once

// Forward-mode automatic differentiation: numbers that carry their derivatives in N directions.
//
// Dual<T, N> is v + sum_i d_i eps_i with eps_i eps_j = 0, so f(v + d eps) = f(v) + f'(v) d eps holds exactly. T is
// double, or a Dual again: the derivatives then carry derivatives and second derivatives come out (see hessian()).
// Units are those of the function; angles are in radians.
//
// - Numbers convert to constants (zero derivatives), and mix with duals in every operator and two-argument function.
// - Comparisons look at the value alone, so branches are taken as plain numbers would take them.
// - Where a function has no derivative:
//     abs(0) and hypot(0, 0) have derivative 0, the middle of their one-sided slopes;
//     min and max of equal arguments have that of the first;
//     an infinite slope (sqrt(0), pow(0, y) for y < 1, log(0), asin(1), ...) gives an infinite derivative, except in a
//     direction in which the argument does not change, where it is 0 and not 0 * inf;
//     pow(0, y) has derivative 0 by y when y > 0, its limit; pow(x, y) has none by y when x < 0 and gives NaN, so a
//     negative base takes a constant exponent; atan2(0, 0) gives NaN. Second derivatives at these points mean nothing.
// - Eigen matrices of duals work, alone and mixed with double. Only products of factors of dynamic size want one type:
//   Eigen's kernels refuse to compile most mixtures, so cast<>() one factor or use lazyProduct().

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <type_traits>

namespace trammel::math {

// The functions of numbers that the rules below build on; code in this namespace calls both kinds by the bare name.
using std::abs, std::hypot, std::sqrt, std::exp, std::log, std::pow;
using std::cosh, std::sinh, std::tanh;
using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2;

template <class T, int N>
struct Dual;

template <class S, class T>
inline constexpr bool is_constant_of = std::is_arithmetic_v<S> || std::is_same_v<S, T>;
template <class S, class T, int N>
inline constexpr bool is_constant_of<S, Dual<T, N>> = std::is_same_v<S, Dual<T, N>> || is_constant_of<S, T>;

/// S is a number that duals over T take as a constant: a built-in number, T itself, or what T takes.
template <class S, class T>
concept ConstantOf = is_constant_of<S, T>;

template <class T, int N>
struct Dual {
  static_assert(N > 0);

  // In this order: copies and loops then move the same pairs of numbers, otherwise loads wait for stores that overlap
  // them in part (Jacobians of the vehicle in bench/state_space_study take half as long).
  std::array<T, N> derivative{};
  T value{};

  constexpr Dual() = default;
  template <ConstantOf<T> S>
  constexpr Dual(const S& constant)  // NOLINT(google-explicit-constructor): numbers are constants
      : value(static_cast<T>(constant)) {}

  /// The independent variable of the given direction.
  static constexpr Dual variable(const T& value, int direction) {
    Dual x(value);
    x.derivative[direction] = T(1);
    return x;
  }

  Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) derivative[i] += b.derivative[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) derivative[i] -= b.derivative[i];
    return *this;
  }
  Dual& operator*=(const Dual& b) {
    for (int i = 0; i < N; ++i) derivative[i] = derivative[i] * b.value + value * b.derivative[i];
    value *= b.value;
    return *this;
  }
  Dual& operator/=(const Dual& b) {
    const T quotient = value / b.value, inverse = T(1) / b.value;
    for (int i = 0; i < N; ++i) derivative[i] = (derivative[i] - quotient * b.derivative[i]) * inverse;
    value = quotient;
    return *this;
  }
  template <ConstantOf<T> S>
  Dual& operator+=(const S& b) {
    value += static_cast<T>(b);
    return *this;
  }
  template <ConstantOf<T> S>
  Dual& operator-=(const S& b) {
    value -= static_cast<T>(b);
    return *this;
  }
  template <ConstantOf<T> S>
  Dual& operator*=(const S& b) {
    const T factor = static_cast<T>(b);
    value *= factor;
    for (T& d : derivative) d *= factor;
    return *this;
  }
  template <ConstantOf<T> S>
  Dual& operator/=(const S& b) {
    const T divisor = static_cast<T>(b);
    value /= divisor;
    for (T& d : derivative) d /= divisor;
    return *this;
  }

  Dual operator+() const { return *this; }
  Dual operator-() const {
    Dual r(-value);
    for (int i = 0; i < N; ++i) r.derivative[i] = -derivative[i];
    return r;
  }

  // Operators between duals are no templates, so that arguments convert (an inner product of Eigen, for one).
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  // clang-format off
  template <ConstantOf<T> S> friend Dual operator+(Dual a, const S& b) { return a += b; }
  template <ConstantOf<T> S> friend Dual operator-(Dual a, const S& b) { return a -= b; }
  template <ConstantOf<T> S> friend Dual operator*(Dual a, const S& b) { return a *= b; }
  template <ConstantOf<T> S> friend Dual operator/(Dual a, const S& b) { return a /= b; }
  template <ConstantOf<T> S> friend Dual operator+(const S& a, Dual b) { return b += a; }
  template <ConstantOf<T> S> friend Dual operator-(const S& a, const Dual& b) { return -b + a; }
  template <ConstantOf<T> S> friend Dual operator*(const S& a, Dual b) { return b *= a; }
  template <ConstantOf<T> S> friend Dual operator/(const S& a, const Dual& b) { return Dual(a) /= b; }
  // clang-format on

  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend std::partial_ordering operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  friend Dual min(const Dual& a, const Dual& b) { return b < a ? b : a; }
  friend Dual max(const Dual& a, const Dual& b) { return a < b ? b : a; }

  friend Dual atan2(const Dual& y, const Dual& x) {
    const T r2 = x.value * x.value + y.value * y.value;
    return chain(T(atan2(y.value, x.value)), y, T(x.value / r2), x, T(-y.value / r2));
  }
  friend Dual hypot(const Dual& a, const Dual& b) {
    const T r = hypot(a.value, b.value);
    return r == 0 ? Dual() : chain(r, a, T(a.value / r), b, T(b.value / r));
  }

  friend Dual pow(const Dual& a, const Dual& b) {
    const bool zero_base = a.value == 0;
    const T power = pow(a.value, b.value);
    const T by_base = zero_base && b.value == 0 ? T(0) : T(b.value * pow(a.value, b.value - 1));
    const T by_exponent = zero_base && b.value > 0 ? T(0) : T(power * log(a.value));
    return chain(power, a, by_base, b, by_exponent);
  }
  friend Dual pow(const Dual& a, double b) {
    return chain(T(pow(a.value, b)), a, b == 0 ? T(0) : T(b * pow(a.value, b - 1)));
  }
};

/// The plain number inside a dual of any depth.
inline constexpr double value_of(double x) { return x; }
template <class T, int N>
constexpr double value_of(const Dual<T, N>& x) {
  return value_of(x.value);
}

inline bool is_zero(double x) { return x == 0.0; }
/// Zero with all its derivatives.
template <class T, int N>
bool is_zero(const Dual<T, N>& x) {
  for (const T& d : x.derivative)
    if (!is_zero(d)) return false;
  return is_zero(x.value);
}

/// f(a) and f(a, b) by the chain rule, from the value of f and its partial derivatives. Directions in which an argument
/// does not change are skipped, because the partial derivative may be infinite or undefined there.
template <class T, int N>
Dual<T, N> chain(const T& f, const Dual<T, N>& a, const T& f_a) {
  Dual<T, N> r(f);
  for (int i = 0; i < N; ++i)
    if (!is_zero(a.derivative[i])) r.derivative[i] = f_a * a.derivative[i];
  return r;
}
template <class T, int N>
Dual<T, N> chain(const T& f, const Dual<T, N>& a, const T& f_a, const Dual<T, N>& b, const T& f_b) {
  Dual<T, N> r = chain(f, a, f_a);
  for (int i = 0; i < N; ++i)
    if (!is_zero(b.derivative[i])) r.derivative[i] += f_b * b.derivative[i];
  return r;
}

template <class T, int N>
Dual<T, N> abs(const Dual<T, N>& a) {
  return a == 0 ? Dual<T, N>() : a < 0 ? -a : a;
}
template <class T, int N>
Dual<T, N> sqrt(const Dual<T, N>& a) {
  const T r = sqrt(a.value);
  return chain(r, a, T(0.5 / r));
}
template <class T, int N>
Dual<T, N> exp(const Dual<T, N>& a) {
  const T r = exp(a.value);
  return chain(r, a, r);
}
template <class T, int N>
Dual<T, N> log(const Dual<T, N>& a) {
  return chain(T(log(a.value)), a, T(1 / a.value));
}
template <class T, int N>
Dual<T, N> sin(const Dual<T, N>& a) {
  return chain(T(sin(a.value)), a, T(cos(a.value)));
}
template <class T, int N>
Dual<T, N> cos(const Dual<T, N>& a) {
  return chain(T(cos(a.value)), a, T(-sin(a.value)));
}
template <class T, int N>
Dual<T, N> tan(const Dual<T, N>& a) {
  const T r = tan(a.value);
  return chain(r, a, T(1 + r * r));
}
template <class T, int N>
Dual<T, N> asin(const Dual<T, N>& a) {
  return chain(T(asin(a.value)), a, T(1 / sqrt((1 - a.value) * (1 + a.value))));
}
template <class T, int N>
Dual<T, N> acos(const Dual<T, N>& a) {
  return chain(T(acos(a.value)), a, T(-1 / sqrt((1 - a.value) * (1 + a.value))));
}
template <class T, int N>
Dual<T, N> atan(const Dual<T, N>& a) {
  return chain(T(atan(a.value)), a, T(1 / (1 + a.value * a.value)));
}
template <class T, int N>
Dual<T, N> sinh(const Dual<T, N>& a) {
  return chain(T(sinh(a.value)), a, T(cosh(a.value)));
}
template <class T, int N>
Dual<T, N> cosh(const Dual<T, N>& a) {
  return chain(T(cosh(a.value)), a, T(sinh(a.value)));
}
template <class T, int N>
Dual<T, N> tanh(const Dual<T, N>& a) {
  const T c = cosh(a.value);
  return chain(T(tanh(a.value)), a, T(1 / (c * c)));
}

template <class T, int N>
bool isfinite(const Dual<T, N>& a) {
  return std::isfinite(value_of(a));
}
template <class T, int N>
bool isinf(const Dual<T, N>& a) {
  return std::isinf(value_of(a));
}
template <class T, int N>
bool isnan(const Dual<T, N>& a) {
  return std::isnan(value_of(a));
}

/// The derivative f'(x) of a function of one number, which must accept duals.
template <class F, class T>
auto derivative(const F& f, const T& x) {
  return f(Dual<T, 1>::variable(x, 0)).derivative[0];
}

/// The entries of a vector of fixed size as independent variables.
template <class V, class T = typename V::Scalar, int N = V::SizeAtCompileTime>
Eigen::Matrix<Dual<T, N>, N, 1> variables(const Eigen::MatrixBase<V>& x) {
  static_assert(N != Eigen::Dynamic, "the number of variables must be known to the compiler");
  Eigen::Matrix<Dual<T, N>, N, 1> r;
  for (int i = 0; i < N; ++i) r[i] = Dual<T, N>::variable(x.derived().coeff(i), i);
  return r;
}

/// The gradient of a scalar function f of a vector, as a column.
template <class F, class V, class T = typename V::Scalar, int N = V::SizeAtCompileTime>
Eigen::Matrix<T, N, 1> gradient(const F& f, const Eigen::MatrixBase<V>& x) {
  const Dual<T, N> y = f(variables(x));
  return Eigen::Map<const Eigen::Matrix<T, N, 1>>(y.derivative.data());
}

/// The Jacobian J(i, j) = df_i/dx_j of a vector function f of a vector.
template <class F, class V>
auto jacobian(const F& f, const Eigen::MatrixBase<V>& x) {
  constexpr int columns = V::SizeAtCompileTime;
  const auto y = f(variables(x)).eval();
  Eigen::Matrix<typename V::Scalar, decltype(y)::SizeAtCompileTime, columns> J(y.size(), columns);
  for (int i = 0; i < y.size(); ++i)
    for (int j = 0; j < columns; ++j) J(i, j) = y[i].derivative[j];
  return J;
}

/// The second derivatives H(i, j) = d^2 f / dx_i dx_j of a scalar function f of a vector.
template <class F, class V>
auto hessian(const F& f, const Eigen::MatrixBase<V>& x) {
  return jacobian([&f](const auto& y) { return gradient(f, y); }, x);
}

}  // namespace trammel::math

template <class T, int N>
struct std::numeric_limits<trammel::math::Dual<T, N>> : std::numeric_limits<T> {};

namespace Eigen {

template <class T, int N>
struct NumTraits<trammel::math::Dual<T, N>> : NumTraits<T> {
  using Real = trammel::math::Dual<T, N>;
  using NonInteger = Real;
  using Nested = Real;
  // NOLINTBEGIN(readability-identifier-naming): Eigen's names
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = (N + 1) * NumTraits<T>::ReadCost,
    AddCost = (N + 1) * NumTraits<T>::AddCost,
    MulCost = (2 * N + 1) * NumTraits<T>::MulCost + N * NumTraits<T>::AddCost,
  };
  // NOLINTEND(readability-identifier-naming)
};

template <class T, int N, trammel::math::ConstantOf<T> S, class Operation>
struct ScalarBinaryOpTraits<trammel::math::Dual<T, N>, S, Operation> {
  using ReturnType = trammel::math::Dual<T, N>;
};
template <class T, int N, trammel::math::ConstantOf<T> S, class Operation>
struct ScalarBinaryOpTraits<S, trammel::math::Dual<T, N>, Operation> {
  using ReturnType = trammel::math::Dual<T, N>;
};

}  // namespace Eigen
