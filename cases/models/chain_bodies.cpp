// The chain of the case chain as bodies and joints: n uniform rods hanging one from the other, the first pinned to the
// ground at the origin, released at rest along the x axis.

#include <fmt/format.h>

#include <iterator>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {
namespace {

constexpr const char* kHead = R"(model: planar chain
summary: n rods hanging one from the other, released from the horizontal
space: planar
gravity: [0, -9.81]
bodies:
)";

std::string write_model(int n) {
  std::string text = kHead;
  for (int i = 1; i <= n; ++i) {
    fmt::format_to(std::back_inserter(text),
                   "  rod{}: {{ mass: 1, inertia: 1/12, centre_of_mass: [0.5, 0], position: [{}, 0], angle: 0, "
                   "markers: {{ end: [1, 0] }} }}\n",
                   i, i - 1);
  }
  text += "joints:\n  pin1: { type: revolute, between: [ground, rod1] }\n";
  for (int i = 2; i <= n; ++i) {
    fmt::format_to(std::back_inserter(text), "  pin{0}: {{ type: revolute, between: [rod{1}.end, rod{0}] }}\n", i,
                   i - 1);
  }
  text += "simulation: { t_end: 1, tolerance: 1.0e-6, outputs: { every: 0.01 } }\n";
  return text;
}

}  // namespace

extern const CaseEntry chain_bodies_entry;
const CaseEntry chain_bodies_entry{
    .name = "chain-bodies",
    .summary = "n rods hanging one from the other, released from the horizontal, as bodies and joints",
    .origin = "benchmark of our own, after the chains of the thesis (section 3.4) and the MEXX report",
    .parameters = {{"n", 10, "number of rods", 1, 1e5, true}},
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_model(static_cast<int>(v.at("n"))), "models/chain-bodies");
    }};

}  // namespace trammel::cases
