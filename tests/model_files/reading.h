#pragma once

// Reading models in tests.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trammel/io/model_reader.h"
#include "trammel/model/model.h"

namespace trammel::io {

/// A text that must be a model without mistakes.
inline model::Model read(const std::string& text, const ModelReadOptions& options = {}) {
  try {
    return read_model_text(text, "test.yaml", options);
  } catch (const ModelError& error) {
    ADD_FAILURE() << error.what();
    return {};
  }
}

/// What is wrong with a text: the lines of the message, or nothing.
inline std::string mistakes(const std::string& text, const ModelReadOptions& options = {}) {
  try {
    read_model_text(text, "test.yaml", options);
    return {};
  } catch (const ModelError& error) {
    return error.what();
  }
}

/// The value of a program at given values of its inputs, in the order of inputs().
inline double value(const model::Program& program, std::vector<double> inputs = {}) {
  inputs.resize(program.inputs().size());
  std::vector<double> work(static_cast<std::size_t>(program.work_size()));
  return program.eval<double>(inputs, work);
}

/// The signals that a program uses, as written.
inline std::vector<std::string> inputs_of(const model::Model& model, const model::Program& program) {
  std::vector<std::string> names;
  for (const int input : program.inputs()) names.push_back(model.signals[static_cast<std::size_t>(input)].text);
  return names;
}

/// The only signal of a program.
inline const model::Signal& signal_of(const model::Model& model, const model::Program& program) {
  EXPECT_EQ(program.inputs().size(), 1u);
  return model.signals.at(static_cast<std::size_t>(program.inputs()[0]));
}

template <class A, class B>
void expect_near(const A& actual, const B& expected, double tolerance = 1e-14) {
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance) << "actual\n" << actual << "\nexpected\n" << expected;
}

}  // namespace trammel::io
