#pragma once

// The JSON Schema (draft 2020-12) of model files. It is what the reader checks keys, kinds and words against, so that
// an editor that knows the schema and the reader agree; `trammel schema` prints it. What a schema cannot say (names
// that must exist, values that must be positive, planar against spatial) the reader checks by itself.

#include <string_view>

namespace trammel::io {

std::string_view model_schema_text();

}  // namespace trammel::io
