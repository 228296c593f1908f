// How the bodies move: sums along the tree and their derivatives (docs/theory/joint-coordinates.md, (2) to (11)).

#include <Eigen/Dense>

#include "trammel/system/joint_tree.h"

namespace trammel::system {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using linalg::VectorIn;
using linalg::VectorOut;

namespace {

/// sum of S_i x_i of a step.
inline Screw step_sum(const JointTree::Step& step, const TreePlaces& at, VectorIn x) {
  Screw sum = at.screws[static_cast<std::size_t>(step.v)] * x[step.v];
  for (int i = step.v + 1; i < step.v + step.count; ++i) {
    sum = sum + at.screws[static_cast<std::size_t>(i)] * x[i];
  }
  return sum;
}

}  // namespace

TreeField JointTree::make_field() const {
  return {std::vector<Screw>(links_.size()), std::vector<Screw>(steps_.size())};
}

void JointTree::calc_motion(const TreePlaces& at, VectorIn u, std::vector<Screw>& V, std::vector<Screw>& C) const {
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame), p = static_cast<std::size_t>(parent(frame));
    const Vector3d d = at.frames[k].r - at.frames[p].r;
    if (is_planar_) {
      // The same as below, without what is zero.
      double vx = V[p].v[0] - V[p].w[2] * d[1], vy = V[p].v[1] + V[p].w[2] * d[0], w = V[p].w[2];
      double cx = C[p].v[0], cy = C[p].v[1];
      for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step) {
        const Screw& S = at.screws[static_cast<std::size_t>(step->v)];
        const double x = S.v[0] * u[step->v], y = S.v[1] * u[step->v], z = S.w[2] * u[step->v];
        cx += vy * z - w * y;
        cy += w * x - vx * z;
        vx += x;
        vy += y;
        w += z;
      }
      V[k].v[0] = vx;
      V[k].v[1] = vy;
      V[k].w[2] = w;
      C[k].v[0] = cx;
      C[k].v[1] = cy;
      continue;
    }
    Screw velocity = V[p].moved(d), rate = C[p].moved(d);
    for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step) {
      const Screw sum = step_sum(*step, at, u);
      rate = rate + velocity.cross(sum);
      velocity = velocity + sum;
    }
    V[k] = velocity;
    C[k] = rate;
  }
}

void JointTree::calc_field(const TreePlaces& at, VectorIn x, TreeField& field) const {
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame), p = static_cast<std::size_t>(parent(frame));
    Screw sum = field.bodies[p].moved(at.frames[k].r - at.frames[p].r);
    for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step) {
      field.before[static_cast<std::size_t>(step - steps_.data())] = sum;
      sum = sum + step_sum(*step, at, x);
    }
    field.bodies[k] = sum;
  }
}

void JointTree::calc_rate_field(const TreePlaces& at, const TreeField& V, VectorIn u, VectorIn x,
                                TreeField& field) const {
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame), p = static_cast<std::size_t>(parent(frame));
    Screw sum = field.bodies[p].moved(at.frames[k].r - at.frames[p].r);
    for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step) {
      const auto s = static_cast<std::size_t>(step - steps_.data());
      field.before[s] = sum;
      sum = sum + V.before[s].cross(step_sum(*step, at, u)) + step_sum(*step, at, x);
    }
    field.bodies[k] = sum;
  }
}

void JointTree::calc_components(const TreePlaces& at, const std::vector<Screw>& bodies, const TreeField* V, VectorIn u,
                                VectorOut x) const {
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
  std::vector<Screw> reached(links_.size());
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame), p = static_cast<std::size_t>(parent(frame));
    Screw base = reached[p].moved(at.frames[k].r - at.frames[p].r);
    if (V != nullptr) {
      for (const Step* step = steps_begin(frame); step != steps_end(frame); ++step) {
        base = base + V->before[static_cast<std::size_t>(step - steps_.data())].cross(step_sum(*step, at, u));
      }
    }
    reached[k] = base;
    const int first = first_velocity(frame), count = velocity_count(frame);
    if (count == 0) continue;
    Columns S(6, count);
    for (int i = 0; i < count; ++i) {
      const Screw& screw = at.screws[static_cast<std::size_t>(first + i)];
      S.col(i) << screw.v, screw.w;
    }
    Eigen::Matrix<double, 6, 1> rest;
    const Screw difference = bodies[k] - base;
    rest << difference.v, difference.w;
    x.segment(first, count) = S.colPivHouseholderQr().solve(rest);
    for (int i = 0; i < count; ++i) {
      reached[k] = reached[k] + at.screws[static_cast<std::size_t>(first + i)] * x[first + i];
    }
  }
}

void JointTree::add_projected(const TreePlaces& at, std::vector<Screw>& wrenches, VectorOut out) const {
  for (auto frame = order_.rbegin(); frame != order_.rend(); ++frame) {
    const auto k = static_cast<std::size_t>(*frame), p = static_cast<std::size_t>(parent(*frame));
    const Screw& wrench = wrenches[k];
    for (int i = first_velocity(*frame); i < first_velocity(*frame) + velocity_count(*frame); ++i) {
      const Screw& screw = at.screws[static_cast<std::size_t>(i)];
      out[i] += screw.v.dot(wrench.v) + screw.w.dot(wrench.w);
    }
    wrenches[p].v += wrench.v;
    wrenches[p].w += wrench.w + (at.frames[k].r - at.frames[p].r).cross(wrench.v);
  }
}

// --- matrices -------------------------------------------------------------------------------------------------------

void JointTree::put(const TreePlaces& at, int frame, int position, const Vector3d& v, const Vector3d& w,
                    double* values) const {
  const std::ptrdiff_t stride = path_size(frame);
  double* out = values + row(frame, 0) + position;
  if (is_planar_) {
    out[0] = v[0];
    out[stride] = v[1];
    out[2 * stride] = w[2];
    return;
  }
  const Vector3d in_body = at.frames[static_cast<std::size_t>(frame)].R.transpose() * w;
  for (int k = 0; k < 3; ++k) {
    out[k * stride] = v[k];
    out[(3 + k) * stride] = in_body[k];
  }
}

void JointTree::calc_jacobian(const TreePlaces& at, PathMatrix& J) const {
  for (const int frame : order_) {
    const Vector3d& r = at.frames[static_cast<std::size_t>(frame)].r;
    const std::vector<int>& path = this->path(frame);
    for (std::size_t n = 0; n < path.size(); ++n) {
      const Screw& S = at.screws[static_cast<std::size_t>(path[n])];
      const Vector3d d = r - at.frames[static_cast<std::size_t>(frame_of(path[n]))].r;
      put(at, frame, static_cast<int>(n), S.at(d), S.w, J.data());
    }
  }
}

// d(J s)/dq_i = (a x W_k.v - b at k, -b.w)    with a = S_i.w, b = S_i x W before the step of i.
void JointTree::calc_velocity_by_q(const TreePlaces& at, const TreeField& W, PathMatrix& values) const {
  for (const int frame : order_) {
    const Vector3d& r = at.frames[static_cast<std::size_t>(frame)].r;
    const Vector3d& v = W.bodies[static_cast<std::size_t>(frame)].v;
    const std::vector<int>& path = this->path(frame);
    for (std::size_t n = 0; n < path.size(); ++n) {
      const Screw& S = at.screws[static_cast<std::size_t>(path[n])];
      const Screw b = S.cross(W.before[static_cast<std::size_t>(step_of(path[n]))]);
      const Vector3d d = r - at.frames[static_cast<std::size_t>(frame_of(path[n]))].r;
      put(at, frame, static_cast<int>(n), S.w.cross(v) - b.at(d), -b.w, values.data());
    }
  }
}

// d(J s + c)/dq_i = (a x y - 2 b.w x v_k - e at k, -(b.w x w_k + e.w))    with y = A_k.v + w_k x v_k, the acceleration
// of the centre, b = S_i x V before, e = S_i x A before - b x V before.
void JointTree::calc_acceleration_by_q(const TreePlaces& at, const TreeField& V, const TreeField& A,
                                       PathMatrix& values) const {
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame);
    const Screw& V_k = V.bodies[k];
    const Vector3d y = A.bodies[k].v + V_k.w.cross(V_k.v);
    const std::vector<int>& path = this->path(frame);
    for (std::size_t n = 0; n < path.size(); ++n) {
      const Screw& S = at.screws[static_cast<std::size_t>(path[n])];
      const auto step = static_cast<std::size_t>(step_of(path[n]));
      const Screw b = S.cross(V.before[step]);
      const Screw e = S.cross(A.before[step]) - b.cross(V.before[step]);
      const Vector3d d = at.frames[k].r - at.frames[static_cast<std::size_t>(frame_of(path[n]))].r;
      put(at, frame, static_cast<int>(n), S.w.cross(y) - 2 * b.w.cross(V_k.v) - e.at(d), -(b.w.cross(V_k.w) + e.w),
          values.data());
    }
  }
}

// dc/du_i = (2 a x v_k - h at k, a x w_k - h.w)    with h = S_i x (V before + V behind the step).
void JointTree::calc_bias_by_u(const TreePlaces& at, const TreeField& V, VectorIn u, PathMatrix& values) const {
  for (const int frame : order_) {
    const auto k = static_cast<std::size_t>(frame);
    const Screw& V_k = V.bodies[k];
    const std::vector<int>& path = this->path(frame);
    for (std::size_t n = 0; n < path.size(); ++n) {
      const Screw& S = at.screws[static_cast<std::size_t>(path[n])];
      const auto s = static_cast<std::size_t>(step_of(path[n]));
      const Screw h = S.cross(V.before[s] * 2 + step_sum(steps_[s], at, u));
      const Vector3d d = at.frames[k].r - at.frames[static_cast<std::size_t>(frame_of(path[n]))].r;
      put(at, frame, static_cast<int>(n), 2 * S.w.cross(V_k.v) - h.at(d), S.w.cross(V_k.w) - h.w, values.data());
    }
  }
}

}  // namespace trammel::system
