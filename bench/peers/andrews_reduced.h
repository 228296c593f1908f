#pragma once

// The seven-body mechanism with its one degree of freedom eliminated by hand: everything as a function of beta.
//
// With p_k the vector of link k in the loops (cases/equations/andrews.cpp), the loops are two triangles: p2 + p3 = B -
// p1 gives the pin Q, p4 + p5 = p6 + p7 = A - p1 - p2 the pins of the other links, which are the two mirror images of
// each other since both pairs have the same lengths. If angle_k' = w_k(beta) beta', a loop gives w2 p2 + w3 p3 = -p1,
// and so on; differentiating once more gives dw/dbeta. Kinetic energy is m(beta) beta'^2 / 2 with
//   m = sum J_k w_k^2 + 2 sum_(i,j) c_ij (p_i . p_j) w_i w_j     over (i,j) = (1,2), (4,5), (6,7),
// and Lagrange's equation is m beta'' = torque + (spring torque) w3 - (dm/dbeta)/2 beta'^2.

#include "trammel/linalg/vector.h"

namespace trammel::bench {

/// beta'' [rad/s^2].
double calc_reduced_acceleration(double beta, double beta_rate);

/// The seven angles, on the branch of the start. Only beta and Theta turn more than once.
linalg::Vector calc_reduced_position(double beta);

}  // namespace trammel::bench
