// Where the bodies are: what of a JointTree is made once, and its positions.

#include "trammel/system/joint_tree.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/math/quaternion.h"
#include "trammel/math/turns.h"
#include "trammel/model/joint_types.h"
#include "trammel/system/marker_geometry.h"

namespace trammel::system {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using linalg::VectorIn;
using linalg::VectorOut;
using topology::JointMotion;
using topology::MotionKind;
using topology::MotionStep;
using topology::Pose;

namespace {

/// Entries that the matrices of a tree may have: deep trees of many bodies have most of the square of their number.
constexpr std::ptrdiff_t kLargestMatrix = 60'000'000;
/// How far, of a turn or of the lengths involved, a joint may be from closed where its coordinates are read off.
constexpr double kClosed = 1e-6;

bool turns_about_axis(const MotionStep& step) {
  return step.kind == MotionKind::kTurn || step.kind == MotionKind::kScrew;
}

Pose pose_of(const BodyFrame& frame) { return {frame.R, frame.r}; }
Pose pose_of(const MarkerGeometry& marker) { return {marker.axes, marker.s}; }

Matrix3d turn_about(const Vector3d& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

/// The angle of a rotation about an axis that is its own, or nearest to that.
double angle_about(const Vector3d& axis, const Matrix3d& R) {
  const Vector3d e = axis.unitOrthogonal(), f = axis.cross(e), turned = R * e;
  return std::atan2(f.dot(turned), e.dot(turned));
}

/// Coordinates of one joint, by step: one number, or four for a ball.
using StepValues = std::vector<Vector4d>;

Pose step_pose(const MotionStep& step, const Vector4d& value) {
  switch (step.kind) {
    case MotionKind::kTurn: return {turn_about(step.axis, value[0]), Vector3d::Zero()};
    case MotionKind::kSlide: return {Matrix3d::Identity(), step.axis * value[0]};
    case MotionKind::kScrew: return {turn_about(step.axis, value[0]), step.axis * (step.pitch * value[0])};
    case MotionKind::kBall: break;
  }
  return {math::rotation_from_quaternion(value), Vector3d::Zero()};
}

Pose motion_pose(const JointMotion& motion, const StepValues& values) {
  Pose pose;
  for (std::size_t k = 0; k < motion.steps.size(); ++k) {
    pose = pose * motion.steps[k].before * step_pose(motion.steps[k], values[k]);
  }
  return pose * motion.end;
}

/// Coordinates with which the motion leads to a pose, as near as may be. Rotations come first, from the orientation
/// (the turn of a rod with a ball at its end: from the position), then the slides, which are linear.
StepValues find_values(const JointMotion& motion, const Pose& pose) {
  StepValues values(motion.steps.size(), Vector4d::Zero());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (motion.steps[k].kind == MotionKind::kBall) values[k] = Vector4d::Unit(0);
  }
  std::vector<std::size_t> turning;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (motion.steps[k].kind != MotionKind::kSlide) turning.push_back(k);
  }
  // All but the last of the turning steps see what stays behind them: the point of a rod's end, or a crossing axis.
  for (std::size_t t = 0; t < turning.size(); ++t) {
    const MotionStep& step = motion.steps[turning[t]];
    Matrix3d before = Matrix3d::Identity(), after = Matrix3d::Identity();
    for (std::size_t k = 0; k <= turning[t]; ++k) {
      before = before * motion.steps[k].before.R;
      if (k < turning[t]) before = before * step_pose(motion.steps[k], values[k]).R;
    }
    for (std::size_t k = turning[t] + 1; k < values.size(); ++k) after = after * motion.steps[k].before.R;
    after = after * motion.end.R;
    if (t + 1 < turning.size()) {
      const MotionStep& next = motion.steps[turning[t + 1]];
      const bool is_rod = next.kind == MotionKind::kBall;
      const Vector3d from = is_rod ? next.before.p : Vector3d(next.before.R * next.axis);
      const Vector3d to = is_rod ? Vector3d(before.transpose() * pose.p)
                                 : Vector3d(before.transpose() * pose.R * motion.end.R.transpose() * next.axis);
      const Vector3d a = step.axis;
      values[turning[t]][0] = std::atan2(a.dot(from.cross(to)), from.dot(to) - a.dot(from) * a.dot(to));
      continue;
    }
    const Matrix3d R = before.transpose() * pose.R * after.transpose();
    if (step.kind == MotionKind::kBall) {
      values[turning[t]] = math::quaternion_from_rotation(R);
    } else {
      values[turning[t]][0] = angle_about(step.axis, R);
    }
  }
  const Vector3d rest = pose.p - motion_pose(motion, values).p;
  Matrix3d R = Matrix3d::Identity();
  for (std::size_t k = 0; k < values.size(); ++k) {
    R = R * motion.steps[k].before.R;
    if (motion.steps[k].kind == MotionKind::kSlide) values[k][0] = (R * motion.steps[k].axis).dot(rest);
    R = R * step_pose(motion.steps[k], values[k]).R;
  }
  return values;
}

double angle_of(const Matrix3d& R) { return std::atan2(R(1, 0), R(0, 0)); }

/// But for its numbers; `after` turns the frame that it leaves.
JointTree::Step make_step(const MotionStep& step, const Pose& before, const Matrix3d& after) {
  JointTree::Step result{};
  result.kind = step.kind;
  result.count = step.velocities();
  result.pitch = step.pitch;
  result.origin = before.p;
  result.axis = before.R * step.axis;
  result.before = math::quaternion_from_rotation(before.R);
  switch (step.kind) {
    case MotionKind::kTurn:
    case MotionKind::kScrew: {
      const Matrix3d along = step.axis * step.axis.transpose();
      result.A = before.R * along * after;
      result.B = before.R * (Matrix3d::Identity() - along) * after;
      result.C = before.R * math::skew(step.axis) * after;
      result.sign = step.axis[2];
      break;
    }
    case MotionKind::kSlide: result.A = before.R * after; break;
    case MotionKind::kBall:
      result.A = before.R;
      result.B = after;
      break;
  }
  result.constant = angle_of(before.R) + angle_of(after);
  return result;
}

double rotation_distance(const Matrix3d& a, const Matrix3d& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

Pose JointTree::Link::place(const BodyFrame& parent, const BodyFrame& body) const {
  const Pose on_p = pose_of(parent) * on_parent, on_b = pose_of(body) * on_body;
  return is_reversed ? on_b.inverse() * on_p : on_p.inverse() * on_b;
}

double JointTree::Link::planar_angle(const BodyFrame& parent, const BodyFrame& body) const {
  const double difference = body.angle + angle_of(on_body.R) - parent.angle - angle_of(on_parent.R);
  return is_reversed ? -difference : difference;
}

JointTree::JointTree(const model::Model& model, const BodyTable& bodies, topology::SpanningTree tree,
                     const linalg::Vector& q)
    : tree_(std::move(tree)), is_planar_(bodies.is_planar()) {
  const auto count = static_cast<std::size_t>(bodies.frames());
  links_.resize(count);
  first_step_.resize(count);
  step_count_.resize(count);
  first_v_.resize(count);
  count_v_.resize(count);
  std::vector<BodyFrame> frames(count);
  bodies.calc_frames(q.data(), frames);
  for (const int frame : tree_.order) {
    if (frame == 0) continue;
    order_.push_back(frame);
    add_body(model, frame, frames);
  }
  number_paths(bodies.v_size());
  if (is_planar_) {
    count_turns(frames);
  } else {
    choose_signs(frames, bodies, q);
  }
}

/// Euler parameters of either sign are the same orientation: those of the bodies shall have the signs given.
void JointTree::choose_signs(const std::vector<BodyFrame>& frames, const BodyTable& bodies,
                             const linalg::Vector& given) {
  linalg::Vector q = linalg::Vector::Zero(n_q_);
  calc_coordinates(frames, q);
  const std::vector<Vector4d> turns = calc_turns(q.data());
  std::vector<bool> is_turned(links_.size(), false);
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame), p = static_cast<std::size_t>(parent(frame));
    is_turned[k] = turns[k].dot(given.segment<4>(bodies.q_of(frame) + 3)) < 0;
    if (is_turned[k] != is_turned[p]) links_[k].end_turn *= -1;
  }
}

/// Angles of planar bodies count their turns: they shall be those given.
void JointTree::count_turns(const std::vector<BodyFrame>& frames) {
  linalg::Vector q = linalg::Vector::Zero(n_q_);
  calc_coordinates(frames, q);
  TreePlaces places = make_places();
  calc_places(q.data(), places);
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame), p = static_cast<std::size_t>(parent(frame));
    const double reached = places.frames[k].angle - places.frames[p].angle;
    links_[k].turns = math::nearest_turn(reached, frames[k].angle - frames[p].angle) - reached;
  }
}

void JointTree::add_body(const model::Model& model, int frame, const std::vector<BodyFrame>& frames) {
  Link& link = links_[static_cast<std::size_t>(frame)];
  const int joint = tree_.joint[static_cast<std::size_t>(frame)];
  if (joint < 0) {
    link.motion = topology::free_motion(model.space);
    link.owner = model.bodies[static_cast<std::size_t>(frame - 1)].name;
  } else {
    const model::Joint& of = model.joints[static_cast<std::size_t>(joint)];
    auto motion = topology::find_joint_motion(model, joint);
    if (!motion) throw std::logic_error("joint '" + of.name + "' has no coordinates, but is in the tree");
    link.motion = std::move(*motion);
    link.owner = of.name;
    link.is_reversed = tree_.is_reversed[static_cast<std::size_t>(frame)];
    link.on_parent = pose_of(marker_geometry(model, link.is_reversed ? of.j : of.i));
    link.on_body = pose_of(marker_geometry(model, link.is_reversed ? of.i : of.j));
  }
  for (const MotionStep& step : link.motion.steps) {
    std::optional<double> start;
    if (joint >= 0) {
      for (const model::CoordinateKind kind :
           {model::CoordinateKind::kAngle, model::CoordinateKind::kFirstAngle, model::CoordinateKind::kSecondAngle}) {
        if (step.name == model::to_string(kind)) start = model.start_value({joint, kind});
      }
    }
    link.near.push_back(start.value_or(0));
  }
  fit_open_parts(link, frames, frame);
  add_steps(link, frame);
}

/// What the constraints of a joint leave to the assembled position: the half turns that turn axes round, lengths of
/// rods and offsets of screws.
void JointTree::fit_open_parts(Link& link, const std::vector<BodyFrame>& frames, int frame) const {
  const BodyFrame& parent = frames[static_cast<std::size_t>(this->parent(frame))];
  const BodyFrame& body = frames[static_cast<std::size_t>(frame)];
  const Pose pose = link.place(parent, body);
  for (MotionStep& step : link.motion.steps) {
    if (step.kind == MotionKind::kBall && step.before.p != Vector3d::Zero()) {
      step.before.p *= pose.p.norm() / step.before.p.norm();
    }
  }
  double least = std::numeric_limits<double>::infinity();
  Matrix3d best = Matrix3d::Identity();
  for (const Vector3d& diagonal : {Vector3d(1, 1, 1), Vector3d(1, -1, -1), Vector3d(-1, 1, -1), Vector3d(-1, -1, 1)}) {
    link.motion.end.R = diagonal.asDiagonal();
    const double distance = rotation_distance(motion_pose(link.motion, find_values(link.motion, pose)).R, pose.R);
    if (distance < least - kClosed) {
      least = distance;
      best = link.motion.end.R;
    }
  }
  link.motion.end.R = best;
  StepValues values = find_values(link.motion, pose);
  for (std::size_t k = 0; k < values.size(); ++k) {
    MotionStep& step = link.motion.steps[k];
    if (step.kind != MotionKind::kScrew) continue;
    values[k][0] = math::nearest_turn(values[k][0], link.near[k]);
    step.before.p = step.axis * (step.axis.dot(pose.p) - step.pitch * values[k][0]);
  }
  const Pose reached = motion_pose(link.motion, values);
  const double size = std::max(1.0, std::max(pose.p.norm(), (parent.r - body.r).norm()));
  if (rotation_distance(reached.R, pose.R) > kClosed || (reached.p - pose.p).norm() > kClosed * size) {
    throw std::invalid_argument(
        fmt::format("joint '{}' is not assembled, so that its coordinates cannot be read off", link.owner));
  }
}

void JointTree::add_steps(const Link& given, int frame) {
  Link& link = links_[static_cast<std::size_t>(frame)];
  const JointMotion motion = given.is_reversed ? given.motion.reversed() : given.motion;
  first_step_[static_cast<std::size_t>(frame)] = static_cast<int>(steps_.size());
  first_v_[static_cast<std::size_t>(frame)] = n_v();
  link.end = motion.end * link.on_body.inverse();
  if (motion.steps.empty()) link.end = link.on_parent * link.end;
  link.offset = link.end.R.transpose() * link.end.p;
  link.end_turn = math::quaternion_from_rotation(link.end.R);
  link.constant = angle_of(link.end.R);
  Pose before = link.on_parent;
  for (const MotionStep& step : motion.steps) {
    before = before * step.before;
    has_balls_ = has_balls_ || step.kind == MotionKind::kBall;
    const bool is_last = &step == &motion.steps.back();
    steps_.push_back(make_step(step, before, is_last ? link.end.R : Matrix3d::Identity()));
    steps_.back().frame = frame;
    steps_.back().q = n_q_;
    steps_.back().v = n_v();
    step_of_.insert(step_of_.end(), static_cast<std::size_t>(step.velocities()), static_cast<int>(steps_.size()) - 1);
    n_q_ += step.positions();
    add_names(step, link.owner);
    before = Pose();
  }
  step_count_[static_cast<std::size_t>(frame)] = static_cast<int>(motion.steps.size());
  count_v_[static_cast<std::size_t>(frame)] = n_v() - first_velocity(frame);
}

std::string JointTree::describe_ball() const {
  for (const Step& step : steps_) {
    if (step.kind != MotionKind::kBall) continue;
    const auto frame = static_cast<std::size_t>(step.frame);
    const std::string& owner = links_[frame].owner;
    return tree_.joint[frame] < 0 ? "body '" + owner + "', which floats," : "joint '" + owner + "'";
  }
  return {};
}

void JointTree::add_names(const MotionStep& step, const std::string& owner) {
  if (step.kind == MotionKind::kBall) {
    for (const char* name : {"e0", "e1", "e2", "e3"}) position_names_.push_back(owner + "." + name);
    for (const char* name : {"wx", "wy", "wz"}) velocity_names_.push_back(owner + "." + name);
  } else {
    position_names_.push_back(owner + "." + step.name);
    velocity_names_.push_back(position_names_.back() + "'");
  }
}

void JointTree::number_paths(int width) {
  paths_.resize(links_.size());
  rows_.resize(links_.size());
  for (const int frame : order_) {
    matrix_size_ += static_cast<std::ptrdiff_t>(width) * (path_size(parent(frame)) + velocity_count(frame));
    if (matrix_size_ > kLargestMatrix) {
      throw std::invalid_argument(
          fmt::format("joint coordinates of a tree with {} bodies as deep as this one take too much memory: use body "
                      "coordinates, whose matrices stay sparse",
                      order_.size()));
    }
    std::vector<int>& path = paths_[static_cast<std::size_t>(frame)];
    path = this->path(parent(frame));
    for (int i = 0; i < velocity_count(frame); ++i) path.push_back(first_velocity(frame) + i);
    rows_[static_cast<std::size_t>(frame)] = matrix_size_ - static_cast<std::ptrdiff_t>(width) * path_size(frame);
  }
}

void JointTree::calc_coordinates(const std::vector<BodyFrame>& frames, VectorOut q) const {
  for (const int frame : order_) {
    const BodyFrame& parent = frames[static_cast<std::size_t>(this->parent(frame))];
    const BodyFrame& body = frames[static_cast<std::size_t>(frame)];
    const Link& link = links_[static_cast<std::size_t>(frame)];
    const StepValues values = find_values(link.motion, link.place(parent, body));
    const std::size_t count = values.size();
    const Step* step = steps_begin(frame);
    for (std::size_t k = 0; k < count; ++k, ++step) {
      const std::size_t of = link.is_reversed ? count - 1 - k : k;
      if (step->kind == MotionKind::kBall) {
        q.segment<4>(step->q) = link.is_reversed ? math::conjugate(values[of]) : values[of];
      } else if (turns_about_axis(link.motion.steps[of])) {
        const double near = is_planar_ ? link.planar_angle(parent, body) : link.near[of];
        q[step->q] = math::nearest_turn(values[of][0], near);
      } else {
        q[step->q] = values[of][0];
      }
    }
  }
}

void JointTree::retract(VectorIn q, VectorIn delta, VectorOut result) const {
  for (const Step& step : steps_) {
    if (step.kind == MotionKind::kBall) {
      result.segment<4>(step.q) = math::retract(q.segment<4>(step.q), delta.segment<3>(step.v)).eval();
    } else {
      result[step.q] = q[step.q] + delta[step.v];
    }
  }
}

void JointTree::calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const {
  for (const Step& step : steps_) {
    if (step.kind == MotionKind::kBall) {
      q_rate.segment<4>(step.q) = 0.5 * math::body_rate_matrix(q.segment<4>(step.q)).transpose() * v.segment<3>(step.v);
    } else {
      q_rate[step.q] = v[step.v];
    }
  }
}

}  // namespace trammel::system
