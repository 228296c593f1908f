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

namespace {

// What a reader takes in at a glance.
constexpr std::size_t kMostSuggestions = 4;
constexpr std::size_t kMostListed = 20;

struct Suggestion {
  std::size_t distance;
  const std::string* name;
};

// The known names that a word may be meant to be, the nearest first.
std::vector<std::string> find_near(const std::string& name, const std::vector<std::string>& known) {
  std::vector<Suggestion> near;
  for (const std::string& candidate : known) {
    const std::size_t shorter = std::min(name.size(), candidate.size());
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t allowed = 1 + shorter / 3;
    const bool contains = name.size() >= 3 && candidate.find(name) != std::string::npos;
    // A distance is at least the difference of the lengths; looking at that first spares long words the matrix.
    std::size_t distance = longer - shorter;
    if (!contains && distance <= allowed) distance = static_cast<std::size_t>(edit_distance(name, candidate));
    // Where every letter would have to change, nothing is alike.
    if (contains || (distance <= allowed && distance < longer)) near.push_back({distance, &candidate});
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  near.resize(std::min(near.size(), kMostSuggestions));
  std::vector<std::string> names;
  for (const Suggestion& suggestion : near) names.push_back(*suggestion.name);
  return names;
}

}  // namespace

std::string describe_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
  const std::string missing = fmt::format("there is no {} '{}'", kind, name);
  if (known.empty()) return missing;
  const std::vector<std::string> near = find_near(name, known);
  if (!near.empty()) return fmt::format("{}; did you mean {}?", missing, fmt::join(near, " or "));
  const auto listed = static_cast<std::ptrdiff_t>(std::min(known.size(), kMostListed));
  const std::string rest =
      known.size() > kMostListed ? fmt::format(" and {} more", known.size() - kMostListed) : std::string{};
  return fmt::format("{}; there are: {}{}", missing, fmt::join(known.begin(), known.begin() + listed, ", "), rest);
}

}  // namespace trammel::model
