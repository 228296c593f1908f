#pragma once

// Stores the continuous solution of a run in its result file (docs/guide/results.md).
//
//   header.continuous = {0, 1, 5};                                  // places of columns
//   const auto writer = create_result_writer("crank.h5", header);
//   ContinuousRecorder recorder(*writer, header.continuous, 8, list);   // list: a state -> the values of all columns
//   observers.interval = [&](const auto& interval) { recorder.record(interval); };

#include <functional>
#include <vector>

#include "trammel/integrators/integrate.h"
#include "trammel/io/result_writer.h"

namespace trammel::io {

class ContinuousRecorder {
 public:
  /// Gets complete states in the order of time and returns the values of all columns; valid until the next call.
  using ListValues = std::function<const std::vector<double>&(const dae::State&)>;

  /// Keeps a reference. Polynomials of the method of a higher degree than `max_degree` (> 0) get this one.
  ContinuousRecorder(ResultWriter& writer, std::vector<std::size_t> columns, int max_degree, ListValues list);

  void record(const integrators::SolutionInterval& interval);

  long intervals() const { return intervals_; }
  /// Intervals without values: the equations are singular somewhere inside.
  long lost() const { return lost_; }
  double first_lost() const { return first_lost_; }  ///< beginning of the first of them [s]

 private:
  bool add_node(const integrators::SolutionInterval& interval, double t);

  ResultWriter& writer_;
  std::vector<std::size_t> columns_;
  int max_degree_;
  ListValues list_;
  std::vector<double> nodes_;  // values of the present interval, one node behind the other
  bool has_end_ = false;       // the last interval is complete, so that its last node serves the next one, too
  long intervals_ = 0, lost_ = 0;
  double first_lost_ = 0;
};

}  // namespace trammel::io
