#include "trammel/model/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trammel::model {

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> d((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

std::string describe_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  for (const std::string& candidate : known) {
    const std::size_t shorter = std::min(name.size(), candidate.size());
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t allowed = 1 + shorter / 3;
    const bool contains = name.size() >= 3 && candidate.find(name) != std::string::npos;
    // A distance is at least the difference of the lengths; looking at that first spares long words the matrix.
    const bool close = longer - shorter <= allowed && edit_distance(name, candidate) <= static_cast<int>(allowed);
    if (contains || close) near.push_back(candidate);
  }
  if (!near.empty()) return fmt::format("there is no {} '{}'; did you mean {}?", kind, name, fmt::join(near, " or "));
  if (known.empty()) return fmt::format("there is no {} '{}'", kind, name);
  return fmt::format("there is no {} '{}'; there are: {}", kind, name, fmt::join(known, ", "));
}

}  // namespace trammel::model
