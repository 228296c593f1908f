#include "trammel/io/model_problem.h"

#include <fmt/format.h>

namespace trammel::io {
namespace {

std::string describe(const std::vector<ModelProblem>& problems) {
  std::string text;
  for (const ModelProblem& problem : problems) text += (text.empty() ? "" : "\n") + to_string(problem);
  return text;
}

}  // namespace

std::string to_string(const ModelProblem& problem) {
  if (problem.line == 0) return fmt::format("{}: {}", problem.file, problem.message);
  return fmt::format("{}:{}:{}: {}", problem.file, problem.line, problem.column, problem.message);
}

ModelError::ModelError(std::vector<ModelProblem> problems)
    : std::runtime_error(describe(problems)), problems_(std::move(problems)) {}

}  // namespace trammel::io
