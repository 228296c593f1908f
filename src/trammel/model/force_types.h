#pragma once

// The kinds of forces that model files know, for lists and messages.

#include <string>
#include <vector>

namespace trammel::model {

struct ForceTypeInfo {
  std::string name;     ///< as in model files
  std::string summary;  ///< one line
  bool in_plane = true;
};

const std::vector<ForceTypeInfo>& force_types();

}  // namespace trammel::model
