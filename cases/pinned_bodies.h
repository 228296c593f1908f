#pragma once

// Planar bodies of constant mass joined by pins, in body coordinates: x, y of the centre of mass and the angle.
//
// A pin holds a point of one body on a point of another, or on a point of the ground. With u = R(angle) p the way from
// the centre of a body to its point p, and J a quarter turn to the left, the two rows of a pin are
//   g = (r + u)_first - (r + u)_second,   dg = dr + (J u) d(angle),   bias = angle'^2 u   (first minus second),
// and since J u turns into -u, every derivative of these concerns the columns of angles only. A system adds the forces.
// Coordinates and rows keep the order in which bodies and pins are listed: list them along the chain. A body takes the
// columns x, y, angle; a point x, y. Forces do not depend on the time itself.

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {

struct PlanarBody {
  std::string name;
  double mass;              ///< [kg]
  double inertia;           ///< about the centre of mass [kg m^2]
  bool is_a_point = false;  ///< has no angle
};

inline constexpr int kGround = -1;

/// A point fixed to a body, from its centre of mass in its own frame; or a point of the ground [m].
struct BodyPoint {
  int body;
  double x, y;
};

struct Pin {
  std::string name;
  BodyPoint first, second;
};

class PinnedBodies : public dae::ConstrainedSystem {
 public:
  void calc_mass(const dae::Point& at, dae::MatrixValues M) const override;
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override;
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override;
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override;
  /// All but those of the forces.
  bool calc_derivative(dae::Derivative which, const dae::Point& at, dae::VectorIn s,
                       dae::MatrixValues values) const override;
  std::unique_ptr<dae::Workspace> make_workspace() const override;
  void prepare_position(dae::Point& at) const override;

  /// Where every body is (points have the angle 0).
  std::vector<BodyPose> poses(const dae::State& state) const;
  /// What to draw: bodies and pins, with gravity along -y [m/s^2].
  PlanarScene scene(double gravity) const;

 protected:
  /// The patterns are those of df/dq and df/dv.
  PinnedBodies(const std::vector<PlanarBody>& bodies, const std::vector<Pin>& pins,
               const std::vector<linalg::Entry>& force_by_q, const std::vector<linalg::Entry>& force_by_v);

 private:
  // The part of a pin that turns with a body: sign * u is stored, + for the first body and - for the second.
  struct Arm {
    int row;           // of x; that of y follows
    int turning_body;  // counted without points
    int angle_column;
    double x, y;  // in the body's frame, with the sign
  };
  // The part of a pin that is moved by a coordinate pair x, y.
  struct Shift {
    int row;
    int column;
    double sign;
  };
  struct Shared;
  struct Parts;
  PinnedBodies(std::vector<PlanarBody> bodies, std::vector<Pin> pins, Parts parts);
  static Parts divide(const std::vector<PlanarBody>& bodies, const std::vector<Pin>& pins,
                      const std::vector<linalg::Entry>& force_by_q, const std::vector<linalg::Entry>& force_by_v);

  std::vector<PlanarBody> bodies_;
  std::vector<Pin> pins_;
  std::vector<int> columns_;
  std::vector<int> angle_columns_;  // of the bodies that turn
  std::vector<double> masses_;      // in the order of the pattern of M
  std::vector<Arm> arms_;
  std::vector<Shift> shifts_;
  std::vector<double> ground_offsets_;  // per row
};

}  // namespace trammel::cases
