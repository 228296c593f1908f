// The chain of n uniform slender rods once more, pinned to the ground at the origin and released at rest along the x
// axis, now with the angles of its joints as coordinates beside those of its bodies. The joint angles have no mass: the
// constraints say where each rod is when its joint angle and the rod before it are known,
//   0 = r_i - r_(i-1) - (l/2) e(angle_(i-1)) - (l/2) e(angle_(i-1) + joint_i),
//   0 = angle_i - angle_(i-1) - joint_i,                                         e(a) = (cos a, sin a),
// where the origin, without coordinates, takes the place of the end of the rod before the first. By the columns of the
// bodies the Jacobian is unit lower triangular; by those of the joints it has full rank. 4 n coordinates, 3 n
// constraints. Coordinates and rows go along the chain.

#include <fmt/format.h>

#include <cmath>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {
namespace {

using linalg::Entry;
using linalg::Pattern;

constexpr double kMass = 1, kLength = 1, kGravity = 9.81;
constexpr double kInertia = kMass * kLength * kLength / 12, kHalf = kLength / 2;

// Columns of rod i and of its joint, and the first of its rows; rods count from 0.
constexpr int x_of(int i) { return 4 * i; }
constexpr int y_of(int i) { return 4 * i + 1; }
constexpr int angle_of(int i) { return 4 * i + 2; }
constexpr int joint_of(int i) { return 4 * i + 3; }
constexpr int row_of(int i) { return 3 * i; }

/// Places of the two rows of positions by the angle of the rod before and by the joint angle, rod by rod.
std::vector<Entry> rows_by_angles(int n) {
  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i) {
    for (int row : {row_of(i), row_of(i) + 1}) {
      if (i > 0) entries.push_back({row, angle_of(i - 1)});
      entries.push_back({row, joint_of(i)});
    }
  }
  return entries;
}

Structure make_structure(int n) {
  std::vector<std::string> positions, rows;
  std::vector<Entry> mass, jacobian = rows_by_angles(n), angles;
  for (int i = 0; i < n; ++i) {
    for (const char* coordinate : {"x", "y", "angle"}) positions.push_back(fmt::format("rod{}.{}", i + 1, coordinate));
    positions.push_back(fmt::format("joint{}", i + 1));
    for (const char* row : {"x", "y", "angle"}) rows.push_back(fmt::format("link{}.{}", i + 1, row));
    for (int column : {x_of(i), y_of(i), angle_of(i)}) mass.push_back({column, column});
    // What is constant in the Jacobian, in the order in which calc_jacobian() writes it.
    for (int k = 0; k < 3; ++k) jacobian.push_back({row_of(i) + k, x_of(i) + k});
    jacobian.push_back({row_of(i) + 2, joint_of(i)});
    if (i > 0) {
      for (int k = 0; k < 3; ++k) jacobian.push_back({row_of(i) + k, x_of(i - 1) + k});
    }
    if (i > 0) {
      angles.push_back({angle_of(i - 1), angle_of(i - 1)});
      angles.push_back({angle_of(i - 1), joint_of(i)});
      angles.push_back({joint_of(i), angle_of(i - 1)});
    }
    angles.push_back({joint_of(i), joint_of(i)});
  }
  Structure s = Structure::sparse(std::move(positions), std::move(rows), {4 * n, 4 * n, std::move(mass)},
                                  {3 * n, 4 * n, std::move(jacobian)});
  for (const Derivative none : {Derivative::kInertiaByQ, Derivative::kForceByQ, Derivative::kForceByV}) {
    s.pattern(none) = Pattern(4 * n, 4 * n);
  }
  s.pattern(Derivative::kReactionByQ) = Pattern(4 * n, 4 * n, std::move(angles));
  for (const Derivative which : {Derivative::kVelocityByQ, Derivative::kAccelerationByQ, Derivative::kBiasByV}) {
    s.pattern(which) = Pattern(3 * n, 4 * n, rows_by_angles(n));
  }
  s.keeps_energy = true;
  return s;
}

struct Vector2 {
  double x, y;
};
Vector2 operator*(double factor, const Vector2& u) { return {factor * u.x, factor * u.y}; }
Vector2 operator+(const Vector2& a, const Vector2& b) { return {a.x + b.x, a.y + b.y}; }
Vector2 quarter_turn(const Vector2& u) { return {-u.y, u.x}; }

/// Half rods as vectors: of the rod before, and of the rod itself by its joint angle.
struct Halves {
  Vector2 before, own;
};

class MixedChain final : public dae::ConstrainedSystem {
 public:
  explicit MixedChain(int n) : ConstrainedSystem(make_structure(n)), n_(n) {}

  void calc_mass(const Point&, MatrixValues M) const override {
    for (int i = 0; i < n_; ++i) {
      M[3 * i] = M[3 * i + 1] = kMass;
      M[3 * i + 2] = kInertia;
    }
  }
  void calc_force(const Point&, VectorOut f) const override {
    for (int i = 0; i < n_; ++i) f[y_of(i)] = -kMass * kGravity;
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    for (int i = 0; i < n_; ++i) {
      const Halves& u = halves(at, i);
      const int row = row_of(i);
      g[row] = at.q[x_of(i)] - u.own.x;
      g[row + 1] = at.q[y_of(i)] - u.own.y;
      g[row + 2] = at.q[angle_of(i)] - at.q[joint_of(i)];
      if (i == 0) continue;
      g[row] -= at.q[x_of(i - 1)] + u.before.x;
      g[row + 1] -= at.q[y_of(i - 1)] + u.before.y;
      g[row + 2] -= at.q[angle_of(i - 1)];
    }
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    double* value = write_by_angles(G.data(), [&](int i) {
      const Halves& u = halves(at, i);
      return Halves{-1.0 * quarter_turn(u.before), -1.0 * quarter_turn(u.own)};
    });
    for (int i = 0; i < n_; ++i) {
      for (int k = 0; k < 3; ++k) *value++ = 1;
      *value++ = -1;
      if (i == 0) continue;
      for (int k = 0; k < 3; ++k) *value++ = -1;
    }
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    for (int i = 0; i < n_; ++i) {
      const Halves& u = halves(at, i);
      const Turn rate = turn_of(at.v, i);
      const Vector2 sum = -(rate.before * rate.before) * u.before + -(rate.own * rate.own) * u.own;
      bias[row_of(i)] = sum.x;
      bias[row_of(i) + 1] = sum.y;
    }
    return true;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    switch (which) {
      case Derivative::kReactionByQ: write_reaction(at, s, values); return true;
      case Derivative::kVelocityByQ:
        write_by_angles(values.data(), [&](int i) {
          const Turn rate = turn_of(at.v, i);
          return Halves{rate.before * halves(at, i).before, rate.own * halves(at, i).own};
        });
        return true;
      case Derivative::kAccelerationByQ:
        write_by_angles(values.data(), [&](int i) {
          const Halves& u = halves(at, i);
          const Turn rate = turn_of(at.v, i), along = turn_of(s, i);
          return Halves{along.before * u.before + rate.before * rate.before * quarter_turn(u.before),
                        along.own * u.own + rate.own * rate.own * quarter_turn(u.own)};
        });
        return true;
      case Derivative::kBiasByV:
        write_by_angles(values.data(), [&](int i) {
          const Turn rate = turn_of(at.v, i);
          return Halves{-2 * rate.before * halves(at, i).before, -2 * rate.own * halves(at, i).own};
        });
        return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    double height = 0;
    for (int i = 0; i < n_; ++i) height += at.q[y_of(i)];
    return kMass * kGravity * height;
  }

  std::unique_ptr<dae::Workspace> make_workspace() const override {
    auto shared = std::make_unique<Shared>();
    shared->halves.resize(static_cast<std::size_t>(n_));
    return shared;
  }
  void prepare_position(Point& at) const override {
    for (int i = 0; i < n_; ++i) {
      const Turn angle = turn_of(at.q, i);
      const Vector2 before = i > 0 ? kHalf * Vector2{std::cos(angle.before), std::sin(angle.before)} : Vector2{0, 0};
      at.workspace_as<Shared>().halves[static_cast<std::size_t>(i)] = {
          before, kHalf * Vector2{std::cos(angle.own), std::sin(angle.own)}};
    }
  }

 private:
  struct Shared final : dae::Workspace {
    std::vector<Halves> halves;
  };
  /// Angles, rates or directions of the rod before and of the rod itself by its joint angle.
  struct Turn {
    double before, own;
  };
  static Turn turn_of(VectorIn values, int i) {
    const double before = i > 0 ? values[angle_of(i - 1)] : 0;
    return {before, before + values[joint_of(i)]};
  }
  static const Halves& halves(const Point& at, int i) {
    return at.workspace_as<Shared>().halves[static_cast<std::size_t>(i)];
  }

  /// Writes into rows_by_angles() what derives from the two half rods: the rod's own turns with the rod before, too.
  template <class PartsOf>
  double* write_by_angles(double* value, const PartsOf& parts_of) const {
    for (int i = 0; i < n_; ++i) {
      const Halves parts = parts_of(i);
      const Vector2 both = parts.before + parts.own;
      if (i > 0) *value++ = both.x;
      *value++ = parts.own.x;
      if (i > 0) *value++ = both.y;
      *value++ = parts.own.y;
    }
    return value;
  }
  void write_reaction(const Point& at, VectorIn s, MatrixValues values) const {
    double* value = values.data();
    for (int i = 0; i < n_; ++i) {
      const Halves& u = halves(at, i);
      const auto along = [&](const Vector2& half) { return half.x * s[row_of(i)] + half.y * s[row_of(i) + 1]; };
      const double own = along(u.own);
      if (i > 0) {
        *value++ = along(u.before) + own;
        *value++ = own;
        *value++ = own;
      }
      *value++ = own;
    }
  }

  int n_;
};

Case build(const ParameterValues& p) {
  const int n = static_cast<int>(p.at("n"));
  Case c;
  c.system = std::make_unique<MixedChain>(n);
  c.start = dae::State::zero(c.system->structure());
  for (int i = 0; i < n; ++i) c.start.q[x_of(i)] = kLength * (i + 0.5);
  c.t_end = 1;
  c.bodies = [n](const dae::State& s) {
    std::vector<BodyPose> poses;
    for (int i = 0; i < n; ++i) {
      poses.push_back({fmt::format("rod{}", i + 1), s.q.segment(x_of(i), 2), s.q[angle_of(i)], s.v.segment(x_of(i), 2),
                       s.v[angle_of(i)]});
    }
    return poses;
  };
  PlanarScene scene(kGravity);
  for (int i = 0; i < n; ++i) {
    scene.add_body(fmt::format("rod{}", i + 1), kMass);
    const PlanarScene::At before = i == 0 ? PlanarScene::At{} : PlanarScene::At{i - 1, kHalf, 0};
    scene.add_pin(fmt::format("joint{}", i + 1), before, {i, -kHalf, 0});
  }
  scene.add_point("tip", {n - 1, kHalf, 0});
  scene.add_trail("tip");
  c.scene = scene.scene();
  return c;
}

}  // namespace

extern const CaseEntry mixed_chain_entry;
const CaseEntry mixed_chain_entry{
    "mixed-chain",
    "the chain of n rods in coordinates of its bodies and of its joints, the latter without mass",
    "benchmark of our own: the chain in the formulation of Lubich, Nowak, Poehle, Engstler 1992 (MEXX), (1.10) to "
    "(1.15)",
    {{"n", 10, "number of rods", 1, 1e6, true}},
    build};

}  // namespace trammel::cases
