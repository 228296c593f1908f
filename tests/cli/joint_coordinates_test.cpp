// trammel run and compare in the coordinates of the joints: the same output as in those of bodies, and what is refused.

#include <cmath>

#include "tests/cli/program.h"

namespace trammel::cli {
namespace {

double largest_difference(const nlohmann::json& a, const nlohmann::json& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    largest = std::max(largest, std::abs(a[k].get<double>() - b[k].get<double>()));
  }
  return largest;
}

TEST_F(Program, RunsInJointCoordinatesWithTheSameSummary) {
  const nlohmann::json body = run_json("run bricard --tol 1e-9 --t-end 0.5");
  const nlohmann::json joint = run_json("run bricard --tol 1e-9 --t-end 0.5 --coordinates joint");
  EXPECT_EQ(body.at("coordinates"), "body");
  EXPECT_EQ(joint.at("coordinates"), "joint");
  for (const char* key : {"q", "v", "lambda"}) EXPECT_LT(largest_difference(body.at(key), joint.at(key)), 1e-6) << key;
  EXPECT_EQ(body.at("bodies").size(), joint.at("bodies").size());
}

TEST_F(Program, WritesTheSameColumnsInJointCoordinates) {
  for (const char* coordinates : {"body", "joint"}) {
    ASSERT_EQ(run(std::string("run slider-crank --tol 1e-9 --every 0.1 --t-end 1 --out ") + path(coordinates) +
                  ".csv --coordinates " + coordinates)
                  .status,
              0);
  }
  std::ifstream body(path("body") + ".csv"), joint(path("joint") + ".csv");
  std::string a, b;
  int rows = 0;
  while (std::getline(body, a) && std::getline(joint, b)) {
    if (a.starts_with("#")) continue;
    std::stringstream left(a), right(b);
    std::string x, y;
    while (std::getline(left, x, ',') && std::getline(right, y, ',')) {
      if (rows == 0) {
        EXPECT_EQ(x, y);
      } else {
        EXPECT_NEAR(std::stod(x), std::stod(y), 1e-5 * (1 + std::abs(std::stod(x))));
      }
    }
    ++rows;
  }
  EXPECT_EQ(rows, 12);  // names, and 11 points
}

TEST_F(Program, RefusesJointCoordinatesWhereTheyMakeNoSense) {
  const auto refusal = [&](const std::string& arguments) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    return answer.err;
  };
  EXPECT_NE(refusal("run pendulum --coordinates joint").find("have none"), std::string::npos);
  EXPECT_NE(refusal("compare pendulum --coordinates joint").find("have none"), std::string::npos);
  EXPECT_NE(refusal("run bricard --coordinates joint --form plain").find("--form plain"), std::string::npos);
  EXPECT_NE(refusal("run bricard --coordinates polar").find("polar"), std::string::npos);
  // A top on a ball has no coordinates with q' = v.
  const std::string ball = refusal("run heavy-top --coordinates joint --method for-sdirk");
  EXPECT_NE(ball.find("q' = v"), std::string::npos) << ball;
  EXPECT_NE(ball.find("joint '"), std::string::npos) << ball;
}

TEST_F(Program, ChoosesCoordinatesByTheStructureAndSaysWhy) {
  const auto choice = [&](const std::string& arguments) {
    const nlohmann::json summary = run_json("run " + arguments + " --coordinates auto");
    return std::pair(summary.value("coordinates", ""), summary.value("coordinates_reason", ""));
  };
  EXPECT_EQ(
      choice("flyball-governor --t-end 0.1"),
      std::pair(std::string("joint"), std::string("a tree of 4 bodies with 2 joints cut, 6 unknowns in place of 46")));
  EXPECT_EQ(choice("chain-bodies --t-end 0.1").first, "body");
  EXPECT_NE(choice("chain-bodies --t-end 0.1").second.find("in the plane"), std::string::npos);
  EXPECT_EQ(choice("pendulum --t-end 0.1"), std::pair(std::string(), std::string()));
  // A form of body coordinates leaves no choice.
  EXPECT_EQ(choice("flyball-governor --t-end 0.1 --form plain").first, "body");
  const Answer text = run("run flyball-governor --t-end 0.1 --coordinates auto");
  EXPECT_NE(text.out.find("those of the joints (a tree of 4 bodies"), std::string::npos) << text.out;
  const nlohmann::json body = run_json("run flyball-governor --tol 1e-9 --t-end 0.5");
  const nlohmann::json automatic = run_json("run flyball-governor --tol 1e-9 --t-end 0.5 --coordinates auto");
  EXPECT_FALSE(body.contains("coordinates_reason"));
  for (const char* key : {"q", "v", "lambda"}) {
    EXPECT_LT(largest_difference(body.at(key), automatic.at(key)), 1e-5) << key;
  }
}

TEST_F(Program, ComparesInTheCoordinatesThatSuit) {
  const nlohmann::json comparison =
      run_json("compare flyball-governor --methods projection,hht --tols 1e-4 --t-end 0.1 --coordinates auto -o " +
               path("page.html"));
  EXPECT_TRUE(comparison.at("coordinates").get<std::string>().starts_with("those of the joints (a tree of 4"));
  for (const nlohmann::json& choice : comparison.at("advice").at("choices")) {
    EXPECT_NE(choice.at("command").get<std::string>().find("--coordinates auto"), std::string::npos);
  }
}

}  // namespace
}  // namespace trammel::cli
