#include "coordinates_option.h"

#include <fmt/format.h>

namespace trammel::cli {
namespace {
constexpr const char* kAutomatic = "auto";
}

void add_coordinates_option(CLI::App& command, std::optional<std::string>& coordinates) {
  command
      .add_option("--coordinates", coordinates,
                  "Coordinates of a model: body, joint (those of a spanning tree of its joints) or auto (by its "
                  "structure); default: what the model says, or body")
      ->check(CLI::IsMember({kAutomatic, kBodyCoordinates, kJointCoordinates}));
}

std::string choose_coordinates(const std::optional<std::string>& asked, const Problem& problem) {
  if (asked) return *asked;
  if (problem.model && problem.model->simulation.coordinates) return *problem.model->simulation.coordinates;
  return kBodyCoordinates;
}

std::optional<analyses::FormKind> to_form_kind(const std::string& coordinates) {
  if (coordinates == kAutomatic) return analyses::FormKind::kAutomatic;
  if (coordinates == kJointCoordinates) return analyses::FormKind::kJoint;
  return std::nullopt;
}

std::string name_coordinates(const analyses::Form& form) { return form.joint ? kJointCoordinates : kBodyCoordinates; }

std::string describe_coordinates(const analyses::Form& form) {
  const std::string text = form.joint ? "those of the joints" : "those of the bodies";
  return form.reason.empty() ? text : fmt::format("{} ({})", text, form.reason);
}

}  // namespace trammel::cli
