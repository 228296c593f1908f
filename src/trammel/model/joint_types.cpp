#include "trammel/model/joint_types.h"

#include <algorithm>
#include <stdexcept>

namespace trammel::model {
namespace {

using enum PrimitiveKind;
using Uses = std::vector<PrimitiveUse>;

// The axis z of marker I is the axis of a joint, in the plane as in space; planar slides run along x.
const Uses kSamePoint{{kCoincident, 0, 0, "translation along x"},
                      {kCoincident, 1, 0, "translation along y"},
                      {kCoincident, 2, 0, "translation along z"}};
const Uses kSamePlanarPoint{{kCoincident, 0, 0, "translation along x"}, {kCoincident, 1, 0, "translation along y"}};
const Uses kParallelAxes{{kDot1, 0, 2, "rotation about its y axis"}, {kDot1, 1, 2, "rotation about its x axis"}};
const Uses kSameAxes{{kDot1, 0, 2, "rotation about its y axis"},
                     {kDot1, 1, 2, "rotation about its x axis"},
                     {kDot1, 0, 1, "rotation about its z axis"}};
const Uses kOnLine{{kDot2, 0, 0, "translation along its x axis"}, {kDot2, 1, 0, "translation along its y axis"}};
const Uses kOnPlane{{kDot2, 2, 0, "translation along its z axis"}};
const Uses kOnPlanarLine{{kDot2, 1, 0, "translation along its y axis"}};
const Uses kSameAngle{{kAngle, 0, 0, "rotation"}};
const Uses kRod{{kDistance, 0, 0, "change of length"}};

Uses operator+(Uses left, const Uses& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::vector<JointTypeInfo> make_joint_types() {
  using enum JointType;
  using K = CoordinateKind;
  const std::vector<K> none;
  return {
      {kRevolute,
       "revolute",
       "hinge: the points coincide and the z axes stay parallel",
       true,
       true,
       kSamePlanarPoint,
       kSamePoint + kParallelAxes,
       {K::kAngle},
       {K::kAngle}},
      {kTranslational,
       "translational",
       "slide along the z axis of the first marker (planar: its x axis) without turning",
       true,
       true,
       kOnPlanarLine + kSameAngle,
       kOnLine + kSameAxes,
       {K::kTravel},
       {K::kTravel}},
      {kCylindrical,
       "cylindrical",
       "slide along and turn about the common z axis",
       false,
       true,
       {},
       kOnLine + kParallelAxes,
       none,
       {K::kAngle, K::kTravel}},
      {kSpherical, "spherical", "ball joint: the points coincide", false, true, {}, kSamePoint, none, none},
      {kUniversal,
       "universal",
       "cross joint: the points coincide and the z axes stay perpendicular",
       false,
       true,
       {},
       kSamePoint + Uses{{kDot1, 2, 2, "rotation about the normal of the cross"}},
       none,
       {K::kFirstAngle, K::kSecondAngle}},
      {kFixed, "fixed", "weld: the frames coincide", true, true, kSamePlanarPoint + kSameAngle, kSamePoint + kSameAxes,
       none, none},
      {kPlanar,
       "planar",
       "the second point moves in the x-y plane of the first marker, the z axes stay parallel",
       false,
       true,
       {},
       kOnPlane + kParallelAxes,
       none,
       {K::kX, K::kY, K::kAngle}},
      {kInLine,
       "in-line",
       "the second point stays on the z axis of the first marker (planar: its x axis)",
       true,
       true,
       kOnPlanarLine,
       kOnLine,
       {K::kTravel},
       {K::kTravel}},
      {kInPlane,
       "in-plane",
       "the second point stays in the x-y plane of the first marker",
       false,
       true,
       {},
       kOnPlane,
       none,
       {K::kX, K::kY}},
      {kParallel, "parallel", "the z axes stay parallel", false, true, {}, kParallelAxes, none, {K::kAngle}},
      {kPerpendicular,
       "perpendicular",
       "the z axes stay perpendicular",
       false,
       true,
       {},
       {{kDot1, 2, 2, "rotation about the common normal"}},
       none,
       none},
      {kOrientation,
       "orientation",
       "the axes stay aligned, the points are free",
       true,
       true,
       kSameAngle,
       kSameAxes,
       {K::kX, K::kY},
       {K::kX, K::kY, K::kZ}},
      {kDistance,
       "distance",
       "massless rod with a ball at each end",
       true,
       true,
       kRod,
       kRod,
       {K::kDistance},
       {K::kDistance}},
      {kRevoluteSpherical,
       "revolute-spherical",
       "massless rod, hinged about z at the first marker, with a ball at the second",
       false,
       true,
       {},
       kRod + kOnPlane,
       none,
       none},
      {kGear, "gear", "turns of joints in a fixed ratio", true, true, {}, {}, none, none},
      {kCoupler, "coupler", "a linear relation between coordinates of joints", true, true, {}, {}, none, none},
      {kScrew,
       "screw",
       "turning about and travel along the z axis in a fixed ratio",
       false,
       true,
       {},
       kOnLine + kParallelAxes,
       none,
       {K::kAngle, K::kTravel}},
      {kRackAndPinion,
       "rack-and-pinion",
       "travel of one joint equal to radius times the angle of another",
       true,
       true,
       {},
       {},
       none,
       none},
      {kConstantVelocity,
       "constant-velocity",
       "the points coincide and both shafts turn equally about their z axes",
       false,
       true,
       {},
       kSamePoint,
       none,
       none},
      {kPointOnCurve,
       "point-on-curve",
       "the second point follows a curve in the x-y plane of the first marker",
       true,
       false,
       {},
       {},
       {K::kX, K::kY},
       {K::kX, K::kY}},
      {kRolling,
       "rolling",
       "a disc, axis z of the second marker, rolls without slip on the x-y plane of the first",
       false,
       true,
       {},
       {},
       none,
       none},
  };
}

}  // namespace

const std::vector<JointTypeInfo>& joint_types() {
  static const std::vector<JointTypeInfo> types = make_joint_types();
  return types;
}

const JointTypeInfo& joint_type(JointType type) {
  for (const JointTypeInfo& info : joint_types()) {
    if (info.type == type) return info;
  }
  throw std::logic_error("joint type without entry");
}

const JointTypeInfo* find_joint_type(const std::string& name) {
  const auto& types = joint_types();
  const auto found = std::find_if(types.begin(), types.end(), [&](const auto& info) { return info.name == name; });
  return found == types.end() ? nullptr : &*found;
}

std::string to_string(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::kAngle: return "angle";
    case CoordinateKind::kTravel: return "travel";
    case CoordinateKind::kX: return "x";
    case CoordinateKind::kY: return "y";
    case CoordinateKind::kZ: return "z";
    case CoordinateKind::kDistance: return "length";
    case CoordinateKind::kFirstAngle: return "angle_1";
    case CoordinateKind::kSecondAngle: return "angle_2";
  }
  return {};
}

bool is_angle(CoordinateKind kind) {
  return kind == CoordinateKind::kAngle || kind == CoordinateKind::kFirstAngle || kind == CoordinateKind::kSecondAngle;
}

}  // namespace trammel::model
