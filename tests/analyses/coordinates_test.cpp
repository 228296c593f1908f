// The choice between body and joint coordinates: what is counted, what the rule makes of it, and what overrules it.

#include "trammel/analyses/coordinates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "cases/case.h"
#include "tests/support/models.h"
#include "trammel/analyses/form.h"
#include "trammel/analyses/joint_coordinates.h"

namespace trammel::analyses {
namespace {

cases::Case build(const char* name) { return cases::build_case(*cases::find_case(name)); }

Form choose(const cases::Case& c, const char* method, const integrators::MethodOptions& options = {}) {
  return choose_form(c.mechanism, c.start, *integrators::find_method(method), FormKind::kAutomatic, options);
}

TEST(Coordinates, UnknownsOfTheTreeAreThoseOfTheJointForm) {
  int counted = 0;
  for (const cases::CaseEntry* entry : cases::cases()) {
    if (!entry->model) continue;
    SCOPED_TRACE(entry->name);
    const cases::Case c = build_case(*entry);
    const TreeSizes sizes = calc_tree_sizes(*c.mechanism);
    const auto form = make_joint_form(c.mechanism, c.start);
    EXPECT_EQ(sizes.joint_unknowns, form->structure().n_v() + form->structure().m());
    EXPECT_EQ(sizes.body_unknowns, c.system->structure().n_v() + c.system->structure().m());
    EXPECT_EQ(sizes.loops, static_cast<int>(form->tree().tree().cut_joints.size()));
    ++counted;
  }
  EXPECT_GT(counted, 20);
}

TEST(Coordinates, JointsArePreferredInSpaceWhereTheySaveMuch) {
  TreeSizes sizes{.bodies = 3, .depth = 3, .body_unknowns = 33, .joint_unknowns = 3, .mean_depth = 2};
  EXPECT_TRUE(advise_coordinates(sizes, true).prefers_joints);
  EXPECT_EQ(advise_coordinates(sizes, true).reason, "a tree of 3 bodies without loops, 3 unknowns in place of 33");
  sizes.joint_unknowns = 12;
  EXPECT_FALSE(advise_coordinates(sizes, true).prefers_joints);
  EXPECT_NE(advise_coordinates(sizes, true).reason.find("12 unknowns in place of 33"), std::string::npos);
  sizes.joint_unknowns = 3;
  sizes.is_planar = true;
  EXPECT_FALSE(advise_coordinates(sizes, true).prefers_joints);
  EXPECT_NE(advise_coordinates(sizes, true).reason.find("in the plane"), std::string::npos);
  sizes.is_planar = false;
  sizes.depth = 1000;
  sizes.mean_depth = 500;
  EXPECT_FALSE(advise_coordinates(sizes, true).prefers_joints);
  EXPECT_NE(advise_coordinates(sizes, true).reason.find("1000 deep"), std::string::npos);
  EXPECT_FALSE(advise_coordinates(sizes, false).prefers_joints);
  sizes.mean_depth = 50;
  EXPECT_FALSE(advise_coordinates(sizes, true).prefers_joints);
  EXPECT_NE(advise_coordinates(sizes, true).reason.find("implicit"), std::string::npos);
  EXPECT_TRUE(advise_coordinates(sizes, false).prefers_joints) << "explicit methods gain at any depth";
}

TEST(Coordinates, AreChosenByTheStructureForEveryMethod) {
  const cases::Case governor = build("flyball-governor"), chain = build("chain-bodies"), car = build("hmmwv14");
  for (const char* method : {"projection", "mexx", "hht", "bdf-i3", "for-sdirk"}) {
    EXPECT_TRUE(choose(governor, method).joint) << method;
    EXPECT_TRUE(choose(chain, method).is_quasi()) << method;
    EXPECT_FALSE(choose(car, method).joint) << method;
  }
  EXPECT_TRUE(choose(car, "bdf-i3").plain);
  const cases::Case equations = build("chain");
  EXPECT_TRUE(choose(equations, "projection").is_quasi());
  EXPECT_EQ(choose(equations, "projection").reason, "");
}

TEST(Coordinates, GiveWayToOptionsOfTheMethod) {
  const cases::Case governor = build("flyball-governor"), chain = build("chain-bodies");
  const Form articulated = choose(chain, "projection", {{"linear_solver", "articulated"}});
  EXPECT_TRUE(articulated.joint);
  EXPECT_EQ(articulated.reason, "options of the method do not suit body coordinates");
  // Names of positions are those of bodies or of joints.
  const auto name_positions = [](const dae::Structure& s) {
    const std::vector<std::string> names(s.position_names.begin(), s.position_names.begin() + (s.n_v() - s.m()));
    return integrators::MethodOptions{{"independent", fmt::format("{}", fmt::join(names, ","))}};
  };
  const Form by_bodies =
      choose(governor, "for-sdirk",
             name_positions(system::PlainForm(governor.mechanism, governor.mechanism->rotations()).structure()));
  EXPECT_FALSE(by_bodies.joint);
  EXPECT_EQ(by_bodies.reason, "options of the method do not suit joint coordinates");
  const cases::Case linkage = build("seven-body");
  const Form by_joints =
      choose(linkage, "for-sdirk", name_positions(make_joint_form(linkage.mechanism, linkage.start)->structure()));
  EXPECT_TRUE(by_joints.joint);
  EXPECT_EQ(by_joints.reason, "options of the method do not suit body coordinates");
  const Form unknown = choose(governor, "for-sdirk", {{"independent", "nosuch"}});
  EXPECT_FALSE(unknown.joint);
  EXPECT_EQ(unknown.reason, "") << "what is wrong is said by who runs it";
  EXPECT_TRUE(choose(governor, "for-sdirk", {{"independent", "automatic"}}).joint);
}

TEST(Coordinates, GiveWayToMethodsThatCannotTakeBalls) {
  const cases::Case top = build("heavy-top");
  EXPECT_THROW(choose_form(top.mechanism, top.start, *integrators::find_method("bdf-i3"), FormKind::kJoint),
               std::invalid_argument);
  // An option that only joint coordinates have does not help: that is said when the run begins.
  EXPECT_TRUE(choose(top, "bdf-i3", {{"linear_solver", "articulated"}}).plain);
}

TEST(Coordinates, AreThoseOfTheBodiesWhereNothingCanMove) {
  auto model = testing::make_model(model::Space::kSpatial);
  const int block = testing::add_body(*model, "block", 1, Eigen::Vector3d(1, 1, 1));
  testing::add_joint_at(*model, "weld", model::JointType::kFixed, model::kGround, block, Eigen::Vector3d::Zero());
  const auto mechanism = std::make_shared<const system::Mechanism>(model);
  const integrators::MethodEntry& method = *integrators::find_method("projection");
  const Form form = choose_form(mechanism, mechanism->given_state(), method, FormKind::kAutomatic);
  EXPECT_TRUE(form.is_quasi());
  EXPECT_NE(form.reason.find("no motion free"), std::string::npos);
  EXPECT_THROW(choose_form(mechanism, mechanism->given_state(), method, FormKind::kJoint), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::analyses
