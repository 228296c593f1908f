#pragma once

// Names for the vectors that pass between the parts.

#include <Eigen/Core>

namespace trammel::linalg {

using Vector = Eigen::VectorXd;
using VectorIn = const Eigen::Ref<const Eigen::VectorXd>&;
using VectorOut = Eigen::Ref<Eigen::VectorXd>;

/// The largest absolute value; zero for an empty vector.
inline double largest_abs(VectorIn v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace trammel::linalg
