#include "trammel/dae/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace trammel::dae {
namespace {

using linalg::Entry;
using linalg::Pattern;

enum class Axis { kV, kConstraint, kX };

struct Shape {
  const char* name;
  Axis rows;
  Axis columns;
};

constexpr std::array<Shape, kDerivativeCount> kShapes{{
    {"d(M s)/dq", Axis::kV, Axis::kV},
    {"d(G^T s)/dq", Axis::kV, Axis::kV},
    {"df/dq", Axis::kV, Axis::kV},
    {"df/dv", Axis::kV, Axis::kV},
    {"df/dlambda", Axis::kV, Axis::kConstraint},
    {"df/dx", Axis::kV, Axis::kX},
    {"d(G v + g_t)/dq", Axis::kConstraint, Axis::kV},
    {"d(G s - bias)/dq", Axis::kConstraint, Axis::kV},
    {"d bias/dv", Axis::kConstraint, Axis::kV},
    {"dd/dx'", Axis::kX, Axis::kX},
    {"dd/dx", Axis::kX, Axis::kX},
    {"dd/dq", Axis::kX, Axis::kV},
    {"dd/dv", Axis::kX, Axis::kV},
    {"dd/dv'", Axis::kX, Axis::kV},
    {"dd/dlambda", Axis::kX, Axis::kConstraint},
}};

const Shape& shape_of(Derivative which) { return kShapes[static_cast<std::size_t>(which)]; }

const std::vector<std::string>& names_along(const Structure& structure, Axis axis) {
  switch (axis) {
    case Axis::kV: return structure.velocity_names;
    case Axis::kConstraint: return structure.constraint_names;
    case Axis::kX: break;
  }
  return structure.state_names;
}

int size_along(const Structure& structure, Axis axis) { return static_cast<int>(names_along(structure, axis).size()); }

std::vector<std::string> rate_names(const std::vector<std::string>& names) {
  std::vector<std::string> rates;
  for (const std::string& name : names) rates.push_back(name + "'");
  return rates;
}

using Places = std::set<std::pair<int, int>>;

Pattern to_pattern(int rows, int columns, const Places& places) {
  std::vector<Entry> entries;
  for (auto [row, column] : places) entries.push_back({row, column});
  return {rows, columns, std::move(entries)};
}

/// Pairs of coordinates that stand in the same constraint.
Places pairs_coupled_by_rows(const Pattern& jacobian) {
  std::vector<std::vector<int>> columns_of_row(static_cast<std::size_t>(jacobian.rows()));
  for (const Entry& e : jacobian.entries()) columns_of_row[static_cast<std::size_t>(e.row)].push_back(e.column);
  Places places;
  for (const auto& columns : columns_of_row)
    for (int i : columns)
      for (int j : columns) places.emplace(i, j);
  return places;
}

Places places_of(const Pattern& pattern) {
  Places places;
  for (const Entry& e : pattern.entries()) places.emplace(e.row, e.column);
  return places;
}

}  // namespace

std::string to_string(Derivative which) { return shape_of(which).name; }

Structure Structure::full(std::vector<std::string> positions, std::vector<std::string> constraints,
                          std::vector<std::string> states, std::vector<std::string> velocities) {
  Structure s;
  s.has_trivial_kinematics = velocities.empty();
  s.velocity_names = velocities.empty() ? rate_names(positions) : std::move(velocities);
  s.position_names = std::move(positions);
  s.constraint_names = std::move(constraints);
  s.state_names = std::move(states);
  s.n_g = s.m();
  s.mass = Pattern::full(s.n_v(), s.n_v());
  s.jacobian = Pattern::full(s.m(), s.n_v());
  for (int k = 0; k < kDerivativeCount; ++k) {
    const Shape& shape = kShapes[static_cast<std::size_t>(k)];
    s.derivatives[static_cast<std::size_t>(k)] = Pattern::full(size_along(s, shape.rows), size_along(s, shape.columns));
  }
  s.pattern(Derivative::kForceByLambda) = Pattern(s.n_v(), s.m());
  if (s.m() == 0) s.pattern(Derivative::kReactionByQ) = Pattern(s.n_v(), s.n_v());
  return s;
}

Structure Structure::sparse(std::vector<std::string> positions, std::vector<std::string> constraints,
                            linalg::Pattern mass, linalg::Pattern jacobian) {
  Structure s;
  s.velocity_names = rate_names(positions);
  s.position_names = std::move(positions);
  s.constraint_names = std::move(constraints);
  s.n_g = s.m();
  const int n = s.n_v();
  for (int k = 0; k < kDerivativeCount; ++k) {
    const Shape& shape = kShapes[static_cast<std::size_t>(k)];
    s.derivatives[static_cast<std::size_t>(k)] = Pattern(size_along(s, shape.rows), size_along(s, shape.columns));
  }
  const Places inertia = places_of(mass);
  const Places reaction = pairs_coupled_by_rows(jacobian);
  Places both = inertia;
  both.insert(reaction.begin(), reaction.end());
  s.pattern(Derivative::kInertiaByQ) = to_pattern(n, n, inertia);
  s.pattern(Derivative::kReactionByQ) = to_pattern(n, n, reaction);
  s.pattern(Derivative::kForceByQ) = s.pattern(Derivative::kForceByV) = to_pattern(n, n, both);
  const Pattern rows = to_pattern(s.m(), n, places_of(jacobian));
  s.pattern(Derivative::kVelocityByQ) = s.pattern(Derivative::kAccelerationByQ) = s.pattern(Derivative::kBiasByV) =
      rows;
  s.mass = std::move(mass);
  s.jacobian = std::move(jacobian);
  return s;
}

std::vector<bool> Structure::algebraic_states() const {
  std::vector<bool> is_algebraic(static_cast<std::size_t>(n_x()), state_form == StateForm::kImplicit);
  for (const linalg::Entry& e : pattern(Derivative::kStateByXRate).entries()) {
    is_algebraic[static_cast<std::size_t>(e.column)] = false;
  }
  return is_algebraic;
}

std::vector<std::string> Structure::validate() const {
  std::vector<std::string> problems;
  const auto check = [&](const Pattern& pattern, int rows, int columns, const std::string& name) {
    if (pattern.rows() != rows || pattern.columns() != columns) {
      problems.push_back(fmt::format("the pattern of {} is {} by {}, but must be {} by {}", name, pattern.rows(),
                                     pattern.columns(), rows, columns));
    }
  };
  check(mass, n_v(), n_v(), "M");
  check(jacobian, m(), n_v(), "G");
  for (int k = 0; k < kDerivativeCount; ++k) {
    const Shape& shape = kShapes[static_cast<std::size_t>(k)];
    check(derivatives[static_cast<std::size_t>(k)], size_along(*this, shape.rows), size_along(*this, shape.columns),
          shape.name);
  }
  if (n_g < 0 || n_g > m()) problems.push_back(fmt::format("n_g is {}, but there are {} constraint rows", n_g, m()));
  for (const int k : following_states) {
    if (k < 0 || k >= n_x()) problems.push_back(fmt::format("there is no state {} that could follow positions", k));
  }
  for (const int row : switchable_rows) {
    if (row < 0 || row >= m()) problems.push_back(fmt::format("there is no row {} that could be switched off", row));
  }
  if (!std::is_sorted(switchable_rows.begin(), switchable_rows.end())) {
    problems.push_back("the rows that can be switched off are not in increasing order");
  }
  for (const int row : decoupled_rows) {
    if (row < 0 || row >= m()) problems.push_back(fmt::format("there is no row {} that could be decoupled", row));
  }
  if (!bodies.empty()) {
    const bool is_ordered = std::adjacent_find(bodies.begin(), bodies.end(), std::greater_equal<>()) == bodies.end();
    if (!is_ordered || bodies.front() != 0 || bodies.back() >= n_v()) {
      problems.push_back("the first velocities of the bodies do not begin with 0 and increase");
    } else {
      const auto body_of = [&](int v) { return std::upper_bound(bodies.begin(), bodies.end(), v); };
      for (const linalg::Entry& e : mass.entries()) {
        if (body_of(e.row) == body_of(e.column)) continue;
        problems.push_back(fmt::format("the mass matrix couples {} and {}, which belong to different bodies",
                                       velocity_names[static_cast<std::size_t>(e.row)],
                                       velocity_names[static_cast<std::size_t>(e.column)]));
        break;
      }
    }
  }
  if (tree) {
    int next = 0;
    for (const TreeStructure::Node& node : tree->nodes) {
      if (node.first != next) problems.push_back("the bodies of the tree do not share out the velocities in order");
      next = node.first + node.count;
    }
    if (next != n_v()) problems.push_back(fmt::format("the tree has {} velocities, the system {}", next, n_v()));
  }
  if (has_trivial_kinematics && n_q() != n_v()) {
    problems.push_back(fmt::format("{} positions and {} velocities do not go with q' = v", n_q(), n_v()));
  }
  return problems;
}

std::string row_name(const Structure& structure, Derivative which, int row) {
  return names_along(structure, shape_of(which).rows)[static_cast<std::size_t>(row)];
}

std::string column_name(const Structure& structure, Derivative which, int column) {
  return names_along(structure, shape_of(which).columns)[static_cast<std::size_t>(column)];
}

std::string quoted(const std::string& name) { return name.find('\'') == std::string::npos ? "'" + name + "'" : name; }

}  // namespace trammel::dae
