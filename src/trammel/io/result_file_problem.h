#pragma once

// Why a file cannot be read as results, as the end of a sentence that begins with its path: "is cut off: ...".

#include <stdexcept>

namespace trammel::io {

class ResultFileProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace trammel::io
