#include "trammel/topology/joint_motion.h"

#include <algorithm>

#include "trammel/math/turns.h"

namespace trammel::topology {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::JointType;

namespace {

MotionStep turn(std::string name) { return {MotionKind::kTurn, Vector3d::UnitZ(), 0, {}, std::move(name)}; }
MotionStep slide(int axis, std::string name) {
  return {MotionKind::kSlide, Vector3d::Unit(axis), 0, {}, std::move(name)};
}
MotionStep ball() { return {MotionKind::kBall, Vector3d::UnitZ(), 0, {}, "e"}; }

/// Turns about the z axis of I, and about that of J, which is perpendicular to it. The first angle leads from x of I to
/// z of J, the second from x of J to z of I, so that J turns backwards as it grows.
std::vector<MotionStep> cross_steps() {
  MotionStep second = turn("angle_2");
  second.axis = -Vector3d::UnitZ();
  second.before.R << 0, 0, 1, 0, -1, 0, 1, 0, 0;  // z to x, x to z
  return {turn("angle_1"), second};
}

std::optional<std::vector<MotionStep>> planar_steps(const model::Joint& joint) {
  using enum JointType;
  switch (joint.type) {
    case kRevolute: return {{turn("angle")}};
    case kTranslational: return {{slide(0, "travel")}};
    case kInLine: return {{slide(0, "travel"), turn("turn")}};
    case kOrientation: return {{slide(0, "x"), slide(1, "y")}};
    case kFixed: return std::vector<MotionStep>();
    default: return std::nullopt;
  }
}

std::optional<std::vector<MotionStep>> spatial_steps(const model::Joint& joint) {
  using enum JointType;
  switch (joint.type) {
    case kRevolute: return {{turn("angle")}};
    case kTranslational: return {{slide(2, "travel")}};
    case kCylindrical: return {{slide(2, "travel"), turn("angle")}};
    case kSpherical: return {{ball()}};
    case kUniversal: return cross_steps();
    case kFixed: return std::vector<MotionStep>();
    case kPlanar: return {{slide(0, "x"), slide(1, "y"), turn("angle")}};
    case kInLine: return {{slide(2, "travel"), ball()}};
    case kInPlane: return {{slide(0, "x"), slide(1, "y"), ball()}};
    case kParallel: return {{slide(0, "x"), slide(1, "y"), slide(2, "z"), turn("angle")}};
    case kOrientation: return {{slide(0, "x"), slide(1, "y"), slide(2, "z")}};
    case kScrew: return {{{MotionKind::kScrew, Vector3d::UnitZ(), joint.parameter / math::kTurn, {}, "angle"}}};
    case kRevoluteSpherical: {
      MotionStep end = ball();
      end.before.p = std::max(joint.parameter, 0.0) * Vector3d::UnitX();
      return {{turn("turn"), end}};
    }
    default: return std::nullopt;
  }
}

std::string quote(const char* kind, const std::string& name) { return std::string(kind) + " '" + name + "'"; }

}  // namespace

int JointMotion::velocities() const {
  int count = 0;
  for (const MotionStep& step : steps) count += step.velocities();
  return count;
}

int JointMotion::positions() const {
  int count = 0;
  for (const MotionStep& step : steps) count += step.positions();
  return count;
}

JointMotion JointMotion::reversed() const {
  JointMotion back;
  Pose before = end.inverse();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    MotionStep turned = *step;
    turned.axis = -step->axis;  // of a screw, turn and travel both change their sign
    turned.before = before;
    before = step->before.inverse();
    back.steps.push_back(turned);
  }
  back.end = before;
  return back;
}

JointMotion free_motion(model::Space space) {
  if (space == model::Space::kPlanar) return {{slide(0, "x"), slide(1, "y"), turn("angle")}, {}};
  return {{slide(0, "x"), slide(1, "y"), slide(2, "z"), ball()}, {}};
}

std::optional<JointMotion> find_joint_motion(const model::Model& model, int joint) {
  const model::Joint& of = model.joints[static_cast<std::size_t>(joint)];
  auto steps = model.is_planar() ? planar_steps(of) : spatial_steps(of);
  if (!steps) return std::nullopt;
  return JointMotion{std::move(*steps), {}};
}

std::vector<std::string> find_reaction_readers(const model::Model& model) {
  std::vector<std::string> readers(model.joints.size());
  for (const model::Force& force : model.forces) {
    if (force.friction)
      readers[static_cast<std::size_t>(force.friction->coordinate.joint)] = quote("friction", force.name);
  }
  for (const model::ExtraState& state : model.states) {
    std::vector<bool> is_seen(model.signals.size(), false);
    std::vector<const model::Program*> open{&state.function};
    while (!open.empty()) {
      const model::Program* program = open.back();
      open.pop_back();
      for (const int input : program->inputs()) {
        const auto k = static_cast<std::size_t>(input);
        if (is_seen[k]) continue;
        is_seen[k] = true;
        const model::Signal& signal = model.signals[k];
        const std::vector<const model::Program*> inner = model.programs_of(signal);
        open.insert(open.end(), inner.begin(), inner.end());
        if (!signal.needs_reactions()) continue;
        std::string& reader = readers[static_cast<std::size_t>(signal.index)];
        if (reader.empty()) reader = quote("state", state.name);
      }
    }
  }
  return readers;
}

}  // namespace trammel::topology
