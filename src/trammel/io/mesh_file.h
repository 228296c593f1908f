#pragma once

// Surfaces from files: STL (binary and text) and Wavefront OBJ, of which vertices and faces are read.

#include <stdexcept>
#include <string>

#include "trammel/model/shape.h"

namespace trammel::io {

/// What is wrong with the contents of a mesh file, with its line where it has lines.
class MeshProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The surface in the contents of a file whose name ends with .stl or .obj, all lengths times `scale`. Faces with more
/// than three corners are divided into triangles. Throws MeshProblem.
model::Mesh read_mesh(const std::string& contents, const std::string& file_name, double scale);

}  // namespace trammel::io
