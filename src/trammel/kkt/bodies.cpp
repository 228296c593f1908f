#include "trammel/kkt/bodies.h"

#include <algorithm>
#include <numeric>

namespace trammel::kkt {
namespace {

/// From a mark of each velocity that those of one body share: the first of them.
Bodies collect_bodies(const std::vector<int>& first_of) {
  const std::size_t n = first_of.size();
  Bodies bodies;
  bodies.body_of.resize(n);
  std::vector<int> sizes;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_first = first_of[i] == static_cast<int>(i);
    if (is_first) sizes.push_back(0);
    const int body =
        is_first ? static_cast<int>(sizes.size()) - 1 : bodies.body_of[static_cast<std::size_t>(first_of[i])];
    bodies.body_of[i] = body;
    ++sizes[static_cast<std::size_t>(body)];
  }
  for (const int size : sizes) bodies.offsets.push_back(bodies.offsets.back() + size);
  std::vector<int> next(bodies.offsets.begin(), bodies.offsets.end() - 1);
  bodies.velocities.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int place = next[static_cast<std::size_t>(bodies.body_of[i])]++;
    bodies.velocities[static_cast<std::size_t>(place)] = static_cast<int>(i);
  }
  return bodies;
}

}  // namespace

bool Bodies::are_contiguous() const {
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    if (velocities[i] != static_cast<int>(i)) return false;
  }
  return true;
}

Bodies find_bodies(const dae::Structure& structure) {
  if (structure.bodies.empty()) return find_bodies(structure.mass);
  std::vector<int> first_of;
  for (std::size_t b = 0; b < structure.bodies.size(); ++b) {
    const int end = b + 1 < structure.bodies.size() ? structure.bodies[b + 1] : structure.n_v();
    first_of.resize(static_cast<std::size_t>(end), structure.bodies[b]);
  }
  return collect_bodies(first_of);
}

Bodies find_bodies(const linalg::Pattern& mass) {
  std::vector<int> parent(static_cast<std::size_t>(mass.rows()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto find_first = [&](int i) {
    while (parent[static_cast<std::size_t>(i)] != i) {
      int& up = parent[static_cast<std::size_t>(i)];
      i = up = parent[static_cast<std::size_t>(up)];
    }
    return i;
  };
  for (const linalg::Entry& e : mass.entries()) {
    const int a = find_first(e.row), b = find_first(e.column);
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  for (int i = 0; i < mass.rows(); ++i) parent[static_cast<std::size_t>(i)] = find_first(i);
  return collect_bodies(parent);
}

}  // namespace trammel::kkt
