#pragma once

// A result file as the reference of a comparison.

#include <string>

#include "trammel/analyses/reference_solution.h"

namespace trammel::cli {

/// Positions and velocities of the file, taken by name, at no more than `samples` of its own times in (start, t_end].
/// Throws InputError when the file cannot be read, lacks a coordinate or a time, or holds values that are no numbers.
analyses::ReferenceSolution load_reference_file(const std::string& path, const analyses::CompareProblem& problem,
                                                int samples);

}  // namespace trammel::cli
