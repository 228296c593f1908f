#pragma once

// Text inside of SVG and HTML.

#include <string>

namespace trammel::figures {

/// With the signs that mean something in markup written as entities: safe between tags and in attributes in double
/// quotes.
std::string escape_markup(const std::string& text);

}  // namespace trammel::figures
