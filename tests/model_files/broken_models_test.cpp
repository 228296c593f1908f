// Every file in broken/ begins with lines "# expect: line:column: message" that say what must be reported, all of it
// and nothing else. Problems in other files have the file's name in front; a line break in a message is written \n.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/model_files/reading.h"

namespace trammel::io {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(TRAMMEL_SOURCE_DIR) / "tests" / "model_files" / "broken";

// Files that others include are in a folder below.
std::vector<fs::path> broken_models() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string expected_problems(const fs::path& path) {
  static const std::string mark = "# expect: ";
  std::ifstream stream(path);
  std::string line, expected;
  while (std::getline(stream, line) && line.starts_with(mark)) expected += line.substr(mark.size()) + "\n";
  return expected;
}

// In the form of the expectations: no name for the file itself.
std::string describe(const ModelProblem& problem, const std::string& file) {
  std::string text = problem.file == file ? "" : problem.file + ":";
  text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": ";
  for (const char c : problem.message) text += c == '\n' ? std::string("\\n") : std::string(1, c);
  return text + "\n";
}

class BrokenModel : public testing::TestWithParam<fs::path> {};

TEST_P(BrokenModel, GivesExactlyTheExpectedMessages) {
  const std::string expected = expected_problems(GetParam());
  ASSERT_FALSE(expected.empty()) << "the file says not what to expect";
  // Messages name files as they are asked for: from here without folders.
  const fs::path folder = fs::current_path();
  fs::current_path(kFolder);
  const std::string file = GetParam().filename().string();
  std::string found;
  try {
    read_model_file(file);
  } catch (const ModelError& error) {
    for (const ModelProblem& problem : error.problems()) found += describe(problem, file);
  }
  fs::current_path(folder);
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenModel, testing::ValuesIn(broken_models()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(BrokenModels, AreMany) { EXPECT_GE(broken_models().size(), 80u); }

}  // namespace
}  // namespace trammel::io
