#include "trammel/io/model_file/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/model/expression/token.h"
#include "trammel/model/near_names.h"

namespace trammel::io::model_file {

std::string to_string(const Place& place, const Place& from) {
  if (place.file == from.file) return fmt::format("line {}", place.line);
  return fmt::format("{}:{}", *place.file, place.line);
}

std::string quoted(const std::string& text) { return "'" + model::expression::quotable(text) + "'"; }

std::string describe_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
  return model::describe_unknown(kind, model::expression::quotable(name), known);
}

const std::string* Problems::add_file(const std::string& name) {
  const auto known = std::find(files_.begin(), files_.end(), name);
  return known != files_.end() ? &*known : &files_.emplace_back(name);
}

void Problems::add(const Place& place, const std::string& message) {
  const std::tuple key{place.file, place.line, place.column};
  if (!places_.insert(key).second) {
    for (const Problem& known : problems_) {
      if (key == std::tuple{known.place.file, known.place.line, known.place.column} && message == known.message) return;
    }
  }
  problems_.push_back({place, message});
  if (problems_.size() > kMost) {
    problems_.back().message = fmt::format("there are more than {} problems; those found so far are listed", kMost);
    throw TooManyProblems{};
  }
}

void Problems::add_if_first(const Place& place, const std::string& message) {
  if (!places_.contains({place.file, place.line, place.column})) add(place, message);
}

std::vector<ModelProblem> Problems::sorted() const {
  std::vector<Problem> ordered = problems_;
  const auto rank = [&](const Problem& problem) {
    const auto file =
        std::find_if(files_.begin(), files_.end(), [&](const auto& f) { return &f == problem.place.file; });
    return std::tuple{file - files_.begin(), problem.place.line, problem.place.column};
  };
  std::stable_sort(ordered.begin(), ordered.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<ModelProblem> result;
  result.reserve(ordered.size());
  for (const Problem& problem : ordered) {
    result.push_back({*problem.place.file, problem.place.line, problem.place.column, problem.message});
  }
  return result;
}

}  // namespace trammel::io::model_file
