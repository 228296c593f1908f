#include "bench/rod_tree.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

namespace trammel::bench {
namespace {

std::vector<int> plain_listing(int n) {
  std::vector<int> listing(static_cast<std::size_t>(n));
  std::iota(listing.begin(), listing.end(), 0);
  return listing;
}

Eigen::Vector3d as_vector(const std::array<double, 3>& v) { return Eigen::Vector3d(v.data()); }

/// Where the beginning of a rod is and how it moves, in ground axes.
struct Rod {
  Eigen::Vector3d r = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();
  Eigen::Quaterniond R = Eigen::Quaterniond::Identity();
  double angle = 0;  // planar
};

std::vector<Rod> place(const RodTree& tree) {
  std::vector<Rod> rods;
  for (int k = 0; k < tree.size(); ++k) {
    Rod rod;
    const Eigen::Vector3d axis = as_vector(tree.axis(k));
    if (const int p = tree.parents[static_cast<std::size_t>(k)]; p >= 0) {
      rod = rods[static_cast<std::size_t>(p)];
      const Eigen::Vector3d along = rod.R * Eigen::Vector3d::UnitX();
      rod.r += along;
      rod.v += rod.w.cross(along);
    }
    rod.w += tree.rate(k) * (rod.R * axis);
    rod.R = (rod.R * Eigen::AngleAxisd(tree.angle(k), axis)).normalized();
    rod.angle += tree.angle(k);
    rods.push_back(rod);
  }
  return rods;
}

}  // namespace

RodTree RodTree::chain(int n, bool is_planar) {
  RodTree tree{{}, is_planar};
  for (int k = 0; k < n; ++k) tree.parents.push_back(k - 1);
  return tree;
}

RodTree RodTree::binary(int n, bool is_planar) {
  RodTree tree{{}, is_planar};
  for (int k = 0; k < n; ++k) tree.parents.push_back(k == 0 ? -1 : (k - 1) / 2);
  return tree;
}

std::array<double, 3> RodTree::axis(int rod) const {
  if (is_planar) return {0, 0, 1};
  const double length = std::hypot(1, 0.5);
  return {0, 1 / length, (rod % 2 == 0 ? 0.5 : -0.5) / length};
}

double RodTree::angle(int rod) const { return 0.4 * std::sin(3.0 * rod + 1); }

double RodTree::rate(int rod) const { return std::cos(2.0 * rod + 1); }

std::string RodTree::write_model() const { return write_model(plain_listing(size())); }

std::string RodTree::write_model(const std::vector<int>& listing) const {
  const std::vector<Rod> rods = place(*this);
  std::string text = fmt::format("model: tree of rods\ngravity: [{}]\n{}bodies:\n",
                                 is_planar ? "0, -9.81" : "0, 0, -9.81", is_planar ? "space: planar\n" : "");
  const auto out = std::back_inserter(text);
  for (const int k : listing) {
    const Rod& rod = rods[static_cast<std::size_t>(k)];
    if (is_planar) {
      fmt::format_to(out,
                     "  rod{}: {{ mass: 1, inertia: 1/12, centre_of_mass: [0.5, 0], position: [{}, {}], angle: {}, "
                     "velocity: [{}, {}], angular_velocity: {} }}\n",
                     k, rod.r[0], rod.r[1], rod.angle, rod.v[0], rod.v[1], rod.w[2]);
    } else {
      const Eigen::Vector3d w = rod.R.conjugate() * rod.w;
      fmt::format_to(out,
                     "  rod{}: {{ mass: 1, inertia: [5e-5, 1/12, 1/12], centre_of_mass: [0.5, 0, 0], position: [{}, "
                     "{}, {}], orientation: {{ quaternion: [{}, {}, {}, {}] }}, velocity: [{}, {}, {}], "
                     "angular_velocity: [{}, {}, {}] }}\n",
                     k, rod.r[0], rod.r[1], rod.r[2], rod.R.w(), rod.R.x(), rod.R.y(), rod.R.z(), rod.v[0], rod.v[1],
                     rod.v[2], w[0], w[1], w[2]);
    }
  }
  text += "joints:\n";
  for (const int k : listing) {
    const Rod& rod = rods[static_cast<std::size_t>(k)];
    const int parent = parents[static_cast<std::size_t>(k)];
    const Eigen::Vector3d along = rod.R * as_vector(axis(k));
    fmt::format_to(out, "  hinge{0}: {{ type: revolute, between: [{1}, rod{0}], at: [{2}, {3}{4}] }}\n", k,
                   parent < 0 ? "ground" : fmt::format("rod{}", parent), rod.r[0], rod.r[1],
                   is_planar ? "" : fmt::format(", {}], axis: [{}, {}, {}", rod.r[2], along[0], along[1], along[2]));
  }
  return text + "simulation: { t_end: 1, tolerance: 1.0e-6, outputs: { every: 0.01 } }\n";
}

std::vector<int> shuffled_listing(int n) {
  std::vector<int> listing = plain_listing(n);
  std::uint64_t random = 1;
  for (std::size_t k = listing.size(); k > 1; --k) {
    random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    std::swap(listing[k - 1], listing[(random >> 33U) % k]);
  }
  return listing;
}

}  // namespace trammel::bench
