#pragma once

// A solution to measure others by, found by the program: two methods of different kinds (an explicit and an implicit
// one where there are both) at tight tolerances must agree.
//
// Each method is run at two tolerances; the difference of its two solutions tells how far it has converged. As long as
// the methods agree less than wanted, the one that has converged less is run at a tighter tolerance. The reference is
// the solution that has converged best, and its accuracy is taken to be the disagreement d of the two methods, measured
// as in trajectory_error.h: an error means something when it is several times larger than d.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/analyses/sampled_run.h"

namespace trammel::analyses {

struct ReferenceOptions {
  double tolerance =
      1e-11;  ///< the first tight tolerance, a power of ten; the other solution of a method is at 10 times that
  double least_tolerance = 1e-13;   ///< how far it is tightened, > 0
  double largest_tolerance = 1e-6;  ///< how far it is loosened when a method fails
  double wanted_agreement = 1e-10;  ///< d that is good enough
  double usable_agreement = 1e-5;   ///< above it further methods are tried, and parting solutions are cut
  int most_methods = 4;             ///< that are tried, >= 1
  int jobs = 1;                     ///< threads, >= 1
  int states = 9;                   ///< complete states along the reference to keep
};

/// A run of the search, for the report.
struct ReferenceAttempt {
  std::string method;
  double tolerance = 0;
  std::string outcome;  ///< "completed", or why it did not
  double seconds = 0;   ///< processor time
};

/// An error means something when it is this many times larger than the disagreement.
inline constexpr double kMeaningfulFactor = 5;

struct ReferenceSolution {
  Trajectory trajectory;  ///< empty: no method got through
  std::string method;     ///< of the reference itself
  double tolerance = 0;
  std::string other_method;  ///< that agrees with it; the same one when no other got through; empty: given
  double other_tolerance = 0;
  double disagreement = 0;  ///< d of positions; 0 when the reference was given
  double velocity_disagreement = 0;
  std::optional<double> t_end;  ///< of the run [s], also when the solutions part before; nothing when it was given
  std::string origin;           ///< of a reference that was given: where from
  std::vector<std::string> warnings;  ///< in words
  std::vector<ReferenceAttempt> attempts;
  std::vector<dae::State> states;  ///< complete ones along the reference, with quasi-velocities

  bool exists() const { return trajectory.size() > 0; }
  bool is_given() const { return !origin.empty(); }
  /// Errors below this mean nothing.
  double least_meaningful_error() const { return kMeaningfulFactor * disagreement; }
};

/// `base` has what is common to all runs (limits, cancellation); the method, its options and tolerances are set here.
/// The sample times are `samples` equal parts of the run, or of what is left of it when an event stops it.
ReferenceSolution find_reference(const ProblemFactory& factory, const integrators::Options& base,
                                 const std::map<std::string, integrators::MethodOptions>& method_options, int samples,
                                 const ReferenceOptions& options);

/// `count` times at equal distances in (from, to]; without the last one when the end itself is uncertain.
std::vector<double> uniform_times(double from, double to, int count, bool with_end = true);

/// Whether a method solves equations at each step. (That is what a share of the run as the largest step stands for.)
bool is_implicit(const integrators::MethodEntry& method);

}  // namespace trammel::analyses
