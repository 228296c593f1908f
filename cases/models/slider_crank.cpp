// The planar slider-crank: a crank of length r at the origin, a rod of length l, a slider on the x axis. Driven at
// constant speed it has no freedom left: x = r cos(omega t) + sqrt(l^2 - r^2 sin^2(omega t)). Free, it starts with that
// speed and coasts.

#include <string>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {
namespace {

constexpr const char* kModel = R"(model: slider-crank
summary: crank, rod and slider in the plane
space: planar
gravity: [0, -9.81]
parameters:
  r: { value: 0.3, meaning: "length of the crank [m]" }
  l: { value: 0.9, meaning: "length of the rod [m]" }
  omega: { value: 4*pi, meaning: "speed of the crank [rad/s]" }
bodies:
  crank:
    mass: 2
    inertia: 2*r^2/12
    centre_of_mass: [r/2, 0]
    position: [0, 0]
    angle: 0
    angular_velocity: omega
    markers: { tip: [r, 0] }
  rod:
    mass: 3
    inertia: 3*l^2/12
    centre_of_mass: [l/2, 0]
    position: [r, 0]
    angle: 0
    velocity: [0, omega*r]
    angular_velocity: -omega*r/l
    markers: { tip: [l, 0] }
  slider: { mass: 1, inertia: 0.01, position: [r + l, 0], angle: 0 }
joints:
  bearing: { type: revolute, between: [ground, crank] }
  crank_pin: { type: revolute, between: [crank.tip, rod] }
  slider_pin: { type: revolute, between: [rod.tip, slider] }
  guide: { type: translational, between: [ground, slider] }
events:
  dead_centre: { when: sin(bearing.angle) }
simulation: { t_end: 1, tolerance: 1.0e-7, outputs: { every: 0.005 } }
)";
constexpr const char* kDrive = R"(motions:
  drive: { joint: bearing, angle: "omega*t" }
)";

}  // namespace

extern const CaseEntry slider_crank_entry;
const CaseEntry slider_crank_entry{
    .name = "slider-crank",
    .summary = "crank, rod and slider in the plane, driven or coasting",
    .origin = "textbook; driven, the closed form is the reference",
    .parameters = {{"driven", 1, "1 = the crank turns at constant speed; 0 = it coasts from that speed", 0, 1, true},
                   {"r", 0.3, "length of the crank [m]", 1e-6},
                   {"l", 0.9, "length of the rod, more than r [m]", 1e-6},
                   {"omega", 12.566370614359172, "speed of the crank at the start [rad/s]"}},
    .build = {},
    .model = [](const ParameterValues& v) {
      io::ModelReadOptions options;
      for (const char* name : {"r", "l", "omega"}) options.parameters[name] = v.at(name);
      return io::read_model_text(v.at("driven") != 0 ? std::string(kModel) + kDrive : kModel, "models/slider-crank",
                                 options);
    }};

}  // namespace trammel::cases
