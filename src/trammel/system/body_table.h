#pragma once

// The bodies of a compiled model in flat arrays, and where their coordinates stand in q and v.
//
// Frame 0 is the ground, frame k + 1 the body k of the model. Coordinates refer to the centre of mass:
//   planar   q = (x, y, angle),                 v = q'
//   spatial  q = (x, y, z, e0, e1, e2, e3),     v = (x', y', z', wx, wy, wz), w in body axes

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trammel/dae/structure.h"
#include "trammel/model/body_frame.h"
#include "trammel/model/model.h"

namespace trammel::system {

using model::BodyFrame;
using model::FramePair;
using model::Matrix12;
using model::Twist;
using model::TwistPair;
using model::Vector12;

/// The places k of the six (or, for an element, twelve) components that are coordinates of the system, in order.
struct SlotList {
  std::uint8_t count = 0;
  std::array<std::uint8_t, 12> slot{};

  void add(int k) { slot[count++] = static_cast<std::uint8_t>(k); }
  const std::uint8_t* begin() const { return slot.data(); }
  const std::uint8_t* end() const { return slot.data() + count; }
};

class BodyTable {
 public:
  explicit BodyTable(const model::Model& model);

  bool is_planar() const { return is_planar_; }
  int frames() const { return static_cast<int>(mass_.size()); }
  int n_q() const { return (frames() - 1) * q_size(); }
  int n_v() const { return (frames() - 1) * v_size(); }
  int q_size() const { return is_planar_ ? 3 : 7; }
  int v_size() const { return is_planar_ ? 3 : 6; }
  /// First coordinate and velocity of a frame that is not the ground.
  int q_of(int frame) const { return (frame - 1) * q_size(); }
  int v_of(int frame) const { return (frame - 1) * v_size(); }

  double mass(int frame) const { return mass_[static_cast<std::size_t>(frame)]; }
  const Eigen::Matrix3d& inertia(int frame) const { return inertia_[static_cast<std::size_t>(frame)]; }
  /// Centre of mass in the body frame.
  const Eigen::Vector3d& centre(int frame) const { return centre_[static_cast<std::size_t>(frame)]; }

  /// Those of the components 0..5 that a frame has as coordinates.
  const SlotList& slots(int frame) const { return frame == 0 ? none_ : own_; }
  /// The velocity that belongs to component k (one of slots()) of a frame.
  int column(int frame, int k) const { return v_of(frame) + (is_planar_ && k == 5 ? 2 : k); }
  /// The components 0..11 of a pair of frames that are coordinates and pass the filter.
  template <class Filter>
  SlotList pair_slots(int a, int b, const Filter& uses) const {
    SlotList list;
    for (const int k : slots(a)) {
      if (uses(k)) list.add(k);
    }
    for (const int k : slots(b)) {
      if (uses(6 + k)) list.add(6 + k);
    }
    return list;
  }
  int pair_column(int a, int b, int k) const { return k < 6 ? column(a, k) : column(b, k - 6); }

  std::vector<std::string> position_names() const;
  std::vector<std::string> velocity_names() const;

  // --- states
  void calc_frames(const double* q, std::vector<BodyFrame>& frames) const;
  void calc_twists(const double* v, std::vector<Twist>& twists) const;
  /// Coordinates and velocities of a body frame that the model (or assembly) gives: the frame's origin, not its centre
  /// of mass.
  void set_pose(int frame, const Eigen::Vector3d& position, const Eigen::Vector4d& orientation, double angle,
                linalg::Vector& q) const;
  void set_velocity(int frame, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
                    const BodyFrame& at, linalg::Vector& v) const;

 private:
  bool is_planar_;
  std::vector<std::string> names_;
  std::vector<double> mass_;
  std::vector<Eigen::Matrix3d> inertia_;
  std::vector<Eigen::Vector3d> centre_;
  SlotList none_, own_;
};

}  // namespace trammel::system
