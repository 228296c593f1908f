#pragma once

// --coordinates auto|body|joint, of the commands that integrate.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "problem.h"
#include "trammel/analyses/form.h"

namespace trammel::cli {

inline constexpr const char* kBodyCoordinates = "body";
inline constexpr const char* kJointCoordinates = "joint";

/// Adds the option.
void add_coordinates_option(CLI::App& command, std::optional<std::string>& coordinates);
/// What the user asks for, or else the model file, or else body coordinates.
std::string choose_coordinates(const std::optional<std::string>& asked, const Problem& problem);

/// The form that such a value asks for; none: that of the bodies which the method can take.
std::optional<analyses::FormKind> to_form_kind(const std::string& coordinates);

/// "joint" or "body".
std::string name_coordinates(const analyses::Form& form);
/// "those of the joints (a tree of 3 bodies without loops)", with the reason where the choice was automatic.
std::string describe_coordinates(const analyses::Form& form);

}  // namespace trammel::cli
