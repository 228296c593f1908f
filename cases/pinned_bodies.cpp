#include "cases/pinned_bodies.h"

#include <algorithm>
#include <cmath>

namespace trammel::cases {

using linalg::Entry;
using linalg::Pattern;

/// The arms sign * R(angle) p at the present position.
struct PinnedBodies::Shared final : dae::Workspace {
  struct Turn {
    double cosine, sine;
  };
  struct Vector2 {
    double x, y;
  };
  std::vector<Turn> turns;    // per turning body
  std::vector<Vector2> arms;  // per Arm
};

struct PinnedBodies::Parts {
  Structure structure;
  std::vector<int> columns, angle_columns;
  std::vector<double> masses;
  std::vector<Arm> arms;
  std::vector<Shift> shifts;
  std::vector<double> ground_offsets;
};

PinnedBodies::Parts PinnedBodies::divide(const std::vector<PlanarBody>& bodies, const std::vector<Pin>& pins,
                                         const std::vector<Entry>& force_by_q, const std::vector<Entry>& force_by_v) {
  Parts parts;
  std::vector<std::string> positions, rows;
  std::vector<Entry> mass;
  std::vector<int> turning_index;
  for (const PlanarBody& body : bodies) {
    const int column = static_cast<int>(positions.size());
    parts.columns.push_back(column);
    turning_index.push_back(static_cast<int>(parts.angle_columns.size()));
    positions.push_back(body.name + ".x");
    positions.push_back(body.name + ".y");
    if (!body.is_a_point) {
      positions.push_back(body.name + ".angle");
      parts.angle_columns.push_back(column + 2);
    }
    const auto add_mass = [&](int at, double value) {
      if (value == 0) return;
      mass.push_back({at, at});
      parts.masses.push_back(value);
    };
    add_mass(column, body.mass);
    add_mass(column + 1, body.mass);
    if (!body.is_a_point) add_mass(column + 2, body.inertia);
  }

  std::vector<Entry> jacobian, by_angle;
  for (const Pin& pin : pins) {
    const int row = static_cast<int>(rows.size());
    rows.push_back(pin.name + ".x");
    rows.push_back(pin.name + ".y");
    double ground_x = 0, ground_y = 0;
    for (const BodyPoint* side : {&pin.first, &pin.second}) {
      const double sign = side == &pin.first ? 1 : -1;
      if (side->body == kGround) {
        ground_x += sign * side->x;
        ground_y += sign * side->y;
        continue;
      }
      const auto body = static_cast<std::size_t>(side->body);
      parts.shifts.push_back({row, parts.columns[body], sign});
      if (bodies[body].is_a_point) continue;
      parts.arms.push_back({row, turning_index[body], parts.columns[body] + 2, sign * side->x, sign * side->y});
    }
    parts.ground_offsets.push_back(ground_x);
    parts.ground_offsets.push_back(ground_y);
  }
  // The order in which calc_jacobian() and calc_derivative() write.
  for (const Shift& shift : parts.shifts) {
    jacobian.push_back({shift.row, shift.column});
    jacobian.push_back({shift.row + 1, shift.column + 1});
  }
  for (const Arm& arm : parts.arms) {
    by_angle.push_back({arm.row, arm.angle_column});
    by_angle.push_back({arm.row + 1, arm.angle_column});
  }
  jacobian.insert(jacobian.end(), by_angle.begin(), by_angle.end());
  std::vector<Entry> angle_by_angle;
  for (int column : parts.angle_columns) angle_by_angle.push_back({column, column});

  const int n = static_cast<int>(positions.size()), m = static_cast<int>(rows.size());
  Structure& s = parts.structure;
  s = Structure::sparse(std::move(positions), std::move(rows), {n, n, std::move(mass)}, {m, n, std::move(jacobian)});
  s.is_autonomous = true;
  s.pattern(Derivative::kInertiaByQ) = Pattern(n, n);
  s.pattern(Derivative::kReactionByQ) = Pattern(n, n, std::move(angle_by_angle));
  s.pattern(Derivative::kForceByQ) = Pattern(n, n, force_by_q);
  s.pattern(Derivative::kForceByV) = Pattern(n, n, force_by_v);
  const Pattern rows_by_angle(m, n, std::move(by_angle));
  s.pattern(Derivative::kVelocityByQ) = rows_by_angle;
  s.pattern(Derivative::kAccelerationByQ) = rows_by_angle;
  s.pattern(Derivative::kBiasByV) = rows_by_angle;
  return parts;
}

PinnedBodies::PinnedBodies(const std::vector<PlanarBody>& bodies, const std::vector<Pin>& pins,
                           const std::vector<Entry>& force_by_q, const std::vector<Entry>& force_by_v)
    : PinnedBodies(bodies, pins, divide(bodies, pins, force_by_q, force_by_v)) {}

PinnedBodies::PinnedBodies(std::vector<PlanarBody> bodies, std::vector<Pin> pins, Parts parts)
    : ConstrainedSystem(std::move(parts.structure)),
      bodies_(std::move(bodies)),
      pins_(std::move(pins)),
      columns_(std::move(parts.columns)),
      angle_columns_(std::move(parts.angle_columns)),
      masses_(std::move(parts.masses)),
      arms_(std::move(parts.arms)),
      shifts_(std::move(parts.shifts)),
      ground_offsets_(std::move(parts.ground_offsets)) {}

std::unique_ptr<dae::Workspace> PinnedBodies::make_workspace() const {
  auto shared = std::make_unique<Shared>();
  shared->turns.resize(angle_columns_.size());
  shared->arms.resize(arms_.size());
  return shared;
}

void PinnedBodies::prepare_position(Point& at) const {
  auto& shared = at.workspace_as<Shared>();
  for (std::size_t k = 0; k < angle_columns_.size(); ++k) {
    const double angle = at.q[angle_columns_[k]];
    shared.turns[k] = {std::cos(angle), std::sin(angle)};
  }
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    const Arm& arm = arms_[k];
    const auto [c, s] = shared.turns[static_cast<std::size_t>(arm.turning_body)];
    shared.arms[k] = {c * arm.x - s * arm.y, s * arm.x + c * arm.y};
  }
}

void PinnedBodies::calc_mass(const Point&, MatrixValues M) const {
  std::copy(masses_.begin(), masses_.end(), M.data());
}

void PinnedBodies::calc_constraint(const Point& at, VectorOut g) const {
  const auto& shared = at.workspace_as<Shared>();
  for (Eigen::Index i = 0; i < g.size(); ++i) g[i] = ground_offsets_[static_cast<std::size_t>(i)];
  for (const Shift& shift : shifts_) {
    g[shift.row] += shift.sign * at.q[shift.column];
    g[shift.row + 1] += shift.sign * at.q[shift.column + 1];
  }
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    g[arms_[k].row] += shared.arms[k].x;
    g[arms_[k].row + 1] += shared.arms[k].y;
  }
}

void PinnedBodies::calc_jacobian(const Point& at, MatrixValues G) const {
  double* value = G.data();
  for (const Shift& shift : shifts_) {
    *value++ = shift.sign;
    *value++ = shift.sign;
  }
  for (const auto [x, y] : at.workspace_as<Shared>().arms) {
    *value++ = -y;
    *value++ = x;
  }
}

bool PinnedBodies::calc_acceleration_bias(const Point& at, VectorOut bias) const {
  const auto& shared = at.workspace_as<Shared>();
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    const double rate = at.v[arms_[k].angle_column];
    bias[arms_[k].row] += rate * rate * shared.arms[k].x;
    bias[arms_[k].row + 1] += rate * rate * shared.arms[k].y;
  }
  return true;
}

bool PinnedBodies::calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const {
  const auto& shared = at.workspace_as<Shared>();
  double* value = values.data();
  // Writes the two rows of every arm, in the column of its angle.
  const auto write_arms = [&](const auto& derivative_of) {
    for (std::size_t k = 0; k < arms_.size(); ++k) {
      const auto [x, y] = derivative_of(shared.arms[k], arms_[k].angle_column);
      *value++ = x;
      *value++ = y;
    }
    return true;
  };
  using Vector2 = Shared::Vector2;
  switch (which) {
    case Derivative::kReactionByQ:
      for (std::size_t k = 0; k < arms_.size(); ++k) {
        const Vector2 u = shared.arms[k];
        values[arms_[k].turning_body] -= u.x * s[arms_[k].row] + u.y * s[arms_[k].row + 1];
      }
      return true;
    case Derivative::kVelocityByQ:
      return write_arms([&](Vector2 u, int angle) { return Vector2{-at.v[angle] * u.x, -at.v[angle] * u.y}; });
    case Derivative::kAccelerationByQ:
      return write_arms([&](Vector2 u, int angle) {
        const double square = at.v[angle] * at.v[angle];
        return Vector2{-s[angle] * u.x + square * u.y, -s[angle] * u.y - square * u.x};
      });
    case Derivative::kBiasByV:
      return write_arms([&](Vector2 u, int angle) { return Vector2{2 * at.v[angle] * u.x, 2 * at.v[angle] * u.y}; });
    default: return false;
  }
}

std::vector<BodyPose> PinnedBodies::poses(const dae::State& state) const {
  std::vector<BodyPose> poses;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const int c = columns_[i];
    BodyPose pose{bodies_[i].name, state.q.segment(c, 2), 0, state.v.segment(c, 2), 0};
    if (!bodies_[i].is_a_point) {
      pose.angle = state.q[c + 2];
      pose.angular_velocity = state.v[c + 2];
    }
    poses.push_back(std::move(pose));
  }
  return poses;
}

PlanarScene PinnedBodies::scene(double gravity) const {
  PlanarScene scene(gravity);
  for (const PlanarBody& body : bodies_) scene.add_body(body.name, body.mass);
  for (const Pin& pin : pins_) {
    scene.add_pin(pin.name, {pin.second.body, pin.second.x, pin.second.y}, {pin.first.body, pin.first.x, pin.first.y});
  }
  return scene;
}

}  // namespace trammel::cases
