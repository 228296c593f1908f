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
    filled_by_.assign(found_.size(), -1);
    for (int i = 0; i < static_cast<int>(found_.size()); ++i) {
      const FoundJoint& found = found_[i];
      ReducedStructure::Joint& joint = out_.joints.emplace_back();
      joint.size = static_cast<int>(found.rows.size());
      joint.first_row = out_.rows.size();
      for (const int row : found.rows) {
        out_.rows.add(row);
        out_.joint_of_row[row] = i;
      }
      joint.values = out_.value_count;
      joint.panels.begin = static_cast<int>(out_.panels.size());
      joint.divisions.begin = static_cast<int>(out_.divisions.size());
      joint.panel_products.begin = static_cast<int>(out_.panel_products.size());
      joint.single_products.begin = static_cast<int>(out_.single_products.size());
      joint.switches.begin = static_cast<int>(out_.switches.size());
      place_panels(i, found);
      place_singles(i, found);
      place_switches(i, found);
      joint.panels.end = static_cast<int>(out_.panels.size());
      joint.divisions.end = static_cast<int>(out_.divisions.size());
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
    z_of_[velocity] = out_.velocities.size();
    out_.velocities.add(velocity);
  }

  void add_group(const std::vector<int>& velocities, bool is_coupled) {
    const int width = static_cast<int>(velocities.size());
    out_.groups.push_back({out_.velocities.size(), width, is_coupled ? out_.factor_count : -1});
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
    int filled = 0;  // blocks
    for (auto& [g, touched] : components) {
      const ReducedStructure::Group& group = out_.groups[g];
      std::sort(touched.begin(), touched.end());
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      const int values = out_.value_count;
      add_panel({group.width, values, group.z});
      if (group.factors >= 0) out_.divisions.push_back({group.width, values, group.z, group.factors});
      for (int k = 0; k < group.width; ++k) place_column(found, group.z + k, values + k * stride, group.factors >= 0);
      out_.value_count += stride * group.width;
      Member member{i, 0, values, std::move(touched)};
      if (found.is_decoupled) continue;
      for (const Member& other : panels_of_group_[g]) {
        if (!shares_component(other, member)) continue;
        const int to = to_int(out_.skyline.place(i, other.joint));
        const bool adds = std::exchange(filled_by_[other.joint], i) == i;
        filled += adds ? 0 : 1;
        out_.panel_products.push_back(
            {group.width, member.values, other.values, out_.skyline.rows_of(other.joint), to, adds});
      }
      panels_of_group_[g].push_back(std::move(member));
    }
    ReducedStructure::Joint& joint = out_.joints.back();
    joint.width = (out_.value_count - joint.values) / stride;
    joint.has_gaps = filled < i - out_.skyline.first(i);
  }

  void add_panel(const ReducedStructure::Panel& panel) {
    const bool is_first = out_.joints.back().panels.begin == static_cast<int>(out_.panels.size());
    if (!is_first && out_.panels.back().z + out_.panels.back().width == panel.z) {
      out_.panels.back().width += panel.width;
    } else {
      out_.panels.push_back(panel);
    }
  }

  void place_column(const FoundJoint& found, int z, int values, bool is_coupled) {
    const auto column = found.places.find(out_.velocities.places[z]);
    std::vector<bool> has_entry(found.rows.size());
    if (column != found.places.end()) {
      for (const auto& [row, entry] : column->second) {
        (has_entry[row] ? out_.added_moves : out_.moves).push_back({entry, values + row, z});
        has_entry[row] = true;
      }
    }
    for (std::size_t row = 0; is_coupled && row < has_entry.size(); ++row) {
      if (!has_entry[row]) out_.zeros.push_back(values + static_cast<int>(row));
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
      for (const auto& [row, entry] : places) {  // rows come in order
        const bool adds = !members.empty() && members.back().row == row;
        if (!adds) {
          members.push_back({i, row, out_.value_count++, {}});
          out_.singles.push_back({out_.joints.back().first_row + row, z, members.back().values});
        }
        (adds ? out_.added_moves : out_.moves).push_back({entry, members.back().values, z});
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
      out_.switches.push_back({out_.joints.back().first_row + row,
                               to_int(out_.skyline.place(i, i)) + row * (stride + 1), begin,
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
  std::vector<int> filled_by_;  // of each block column the last row with a product of panels there
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
