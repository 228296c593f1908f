// Where the bodies of a tree are at given coordinates of its joints.

#include <array>
#include <cmath>

#include "trammel/linalg/block_kernels.h"
#include "trammel/math/quaternion.h"
#include "trammel/system/joint_tree.h"

namespace trammel::system {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using topology::MotionKind;

namespace {

/// C = A B, column by column, two rows at a time.
inline void multiply(const Matrix3d& A, const Matrix3d& B, Matrix3d& C) {
  const linalg::Pair a0 = linalg::load_pair(A.data()), a1 = linalg::load_pair(A.data() + 3),
                     a2 = linalg::load_pair(A.data() + 6);
  for (int j = 0; j < 3; ++j) {
    const double x = B(0, j), y = B(1, j), z = B(2, j);
    linalg::store_pair(a0 * linalg::make_pair_of(x) + a1 * linalg::make_pair_of(y) + a2 * linalg::make_pair_of(z),
                       &C(0, j));
    C(2, j) = A(2, 0) * x + A(2, 1) * y + A(2, 2) * z;
  }
}

}  // namespace

TreePlaces JointTree::make_places() const {
  TreePlaces places;
  places.frames.resize(links_.size());
  places.screws.resize(step_of_.size());
  return places;
}

void JointTree::calc_places(const double* q, TreePlaces& places) const {
  if (is_planar_) {
    calc_planar_places(q, places);
  } else {
    calc_spatial_places(q, places);
  }
}

/// Orientations come from angles, which are sums: products of rotations would wait for each other along a chain.
void JointTree::calc_planar_places(const double* q, TreePlaces& places) const {
  std::array<Vector2d, 3> origins;
  for (const int frame : order_) {
    const BodyFrame& parent = places.frames[static_cast<std::size_t>(this->parent(frame))];
    const Link& link = links_[static_cast<std::size_t>(frame)];
    double angle = parent.angle + link.turns, c = parent.R(0, 0), s = parent.R(1, 0);
    Vector2d p = parent.r.head<2>();
    const auto turned = [&](const Vector3d& x) { return Vector2d(c * x[0] - s * x[1], s * x[0] + c * x[1]); };
    const auto turn = [&](double by) {
      angle += by;
      c = std::cos(angle);
      s = std::sin(angle);
    };
    std::size_t i = 0;
    for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step, ++i) {
      p += turned(step->origin);
      origins[i] = p;
      Screw& screw = places.screws[static_cast<std::size_t>(step->v)];
      if (step->kind == MotionKind::kSlide) {
        screw.v.head<2>() = turned(step->axis);
        p += screw.v.head<2>() * q[step->q];
        if (step->constant != 0) turn(step->constant);
      } else {
        screw.w[2] = step->sign;
        turn(step->constant + step->sign * q[step->q]);
      }
    }
    if (i == 0) turn(link.constant);
    p += turned(link.offset);
    BodyFrame& body = places.frames[static_cast<std::size_t>(frame)];
    body.r.head<2>() = p;
    body.R(0, 0) = body.R(1, 1) = c;
    body.R(1, 0) = s;
    body.R(0, 1) = -s;
    body.angle = angle;
    i = 0;
    for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step, ++i) {
      if (step->kind == MotionKind::kSlide) continue;
      const Vector2d d = p - origins[i];
      places.screws[static_cast<std::size_t>(step->v)].v.head<2>() = step->sign * Vector2d(-d[1], d[0]);
    }
  }
}

void JointTree::calc_spatial_places(const double* q, TreePlaces& places) const {
  std::array<Vector3d, 6> origins;
  Matrix3d room;
  for (const int frame : order_) {
    const BodyFrame& parent = places.frames[static_cast<std::size_t>(this->parent(frame))];
    const Link& link = links_[static_cast<std::size_t>(frame)];
    BodyFrame& body = places.frames[static_cast<std::size_t>(frame)];
    // Where the step before has led; its orientation stands in body.R or, of every other step before the last, in room.
    const Matrix3d* R = &parent.R;
    Vector3d p = parent.r;
    int i = 0, left = step_count(frame);
    if (left == 0) multiply(parent.R, link.end.R, body.R);
    for (const Step* step = steps_begin(frame); left > 0; ++step) {
      Matrix3d& next = --left % 2 == 0 ? body.R : room;
      p += *R * step->origin;
      Screw* screw = &places.screws[static_cast<std::size_t>(step->v)];
      for (int k = 0; k < step->count; ++k, ++i) origins[static_cast<std::size_t>(i)] = p;
      if (step->kind == MotionKind::kBall) {
        const Eigen::Map<const Vector4d> e(q + step->q);
        const Matrix3d turned = *R * step->A * (math::rotation_from_quaternion(e) / e.squaredNorm());
        for (int k = 0; k < 3; ++k) screw[k] = {Vector3d::Zero(), turned.col(k)};
        multiply(turned, step->B, next);
      } else {
        const Vector3d axis = *R * step->axis;
        const double value = q[step->q];
        if (step->kind == MotionKind::kSlide) {
          *screw = {axis, Vector3d::Zero()};
          p += axis * value;
          multiply(*R, step->A, next);
        } else {
          *screw = {axis * step->pitch, axis};
          p += axis * (step->pitch * value);
          multiply(*R, step->A + std::cos(value) * step->B + std::sin(value) * step->C, next);
        }
      }
      R = &next;
    }
    body.r = p + body.R * link.offset;
    Screw* screw = places.screws.data() + first_velocity(frame);
    for (int k = 0; k < i; ++k) screw[k].v += screw[k].w.cross(body.r - origins[static_cast<std::size_t>(k)]);
  }
}

std::vector<Vector4d> JointTree::calc_turns(const double* q) const {
  std::vector<Vector4d> turns(links_.size(), Vector4d::Unit(0));
  for (const int frame : order_) {
    Vector4d turn = turns[static_cast<std::size_t>(parent(frame))];
    for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step) {
      if (step->kind == MotionKind::kTurn || step->kind == MotionKind::kScrew) {
        const double half = q[step->q] / 2;
        Vector4d p;
        p << std::cos(half), std::sin(half) * step->axis;
        turn = math::quaternion_product(turn, p);
      }
      turn = math::quaternion_product(turn, step->before);
      if (step->kind == MotionKind::kBall) {
        turn = math::quaternion_product(turn, Eigen::Map<const Vector4d>(q + step->q).normalized());
      }
    }
    turns[static_cast<std::size_t>(frame)] =
        math::quaternion_product(turn, links_[static_cast<std::size_t>(frame)].end_turn).normalized();
  }
  return turns;
}

}  // namespace trammel::system
