#pragma once

// Which method to take, and why, in a few sentences. The ranking decides which; why is read from the stiffness, the
// steps that were taken and the restarts.

#include <string>
#include <vector>

#include "trammel/analyses/ranking.h"
#include "trammel/analyses/stiffness.h"

namespace trammel::analyses {

/// The method for an error, with a tolerance that was run and kept it.
struct Recommendation {
  double error = 0;  ///< asked for
  std::string method;
  double tolerance = 0;
  double run_error = 0;           ///< what the run at that tolerance had
  double run_velocity_error = 0;  ///< and in velocities
  double cost = 0;                ///< and took: processor time [s]
  std::vector<std::string> ties;  ///< methods that are as good within kTie
  std::string text;               ///< all of this in a sentence
};

struct Advice {
  std::vector<Recommendation> choices;  ///< for a usual and for a high accuracy; empty when nothing was measured
  std::vector<std::string> reasons;     ///< sentences
  bool is_stiff = false;                ///< stability holds explicit methods back

  /// All sentences.
  std::string text() const;
};

/// The rankings are those of rank_by_decades.
Advice advise(const std::vector<ComparedRun>& runs, const std::vector<Ranking>& rankings, const Stiffness& stiffness,
              const ProblemFacts& facts);

/// For people: "0.74 ms", "61 650", "1e-6".
std::string describe_seconds(double seconds);
std::string describe_count(double count);
std::string describe_tolerance(double tolerance);

}  // namespace trammel::analyses
