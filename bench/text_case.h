#pragma once

// A case from the text of a model, for models that the programs of this folder write.

#include <string>

#include "cases/case.h"
#include "trammel/io/model_reader.h"

namespace trammel::bench {

inline cases::Case build_text(const std::string& name, const std::string& text) {
  cases::CaseEntry entry;
  entry.name = name;
  entry.model = [&](const cases::ParameterValues&) { return io::read_model_text(text, name); };
  return build_case(entry);
}

}  // namespace trammel::bench
