#pragma once

// Reads model files (docs/guide/model-format.md): YAML in, model::Model out. A file with mistakes gives a ModelError
// with all of them, each with its place, what was expected, and the nearest word that would be right.

#include <filesystem>
#include <map>
#include <string>

#include "trammel/io/model_problem.h"
#include "trammel/model/model.h"

namespace trammel::io {

struct ModelReadOptions {
  /// Values that replace those of the file's parameters; "left.r" is the parameter r of the sub-model left.
  std::map<std::string, double> parameters;
};

/// Throws ModelError, also when the file cannot be read.
model::Model read_model_file(const std::filesystem::path& path, const ModelReadOptions& options = {});

/// `name` stands for the name of the file, in messages and for the folder of files that the text includes.
model::Model read_model_text(const std::string& text, const std::string& name, const ModelReadOptions& options = {});

}  // namespace trammel::io
