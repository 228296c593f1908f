#pragma once

// Rosenbrock formulas for y' = F(t, y) as data: the one of the Rosenbrock-Nystrom method of D. Negrut's thesis (1998),
// section 4.4.
//
// A Rosenbrock formula with coefficients (a_ij), (e_ij), b_i, where e_ii = gamma and a_ij = 0 for j >= i, is
//   k_i = h F(t_0 + a_i h, y_0 + sum_{j<i} a_ij k_j) + h J sum_{j<=i} e_ij k_j + h^2 e_i F_t,   y_1 = y_0 + sum b_i k_i
// with J = F_y and F_t at (t_0, y_0), a_i = sum_j a_ij, e_i = sum_j e_ij. With U = E k and c = gamma h, products with J
// are no longer needed:
//   (I - c J) U_i = c F(t_0 + a_i h, y_0 + sum_{j<i} w_ij U_j) + gamma sum_{j<i} c_ij U_j + c h e_i F_t,
//   y_1 = y_0 + sum s_i U_i,   error = sum error_i U_i.
//
// The thesis writes it for y'' = f(t, y, y'), that is for (y, y')' = (y', f): its first row gives the part of U_i that
// belongs to y from the part that belongs to y', whose matrix is I - c f_y' - c^2 f_y. Nothing else changes: it is the
// solution with I - c J that has half the size, and the printed coefficients d, t, p and ep follow from those here.
//
// Inside of the step, with V from one more solution with the same matrix,
//   (I - c J) V = U_1 + c gamma h F_t,
//   y(theta) = y_0 + sum_i sum_p dense[i][p-1] theta^p U_i + sum_p dense_v[p-1] theta^p V.
// A fifth vector has to be there: two different b (the formula and the embedded one) satisfy the four conditions of
// order 3, which are thus linearly dependent in four stages and cannot be satisfied for all theta. V has the elementary
// weights n gamma^n for the tall tree of order n and zero for all others: V / gamma is a stage with a_5j = 0 and
// e_51 = e_55 = gamma. With it and with the condition of the tall tree of order 4 there is one solution. It is of order
// 3, of order 4 for linear autonomous equations, and continuous; V comes in by a multiple of
// theta (1 - theta) (1 - 2 theta).
// (h F_0 could stand for V, but is large where forces are stiff: on the double pendulum of the thesis, errors inside of
// steps were twenty times those at their ends.)

#include <array>

namespace trammel::integrators {

struct Rosenbrock {
  static constexpr int kStages = 4;
  using Vector = std::array<double, 4>;
  using Matrix = std::array<Vector, 4>;

  int order = 4;           ///< of y_1
  int embedded_order = 3;  ///< of y_1 - error
  int dense_order = 3;
  int dense_degree = 4;
  double gamma = 0;
  Matrix w{}, c{};   ///< strictly lower: what stages take from earlier ones
  Vector s{};        ///< weights of U in y_1
  Vector error{};    ///< s minus that of the embedded formula
  Vector e{}, a{};   ///< row sums of (e_ij) and (a_ij)
  Matrix dense{};    ///< [stage][power - 1]
  Vector dense_v{};  ///< [power - 1]
};

/// L-stable, four stages with three evaluations of F: the third and the fourth stage have the same t and y.
/// Coefficients (4.70) and (4.71) of the thesis, from Sandu, Negrut, Haug, Potra and Sandu 1998.
const Rosenbrock& rosenbrock4();

}  // namespace trammel::integrators
