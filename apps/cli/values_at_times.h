#pragma once

// Columns of a result file at times of the user's own: from the continuous solution where the file has it, otherwise on
// the straight line between the rows around each.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/io/result_file.h"

namespace trammel::cli {

using TakeRow = std::function<void(double t, std::span<const double> values)>;

class ValuesAtTimes {
 public:
  /// Keeps references.
  ValuesAtTimes(const io::ResultFile& file, const std::vector<std::size_t>& columns);

  /// Throws InputError when one of them lies outside of what the file knows of these columns.
  void check(const std::vector<double>& times) const;
  /// The times from the first to the last that the file knows, this far apart. Throws InputError.
  std::vector<double> list_times(double interval) const;
  void take(const std::vector<double>& times, const TakeRow& take) const;

  bool is_continuous(std::size_t i) const { return is_continuous_[i]; }
  /// A sentence about where values come from.
  std::string describe() const;

 private:
  struct Span {
    double begin, end;
  };
  Span calc_span() const;
  void add_linear(std::span<const double> times, Eigen::MatrixXd& values) const;

  const io::ResultFile& file_;
  const std::vector<std::size_t>& columns_;
  std::vector<bool> is_continuous_;                      // one a column
  std::vector<std::size_t> continuous_, linear_;         // the columns of either kind
  std::vector<Eigen::Index> continuous_at_, linear_at_;  // where they stand among all
};

}  // namespace trammel::cli
