# Writes the page PAGE as the C++ source OUTPUT (apps/cli/page_template.h).
file(READ "${PAGE}" text)
string(FIND "${text}" ")trammel\"" found)
if(NOT found EQUAL -1)
  message(FATAL_ERROR "${PAGE} contains the mark that ends its text")
endif()
file(WRITE "${OUTPUT}" "// Made by CMake from ${PAGE}; do not edit.
#include \"page_template.h\"

namespace trammel::cli {
std::string_view page_template() { return R\"trammel(${text})trammel\"; }
}  // namespace trammel::cli
")
