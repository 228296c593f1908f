#pragma once

// The HMMWV14 of Negrut's thesis 1998, section 5.2, as a model file: chassis, steering rack, and at every corner an
// upper and a lower arm and the wheel with its carrier, 14 bodies. It drives at 10 mph over a half cylinder of 0.05 m
// radius.

#include <string>
#include <vector>

#include "cases/case.h"

namespace trammel::cases {

enum class UpperHinge {
  kRevolute,  ///< ideal hinge between chassis and upper arm
  kBushing,   ///< ball joint at the middle of the hinge, and two stiff spring-dampers at its front end
};

/// Parameters of the model that the cases offer.
std::vector<Parameter> hmmwv14_parameters();

std::string write_hmmwv14(UpperHinge hinge);

}  // namespace trammel::cases
