#pragma once

// What `trammel run` says about a run: for people and, as trammel.run/1, for programs.

#include <nlohmann/json.hpp>
#include <string>

#include "cases/case.h"
#include "trammel/analyses/form.h"
#include "trammel/integrators/result.h"

namespace trammel::cli {

/// The bodies of a case at a state; empty where they are not known.
nlohmann::ordered_json describe_bodies(const cases::Case& problem, const dae::State& state);

/// A table of positions (and velocities) for a terminal.
std::string list_positions(const cases::Case& problem, const dae::State& state);

nlohmann::ordered_json summarize_as_json(const std::string& case_name, const cases::Case& problem,
                                         const integrators::RunResult& result);

/// With the form in which a model was integrated, where there is one to tell. The table at the end is of bodies always.
std::string summarize(const std::string& case_name, const cases::Case& problem, const integrators::RunResult& result,
                      const analyses::Form* form);

}  // namespace trammel::cli
