// n + 1 cranks on bearings at (0, 0), (1, 0), ..., their tips tied by n couplers: every loop is a parallelogram, and
// all of them turn as one, with one degree of freedom. Uniform rods of 1 m and 1 kg, started upright with the tips
// moving at 1 m/s. With theta the angle of the cranks from the vertical, clockwise,
//   theta'' = k sin(theta),   k = g 3 (3 n + 1) / (2 (4 n + 1)).
// With the cranks along the x axis all pins are in line: there the constraints lose rank, and the mechanism could leave
// the parallelogram.

#include <fmt/format.h>

#include <iterator>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {
namespace {

constexpr const char* kHead = R"(model: n-loop four-bar
summary: n four-bar loops side by side, falling from the upright position
space: planar
gravity: [0, -9.81]
bodies:
)";

std::string write_model(int n) {
  std::string text = kHead;
  // Each frame is at the lower or left end of its rod, the x axis along it.
  constexpr const char* rod = "mass: 1, inertia: 1/12, centre_of_mass: [0.5, 0], markers: { tip: [1, 0] }";
  for (int k = 0; k <= n; ++k) {
    fmt::format_to(std::back_inserter(text),
                   "  crank_{}: {{ {}, position: [{}, 0], angle: 90 deg, angular_velocity: -1 }}\n", k, rod, k);
  }
  for (int k = 1; k <= n; ++k) {
    fmt::format_to(std::back_inserter(text), "  coupler_{}: {{ {}, position: [{}, 1], angle: 0, velocity: [1, 0] }}\n",
                   k, rod, k - 1);
  }
  text += "joints:\n";
  for (int k = 0; k <= n; ++k) {
    fmt::format_to(
        std::back_inserter(text),
        "  bearing_{0}: {{ type: revolute, between: [{{ body: ground, position: [{0}, 0] }}, crank_{0}] }}\n", k);
  }
  for (int k = 1; k <= n; ++k) {
    fmt::format_to(std::back_inserter(text),
                   "  left_{0}: {{ type: revolute, between: [crank_{1}.tip, coupler_{0}] }}\n", k, k - 1);
    fmt::format_to(std::back_inserter(text),
                   "  right_{0}: {{ type: revolute, between: [coupler_{0}.tip, crank_{0}.tip] }}\n", k);
  }
  text += "events:\n  in_line: { when: sin(crank_0.angle) }\n";
  text += "simulation: { t_end: 2, tolerance: 1.0e-7, outputs: { every: 0.01 } }\n";
  return text;
}

}  // namespace

extern const CaseEntry four_bar_entry;
const CaseEntry four_bar_entry{
    .name = "four-bar",
    .summary = "n four-bar loops side by side, through the singular positions with all bars in line",
    .origin = "multibody benchmark A02 (lim.ii.udc.es/mbsbenchmark); closed form by elliptic integral",
    .parameters = {{"n", 1, "number of loops", 1, 1e5, true}},
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_model(static_cast<int>(v.at("n"))), "models/four-bar");
    }};

}  // namespace trammel::cases
