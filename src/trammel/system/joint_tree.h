#pragma once

// Kinematics of a spanning tree in the coordinates of its joints (docs/theory/joint-coordinates.md).
//
// A body moves by its twist V = (v, w): velocity of its centre of mass and angular velocity, both in ground axes. Each
// velocity u_i of the tree turns or shifts all bodies behind it like one rigid body, by the screw S_i, which is given
// at the centre of the body that hangs on its joint; at another point it is (S_i.v + S_i.w x d, S_i.w). With the
// velocities numbered along the tree, those that move a body k are its path: first the path of its parent, then its
// own.
//
//   V_k = sum over the path of S_i u_i (at k),    V_k' = sum S_i u_i' + c_k                                       (1)
//   dS_j/dq_i = S_i x S_j  if i moves j, that is if it stands before j or belongs to the same ball, else 0         (2)
//
// where (v, w) x (v', w') = (w x v' + v x w', w x w') is the product of twists. A step is an elementary motion: a turn,
// slide or screw with one velocity, or a ball with three.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "trammel/linalg/vector.h"
#include "trammel/model/model.h"
#include "trammel/system/body_table.h"
#include "trammel/topology/joint_motion.h"
#include "trammel/topology/spanning_tree.h"

namespace trammel::system {

/// A twist, or another vector of that kind, at a point: ground axes.
struct Screw {
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  Eigen::Vector3d w = Eigen::Vector3d::Zero();

  /// The linear part at a point that lies d from the one of the screw.
  Eigen::Vector3d at(const Eigen::Vector3d& d) const { return v + w.cross(d); }
  Screw moved(const Eigen::Vector3d& d) const { return {at(d), w}; }
  Screw operator+(const Screw& o) const { return {v + o.v, w + o.w}; }
  Screw operator-(const Screw& o) const { return {v - o.v, w - o.w}; }
  Screw operator*(double s) const { return {v * s, w * s}; }
  /// The product of twists, both at the same point.
  Screw cross(const Screw& o) const { return {w.cross(o.v) + v.cross(o.w), w.cross(o.w)}; }
};

/// A vector that adds up along the tree: at each body, and before each step, at the centre of the step's body.
struct TreeField {
  std::vector<Screw> bodies;  ///< by frame; zero for the ground
  std::vector<Screw> before;  ///< by step
};

/// Matrices whose rows are velocities of bodies (as in BodyTable) and whose columns are velocities of the tree: the row
/// of component k of a frame has as many numbers as the frame's path.
using PathMatrix = std::vector<double>;

/// Where the bodies are.
struct TreePlaces {
  std::vector<BodyFrame> frames;
  std::vector<Screw> screws;  ///< S_i, one a velocity
};

class JointTree {
 public:
  /// The joints as they are placed in q, positions of the bodies: lengths and offsets that the model leaves open, and
  /// which of the positions that the joint's constraints allow, are taken from there. Throws std::invalid_argument when
  /// a joint is not assembled there.
  JointTree(const model::Model& model, const BodyTable& bodies, topology::SpanningTree tree, const linalg::Vector& q);

  struct Step {
    topology::MotionKind kind;
    int frame;  ///< that it moves first
    int q, v;   ///< first position and velocity
    int count;  ///< of velocities, 1 or 3
    double pitch;
    // In the frame that the step before has left, or that of the parent's body:
    Eigen::Vector3d origin;  ///< of the step [m]
    Eigen::Vector3d axis;    ///< of a turn, slide or screw
    /// Of spatial models. The frame that the step leaves, that of the body behind the last step, is turned against the
    /// one before by A + cos q B + sin q C, behind a slide by A, behind a ball by A R(p) B.
    Eigen::Matrix3d A, B, C;
    Eigen::Vector4d before;  ///< Euler parameters of the constant turn before the step
    // Of planar models:
    double constant;  ///< part of the angle that the step adds, with what follows the last [rad]
    double sign;      ///< of q in that angle: 1 or -1, and 0 of a slide
  };

  const topology::SpanningTree& tree() const { return tree_; }
  /// Frames but for the ground, parents before their children.
  const std::vector<int>& order() const { return order_; }
  int parent(int frame) const { return tree_.parent[static_cast<std::size_t>(frame)]; }
  /// Velocities of a body: 6, or 3 in the plane.
  int width() const { return is_planar_ ? 3 : 6; }
  int n_q() const { return n_q_; }
  int n_v() const { return static_cast<int>(step_of_.size()); }
  const std::vector<Step>& steps() const { return steps_; }
  /// The step of a velocity, and the frame that it moves first.
  int step_of(int velocity) const { return step_of_[static_cast<std::size_t>(velocity)]; }
  int frame_of(int velocity) const { return steps_[static_cast<std::size_t>(step_of(velocity))].frame; }
  /// First velocity of a frame's own, and how many it has.
  int first_velocity(int frame) const { return first_v_[static_cast<std::size_t>(frame)]; }
  int velocity_count(int frame) const { return count_v_[static_cast<std::size_t>(frame)]; }
  /// Velocities that move a frame, in increasing order.
  const std::vector<int>& path(int frame) const { return paths_[static_cast<std::size_t>(frame)]; }
  int path_size(int frame) const { return static_cast<int>(path(frame).size()); }
  /// Place of a row in a PathMatrix.
  std::ptrdiff_t row(int frame, int component) const {
    return rows_[static_cast<std::size_t>(frame)] + static_cast<std::ptrdiff_t>(component) * path_size(frame);
  }
  std::ptrdiff_t matrix_size() const { return matrix_size_; }

  std::vector<std::string> position_names() const { return position_names_; }
  std::vector<std::string> velocity_names() const { return velocity_names_; }

  // --- positions
  TreePlaces make_places() const;
  void calc_places(const double* q, TreePlaces& places) const;
  /// Euler parameters of each frame, of spatial models. Their signs do not jump.
  std::vector<Eigen::Vector4d> calc_turns(const double* q) const;
  /// Positions of the tree at given positions of the bodies; angles with the turns nearest to those that the model
  /// gives.
  void calc_coordinates(const std::vector<BodyFrame>& frames, linalg::VectorOut q) const;
  void retract(linalg::VectorIn q, linalg::VectorIn delta, linalg::VectorOut result) const;
  void calc_position_rate(linalg::VectorIn q, linalg::VectorIn v, linalg::VectorOut q_rate) const;
  /// Whether some step is a ball, so that q' is not v.
  bool has_balls() const { return has_balls_; }
  /// In words, the first of them: "joint 'hinge'", or "body 'chassis', which floats".
  std::string describe_ball() const;

  // --- sums along the tree
  TreeField make_field() const;
  /// At the bodies alone, the field of u and its rate field at u' = 0.
  void calc_motion(const TreePlaces& at, linalg::VectorIn u, std::vector<Screw>& V, std::vector<Screw>& C) const;
  /// sum of S_i x_i.
  void calc_field(const TreePlaces& at, linalg::VectorIn x, TreeField& field) const;
  /// The same plus the derivative of the S_i u_i along V, the field of u: what the derivative of V is made of.
  void calc_rate_field(const TreePlaces& at, const TreeField& V, linalg::VectorIn u, linalg::VectorIn x,
                       TreeField& field) const;
  /// x with sum of S_i x_i (and with the rate field of u, if V is given) nearest to what is given at the bodies.
  void calc_components(const TreePlaces& at, const std::vector<Screw>& bodies, const TreeField* V, linalg::VectorIn u,
                       linalg::VectorOut x) const;
  /// out_i += S_i . wrenches behind it; wrenches (force, torque at the centre; ground axes) by frame, are summed up.
  void add_projected(const TreePlaces& at, std::vector<Screw>& wrenches, linalg::VectorOut out) const;

  // --- matrices. Rows are velocities of bodies in the axes of BodyTable.
  /// J with (v, w) of (1).
  void calc_jacobian(const TreePlaces& at, PathMatrix& J) const;
  /// d(J s)/dq, W the field of s.
  void calc_velocity_by_q(const TreePlaces& at, const TreeField& W, PathMatrix& values) const;
  /// d(J s + c)/dq, V the field of u and A the rate field of u and s.
  void calc_acceleration_by_q(const TreePlaces& at, const TreeField& V, const TreeField& A, PathMatrix& values) const;
  /// dc/du.
  void calc_bias_by_u(const TreePlaces& at, const TreeField& V, linalg::VectorIn u, PathMatrix& values) const;

 private:
  struct Link;
  void calc_planar_places(const double* q, TreePlaces& places) const;
  void calc_spatial_places(const double* q, TreePlaces& places) const;
  void add_body(const model::Model& model, int frame, const std::vector<BodyFrame>& frames);
  void fit_open_parts(Link& link, const std::vector<BodyFrame>& frames, int frame) const;
  void add_steps(const Link& link, int frame);
  void add_names(const topology::MotionStep& step, const std::string& owner);
  void number_paths(int width);
  void count_turns(const std::vector<BodyFrame>& frames);
  void choose_signs(const std::vector<BodyFrame>& frames, const BodyTable& bodies, const linalg::Vector& given);
  int step_count(int frame) const { return step_count_[static_cast<std::size_t>(frame)]; }
  const Step* steps_begin(int frame) const { return steps_.data() + first_step_[static_cast<std::size_t>(frame)]; }
  const Step* steps_end(int frame) const { return steps_begin(frame) + step_count(frame); }
  /// Writes the column at a position of the path of a frame.
  void put(const TreePlaces& at, int frame, int position, const Eigen::Vector3d& v, const Eigen::Vector3d& w,
           double* values) const;

  /// How a frame hangs on its parent.
  struct Link {
    topology::JointMotion motion;       ///< J seen from I
    topology::Pose on_parent, on_body;  ///< its markers in the frames of the bodies, whose origins are their centres
    bool is_reversed = false;           ///< marker I is on the body, J on its parent
    std::string owner;                  ///< of the coordinates, in names: the joint, or the body that floats
    std::vector<double> near;           ///< of each step of `motion`: the angle whose turns are to be met
    double turns = 0;                   ///< planar: whole turns in the angle against the parent [rad]
    double constant = 0;                ///< planar, without steps: that angle but for these [rad]
    topology::Pose end;                 ///< body frame in the frame of the last step, or of the parent's body
    Eigen::Vector3d offset;             ///< centre of the body from the origin of the last step, in body axes [m]
    Eigen::Vector4d end_turn{1, 0, 0, 0};

    /// J seen from I, at given frames of the parent and of the body.
    topology::Pose place(const BodyFrame& parent, const BodyFrame& body) const;
    /// Angle of J minus that of I, planar.
    double planar_angle(const BodyFrame& parent, const BodyFrame& body) const;
  };

  topology::SpanningTree tree_;
  bool is_planar_;
  bool has_balls_ = false;
  int n_q_ = 0;
  std::vector<int> order_;
  std::vector<Step> steps_;
  std::vector<int> step_of_;
  std::vector<Link> links_;  // by frame
  std::vector<int> first_step_, step_count_, first_v_, count_v_;
  std::vector<std::vector<int>> paths_;
  std::vector<std::ptrdiff_t> rows_;
  std::ptrdiff_t matrix_size_ = 0;
  std::vector<std::string> position_names_, velocity_names_;
};

}  // namespace trammel::system
