#pragma once

// Collects what is wrong while a model file is read, so that reading can go on and report everything at once.

#include <deque>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "trammel/io/model_problem.h"

namespace trammel::io::model_file {

/// Where something stands in a file. The name of the file belongs to the Problems.
struct Place {
  const std::string* file = nullptr;
  int line = 0;    ///< from 1; 0: the file as a whole
  int column = 0;  ///< from 1

  Place behind(int columns) const { return {file, line, column + columns}; }
};

/// "line 12", with the file when it is not that of `from`.
std::string to_string(const Place& place, const Place& from);

/// A text from a file as a message can show it.
std::string quoted(const std::string& text);

/// "there is no <kind> '<name>'", with the near ones among those that there are.
std::string describe_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known);

/// Thrown when there are so many problems that looking for more is of no use.
struct TooManyProblems {};

class Problems {
 public:
  /// A problem beyond these ends the reading: finding near names among many takes time.
  static constexpr std::size_t kMost = 100;

  /// The name of a file, which lives as long as this.
  const std::string* add_file(const std::string& name);

  /// The same message at the same place is kept once: a sub-model that is used several times has its problems once.
  void add(const Place& place, const std::string& message);
  /// Only if nothing is known to be wrong there: for what may be a consequence of an earlier finding.
  void add_if_first(const Place& place, const std::string& message);

  bool empty() const { return problems_.empty(); }
  /// In the order of files and lines.
  std::vector<ModelProblem> sorted() const;

 private:
  struct Problem {
    Place place;
    std::string message;
  };

  std::deque<std::string> files_;
  std::vector<Problem> problems_;
  std::set<std::tuple<const std::string*, int, int>> places_;
};

}  // namespace trammel::io::model_file
