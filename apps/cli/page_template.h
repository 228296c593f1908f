#pragma once

// The page of viewer/ as one text, made by the build (apps/cli/CMakeLists.txt).

#include <string_view>

namespace trammel::cli {

std::string_view page_template();

}  // namespace trammel::cli
