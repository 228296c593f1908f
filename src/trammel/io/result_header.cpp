#include "trammel/io/result_header.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <string_view>
#include <unordered_set>

namespace trammel::io {
namespace {

// What the HDF5 layout keeps for itself at the root of a file.
constexpr std::array<std::string_view, 8> kTakenGroups{"rows",  "time",   "model",   "attributes",
                                                       "steps", "events", "summary", "continuous"};

bool is_plain_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

void check_names(const std::vector<Column>& columns, const char* what, std::vector<std::string>& messages) {
  std::unordered_set<std::string> seen;
  for (const Column& column : columns) {
    if (column.name.empty()) messages.push_back(fmt::format("a {} has no name", what));
    if (column.name.find('\0') != std::string::npos) {
      messages.push_back(fmt::format("the name of {} '{}' holds a zero byte", what, column.name.c_str()));
    }
    if (!seen.insert(column.name).second) messages.push_back(fmt::format("two {}s are called '{}'", what, column.name));
  }
}

template <class Value>
void check_keys(const std::vector<std::pair<std::string, Value>>& pairs, const char* what,
                std::vector<std::string>& messages) {
  std::unordered_set<std::string> seen;
  for (const auto& [key, value] : pairs) {
    if (key.empty()) messages.push_back(fmt::format("a {} has no name", what));
    if (!seen.insert(key).second) messages.push_back(fmt::format("two {}s are called '{}'", what, key));
  }
}

}  // namespace

std::vector<std::string> ResultHeader::validate() const {
  std::vector<std::string> messages;
  check_names(columns, "column", messages);
  check_names(step_columns, "step column", messages);
  check_keys(parameters, "parameter", messages);
  check_keys(attributes, "attribute", messages);
  for (const Column& column : columns) {
    if (column.name == kTimeName) messages.push_back("a column is called 't', which is the name of time");
    if (!is_plain_word(column.group)) {
      messages.push_back(fmt::format("the group '{}' of column '{}' may hold only letters, digits, '_' and '-'",
                                     column.group, column.name));
    } else if (std::find(kTakenGroups.begin(), kTakenGroups.end(), column.group) != kTakenGroups.end()) {
      messages.push_back(
          fmt::format("the group '{}' of column '{}' is taken by the file itself", column.group, column.name));
    }
  }
  std::unordered_set<std::size_t> places;
  for (const std::size_t place : continuous) {
    if (place >= columns.size() || !places.insert(place).second) {
      messages.push_back(fmt::format("the continuous solution names column {} twice, or there is none", place));
    }
  }
  return messages;
}

std::string time_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace trammel::io
