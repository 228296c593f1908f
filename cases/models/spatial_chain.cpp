// n slender rods of 1 m, 1 kg and 2 cm diameter in space, hanging one from the other, released at rest along the x axis
// under gravity along -z. With ball joints they fall in the vertical plane as those of the case chain do; with hinges,
// whose axes lean to the left and to the right in turn, the chain twists as it falls.

#include <fmt/format.h>

#include <iterator>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {
namespace {

constexpr const char* kHead = R"(model: spatial chain
summary: n rods in space hanging one from the other, released from the horizontal
gravity: [0, 0, -9.81]
parameters: { axial: 5e-5, lateral: 1/12 }
bodies:
)";

std::string write_model(int n, bool has_hinges) {
  std::string text = kHead;
  for (int i = 1; i <= n; ++i) {
    fmt::format_to(std::back_inserter(text),
                   "  rod{}: {{ mass: 1, inertia: [axial, lateral, lateral], centre_of_mass: [0.5, 0, 0], position: "
                   "[{}, 0, 0] }}\n",
                   i, i - 1);
  }
  text += "joints:\n";
  for (int i = 1; i <= n; ++i) {
    const std::string before = i == 1 ? "ground" : fmt::format("rod{}", i - 1);
    fmt::format_to(std::back_inserter(text),
                   "  joint{0}: {{ type: {1}, between: [{2}, rod{0}], at: [{3}, 0, 0]{4} }}\n", i,
                   has_hinges ? "revolute" : "spherical", before, i - 1,
                   !has_hinges  ? ""
                   : i % 2 == 1 ? ", axis: [0, 1, 0.5]"
                                : ", axis: [0, 1, -0.5]");
  }
  text += "simulation: { t_end: 1, tolerance: 1.0e-6, outputs: { every: 0.01 } }\n";
  return text;
}

}  // namespace

extern const CaseEntry spatial_chain_entry;
const CaseEntry spatial_chain_entry{
    .name = "spatial-chain",
    .summary = "n rods in space hanging one from the other, released from the horizontal",
    .origin = "benchmark of our own",
    .parameters = {{"n", 10, "number of rods", 1, 1e5, true},
                   {"hinges", 0, "0 = ball joints; 1 = hinges with axes that lean to either side", 0, 1, true}},
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_model(static_cast<int>(v.at("n")), v.at("hinges") != 0), "models/spatial-chain");
    }};

}  // namespace trammel::cases
