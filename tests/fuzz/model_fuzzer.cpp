// Reads arbitrary bytes as a model file: whatever they are, the result is a model or a ModelError whose problems have
// messages and places.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trammel/io/model_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    trammel::io::read_model_text(std::string(data, data + size), "fuzz.yaml");
  } catch (const trammel::io::ModelError& error) {
    if (error.problems().empty()) std::abort();
    for (const auto& problem : error.problems()) {
      if (problem.message.empty() || problem.file.empty() || problem.line < 0 || problem.column < 0) std::abort();
    }
  }
  return 0;
}
