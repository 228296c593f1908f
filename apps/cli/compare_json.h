#pragma once

// Comparisons as JSON: for programs (trammel.compare/1), and parts of them as they are kept between an interruption and
// the next call.

#include <nlohmann/json.hpp>

#include "compare_context.h"

namespace trammel::cli {

nlohmann::ordered_json to_json(const analyses::Comparison& comparison, const CompareContext& context);

// What is kept; the second of each throws nlohmann::json::exception when something is missing. Of a reference its
// complete states are left out.
nlohmann::ordered_json to_json(const analyses::ComparedRun& run);
analyses::ComparedRun to_run(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const analyses::ReferenceSolution& reference, bool with_trajectory);
analyses::ReferenceSolution to_reference(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const analyses::Stiffness& stiffness);
analyses::Stiffness to_stiffness(const nlohmann::ordered_json& json);

}  // namespace trammel::cli
