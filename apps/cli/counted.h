#pragma once

// Numbers of things in words: "1 body", "2 bodies".

#include <fmt/format.h>

#include <string>

namespace trammel::cli {

/// With the plural where it is another than the singular with an s.
template <class Integer>
std::string counted(Integer number, const char* one, const char* many = nullptr) {
  if (number == 1) return fmt::format("1 {}", one);
  return many ? fmt::format("{} {}", number, many) : fmt::format("{} {}s", number, one);
}

}  // namespace trammel::cli
