// Meshes out of STL and OBJ files, and bytes as text.

#include "trammel/io/mesh_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "trammel/io/base64.h"

namespace trammel::io {
namespace {

std::string encode(const std::string& text) { return to_base64(std::as_bytes(std::span(text.data(), text.size()))); }

TEST(Base64, AgreesWithTheExamplesOfTheStandard) {
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foob"), "Zm9vYg==");
  EXPECT_EQ(encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode("\xFF\xFE\xFD"), "//79");
}

TEST(Base64, PiecesGiveTheSameAsTheWhole) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(37 * i);
  for (const std::size_t piece : {1, 2, 3, 7, 999}) {
    Base64Encoder encoder;
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      encoder.append(std::as_bytes(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at))), text);
    }
    encoder.finish(text);
    EXPECT_EQ(text, encode(bytes)) << piece;
  }
}

// A square in the plane z = 1 as two triangles.
const char* const kSquare = R"(solid square
facet normal 0 0 1
 outer loop
  vertex 0 0 1
  vertex +2 0 1
  vertex 2 2 1
 endloop
endfacet
facet normal 0 0 1
 outer loop
  vertex 0 0 1
  vertex 2.0e0 2 1
  vertex 0 2 1
 endloop
endfacet
endsolid square
)";

const std::vector<float> kCorners{0, 0, 1, 2, 0, 1, 2, 2, 1, 0, 2, 1};
const std::vector<std::uint32_t> kTriangles{0, 1, 2, 0, 2, 3};

std::string binary_square() {
  std::string bytes(80, ' ');
  bytes.replace(0, 5, "solid");  // some programs write this into binary files, too
  const auto append = [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); };
  const std::uint32_t count = 2;
  append(&count, 4);
  for (std::size_t t = 0; t < 2; ++t) {
    const std::array<float, 3> normal{0, 0, 1};
    append(normal.data(), sizeof normal);
    for (std::size_t k = 0; k < 3; ++k) append(&kCorners[3 * kTriangles[3 * t + k]], 12);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST(MeshFile, TextAndBinaryStlGiveTheSameWithSharedVertices) {
  std::string capitals = std::string("\n") + kSquare;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& contents : {std::string(kSquare), capitals, binary_square()}) {
    const model::Mesh mesh = read_mesh(contents, "square.STL", 1);
    EXPECT_EQ(mesh.vertices, kCorners);
    EXPECT_EQ(mesh.triangles, kTriangles);
  }
}

TEST(MeshFile, LengthsAreScaled) {
  EXPECT_EQ(read_mesh(kSquare, "s.stl", 0.5).vertices[3], 1);
  EXPECT_EQ(read_mesh(binary_square(), "s.stl", 0.5).vertices[3], 1);
}

TEST(MeshFile, ObjFacesMayHaveMoreCornersAndCountBackwards) {
  const model::Mesh mesh = read_mesh(R"(# a square
v 0 0 1
v 2 0 1   # a corner
vn 0 0 1
v 2 2 1
v 0 2 1
f 1//1 2//1 3//1 -1
)",
                                     "s.obj", 1);
  EXPECT_EQ(mesh.vertices, kCorners);
  EXPECT_EQ(mesh.triangles, kTriangles);
}

std::string problem_of(const std::string& contents, const std::string& name) {
  try {
    read_mesh(contents, name, 1);
    return "";
  } catch (const MeshProblem& problem) {
    return problem.what();
  }
}

TEST(MeshFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of("v 0 0 0\nf 1 2 3\n", "a.obj"), "line 2: '2' is not one of the 1 vertices so far");
  EXPECT_EQ(problem_of("v 0 0 zero\n", "a.obj"), "line 1: 'zero' is not a number");
  EXPECT_EQ(problem_of("v 0 0\n", "a.obj"), "line 1: a vertex has three numbers");
  EXPECT_EQ(problem_of("v 0 0 nan\n", "a.obj"), "line 1: 'nan' is not a number");
  EXPECT_EQ(problem_of("v 0 0 0\nf 1 1\n", "a.obj"), "line 2: a face has at least three corners");
  EXPECT_EQ(problem_of("# nothing\n", "a.obj"), "there is no triangle in it");
  EXPECT_EQ(problem_of("", "a.obj"), "it is empty");
  EXPECT_EQ(problem_of("v 0 0 1e300\n", "a.obj"), "line 1: '1e300' is too large");
  EXPECT_EQ(problem_of("solid s\nendsolid s\n", "a.stl"), "there is no triangle in it");
  EXPECT_EQ(problem_of(" ", "a.step"), "meshes are read from .stl and .obj files");
  const std::string whole = kSquare;
  EXPECT_EQ(problem_of(whole.substr(0, whole.rfind("  vertex")), "a.stl"),
            "the file is cut off: it does not end with endsolid");
  EXPECT_EQ(problem_of(whole.substr(0, whole.rfind("endsolid")), "a.stl"),
            "the file is cut off: it does not end with endsolid");
  EXPECT_NE(problem_of(binary_square().substr(0, 150), "a.stl"), "");
  std::string not_a_number = binary_square();
  not_a_number.replace(84 + 12, 4, "\xFF\xFF\xFF\x7F", 4);
  EXPECT_EQ(problem_of(not_a_number, "a.stl"), "triangle 1 has a corner that is no number");
}

}  // namespace
}  // namespace trammel::io
