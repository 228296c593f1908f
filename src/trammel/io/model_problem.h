#pragma once

// What is wrong with a model file: every problem with its place, all of them at once.

#include <stdexcept>
#include <string>
#include <vector>

namespace trammel::io {

struct ModelProblem {
  std::string file;
  int line = 0;         ///< from 1; 0: the file as a whole
  int column = 0;       ///< from 1, in bytes
  std::string message;  ///< may go on in further, indented lines that show an expression
};

/// "file:line:column: message".
std::string to_string(const ModelProblem& problem);

/// what() has all problems, each on a line of its own.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(std::vector<ModelProblem> problems);

  const std::vector<ModelProblem>& problems() const { return problems_; }

 private:
  std::vector<ModelProblem> problems_;
};

}  // namespace trammel::io
