#pragma once

// A state as one vector s = (q, v, x, a, lambda), so that whatever is done to all of it is done at once. The first
// part, y = (q, v, x), is given by differential equations, the second, z = (a, lambda), follows from y.

#include "trammel/dae/state.h"

namespace trammel::integrators {

class StackLayout {
 public:
  explicit StackLayout(const dae::Structure& s) : n_q_(s.n_q()), n_v_(s.n_v()), n_x_(s.n_x()), m_(s.m()) {}

  int size() const { return y_size() + z_size(); }
  int y_size() const { return n_q_ + n_v_ + n_x_; }
  int z_size() const { return n_v_ + m_; }

  auto q(auto&& s) const { return s.head(n_q_); }
  auto v(auto&& s) const { return s.segment(n_q_, n_v_); }
  auto x(auto&& s) const { return s.segment(n_q_ + n_v_, n_x_); }
  auto a(auto&& s) const { return s.segment(y_size(), n_v_); }
  auto lambda(auto&& s) const { return s.tail(m_); }
  auto y(auto&& s) const { return s.head(y_size()); }
  auto z(auto&& s) const { return s.tail(z_size()); }

  void stack(const dae::State& from, auto&& s) const { s << from.q, from.v, from.x, from.a, from.lambda; }
  void unstack(const auto& s, dae::State& to) const {
    to.q = q(s);
    to.v = v(s);
    to.x = x(s);
    to.a = a(s);
    to.lambda = lambda(s);
  }

 private:
  int n_q_, n_v_, n_x_, m_;
};

}  // namespace trammel::integrators
