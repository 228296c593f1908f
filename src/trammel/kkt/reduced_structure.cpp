#include "trammel/kkt/reduced_structure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "trammel/linalg/profile_ordering.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::Graph;
using linalg::kMaxBlock;
using linalg::Pattern;

/// Rows of the joints of a body for each one that touches a velocity, from which the velocity is kept out of panels. By
/// counting: a panel computes the products of all rows, so that at 3 no more than 1 in 9 is not zero. Hinges of spatial
/// bodies are at 5 along the axes, pins of planar ones at 2.
constexpr int kSingleRatio = 3;

using Places = std::vector<std::pair<int, int>>;  // row within a joint, entry of G

/// A joint as it is found: its rows, and by velocity the places of its rows.
struct FoundJoint {
  std::vector<int> rows;
  bool is_decoupled = false;
  std::map<int, Places> places;
};

std::vector<std::vector<Entry>> entries_by_row(const Pattern& G) {  // (velocity, entry)
  std::vector<std::vector<Entry>> by_row(G.rows());
  for (int k = 0; k < G.size(); ++k) by_row[G[k].row].push_back({G[k].column, k});
  return by_row;
}

/// Rows with the same bodies, in blocks of about equal size; decoupled rows alone.
std::vector<FoundJoint> find_joints(const Layout& layout, const Bodies& bodies) {
  const auto by_row = entries_by_row(*layout.jacobian);
  std::map<std::vector<int>, int> joint_of_bodies;
  std::vector<std::vector<int>> sets;
  for (int row = 0; row < layout.lower; ++row) {
    if (std::binary_search(layout.decoupled_rows.begin(), layout.decoupled_rows.end(), row)) {
      sets.push_back({row});
      continue;
    }
    std::vector<int> touched;
    for (const Entry& e : by_row[row]) touched.push_back(bodies.body_of[e.row]);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    const auto [found, is_new] = joint_of_bodies.try_emplace(std::move(touched), static_cast<int>(sets.size()));
    if (is_new) sets.emplace_back();
    sets[found->second].push_back(row);
  }
  std::vector<FoundJoint> joints;
  for (const std::vector<int>& set : sets) {
    const int rows = static_cast<int>(set.size()), parts = (rows + kMaxBlock - 1) / kMaxBlock;
    for (int part = 0; part < parts; ++part) {
      FoundJoint& joint = joints.emplace_back();
      joint.rows.assign(set.begin() + rows * part / parts, set.begin() + rows * (part + 1) / parts);
      joint.is_decoupled = std::binary_search(layout.decoupled_rows.begin(), layout.decoupled_rows.end(), set[0]);
      for (int i = 0; i < static_cast<int>(joint.rows.size()); ++i) {
        for (const Entry& e : by_row[joint.rows[i]]) joint.places[e.row].push_back({i, e.column});
      }
    }
  }
  return joints;
}

/// Joints that touch a velocity of the same component of M are neighbours, unless they are decoupled.
Graph make_joint_graph(const std::vector<FoundJoint>& joints, const Bodies& components) {
  std::vector<std::vector<int>> joints_of(components.count());
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    if (joints[j].is_decoupled) continue;
    for (const auto& [velocity, places] : joints[j].places) {
      std::vector<int>& list = joints_of[components.body_of[velocity]];
      if (list.empty() || list.back() != j) list.push_back(j);
    }
  }
  std::vector<Entry> pairs;
  for (const std::vector<int>& list : joints_of) {
    for (const int i : list) {
      for (const int j : list) pairs.push_back({i, j});
    }
  }
  const int size = static_cast<int>(joints.size());
  return linalg::make_graph({size, size, std::move(pairs)});
}

/// For each velocity, whether it is kept out of panels.
std::vector<bool> find_single(const std::vector<FoundJoint>& joints, const Bodies& bodies, const Bodies& components) {
  std::vector<int> rows_of_body(bodies.count()), rows_of_velocity(bodies.body_of.size());
  for (const FoundJoint& joint : joints) {
    if (joint.is_decoupled) continue;
    int last = -1;
    for (const auto& [velocity, places] : joint.places) {
      rows_of_velocity[velocity] += static_cast<int>(places.size());
      if (bodies.body_of[velocity] != last)
        rows_of_body[last = bodies.body_of[velocity]] += static_cast<int>(joint.rows.size());
    }
  }
  std::vector<bool> is_single(rows_of_velocity.size());
  for (std::size_t v = 0; v < is_single.size(); ++v) {
    is_single[v] = components.width(components.body_of[v]) == 1 &&
                   rows_of_velocity[v] * kSingleRatio <= rows_of_body[bodies.body_of[v]];
  }
  return is_single;
}

class Filling {
 public:
  Filling(ReducedStructure& out, const Layout& layout, std::vector<FoundJoint> found, const Bodies& components)
      : out_(out), layout_(layout), found_(std::move(found)), components_(components) {}

  void number_velocities() {
    const std::size_t n = out_.bodies.body_of.size();
    const std::vector<bool> is_single = find_single(found_, out_.bodies, components_);
    group_of_.assign(n, -1);
    z_of_.assign(n, -1);
    for (int body = 0; body < out_.bodies.count(); ++body) {
      const std::span<const int> all = out_.bodies.velocities_of(body);
      std::vector<int> diagonal, single;
      for (const int v : all) {
        if (components_.width(components_.body_of[v]) == 1) (is_single[v] ? single : diagonal).push_back(v);
      }
      if (!diagonal.empty()) add_group(diagonal, false);
      for (const int v : single) place(v);
      for (const int v : all) {
        const int component = components_.body_of[v];
        const auto coupled = components_.velocities_of(component);
        if (coupled.size() > 1 && coupled.front() == v) add_group({coupled.begin(), coupled.end()}, true);
      }
    }
    place_mass(*layout_.blocks.front().pattern);
  }

  void number_joints() {
    out_.graph = make_joint_graph(found_, components_);
    for (const FoundJoint& joint : found_) out_.sizes.push_back(static_cast<int>(joint.rows.size()));
    const linalg::ChosenOrdering chosen = linalg::choose_profile_ordering(out_.graph, out_.sizes);
    out_.ordering = chosen.name;
    const std::vector<int> place = linalg::calc_inverse(chosen.permutation);
    std::vector<int> sizes, first;
    std::vector<FoundJoint> ordered;
    for (const int old : chosen.permutation) {
      int f = static_cast<int>(ordered.size());
      for (const int* other = out_.graph.begin(old); other != out_.graph.end(old); ++other)
        f = std::min(f, place[*other]);
      first.push_back(f);
      sizes.push_back(out_.sizes[old]);
      ordered.push_back(std::move(found_[old]));
    }
    found_ = std::move(ordered);
    out_.skyline = linalg::BlockSkyline(sizes, first);
  }

  void place_joints() {
    out_.joint_of_row.assign(layout_.lower, 0);
    panels_of_group_.resize(out_.groups.size());
    singles_of_z_.resize(z_of_.size());
    for (int i = 0; i < static_cast<int>(found_.size()); ++i) {
      const FoundJoint& found = found_[i];
      ReducedStructure::Joint& joint = out_.joints.emplace_back();
      joint.size = static_cast<int>(found.rows.size());
      joint.first_row = static_cast<int>(out_.rows.size());
      for (const int row : found.rows) {
        out_.rows.push_back(row);
        out_.joint_of_row[row] = i;
      }
      joint.panels.begin = static_cast<int>(out_.panels.size());
      joint.moves.begin = static_cast<int>(out_.moves.size());
      joint.added_moves.begin = static_cast<int>(out_.added_moves.size());
      joint.singles.begin = static_cast<int>(out_.singles.size());
      joint.panel_products.begin = static_cast<int>(out_.panel_products.size());
      joint.single_products.begin = static_cast<int>(out_.single_products.size());
      joint.switches.begin = static_cast<int>(out_.switches.size());
      place_panels(i, found);
      place_singles(i, found);
      place_switches(i, found);
      joint.panels.end = static_cast<int>(out_.panels.size());
      joint.moves.end = static_cast<int>(out_.moves.size());
      joint.added_moves.end = static_cast<int>(out_.added_moves.size());
      joint.singles.end = static_cast<int>(out_.singles.size());
      joint.panel_products.end = static_cast<int>(out_.panel_products.size());
      joint.single_products.end = static_cast<int>(out_.single_products.size());
      joint.switches.end = static_cast<int>(out_.switches.size());
    }
  }

 private:
  struct Member {  // a joint's panel of a group, or its value of a single velocity
    int joint;
    int row;  // of a value
    int values;
    std::vector<int> components;  // of M, that a panel touches
  };

  void place(int velocity) {
    z_of_[velocity] = static_cast<int>(out_.velocities.size());
    out_.velocities.push_back(velocity);
  }

  void add_group(const std::vector<int>& velocities, bool is_coupled) {
    const int width = static_cast<int>(velocities.size());
    out_.groups.push_back({static_cast<int>(out_.velocities.size()), width, is_coupled ? out_.factor_count : -1});
    if (is_coupled) out_.factor_count += width * width;
    for (const int v : velocities) {
      group_of_[v] = static_cast<int>(out_.groups.size()) - 1;
      place(v);
    }
  }

  void place_mass(const Pattern& mass) {
    for (int k = 0; k < mass.size(); ++k) {
      const int row = z_of_[mass[k].row], column = z_of_[mass[k].column];
      const int g = group_of_[mass[k].row];
      if (g < 0 || out_.groups[g].factors < 0) {
        out_.diagonal_moves.push_back({k, row});
      } else if (row >= column) {
        const ReducedStructure::Group& group = out_.groups[g];
        out_.mass_moves.push_back({k, group.factors + (row - group.z) + (column - group.z) * group.width});
      }
    }
  }

  void place_panels(int i, const FoundJoint& found) {
    std::map<int, std::vector<int>> components;  // by group
    for (const auto& [velocity, places] : found.places) {
      if (group_of_[velocity] >= 0) components[group_of_[velocity]].push_back(components_.body_of[velocity]);
    }
    const int stride = linalg::calc_stride(static_cast<int>(found.rows.size()));
    for (auto& [g, touched] : components) {
      const ReducedStructure::Group& group = out_.groups[g];
      std::sort(touched.begin(), touched.end());
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      out_.panels.push_back({g, group.width, out_.panel_count, group.z});
      for (int k = 0; k < group.width; ++k) {
        const auto column = found.places.find(out_.velocities[group.z + k]);
        if (column == found.places.end()) continue;
        int last = -1;  // rows come in order
        for (const auto& [row, entry] : column->second) {
          const int to = out_.panel_count + k * stride + row;
          (row == last ? out_.added_moves : out_.moves).push_back({entry, to});
          last = row;
        }
      }
      Member member{i, 0, out_.panel_count, std::move(touched)};
      out_.panel_count += stride * group.width;
      if (found.is_decoupled) continue;
      for (const Member& other : panels_of_group_[g]) {
        if (!shares_component(other, member)) continue;
        out_.panel_products.push_back({group.width, member.values, other.values, out_.skyline.rows_of(other.joint),
                                       to_int(out_.skyline.place(i, other.joint))});
      }
      panels_of_group_[g].push_back(std::move(member));
    }
  }

  static bool shares_component(const Member& a, const Member& b) {
    return std::find_first_of(a.components.begin(), a.components.end(), b.components.begin(), b.components.end()) !=
           a.components.end();
  }

  void place_singles(int i, const FoundJoint& found) {
    const int stride = linalg::calc_stride(static_cast<int>(found.rows.size()));
    for (const auto& [velocity, places] : found.places) {
      if (group_of_[velocity] >= 0) continue;
      const int z = z_of_[velocity];
      std::vector<Member> members;
      int last = -1;
      for (const auto& [row, entry] : places) {
        const bool adds = row == last;
        if (!adds) members.push_back({i, row, out_.single_count++, {}});
        out_.singles.push_back({row, z, entry, adds, out_.single_count - 1});
        last = row;
      }
      const auto add_product = [&](const Member& left, const Member& right) {
        const int to = to_int(out_.skyline.place(i, right.joint)) + right.row * stride + left.row;
        out_.single_products.push_back({to, left.values, right.values});
      };
      for (std::size_t a = 0; a < members.size(); ++a) {
        for (std::size_t b = 0; b <= a; ++b) add_product(members[a], members[b]);
        if (found.is_decoupled) continue;
        for (const Member& other : singles_of_z_[z]) add_product(members[a], other);
      }
      if (!found.is_decoupled) singles_of_z_[z].insert(singles_of_z_[z].end(), members.begin(), members.end());
    }
  }

  void place_switches(int i, const FoundJoint& found) {
    const int stride = linalg::calc_stride(static_cast<int>(found.rows.size()));
    for (int row = 0; row < static_cast<int>(found.rows.size()); ++row) {
      const auto& switchable = layout_.switchable_rows;
      if (std::find(switchable.begin(), switchable.end(), found.rows[row]) == switchable.end()) continue;
      const int begin = static_cast<int>(out_.switch_entries.size());
      for (const auto& [velocity, places] : found.places) {
        for (const auto& [r, entry] : places) {
          if (r == row) out_.switch_entries.push_back(entry);
        }
      }
      out_.switches.push_back({row, to_int(out_.skyline.place(i, i)) + row * (stride + 1), begin,
                               static_cast<int>(out_.switch_entries.size())});
    }
  }

  static int to_int(std::ptrdiff_t place) {
    if (place > std::numeric_limits<int>::max()) throw std::length_error("the reduced matrix is too large");
    return static_cast<int>(place);
  }

  ReducedStructure& out_;
  const Layout& layout_;
  std::vector<FoundJoint> found_;
  const Bodies& components_;
  std::vector<int> group_of_, z_of_;  // of each velocity
  std::vector<std::vector<Member>> panels_of_group_, singles_of_z_;
};

}  // namespace

ReducedStructure::ReducedStructure(const Layout& layout)
    : bodies(layout.structure ? find_bodies(*layout.structure) : find_bodies(*layout.blocks.front().pattern)) {
  const Bodies components = find_bodies(*layout.blocks.front().pattern);
  Filling filling(*this, layout, find_joints(layout, bodies), components);
  filling.number_velocities();
  filling.number_joints();
  filling.place_joints();
}

}  // namespace trammel::kkt
