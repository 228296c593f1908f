#include "column_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "commands.h"
#include "trammel/model/near_names.h"

namespace trammel::cli {
namespace {

using io::Column;
using io::ResultFile;

/// What stands in front of the dots of all columns.
std::vector<std::string> list_prefixes(const std::vector<Column>& columns) {
  std::set<std::string> prefixes;
  for (const Column& column : columns) {
    for (std::size_t dot = 0; (dot = column.name.find('.', dot)) != std::string::npos; ++dot) {
      prefixes.insert(column.name.substr(0, dot));
    }
  }
  return {prefixes.begin(), prefixes.end()};
}

[[noreturn]] void refuse_unknown(const std::vector<Column>& columns, const std::string& name, const std::string& owner,
                                 const std::string& advice) {
  if (name.find_first_of("*?") != std::string::npos) {
    throw InputError(fmt::format("'{}' has no column that matches '{}'", owner, name));
  }
  constexpr std::size_t kLongest = 400;
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(column.name);
  const std::string text = model::describe_unknown("column", name, known);
  const auto names_others = [](const std::string& message) {
    return message.find("did you mean") != std::string::npos;
  };
  if (!names_others(text)) {
    const std::string of_prefixes = model::describe_unknown("column", name, list_prefixes(columns));
    if (names_others(of_prefixes)) throw InputError(of_prefixes);
  }
  if (text.size() <= kLongest) throw InputError(text);
  throw InputError(fmt::format("there is no column '{}'; {}", name, advice));
}

}  // namespace

std::string list_examples(const ResultFile& file) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const Column& column : file.columns()) {
    const std::string owner = column.name.substr(0, column.name.find('.'));
    if (std::find(names.begin(), names.end(), owner) == names.end()) names.push_back(owner);
  }
  const std::size_t count = names.size();
  if (count > kMost) names.resize(kMost);
  return fmt::format("{}{}", fmt::join(names, ", "), count > kMost ? fmt::format(" and {} more", count - kMost) : "");
}

std::vector<std::size_t> choose_columns(const ResultFile& file, const std::vector<std::string>& names) {
  return choose_columns(file.columns(), names, file.path(),
                        fmt::format("'trammel results {}' lists what there is", file.path()));
}

std::vector<std::size_t> choose_columns(const std::vector<Column>& columns, const std::vector<std::string>& names,
                                        const std::string& owner, const std::string& advice) {
  std::vector<std::size_t> chosen;
  if (names.empty()) {
    chosen.resize(columns.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  for (const std::string& name : names) {
    if (name == io::kTimeName) continue;  // is there anyway
    std::vector<std::size_t> found = io::find_columns(columns, name);
    if (found.empty()) found = io::find_columns(columns, name + ".*");
    if (found.empty()) refuse_unknown(columns, name, owner, advice);
    for (const std::size_t column : found) {
      if (std::find(chosen.begin(), chosen.end(), column) == chosen.end()) chosen.push_back(column);
    }
  }
  return chosen;
}

}  // namespace trammel::cli
