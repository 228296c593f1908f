#pragma once

// Where bodies stand that the model gives no position: at the joint that ties them to one that has.

#include "trammel/model/model.h"

namespace trammel::model {

/// Places every body without position and orientation so that a joint to a body that stands already is closed at its
/// start (zero where neither the joint nor a motion gives its coordinates), going outward from the ground and from the
/// bodies that stand. Where only rods (distance joints) lead to a body, the first of known length is laid along the x
/// axis of its marker on the body that stands, or against it when that is marker J. Bodies that no such joint reaches
/// stay at the origin. Angles of planar bodies get the turns that joints have there.
void place_bodies(Model& model);

}  // namespace trammel::model
