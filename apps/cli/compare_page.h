#pragma once

// A comparison as one HTML page that needs nothing else: figures as SVG, tables, what was found and how.

#include <string>

#include "compare_context.h"

namespace trammel::cli {

std::string make_compare_page(const analyses::Comparison& comparison, const CompareContext& context);

}  // namespace trammel::cli
