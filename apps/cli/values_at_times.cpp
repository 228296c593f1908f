#include "values_at_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "commands.h"

namespace trammel::cli {

ValuesAtTimes::ValuesAtTimes(const io::ResultFile& file, const std::vector<std::size_t>& columns)
    : file_(file), columns_(columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_continuous = file.is_continuous(columns[i]);
    is_continuous_.push_back(is_continuous);
    (is_continuous ? continuous_ : linear_).push_back(columns[i]);
    (is_continuous ? continuous_at_ : linear_at_).push_back(static_cast<Eigen::Index>(i));
  }
}

ValuesAtTimes::Span ValuesAtTimes::calc_span() const {
  const std::vector<double>& time = file_.time();
  const bool needs_rows = !linear_.empty() || continuous_.empty();
  if (needs_rows && time.empty()) throw InputError(fmt::format("'{}' has no rows", file_.path()));
  constexpr double kEver = std::numeric_limits<double>::infinity();
  Span span = needs_rows ? Span{time.front(), time.back()} : Span{-kEver, kEver};
  if (!continuous_.empty()) {
    const std::vector<io::ContinuousInterval>& intervals = file_.continuous().intervals;
    span = {std::max(span.begin, intervals.front().begin), std::min(span.end, intervals.back().end)};
  }
  return span;
}

void ValuesAtTimes::check(const std::vector<double>& times) const {
  if (times.empty()) return;
  const Span span = calc_span();
  for (const double t : times) {
    if (t >= span.begin && t <= span.end) continue;
    throw InputError(
        fmt::format("--at {} lies outside of the results, which go from {} to {} s", t, span.begin, span.end));
  }
}

std::vector<double> ValuesAtTimes::list_times(double interval) const {
  constexpr double kMost = 1e7;
  if (!(interval > 0)) throw InputError(fmt::format("--every is {}, but must be positive", interval));
  const auto [begin, end] = calc_span();
  const double count = std::floor((end - begin) / interval * (1 + 1e-12));
  if (!(count < kMost)) throw InputError(fmt::format("--every {} would give more than {:g} rows", interval, kMost));
  std::vector<double> times;
  for (long k = 0; k <= static_cast<long>(count); ++k) {
    times.push_back(std::min(begin + static_cast<double>(k) * interval, end));
  }
  return times;
}

void ValuesAtTimes::add_linear(std::span<const double> times, Eigen::MatrixXd& values) const {
  const std::vector<double>& time = file_.time();
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = times[k];
    // At a time that stands there twice (a jump), what holds after it.
    const long next = std::upper_bound(time.begin(), time.end(), t) - time.begin();
    const double t_before = time[static_cast<std::size_t>(next - 1)];
    Eigen::RowVectorXd row = file_.read(linear_, next - 1, 1).row(0);
    if (t > t_before) {
      const Eigen::RowVectorXd after = file_.read(linear_, next, 1).row(0);
      row += (t - t_before) / (time[static_cast<std::size_t>(next)] - t_before) * (after - row);
    }
    for (Eigen::Index i = 0; i < row.size(); ++i) {
      values(static_cast<Eigen::Index>(k), linear_at_[static_cast<std::size_t>(i)]) = row[i];
    }
  }
}

void ValuesAtTimes::take(const std::vector<double>& times, const TakeRow& take) const {
  constexpr std::size_t kBlock = 1024;
  for (std::size_t first = 0; first < times.size(); first += kBlock) {
    const std::span<const double> block = std::span(times).subspan(first, std::min(kBlock, times.size() - first));
    Eigen::MatrixXd values(static_cast<Eigen::Index>(block.size()), static_cast<Eigen::Index>(columns_.size()));
    if (!linear_.empty()) add_linear(block, values);
    if (!continuous_.empty()) values(Eigen::all, continuous_at_) = file_.evaluate(continuous_, block);
    for (Eigen::Index k = 0; k < values.rows(); ++k) {
      const Eigen::VectorXd row = values.row(k);
      take(block[static_cast<std::size_t>(k)], {row.data(), columns_.size()});
    }
  }
}

std::string ValuesAtTimes::describe() const {
  constexpr std::size_t kMost = 5;
  if (continuous_.empty()) return "values between rows lie on a straight line";
  if (linear_.empty()) return "values are those of the continuous solution";
  std::vector<std::string> names;
  for (const std::size_t column : linear_) names.push_back(file_.columns()[column].name);
  if (names.size() > kMost) {
    names.resize(kMost);
    names.push_back(fmt::format("{} more", linear_.size() - kMost));
  }
  return fmt::format("values are those of the continuous solution, but of {} they lie on a straight line between rows",
                     fmt::join(names, ", "));
}

}  // namespace trammel::cli
