#pragma once

// Checks a document against the JSON Schema of model files: unknown and missing keys, lists of the wrong length, words
// that are not among those allowed, values of the wrong kind. It knows the part of JSON Schema that model_schema.cpp
// uses: type, properties, required, additionalProperties, propertyNames with a pattern, items, minItems, maxItems,
// enum, $ref within the schema, and anyOf whose alternatives differ in the kind of value or in the word at "type".
// Scalars have no type in YAML: any of them may be a number, as an expression.

#include "trammel/io/model_file/document.h"

namespace trammel::io::model_file {

/// Checks a whole model file.
void check_against_schema(const Node& root, Problems& problems);

}  // namespace trammel::io::model_file
