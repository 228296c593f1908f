// Velocities are shared out to bodies as the system says, or as its mass matrix couples them.

#include "trammel/kkt/bodies.h"

#include <gtest/gtest.h>

#include "cases/case.h"

namespace trammel::kkt {
namespace {

using Indices = std::vector<int>;

TEST(Bodies, VelocitiesThatTheMassCouplesAreOneBody) {
  // 0 with 3, 3 with 4; 1 alone without an entry; 2 with 5, said in the upper triangle only.
  const linalg::Pattern mass(6, 6, {{0, 0}, {3, 0}, {4, 3}, {2, 5}, {2, 2}});
  const Bodies bodies = find_bodies(mass);
  EXPECT_EQ(bodies.body_of, (Indices{0, 1, 2, 0, 0, 2}));
  EXPECT_EQ(bodies.offsets, (Indices{0, 3, 4, 6}));
  EXPECT_EQ(bodies.velocities, (Indices{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(bodies.width(0), 3);
  EXPECT_FALSE(bodies.are_contiguous());
}

TEST(Bodies, OfAMechanismAreItsBodies) {
  const cases::Case chain = cases::build_case(*cases::find_case("spatial-chain"), {{"n", 3}});
  const Bodies bodies = find_bodies(chain.system->structure());
  EXPECT_EQ(bodies.offsets, (Indices{0, 6, 12, 18}));
  EXPECT_TRUE(bodies.are_contiguous());
  EXPECT_EQ(bodies.body_of[11], 1);
}

TEST(Bodies, OfASystemWithoutVelocitiesAreNone) { EXPECT_EQ(find_bodies(linalg::Pattern()).count(), 0); }

}  // namespace
}  // namespace trammel::kkt
