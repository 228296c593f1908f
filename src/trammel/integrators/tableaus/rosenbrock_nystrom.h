#pragma once

// Rosenbrock formulas for y'' = f(t, y, y') as data (D. Negrut's thesis (1998), section 4.4).
//
// A Rosenbrock formula with coefficients (a_ij), (e_ij), b_i, where e_ii = gamma and a_ij = 0 for j >= i, applied to
// (y, y')' = (y', f) has stages (k_i, r_i). Its first row gives k = h y'_0 + h (A + E) r, so that only r is left:
//   r_i = h f(t_0 + a_i h, Y_i, Y'_i) + h^2 e_i (f_t + J1 y'_0) + h^2 J1 sum_{j<=i} (E (A + E))_ij r_j
//         + h J2 sum_{j<=i} e_ij r_j.
// With u = E r, J1 = df/dy, J2 = df/dy' and f_t = df/dt at (t_0, y_0, y'_0), the step is for i = 1..4
//   Y_i  = y_0 + h a_i y'_0 + h sum_{j<i} t_ij u_j,
//   Y'_i = y'_0 + sum_{j<i} w_ij u_j,
//   S u_i = h gamma f(t_0 + a_i h, Y_i, Y'_i) + h^2 gamma e_i (f_t + J1 y'_0)
//           + gamma sum_{j<i} c_ij u_j + h^2 gamma J1 sum_{j<i} d_ij u_j,      S = I - h gamma J2 - h^2 gamma^2 J1,
//   y_1  = y_0 + h y'_0 + h sum p_i u_i,    error of y  = h sum error_p_i u_i,
//   y'_1 = y'_0 + sum s_i u_i,              error of y' =   sum error_s_i u_i.
// u_i has the unit of y'. The factors h are those of this derivation; (4.42) of the thesis has one too many.
//
// Inside of the step, with f_0 = f(t_0, y_0, y'_0), which is the f of the first stage,
//   y(theta)  = y_0 + h theta y'_0 + h sum_i sum_p dense_p[i][p-1] theta^p u_i,
//   y'(theta) = y'_0 + h f_0 sum_p dense_f[p-1] theta^p + sum_i sum_p dense_s[i][p-1] theta^p u_i.
// f_0 has to be there: two different b (the formula and the embedded one) satisfy the four conditions of order 3, which
// are thus linearly dependent in four stages and cannot be satisfied for all theta. Together with f_0 and with the
// condition of the tall tree of order 4 they have one solution. It is of order 3, of order 4 for linear autonomous
// equations, continuous with its derivative at theta = 0, and continuous at theta = 1. f_0 comes in by
// theta (1 - theta) (1 - 2 theta), which is below 0.1.

#include <array>

namespace trammel::integrators {

struct RosenbrockNystrom {
  static constexpr int kStages = 4;
  using Vector = std::array<double, 4>;
  using Matrix = std::array<Vector, 4>;

  int order = 4;           ///< of y_1 and y'_1
  int embedded_order = 3;  ///< of both minus their errors
  int dense_order = 3;
  int dense_degree = 4;
  double gamma = 0;
  Matrix w{}, c{}, d{}, t{};    ///< strictly lower: what stages take from earlier ones
  Vector s{}, p{};              ///< weights of u in y' and y
  Vector error_s{}, error_p{};  ///< s and p minus those of the embedded formula
  Vector e{}, a{};              ///< row sums of (e_ij) and (a_ij)
  Matrix dense_s{}, dense_p{};  ///< [stage][power - 1]
  Vector dense_f{};             ///< [power - 1]
};

/// L-stable, four stages with three evaluations of f: the third and the fourth stage have the same t, Y, Y'.
/// Coefficients (4.70) and (4.71) of the thesis, from Sandu, Negrut, Haug, Potra and Sandu 1998.
const RosenbrockNystrom& rosenbrock_nystrom4();

}  // namespace trammel::integrators
