// The chain of the case insulator-chain as bodies and joints: n insulators under a pole at the origin, under them a
// triangle, at whose corner a cable pulls. The cable carries waves away: with c_L and c_Q the speeds of longitudinal
// and transverse waves and (x, y) the corner,
//   force = F (sin beta, -cos beta),   F = F0 + y' E A / c_L,   beta = -arctan(x' / c_Q).
// Numbered from the load up.

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {
namespace {

constexpr const char* kHead = R"(model: insulator chain
summary: the chain of n insulators that is left when its twin has broken
space: planar
gravity: [0, 0]
parameters:
  elasticity: { value: 8e9, meaning: "of the cable [N/m^2]" }
  area: { value: 3.4e-4, meaning: "of the cable's section [m^2]" }
  density: { value: 3325, meaning: "of the cable [kg/m^3]" }
  pull: { value: 230000, meaning: "of the cable at rest [N]" }
  radiation: elasticity*area/sqrt(elasticity/density)
  transverse_speed: sqrt(pull/(area*density))
  c: 0.37
  side: sqrt(3)/2*c
variables:
  slope: triangle.load.vx/transverse_speed
  tension: pull + radiation*triangle.load.vy
forces:
  cable: { type: point-force, at: triangle.load, force: [-tension*slope/sqrt(1 + slope^2), -tension/sqrt(1 + slope^2)] }
bodies:
)";

std::string write_model(int n) {
  std::string text = kHead;
  // Each frame of an insulator is at its upper pin; those below hang 0.2 m apart, the top one is longer.
  constexpr double top_length = 0.24, length = 0.20;
  fmt::format_to(std::back_inserter(text),
                 "  triangle: {{ mass: 34, inertia: 3.1, position: [-side, {} - c/2], angle: 0, markers: {{ load: [0, "
                 "-c], hinge: [side, c/2] }} }}\n",
                 -top_length - (n - 1) * length);
  for (int i = 1; i < n; ++i) {
    fmt::format_to(std::back_inserter(text),
                   "  insulator{}: {{ mass: 15, inertia: 0.35, centre_of_mass: [0, -0.12], position: [0, {}], angle: "
                   "0, markers: {{ lower: [0, -0.2] }} }}\n",
                   i, -top_length - (n - 1 - i) * length);
  }
  fmt::format_to(std::back_inserter(text),
                 "  insulator{}: {{ mass: 9.8, inertia: 0.05, centre_of_mass: [0, -0.16], position: [0, 0], angle: 0, "
                 "markers: {{ lower: [0, -0.24] }} }}\n",
                 n);
  text += "joints:\n  pin1: { type: revolute, between: [triangle.hinge, insulator1.lower] }\n";
  for (int i = 2; i <= n; ++i) {
    fmt::format_to(std::back_inserter(text),
                   "  pin{0}: {{ type: revolute, between: [insulator{1}, insulator{0}.lower] }}\n", i, i - 1);
  }
  fmt::format_to(std::back_inserter(text), "  suspension: {{ type: revolute, between: [insulator{}, ground] }}\n", n);
  // The rate is noise until the wave has come up from the load.
  fmt::format_to(std::back_inserter(text),
                 "events:\n  top_insulator_turns: {{ when: insulator{}.angle_rate, noise: 1e-2, then: stop }}\n", n);
  text += "simulation: { t_end: 0.1, tolerance: 1.0e-6, outputs: { every: 0.001 } }\n";
  return text;
}

}  // namespace

extern const CaseEntry insulator_bodies_entry;
const CaseEntry insulator_bodies_entry{
    .name = "insulator-bodies",
    .summary = "the chain of n insulators that is left when its twin has broken, as bodies and joints",
    .origin = "Lubich, Nowak, Poehle, Engstler 1992 (MEXX), section 5.4",
    .parameters = {{"n", 32, "number of insulators", 1, 1e5, true}},
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_model(static_cast<int>(v.at("n"))), "models/insulator-bodies");
    }};

}  // namespace trammel::cases
