// Structures are checked when a system is built, and messages name what does not fit.

#include "trammel/dae/structure.h"

#include <gtest/gtest.h>

#include "tests/dae/general_system.h"

namespace trammel::dae {
namespace {

using linalg::Pattern;

TEST(Structure, NamesRowsAndColumnsOfDerivatives) {
  const Structure s = GeneralSystem::make_structure();
  EXPECT_EQ(to_string(Derivative::kForceByX), "df/dx");
  EXPECT_EQ(row_name(s, Derivative::kForceByX, 2), "c'");
  EXPECT_EQ(column_name(s, Derivative::kForceByX, 1), "w");
  EXPECT_EQ(row_name(s, Derivative::kBiasByV, 1), "rolling");
  EXPECT_EQ(column_name(s, Derivative::kStateByLambda, 0), "surface");
}

TEST(Structure, APatternOfTheWrongSizeIsRefused) {
  Structure s = GeneralSystem::make_structure();
  EXPECT_TRUE(s.validate().empty());
  s.pattern(Derivative::kForceByV) = Pattern(3, 4);
  ASSERT_EQ(s.validate().size(), 1u);
  EXPECT_EQ(s.validate()[0], "the pattern of df/dv is 3 by 4, but must be 3 by 3");
  EXPECT_THROW(GeneralSystem{s}, std::invalid_argument);
}

TEST(Structure, MoreHolonomicRowsThanRowsAreRefused) {
  Structure s = GeneralSystem::make_structure();
  s.n_g = 3;
  EXPECT_EQ(s.validate(), std::vector<std::string>{"n_g is 3, but there are 2 constraint rows"});
}

TEST(Structure, NamedVelocitiesMakeTheKinematicsGeneral) {
  const Structure s = Structure::full({"e0", "e1", "e2", "e3"}, {}, {}, {"wx", "wy", "wz"});
  EXPECT_FALSE(s.has_trivial_kinematics);
  EXPECT_EQ(s.n_q(), 4);
  EXPECT_EQ(s.n_v(), 3);
  EXPECT_TRUE(s.validate().empty());
}

TEST(Structure, SparsePatternsOfDerivativesFollowFromThoseOfTheMassAndTheConstraints) {
  // x0 and x1 stand in one constraint, x2 is on its own.
  const Structure s =
      Structure::sparse({"x0", "x1", "x2"}, {"rod"}, Pattern::diagonal(3), Pattern(1, 3, {{0, 0}, {0, 1}}));
  EXPECT_TRUE(s.validate().empty());
  EXPECT_EQ(s.pattern(Derivative::kInertiaByQ).size(), 3);
  EXPECT_EQ(s.pattern(Derivative::kReactionByQ).size(), 4);
  EXPECT_EQ(s.pattern(Derivative::kForceByQ).size(), 5);
  EXPECT_EQ(s.pattern(Derivative::kVelocityByQ).size(), 2);
  EXPECT_FALSE(s.force_depends_on_lambda());
}

TEST(ConstrainedSystem, SaysWhichFunctionIsMissing) {
  class Forgetful final : public ConstrainedSystem {
   public:
    Forgetful() : ConstrainedSystem(Structure::full({"x"}, {"rod"})) {}
    void calc_mass(const Point&, MatrixValues) const override {}
    void calc_force(const Point&, VectorOut) const override {}
  };
  const Forgetful system;
  Vector g(1);
  try {
    system.calc_constraint(Point{}, g);
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& e) {
    EXPECT_STREQ(e.what(), "the system does not override calc_constraint, but its structure has holonomic constraints");
  }
}

}  // namespace
}  // namespace trammel::dae
