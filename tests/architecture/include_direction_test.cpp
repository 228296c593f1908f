// Includes go one way (docs/architecture.md): a part of the library may include only the parts that the table below
// gives it, and the library never includes what is built on it. Headers of the project are named from its root
// ("trammel/kkt/solver.h"), so that the text of a file shows whom it knows.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// part -> the other parts it may include. That integrators and kkt know no model is the point of the whole: a user's
// hand-written equations are integrated as well as a compiled model.
const std::map<std::string, Names> kMayInclude{
    {"math", {}},
    {"figures", {}},
    {"linalg", {"math"}},
    {"dae", {"math", "linalg"}},
    {"kkt", {"math", "linalg", "dae"}},
    {"kinematics", {"math", "linalg", "dae", "kkt"}},
    {"integrators", {"math", "linalg", "dae", "kkt", "kinematics"}},
    {"model", {"math", "linalg"}},
    {"topology", {"math", "linalg", "model"}},
    {"system", {"math", "linalg", "dae", "kkt", "kinematics", "model", "topology"}},
    {"analyses", {"math", "linalg", "dae", "kkt", "kinematics", "integrators", "model", "topology", "system"}},
    {"io", {"math", "linalg", "dae", "kkt", "kinematics", "integrators", "model", "topology", "system", "analyses"}},
};

// Folders of the project whose headers begin with the folder's name.
const Names kRoots{"trammel", "cases", "apps", "tests", "bench"};

// Why a file of `part` ("cases" for a file of cases/) may not include `header`, or nothing when it may.
std::optional<std::string> objection(const std::string& part, const std::string& header, bool quoted) {
  const fs::path path(header);
  const std::string root = path.begin()->string();
  if (!kRoots.contains(root)) {
    if (quoted) return "name it from the root of the project (\"trammel/part/file.h\"), or in <> if it is a library's";
    return std::nullopt;
  }
  if (part == "cases") {
    if (root == "trammel" || root == "cases") return std::nullopt;
    return "cases may include only trammel and cases";
  }
  if (root != "trammel") return "the library may not include " + root;
  const std::string target = std::next(path.begin())->string();
  if (target == part || kMayInclude.at(part).contains(target)) return std::nullopt;
  return part + " may not include " + target;
}

// One line for every include in `text` that the table forbids: "file:line: #include ...: reason".
std::vector<std::string> find_violations(const std::string& part, const std::string& file, const std::string& text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<std::string> violations;
  std::istringstream lines(text);
  std::string line;
  std::smatch match;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!std::regex_search(line, match, kInclude)) continue;
    if (const auto reason = objection(part, match[2], match[1] == "\"")) {
      violations.push_back(file + ":" + std::to_string(number) + ": " + match.str() + ": " + *reason);
    }
  }
  return violations;
}

std::vector<std::string> find_violations_in_folder(const std::string& part, const fs::path& folder) {
  std::vector<std::string> violations;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    std::ifstream stream(path);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto found = find_violations(part, fs::relative(path, TRAMMEL_SOURCE_DIR).string(), text);
    violations.insert(violations.end(), found.begin(), found.end());
  }
  return violations;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

const fs::path kLibrary = fs::path(TRAMMEL_SOURCE_DIR) / "src" / "trammel";

TEST(IncludeDirection, PartsIncludeOnlyThePartsBelowThem) {
  int parts = 0;
  for (const auto& entry : fs::directory_iterator(kLibrary)) {
    if (!entry.is_directory()) continue;
    const std::string part = entry.path().filename().string();
    ASSERT_TRUE(kMayInclude.contains(part)) << "src/trammel/" << part << " is not in the table of this test";
    const auto violations = find_violations_in_folder(part, entry.path());
    EXPECT_TRUE(violations.empty()) << join(violations);
    ++parts;
  }
  EXPECT_GT(parts, 0) << "no part found in " << kLibrary;
}

TEST(IncludeDirection, CasesIncludeOnlyTheLibraryAndCases) {
  const auto violations = find_violations_in_folder("cases", fs::path(TRAMMEL_SOURCE_DIR) / "cases");
  EXPECT_TRUE(violations.empty()) << join(violations);
}

TEST(IncludeDirection, TheTableIsOneWay) {
  for (const auto& [part, below] : kMayInclude) {
    EXPECT_FALSE(below.contains(part)) << part << " is listed below itself";
    for (const auto& lower : below) {
      ASSERT_TRUE(kMayInclude.contains(lower)) << lower << " is unknown";
      // With this no chain of permissions leads back to where it began.
      EXPECT_FALSE(kMayInclude.at(lower).contains(part)) << part << " and " << lower << " may include each other";
      for (const auto& lowest : kMayInclude.at(lower)) {
        EXPECT_TRUE(below.contains(lowest)) << part << " may include " << lower << ", but not its " << lowest;
      }
    }
  }
  EXPECT_FALSE(kMayInclude.at("integrators").contains("model"));
  EXPECT_FALSE(kMayInclude.at("kkt").contains("model"));
}

TEST(IncludeDirection, APlantedViolationIsFoundWithItsFileAndLine) {
  const std::string text =
      "#include <vector>\n"
      "#include \"trammel/dae/state.h\"\n"
      "  #  include \"trammel/model/joint/revolute.h\"\n";
  EXPECT_EQ(
      find_violations("integrators", "src/trammel/integrators/newton.cpp", text),
      std::vector<std::string>{"src/trammel/integrators/newton.cpp:3:   #  include \"trammel/model/joint/revolute.h\": "
                               "integrators may not include model"});
  EXPECT_TRUE(find_violations("system", "compile.cpp", text).empty());
}

TEST(IncludeDirection, OtherWaysAroundTheRuleAreFound) {
  EXPECT_EQ(find_violations("kkt", "a.h", "#include <trammel/model/body.h>\n").size(), 1u) << "angle brackets";
  EXPECT_EQ(find_violations("kkt", "a.h", "#include \"../model/body.h\"\n").size(), 1u) << "a relative path";
  EXPECT_EQ(find_violations("kkt", "a.h", "#include \"trammel/trammel.h\"\n").size(), 1u) << "a header of everything";
  EXPECT_EQ(find_violations("dae", "a.h", "#include \"cases/case.h\"\n").size(), 1u) << "what is built on the library";
  EXPECT_EQ(find_violations("cases", "a.h", "#include \"tests/support/x.h\"\n").size(), 1u) << "tests from a case";
  EXPECT_TRUE(find_violations("linalg", "a.h", "#include <klu.h>\n#include <Eigen/Dense>\n").empty()) << "libraries";
}

}  // namespace
