#pragma once

// Singly diagonally implicit Runge-Kutta formulas in independent coordinates. With y = (w, w', x), k_i = (w'_i, w''_i,
// x'_i) and c = gamma h, stage i is
//
//   y_i = y_0 + h sum_{j<i} a_ij k_j + c k_i                                                                       (1)
//
// that is (1) of stage_equations.h with c_v = c_x = c, c_q = c^2. The formulas are stiffly accurate: y_1 is the last
// stage. The error h sum e_i k_i is filtered by (I - c J)^-1.
// Theory: docs/theory/state-space.md, section 5.

#include "trammel/integrators/state_space/state_space_method.h"
#include "trammel/integrators/tableaus/sdirk.h"

namespace trammel::integrators {

/// What the equations of a stage are solved for.
enum class Formulation { kStateSpace, kDescriptor, kFirstOrder };
std::unique_ptr<StageEquations> make_stage_equations(Formulation formulation, const MethodContext& context,
                                                     ReducedEquations& equations, const StateSpaceOptions& options);

class SdirkMethod final : public StateSpaceMethod {
 public:
  SdirkMethod(const MethodContext& context, const Sdirk& tableau, Formulation formulation,
              const StateSpaceOptions& options);

  int order() const override { return tableau_.embedded_order; }
  int dense_degree() const override { return tableau_.dense_degree; }
  void add_counts(Statistics& statistics) const override {
    equations_.add_counts(statistics);
    stages_->add_counts(statistics);
  }

 private:
  void begin_anew() override;
  bool advance(double h) override;
  void note_accepted() override;
  void interpolate_reduced(double theta, VectorOut y) override;
  std::string describe_advance() override { return stages_->describe_trouble(); }
  std::string describe_matrix() const override { return stages_->describe(); }

  double a(int i, int j) const { return tableau_.a[static_cast<std::size_t>(i * tableau_.stages + j)]; }
  void predict(int i, double h);

  const Sdirk& tableau_;
  std::unique_ptr<StageEquations> stages_;
  Eigen::MatrixXd rates_, last_rates_;  // k_i, one column each, of this step and of the last accepted one
  double last_h_ = 0;                   // 0: there is no last step
  Vector known_, unknown_;
};

}  // namespace trammel::integrators
