#pragma once

// A case from the text of a model, for models that the programs of this folder write.

#include <memory>
#include <string>
#include <utility>

#include "cases/case.h"
#include "trammel/io/model_reader.h"
#include "trammel/model/placement.h"

namespace trammel::bench {

inline cases::Case build_text(const std::string& name, const std::string& text) {
  cases::CaseEntry entry;
  entry.name = name;
  entry.model = [&](const cases::ParameterValues&) { return io::read_model_text(text, name); };
  return build_case(entry);
}

/// The same of a model that is written in a consistent position without redundant constraints: nothing is assembled or
/// looked for, which takes long on large models. Without events and reports.
inline cases::Case compile_text(const std::string& name, const std::string& text) {
  model::Model model = io::read_model_text(text, name);
  model::place_bodies(model);
  cases::Case result;
  result.mechanism = std::make_shared<const system::Mechanism>(std::make_shared<const model::Model>(std::move(model)));
  result.system = result.mechanism;
  result.start = result.mechanism->given_state();
  return result;
}

}  // namespace trammel::bench
