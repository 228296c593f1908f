#include "trammel/model/force_types.h"

namespace trammel::model {

const std::vector<ForceTypeInfo>& force_types() {
  static const std::vector<ForceTypeInfo> types{
      {"spring-damper",
       "spring, damper and actuator along the line between two markers; linear, tabulated or by expression"},
      {"torsion-spring", "the same about a joint: torque over its angle, or force over its travel"},
      {"line-force", "force by expression along the line between two markers; positive pushes them apart"},
      {"joint-force", "force or torque by expression on a joint coordinate; positive increases it"},
      {"friction", "smoothed Coulomb and Stribeck friction in a joint coordinate"},
      {"dry-friction", "Coulomb friction by the load that a joint bears, with sticking and slipping found exactly"},
      {"stop", "one-sided springs at the ends of the range of a joint coordinate or distance"},
      {"point-force", "force by expressions on a marker, without reaction"},
      {"torque", "torque by expressions on a body, without reaction"},
      {"vector-force", "force and torque by expressions on a marker, the reaction on another body at the same point"},
      {"bushing", "six-component spring and damper between two markers"},
  };
  return types;
}

}  // namespace trammel::model
