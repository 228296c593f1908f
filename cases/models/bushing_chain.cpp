// n uniform rods of 1 kg and 10 cm that swing from a pin. Every other connection is a pin; those between, rod1 to rod2,
// rod3 to rod4 and so on, are stiff bushings, softer across the upper rod than along it. Beside the slow swing of the
// chain there are fast oscillations of the bushings, which nothing damps as it comes; for infinite stiffness the motion
// is that of a chain with pins only.
//
// It starts at rest with rod i at about the angle (0.45 + 0.55 (i - 1/2)/n) angle from the vertical, which is close to
// the slowest oscillation of a hanging chain: accelerations and reactions stay of the size of those of the weight. The
// bushings start with the deflection d = -K^-1 F, in the axes of the upper rod, that carries the load F of pins in
// their place, so that without an offset the motion is smooth: the bushings deviate from it by order K^-2.
//
// The offset is added to both components of d, and the rods turn so that the whole displacement is orthogonal, in the
// metric of the mass, to all motions that leave the bushings alone. It then excites fast oscillations only: where they
// are damped, the smooth motion remains, up to terms of second order. Undamped they change the slow motion by order
// stiffness * offset^2 / (energy of the swing), as their energy depends on the position.
//
// F_i is the force on rod i at its upper end. With w the direction across a rod and W = w w^T, at rest
//   m a = F_i - F_{i+1} + m g,   m l^2/12 alpha = -l/2 w^T (F_i + F_{i+1}),
// and the lower end of a rod has the acceleration a + l/2 alpha w, the upper end a - l/2 alpha w. With b_i = 0 but for
// b_1 = -m g, neighbours stay together by
//   (I + 3 W_1) F_1 - (I - 3 W_1) F_2 = b_1,
//   -(I - 3 W_{i-1}) F_{i-1} + (2 I + 3 W_{i-1} + 3 W_i) F_i - (I - 3 W_i) F_{i+1} = b_i,   F_{n+1} = 0.
// The same equations with b_i = m times the offset where there is a bushing, and zero elsewhere, give the displacement:
// alpha is then the angle by which a rod turns.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <iterator>
#include <numbers>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double kLength = 0.1;    // of a rod [m]
constexpr double kGravity = 9.81;  // [m/s^2]; the mass of a rod is 1 kg

constexpr const char* kHead = R"(model: bushing chain
summary: n rods that swing from a pin, connected by stiff bushings and pins in turn
space: planar
)";

Vector2d along(double angle) { return {std::cos(angle), std::sin(angle)}; }
Vector2d across(double angle) { return {-std::sin(angle), std::cos(angle)}; }

/// Angles of the rods, whose x axes point down, to the x axis of the ground, without the offset.
std::vector<double> calc_angles(int n, double angle) {
  std::vector<double> angles;
  for (int i = 0; i < n; ++i) angles.push_back((0.45 + 0.55 * (i + 0.5) / n) * angle - std::numbers::pi / 2);
  return angles;
}

/// The forces on the upper ends of the rods for the right sides b, by elimination from the free end.
std::vector<Vector2d> calc_forces(const std::vector<double>& angles, const std::vector<Vector2d>& b) {
  const std::size_t n = angles.size();
  const auto W = [&](std::size_t i) -> Matrix2d { return 3 * across(angles[i]) * across(angles[i]).transpose(); };
  const Matrix2d I = Matrix2d::Identity();
  std::vector<Matrix2d> transfer(n);  // F_i = transfer_i F_{i-1} + rest_i
  std::vector<Vector2d> rest(n);
  Matrix2d of_below = Matrix2d::Zero();
  Vector2d from_below = Vector2d::Zero();
  for (std::size_t i = n; i-- > 0;) {
    const Matrix2d above = i > 0 ? Matrix2d(I + W(i - 1)) : Matrix2d::Zero();
    const Matrix2d pivot = (above + I + W(i) - of_below).inverse();
    rest[i] = pivot * (b[i] + from_below);
    if (i == 0) break;
    transfer[i] = pivot * (I - W(i - 1));
    of_below = (I - W(i - 1)) * transfer[i];
    from_below = (I - W(i - 1)) * rest[i];
  }
  std::vector<Vector2d> forces{rest[0]};
  for (std::size_t i = 1; i < n; ++i) forces.emplace_back(transfer[i] * forces.back() + rest[i]);
  return forces;
}

struct Start {
  std::vector<double> angles;
  std::vector<Vector2d> deflections;  ///< above each rod, in the axes of the rod before it; zero for a pin [m]
};

Start calc_start(int n, const ParameterValues& v) {
  Start start{.angles = calc_angles(n, v.at("angle")), .deflections = {}};
  const std::vector<double> angles = start.angles;
  std::vector<Vector2d> b(angles.size(), Vector2d::Zero());
  b[0] = {0, kGravity};
  const std::vector<Vector2d> loads = calc_forces(angles, b);
  const double k = v.at("stiffness"), offset = v.at("offset");
  b[0].setZero();
  start.deflections.assign(angles.size(), Vector2d::Zero());
  for (std::size_t i = 1; i < angles.size(); i += 2) {
    const Vector2d x = along(angles[i - 1]), y = across(angles[i - 1]);
    b[i] = offset * (x + y);
    start.deflections[i] = {offset - x.dot(loads[i]) / k, offset - y.dot(loads[i]) / (v.at("ratio") * k)};
  }
  std::vector<Vector2d> shifts = calc_forces(angles, b);
  shifts.emplace_back(0, 0);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    start.angles[i] -= 6 / kLength * across(angles[i]).dot(shifts[i] + shifts[i + 1]);
  }
  return start;
}

std::string write_model(int n, const ParameterValues& v) {
  const auto [angles, deflections] = calc_start(n, v);
  std::string text = kHead;
  const auto line = [&]<typename... Parts>(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Parts>(parts)...);
  };
  line("gravity: [0, {}]\n", -kGravity);
  line("parameters: {{ l: {}, along: {}, across: {}, damping: {} }}\nbodies:\n", kLength, v.at("stiffness"),
       v.at("ratio") * v.at("stiffness"), v.at("damping"));
  Vector2d top = Vector2d::Zero();
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i > 0) {
      const double above = angles[at - 1];
      top += (kLength + deflections[at].x()) * along(above) + deflections[at].y() * across(above);
    }
    line(
        "  rod{}: {{ mass: 1, inertia: l^2/12, centre_of_mass: [l/2, 0], position: [{}, {}], angle: {}, "
        "markers: {{ end: [l, 0] }} }}\n",
        i + 1, top.x(), top.y(), angles[at]);
  }
  text += "joints:\n  pin1: { type: revolute, between: [ground, rod1] }\n";
  for (int i = 2; i < n; i += 2) line("  pin{0}: {{ type: revolute, between: [rod{1}.end, rod{0}] }}\n", i + 1, i);
  text += "forces:\n";
  for (int i = 1; i < n; i += 2) {
    line(
        "  bushing{0}: {{ type: bushing, between: [rod{1}.end, rod{0}], stiffness: [along, across, 0], "
        "damping: [damping, damping, 0] }}\n",
        i + 1, i);
  }
  text += R"yaml(outputs:
  deflection: { value: "dm(rod2, rod1.end)", unit: m }
  bushing_force: { value: "hypot(bushing2.fx, bushing2.fy)", unit: N }
)yaml";
  line("  end_x: {{ value: rod{}.end.x, unit: m }}\n", n);
  text += "simulation: { t_end: 1, method: hht, tolerance: 1.0e-4, outputs: { every: 0.01 } }\n";
  return text;
}

}  // namespace

extern const CaseEntry bushing_chain_entry;
const CaseEntry bushing_chain_entry{
    .name = "bushing-chain",
    .summary = "n rods that swing from a pin, connected by stiff bushings and pins in turn",
    .origin = "benchmark of our own: stiff oscillations of small size around a smooth motion",
    .parameters = {{"n", 24, "number of rods", 2, 1e5, true},
                   {"stiffness", 1e8, "of each bushing along the rod above it [N/m]", 1e3, 1e13},
                   {"ratio", 0.5, "stiffness of each bushing across that rod, relative to along it", 1e-3, 1e3},
                   {"damping", 0, "of each bushing, along and across [N s/m]", 0, 1e9},
                   {"offset", 1e-6, "of each bushing at the start from where it bears its load, along and across [m]",
                    -0.01, 0.01},
                   {"angle", std::numbers::pi / 4, "of the free end from the vertical at the start [rad]",
                    -std::numbers::pi / 2, std::numbers::pi / 2}},
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_model(static_cast<int>(v.at("n")), v), "models/bushing-chain");
    }};

}  // namespace trammel::cases
