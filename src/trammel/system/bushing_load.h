#pragma once

// What a bushing (model::Bushing) exerts, in numbers of type T.

#include "trammel/system/body_state.h"

namespace trammel::system {

/// Displacement and rotation of marker J seen from marker I, axes of I: three lengths, then the rotations.
template <class T>
Eigen::Matrix<T, 6, 1> calc_bushing_deflection(const MarkerState<T>& I, const MarkerState<T>& J) {
  using std::atan2, math::atan2;
  const math::Matrix3<T> turn = I.axes.transpose() * J.axes;
  Eigen::Matrix<T, 6, 1> deflection;
  deflection << I.axes.transpose() * math::Vector3<T>(J.P - I.P), -turn(1, 2), turn(0, 2),
      atan2(turn(1, 0), turn(1, 1));
  return deflection;
}

/// Force and torque on the body of marker J at its point, ground axes [N, N m].
template <class T>
Eigen::Matrix<T, 6, 1> calc_bushing_load(const model::Bushing& bushing, const MarkerState<T>& I,
                                         const MarkerState<T>& J) {
  using Vector = math::Vector3<T>;
  const Vector d = J.P - I.P;
  // As seen from marker I, so that turning both bodies together meets no resistance.
  Eigen::Matrix<T, 6, 1> rate;
  rate << I.axes.transpose() * Vector(J.V - I.V - I.W.cross(d)), I.axes.transpose() * Vector(J.W - I.W);
  const Eigen::Matrix<T, 6, 1> load = bushing.preload.cast<T>() -
                                      bushing.stiffness.cast<T>() * calc_bushing_deflection(I, J) -
                                      bushing.damping.cast<T>() * rate;
  Eigen::Matrix<T, 6, 1> in_ground;
  in_ground << I.axes * load.template head<3>(), I.axes * load.template tail<3>();
  return in_ground;
}

}  // namespace trammel::system
