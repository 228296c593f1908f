#pragma once

// What `trammel run` says about a run: for people and, as trammel.run/1, for programs.

#include <nlohmann/json.hpp>
#include <string>

#include "cases/case.h"
#include "trammel/integrators/result.h"

namespace trammel::cli {

nlohmann::ordered_json summarize_as_json(const std::string& case_name, const cases::Case& problem,
                                         const integrators::RunResult& result);

std::string summarize(const std::string& case_name, const cases::Case& problem, const integrators::RunResult& result);

}  // namespace trammel::cli
