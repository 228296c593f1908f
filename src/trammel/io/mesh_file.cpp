#include "trammel/io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

namespace trammel::io {
namespace {

using model::Mesh;
using Vertex = std::array<float, 3>;

/// Gives equal vertices one number: STL lists those of every triangle anew.
class VertexTable {
 public:
  explicit VertexTable(Mesh& mesh) : mesh_(mesh) {}

  void add_corner(const Vertex& vertex) {
    const auto [place, is_new] = numbers_.emplace(vertex, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) mesh_.vertices.insert(mesh_.vertices.end(), vertex.begin(), vertex.end());
    mesh_.triangles.push_back(place->second);
  }

 private:
  Mesh& mesh_;
  std::map<Vertex, std::uint32_t> numbers_;
};

/// A text line by line, as words.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  /// The words of the next line; false at the end.
  bool next(std::vector<std::string_view>& words) {
    words.clear();
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    while (true) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || line[first] == '#') return true;
      const std::size_t last = std::min(line.find_first_of(" \t\r", first), line.size());
      words.push_back(line.substr(first, last - first));
      line.remove_prefix(last);
    }
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw MeshProblem(fmt::format("line {}: {}", line_, reason));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  long line_ = 0;
};

Vertex read_vertex(const std::vector<std::string_view>& words, double scale, const WordReader& reader) {
  if (words.size() < 4) reader.refuse("a vertex has three numbers");
  Vertex vertex{};
  for (std::size_t k = 0; k < 3; ++k) {
    std::string_view word = words[k + 1];
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
      reader.refuse(fmt::format("'{}' is not a number", words[k + 1]));
    }
    vertex[k] = static_cast<float>(scale * value);
    if (!std::isfinite(vertex[k])) reader.refuse(fmt::format("'{}' is too large", words[k + 1]));
  }
  return vertex;
}

constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;

/// The number of triangles of a binary file, as its length says, or nothing when it is a text.
std::optional<std::size_t> count_binary_triangles(const std::string& contents) {
  if (contents.size() < kStlHeader) return std::nullopt;
  std::uint32_t count = 0;
  std::memcpy(&count, contents.data() + kStlHeader - 4, 4);
  if (contents.size() == kStlHeader + kStlTriangle * count) return count;
  return std::nullopt;
}

Mesh read_binary_stl(const std::string& contents, std::size_t count, double scale) {
  Mesh mesh;
  VertexTable table(mesh);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Vertex, 3> corners{};
    std::memcpy(corners.data(), contents.data() + kStlHeader + kStlTriangle * i + sizeof(Vertex), sizeof corners);
    for (Vertex& corner : corners) {
      for (float& value : corner) {
        value = static_cast<float>(scale * value);
        if (!std::isfinite(value)) throw MeshProblem(fmt::format("triangle {} has a corner that is no number", i + 1));
      }
      table.add_corner(corner);
    }
  }
  return mesh;
}

/// Some programs write keywords in capitals.
bool is_word(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

Mesh read_text_stl(const std::string& contents, double scale) {
  Mesh mesh;
  VertexTable table(mesh);
  WordReader reader(contents);
  std::vector<std::string_view> words;
  while (reader.next(words) && words.empty()) {
  }
  if (words.empty() || !is_word(words[0], "solid")) {
    throw MeshProblem("it is neither a binary STL file (its length does not fit its number of triangles) nor a text");
  }
  bool has_end = false;
  while (reader.next(words)) {
    if (words.empty()) continue;
    if (is_word(words[0], "vertex")) table.add_corner(read_vertex(words, scale, reader));
    has_end = is_word(words[0], "endsolid");
  }
  if (!has_end || mesh.triangles.size() % 3 != 0)
    throw MeshProblem("the file is cut off: it does not end with endsolid");
  return mesh;
}

/// "7", "7/1/3", "-1": a vertex counted from 1, or from the last one backwards.
std::uint32_t read_corner(std::string_view word, std::size_t vertices, const WordReader& reader) {
  long index = 0;
  std::from_chars(word.data(), word.data() + word.size(), index);
  const long count = static_cast<long>(vertices);
  if (index < 0) index += count + 1;
  if (index < 1 || index > count) reader.refuse(fmt::format("'{}' is not one of the {} vertices so far", word, count));
  return static_cast<std::uint32_t>(index - 1);
}

Mesh read_obj(const std::string& contents, double scale) {
  Mesh mesh;
  WordReader reader(contents);
  std::vector<std::string_view> words;
  std::vector<std::uint32_t> corners;
  while (reader.next(words)) {
    if (words.empty()) continue;
    if (words[0] == "v") {
      const Vertex vertex = read_vertex(words, scale, reader);
      mesh.vertices.insert(mesh.vertices.end(), vertex.begin(), vertex.end());
    } else if (words[0] == "f") {
      if (words.size() < 4) reader.refuse("a face has at least three corners");
      corners.clear();
      for (std::size_t k = 1; k < words.size(); ++k) {
        corners.push_back(read_corner(words[k], mesh.vertices.size() / 3, reader));
      }
      for (std::size_t k = 2; k < corners.size(); ++k) {
        mesh.triangles.insert(mesh.triangles.end(), {corners[0], corners[k - 1], corners[k]});
      }
    }
  }
  return mesh;
}

}  // namespace

Mesh read_mesh(const std::string& contents, const std::string& file_name, double scale) {
  std::string extension = std::filesystem::path(file_name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Mesh mesh;
  if (contents.empty()) throw MeshProblem("it is empty");
  if (extension == ".stl") {
    const auto count = count_binary_triangles(contents);
    mesh = count ? read_binary_stl(contents, *count, scale) : read_text_stl(contents, scale);
  } else if (extension == ".obj") {
    mesh = read_obj(contents, scale);
  } else {
    throw MeshProblem("meshes are read from .stl and .obj files");
  }
  if (mesh.triangles.empty()) throw MeshProblem("there is no triangle in it");
  return mesh;
}

}  // namespace trammel::io
