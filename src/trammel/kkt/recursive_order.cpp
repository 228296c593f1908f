#include "trammel/kkt/recursive_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "trammel/kkt/bodies.h"

namespace trammel::kkt {

using linalg::Entry;
using linalg::Pattern;

namespace {

template <class Values>
auto& at(Values& vector, int i) {
  return vector[static_cast<std::size_t>(i)];
}

class DisjointSets {
 public:
  explicit DisjointSets(int size) : parents_(static_cast<std::size_t>(size)) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  int find(int i) {
    while (at(parents_, i) != i) i = at(parents_, i) = at(parents_, at(parents_, i));
    return i;
  }
  /// False when they are together already.
  bool join(int a, int b) {
    a = find(a), b = find(b);
    at(parents_, std::max(a, b)) = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<int> parents_;
};

/// What ties two bodies, or one (b = -1) to the ground.
struct Edge {
  int a, b;
  bool has_forces = false;  ///< entries of H
  bool is_in_forest = false;
  bool is_owned = false;  ///< its rows are eliminated with a body
  std::vector<int> rows;  ///< as unknowns
};

using Groups = std::vector<std::vector<int>>;

class Orderer {
 public:
  Orderer(const Layout& layout, const Pattern& whole);
  RecursiveOrder collect() const;

 private:
  void find_touched(const Pattern& whole);
  void find_edges(const Layout& layout, const Pattern& whole);
  void choose_forest();
  void find_parents();
  void place_owned_rows();
  void place_loops();
  void place_states(const Pattern& whole);
  int find_meeting(int a, int b) const;
  int n() const { return bodies_.count(); }
  bool is_velocity(int unknown) const { return unknown < n_v_; }

  int upper_, lower_;
  bool is_rigid_;  // whether the system says what its bodies are; otherwise rows need not have full rank on each
  Bodies bodies_;
  int n_v_;
  Groups touched_;  // bodies that a row touches; after the rows, those that a state touches
  std::vector<Edge> edges_;
  Groups further_;            // rows that touch three bodies or more, or none
  std::vector<int> visited_;  // bodies, parents before children, each subtree in one piece
  std::vector<int> parents_, depths_, roots_;
  std::vector<bool> has_ground_below_;  // whether the subtree of a body owns rows to the ground
  Groups own_;                          // rows and states eliminated with each body
  std::vector<Groups> after_;           // eliminated after each body
  Groups last_;
};

Orderer::Orderer(const Layout& layout, const Pattern& whole)
    : upper_(layout.upper),
      lower_(layout.lower),
      is_rigid_(layout.structure && !layout.structure->bodies.empty()),
      bodies_(layout.structure ? find_bodies(*layout.structure) : find_bodies(*layout.blocks.front().pattern)),
      n_v_(static_cast<int>(bodies_.velocities.size())) {
  own_.resize(static_cast<std::size_t>(n()));
  after_.resize(static_cast<std::size_t>(n()));
  find_touched(whole);
  find_edges(layout, whole);
  choose_forest();
  find_parents();
  place_states(whole);
  place_owned_rows();
  place_loops();
}

void Orderer::find_touched(const Pattern& whole) {
  touched_.resize(static_cast<std::size_t>(lower_ + upper_ - n_v_));
  const auto note = [&](int unknown, int other) {
    if (is_velocity(unknown) || !is_velocity(other)) return;
    at(touched_, unknown < upper_ ? lower_ + unknown - n_v_ : unknown - upper_).push_back(at(bodies_.body_of, other));
  };
  for (const Entry& e : whole.entries()) {
    note(e.row, e.column);
    note(e.column, e.row);
  }
  for (std::vector<int>& bodies : touched_) {
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }
}

void Orderer::find_edges(const Layout& layout, const Pattern& whole) {
  std::map<std::pair<int, int>, int> known;
  const auto edge = [&](int a, int b) -> Edge& {
    const auto [found, is_new] = known.try_emplace({a, b}, static_cast<int>(edges_.size()));
    if (is_new) edges_.push_back({.a = a, .b = b, .rows = {}});
    return at(edges_, found->second);
  };
  int previous = -1;
  for (int row = 0; row < lower_; ++row) {
    const std::vector<int>& bodies = at(touched_, row);
    const bool is_decoupled =
        std::binary_search(layout.decoupled_rows.begin(), layout.decoupled_rows.end(), row) && bodies.size() == 1;
    if (is_decoupled) {
      at(own_, bodies[0]).push_back(upper_ + row);
    } else if (bodies.size() == 1 || bodies.size() == 2) {
      edge(bodies[0], bodies.size() == 2 ? bodies[1] : -1).rows.push_back(upper_ + row);
    } else if (previous >= 0 && at(touched_, previous) == bodies) {
      further_.back().push_back(upper_ + row);
    } else {
      further_.push_back({upper_ + row});
      previous = row;
    }
  }
  for (const Entry& e : whole.entries()) {
    if (!is_velocity(e.row) || !is_velocity(e.column)) continue;
    const int a = at(bodies_.body_of, e.row), b = at(bodies_.body_of, e.column);
    if (a != b) edge(std::min(a, b), std::max(a, b)).has_forces = true;
  }
}

void Orderer::choose_forest() {
  std::vector<int> sorted(edges_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  // Of groups with equally many rows those to the ground come first, which keeps paths short.
  const auto key = [&](int i) { return std::pair(at(edges_, i).rows.size(), at(edges_, i).b < 0); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](int i, int j) { return key(i) > key(j); });
  DisjointSets tied(n()), owned(n() + 1);  // by the forest; by rows that are owned, to the ground as well
  for (const int i : sorted) {
    Edge& e = at(edges_, i);
    if (e.has_forces) e.is_in_forest = tied.join(e.a, e.b);
  }
  if (!is_rigid_) return;
  for (const int i : sorted) {
    Edge& e = at(edges_, i);
    if (e.rows.empty()) continue;
    const int b = e.b < 0 ? n() : e.b;
    if (e.b >= 0 && !e.is_in_forest && (e.has_forces || tied.find(e.a) == tied.find(b))) continue;
    e.is_owned = owned.join(e.a, b);
    if (e.b >= 0 && e.is_owned && !e.is_in_forest) e.is_in_forest = tied.join(e.a, b);
  }
}

void Orderer::find_parents() {
  const auto size = static_cast<std::size_t>(n());
  Groups neighbours(size);
  std::vector<int> candidates, rest(size);
  for (const Edge& e : edges_) {
    if (e.is_in_forest) {
      at(neighbours, e.a).push_back(e.b);
      at(neighbours, e.b).push_back(e.a);
    }
    if (e.b < 0 && e.is_owned) candidates.push_back(e.a);
  }
  std::iota(rest.begin(), rest.end(), 0);
  candidates.insert(candidates.end(), rest.begin(), rest.end());
  parents_.assign(size, -1);
  depths_.assign(size, 0);
  roots_.assign(size, -1);
  std::vector<int> stack;
  for (const int root : candidates) {
    if (at(roots_, root) >= 0) continue;
    at(roots_, root) = root;
    stack.push_back(root);
    while (!stack.empty()) {
      const int body = stack.back();
      stack.pop_back();
      visited_.push_back(body);
      for (const int other : at(neighbours, body)) {
        if (at(roots_, other) >= 0) continue;
        at(roots_, other) = root;
        at(parents_, other) = body;
        at(depths_, other) = at(depths_, body) + 1;
        stack.push_back(other);
      }
    }
  }
}

/// A state may go with a body that is the only one it touches, if all else it touches are states of this body.
void Orderer::place_states(const Pattern& whole) {
  const int states = upper_ - n_v_;
  std::vector<int> home(static_cast<std::size_t>(states), -1);
  for (int i = 0; i < states; ++i) {
    const std::vector<int>& bodies = at(touched_, lower_ + i);
    if (bodies.size() == 1) at(home, i) = bodies[0];
  }
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    for (const Entry& e : whole.entries()) {
      if (is_velocity(e.row) || is_velocity(e.column)) continue;
      const auto home_of = [&](int unknown) { return unknown < upper_ ? at(home, unknown - n_v_) : -1; };
      if (home_of(e.row) == home_of(e.column)) continue;
      is_settled = false;
      for (const int unknown : {e.row, e.column}) {
        if (unknown < upper_) at(home, unknown - n_v_) = -1;
      }
    }
  }
  for (int i = 0; i < states; ++i) {
    if (at(home, i) >= 0) at(own_, at(home, i)).push_back(n_v_ + i);
  }
  for (int i = 0; i < states; ++i) {
    if (at(home, i) < 0) last_.push_back({n_v_ + i});
  }
}

void Orderer::place_owned_rows() {
  const auto size = static_cast<std::size_t>(n());
  std::vector<int> to_ground(size, -1), to_parent(size, -1);
  for (int i = 0; i < static_cast<int>(edges_.size()); ++i) {
    const Edge& e = at(edges_, i);
    if (!e.is_owned) continue;
    if (e.b < 0) {
      at(to_ground, e.a) = i;
    } else {
      at(to_parent, at(parents_, e.a) == e.b ? e.a : e.b) = i;
    }
  }
  has_ground_below_.assign(size, false);
  for (auto body = visited_.rbegin(); body != visited_.rend(); ++body) {
    int &ground = at(to_ground, *body), &joint = at(to_parent, *body);
    if (ground >= 0 && joint >= 0) {
      // Both together need not have full rank on the body alone.
      int& dropped = at(edges_, ground).rows.size() < at(edges_, joint).rows.size() ? ground : joint;
      at(edges_, dropped).is_owned = false;
      dropped = -1;
    }
    for (const int i : {ground, joint}) {
      if (i < 0) continue;
      std::vector<int>& own = at(own_, *body);
      own.insert(own.end(), at(edges_, i).rows.begin(), at(edges_, i).rows.end());
    }
    if (ground >= 0) has_ground_below_[static_cast<std::size_t>(*body)] = true;
    const int parent = at(parents_, *body);
    if (parent >= 0 && has_ground_below_[static_cast<std::size_t>(*body)])
      has_ground_below_[static_cast<std::size_t>(parent)] = true;
  }
}

int Orderer::find_meeting(int a, int b) const {
  while (a != b) {
    int& lower = at(depths_, a) < at(depths_, b) ? b : a;
    lower = at(parents_, lower);
  }
  return a;
}

void Orderer::place_loops() {
  Groups last;
  const auto place = [&](const std::vector<int>& bodies, const std::vector<int>& rows, bool is_relative) {
    const bool is_within = !bodies.empty() && std::all_of(bodies.begin(), bodies.end(), [&](int body) {
      return at(roots_, body) == at(roots_, bodies[0]);
    });
    if (!is_within) {
      last.push_back(rows);
      return;
    }
    int body = at(roots_, bodies[0]);
    if (is_relative && is_rigid_) {
      // Rows that two bodies share are independent of those inside the subtree where they meet, and of the joint that
      // holds it, as long as nothing in it is tied to the ground.
      const int meeting = find_meeting(bodies[0], bodies[1]);
      if (!has_ground_below_[static_cast<std::size_t>(meeting)]) body = meeting;
    }
    at(after_, body).push_back(rows);
  };
  for (const Edge& e : edges_) {
    if (e.is_owned || e.rows.empty()) continue;
    e.b < 0 ? place({e.a}, e.rows, false) : place({e.a, e.b}, e.rows, true);
  }
  for (const std::vector<int>& rows : further_) place(at(touched_, rows.front() - upper_), rows, false);
  last_.insert(last_.begin(), last.begin(), last.end());
}

RecursiveOrder Orderer::collect() const {
  RecursiveOrder order;
  const auto add = [&](std::span<const int> velocities, const std::vector<int>& others) {
    order.blocks.push_back({.first = static_cast<int>(order.unknowns.size()),
                            .velocities = static_cast<int>(velocities.size()),
                            .size = static_cast<int>(velocities.size() + others.size())});
    order.unknowns.insert(order.unknowns.end(), velocities.begin(), velocities.end());
    order.unknowns.insert(order.unknowns.end(), others.begin(), others.end());
  };
  for (auto body = visited_.rbegin(); body != visited_.rend(); ++body) {
    add(bodies_.velocities_of(*body), at(own_, *body));
    for (const std::vector<int>& group : at(after_, *body)) add({}, group);
  }
  for (const std::vector<int>& group : last_) add({}, group);
  return order;
}

/// Multiplications that it takes to factorise and to solve with a body whose couplings are those of its parent, by
/// (3) to (6) of the theory page.
double calc_body_cost(double n, double m, double p) {
  const double factors = n * n * n / 6 + m * n * n + m * m * n / 2 + m * m * m / 6 + p * m * m + p * p * m;
  return factors + n * n + m * m + 2 * n * m + 2 * m * p;
}

/// The same for a block that is eliminated with partial pivoting, k unknowns being coupled to it.
double calc_block_cost(double size, double k) {
  const double all = size + k;
  return (all * all * all - k * k * k) / 3 + size * (size + 2 * k);
}

}  // namespace

RecursiveOrder find_recursive_order(const Layout& layout, const Pattern& whole) {
  return Orderer(layout, whole).collect();
}

EliminationCouplings find_couplings(const RecursiveOrder& order, const Pattern& whole) {
  const int blocks = static_cast<int>(order.blocks.size());
  std::vector<int> place(order.unknowns.size()), block_of(order.unknowns.size());
  for (int k = 0; k < blocks; ++k) {
    const EliminationBlock& block = at(order.blocks, k);
    for (int i = block.first; i < block.first + block.size; ++i) at(block_of, i) = k;
  }
  for (int i = 0; i < static_cast<int>(place.size()); ++i) at(place, at(order.unknowns, i)) = i;
  Groups coupled(order.blocks.size());
  for (const Entry& e : whole.entries()) {
    const int row = at(place, e.row), column = at(place, e.column);
    if (at(block_of, row) < at(block_of, column)) at(coupled, at(block_of, row)).push_back(column);
    if (at(block_of, column) < at(block_of, row)) at(coupled, at(block_of, column)).push_back(row);
  }
  EliminationCouplings couplings;
  for (int k = 0; k < blocks; ++k) {
    std::vector<int>& own = at(coupled, k);
    const auto make_unique = [&] {
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
    };
    make_unique();
    const std::vector<int> touched = own;
    for (const int i : touched) {
      const EliminationBlock& block = at(order.blocks, at(block_of, i));
      if (i >= block.first + block.velocities) continue;
      for (int j = block.first; j < block.first + block.velocities; ++j) own.push_back(j);
    }
    make_unique();
    const int parent = own.empty() ? -1 : at(block_of, own.front());
    couplings.parents.push_back(parent);
    couplings.places.insert(couplings.places.end(), own.begin(), own.end());
    couplings.offsets.push_back(static_cast<int>(couplings.places.size()));
    if (parent < 0) continue;
    const int end = at(order.blocks, parent).first + at(order.blocks, parent).size;
    std::vector<int>& above = at(coupled, parent);
    above.insert(above.end(), std::lower_bound(own.begin(), own.end(), end), own.end());
    own = {};
  }
  return couplings;
}

double estimate_recursive_cost(const Layout& layout, const Pattern& whole) {
  const RecursiveOrder order = find_recursive_order(layout, whole);
  const EliminationCouplings couplings = find_couplings(order, whole);
  double cost = 0;
  for (int k = 0; k < static_cast<int>(order.blocks.size()); ++k) {
    const EliminationBlock& block = at(order.blocks, k);
    const int parent = at(couplings.parents, k), count = couplings.count(k);
    const bool is_plain =
        layout.is_mass_only && block.velocities > 0 && (parent < 0 || at(order.blocks, parent).velocities == count);
    cost += is_plain ? calc_body_cost(block.velocities, block.size - block.velocities, count)
                     : calc_block_cost(block.size, count);
  }
  return cost;
}

}  // namespace trammel::kkt
