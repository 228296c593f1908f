#pragma once

// Backward differentiation formulas on the stabilised index-2 equations, with their multipliers as unknowns or
// eliminated by a split of the coordinates: bdf-ggl, bdf-ggl-star, bdf-cs and bdf-cm are settings of this.
// Positions and velocities satisfy their constraints as part of the equations; accelerations and reactions for users
// come from the index-1 equations. Theory: docs/theory/coordinate-split.md.

#include <string>
#include <vector>

#include "trammel/integrators/implicit/bdf_method.h"
#include "trammel/integrators/implicit/stabilised_equations.h"

namespace trammel::integrators {

struct BdfStabilisedOptions : BdfOptions {
  /// Its `newton` is not read: BdfOptions::equations are.
  StabilisedOptions stabilised;
  /// Whether the error is that of the independent coordinates alone; never where multipliers are unknowns.
  bool judges_independent = false;
  /// Velocities that are not judged still count in Newton's test, and with an error of zero in the mean: so it is in a
  /// program whose vector of errors was changed and whose norm was not.
  bool norm_has_velocities = false;
};

class BdfStabilised final : public BdfMethod {
 public:
  /// The system has q' = v.
  BdfStabilised(const MethodContext& context, const BdfStabilisedOptions& options);

  void add_notes(std::vector<std::string>& notes) const override;

 private:
  bool solve() override;
  bool complete() override;
  double measure(Vector& deviation) override;
  void store_more(Eigen::Ref<Vector> more) const override { more = stabilised_.mu(); }

  BdfStabilisedOptions options_;
  StabilisedEquations& stabilised_;  // equations_
  Vector known_q_;
};

/// The options of a method of this family: those that all have, besides those of its own.
std::vector<MethodOptionInfo> with_stabilised_settings(std::vector<MethodOptionInfo> own, const std::string& max_order);
/// Those of a method that splits coordinates, with the coordinates that are judged by default.
std::vector<MethodOptionInfo> with_split_settings(std::vector<MethodOptionInfo> own, const std::string& judged,
                                                  const std::string& max_order);
/// What they were set to.
BdfStabilisedOptions read_stabilised_settings(const MethodEntry& entry, const MethodOptions& options);

}  // namespace trammel::integrators
