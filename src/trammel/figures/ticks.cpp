#include "trammel/figures/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel::figures {
namespace {

constexpr const char* kTimesTen = "×10";

/// Power of ten without the error of pow() in the last place, which would show in ticks.
double power_of_ten(int exponent) { return exponent >= 0 ? std::pow(10.0, exponent) : 1 / std::pow(10.0, -exponent); }

int find_exponent(double size) { return static_cast<int>(std::floor(std::log10(size) + 1e-9)); }

/// A step of 1, 2 or 5 times a power of ten: multiple * 10^exponent.
struct Step {
  int multiple = 1;
  int exponent = 0;
  double size() const { return multiple * power_of_ten(exponent); }
  double times(long long count) const {
    const double number = static_cast<double>(count * multiple);
    // Dividing by an exact power of ten gives the nearest number to the decimal one.
    return exponent >= 0 ? number * power_of_ten(exponent) : number / power_of_ten(-exponent);
  }
  double minor_part() const { return multiple == 2 ? 0.25 : 0.2; }
};

Step find_step(double span, int wanted) {
  const double least = span / wanted;
  const int exponent = find_exponent(least);
  const double rest = least / power_of_ten(exponent);
  for (const int multiple : {1, 2, 5}) {
    if (rest <= multiple * (1 + 1e-9)) return {multiple, exponent};
  }
  return {1, exponent + 1};
}

/// What labels are relative to: value = offset + label * 10^exponent.
struct Reference {
  double offset = 0;
  int exponent = 0;
};

/// Numbers between a thousandth and 99999 are written as they are, others by a factor of 1000^n; those of which only
/// the digits from the sixth on differ, by their difference from a round number.
Reference find_reference(const Limits& limits) {
  constexpr double kMostDigits = 1e5;
  const double span = limits.upper - limits.lower;
  double size = std::max(std::abs(limits.lower), std::abs(limits.upper));
  Reference reference;
  if (size > kMostDigits * span) {
    const double round = power_of_ten(find_exponent(span) + 1);
    reference.offset = std::round((limits.lower + span / 2) / round) * round;
    size = std::max(std::abs(limits.lower - reference.offset), std::abs(limits.upper - reference.offset));
  }
  const int exponent = find_exponent(size);
  if (exponent >= 5 || exponent < -3) reference.exponent = static_cast<int>(std::floor(exponent / 3.0)) * 3;
  return reference;
}

RichText describe_reference(const Reference& reference) {
  RichText text;
  if (reference.exponent != 0) {
    text.push_back({kTimesTen});
    text.push_back({fmt::format("{}", reference.exponent), true});
  }
  if (reference.offset != 0) {
    text.push_back({fmt::format("{}{} {:.15g}", text.empty() ? "" : " ", reference.offset < 0 ? "-" : "+",
                                std::abs(reference.offset))});
  }
  return text;
}

Ticks calc_linear_ticks(const Limits& limits, int wanted) {
  const double span = limits.upper - limits.lower;
  const Step step = find_step(span, wanted);
  const Reference reference = find_reference(limits);
  const double tolerance = 1e-9;
  const auto first = static_cast<long long>(std::ceil(limits.lower / step.size() - tolerance));
  const auto last = static_cast<long long>(std::floor(limits.upper / step.size() + tolerance));
  const auto at_offset = static_cast<long long>(std::llround(reference.offset / step.size()));
  const Step label_step{step.multiple, step.exponent - reference.exponent};
  const int decimals = std::max(0, -label_step.exponent);

  Ticks ticks;
  ticks.factor = describe_reference(reference);
  for (long long i = first; i <= last; ++i) {
    const RichText label{{fmt::format("{:.{}f}", label_step.times(i - at_offset), decimals)}};
    ticks.major.push_back({std::clamp(step.times(i), limits.lower, limits.upper), label});
  }
  const int parts = static_cast<int>(std::lround(1 / step.minor_part()));
  for (long long i = first - 1; i <= last; ++i) {
    for (int part = 1; part < parts; ++part) {
      const double value = step.times(i) + step.size() * part / parts;
      if (value >= limits.lower && value <= limits.upper) ticks.minor.push_back(value);
    }
  }
  return ticks;
}

/// Every whole number of decades; the others are minor ticks, or the numbers between where all decades are labelled.
Ticks calc_decade_ticks(const Limits& limits, int first, int last, int wanted) {
  constexpr int kMostDecadesDivided = 12;
  const int count = last - first + 1;
  const int stride = (count + wanted - 1) / wanted;
  const bool is_plain = first >= -2 && last <= 4;
  Ticks ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double value = std::clamp(power_of_ten(exponent), limits.lower, limits.upper);
    if (exponent % stride != 0) {
      ticks.minor.push_back(value);
    } else if (is_plain) {
      ticks.major.push_back({value, {{fmt::format("{:g}", value)}}});
    } else {
      ticks.major.push_back({value, {{"10"}, {fmt::format("{}", exponent), true}}});
    }
  }
  if (stride > 1 || count > kMostDecadesDivided) return ticks;
  for (int exponent = first - 1; exponent <= last; ++exponent) {
    for (int digit = 2; digit <= 9; ++digit) {
      const double value = digit * power_of_ten(exponent);
      if (value >= limits.lower && value <= limits.upper) ticks.minor.push_back(value);
    }
  }
  return ticks;
}

/// Less than two powers of ten: 1, 2 and 5 times them, or where that is too coarse what a linear axis has.
Ticks calc_ticks_within_decade(const Limits& limits, int wanted) {
  Ticks ticks;
  const int first = find_exponent(limits.lower) - 1;
  for (int exponent = first; exponent <= first + 3; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * power_of_ten(exponent);
      if (value < limits.lower || value > limits.upper) continue;
      if (digit == 1 || digit == 2 || digit == 5) {
        ticks.major.push_back({value, describe_number(value)});
      } else {
        ticks.minor.push_back(value);
      }
    }
  }
  constexpr std::size_t kFew = 3;
  return ticks.major.size() >= kFew ? ticks : calc_linear_ticks(limits, wanted);
}

}  // namespace

RichText describe_number(double value) {
  if (value == 0) return {{"0"}};
  const int exponent = find_exponent(std::abs(value));
  if (exponent >= -3 && exponent <= 4) return {{fmt::format("{:.6g}", value)}};
  return {{fmt::format("{:.6g}{}", value / power_of_ten(exponent), kTimesTen)}, {fmt::format("{}", exponent), true}};
}

Ticks calc_ticks(const Scale& scale, int wanted) {
  wanted = std::max(wanted, 2);
  const Limits& limits = scale.limits();
  if (!scale.is_log()) return calc_linear_ticks(limits, wanted);
  const int first = static_cast<int>(std::ceil(std::log10(limits.lower) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(limits.upper) + 1e-9));
  return last > first ? calc_decade_ticks(limits, first, last, wanted) : calc_ticks_within_decade(limits, wanted);
}

}  // namespace trammel::figures
