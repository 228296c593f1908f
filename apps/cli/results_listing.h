#pragma once

// What `trammel results FILE` says about a file as a whole: for people and, as trammel.contents/1, for programs.

#include <nlohmann/json.hpp>
#include <string>

#include "trammel/io/result_file.h"

namespace trammel::cli {

nlohmann::ordered_json list_results_as_json(const io::ResultFile& file);

std::string list_results(const io::ResultFile& file);

/// A number for JSON, which knows no NaN and no infinity: those become null.
nlohmann::ordered_json to_json_number(double value);

}  // namespace trammel::cli
