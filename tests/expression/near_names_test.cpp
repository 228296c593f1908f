#include "trammel/model/near_names.h"

#include <gtest/gtest.h>

namespace trammel::model {
namespace {

TEST(NearNames, CountInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("angle", "angle"), 0);
  EXPECT_EQ(edit_distance("angle", "angel"), 1);
  EXPECT_EQ(edit_distance("angle", "angles"), 1);
  EXPECT_EQ(edit_distance("angle", "ange"), 1);
  EXPECT_EQ(edit_distance("angle", "ankle"), 1);
  EXPECT_EQ(edit_distance("rate", ""), 4);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(NearNames, SuggestNearNames) {
  EXPECT_EQ(describe_unknown("joint", "hinge1", {"hinge", "slider", "hinge2"}),
            "there is no joint 'hinge1'; did you mean hinge or hinge2?");
}

TEST(NearNames, SuggestNamesThatContainTheWord) {
  EXPECT_EQ(describe_unknown("joint", "arm", {"upper-arm-joint", "wheel"}),
            "there is no joint 'arm'; did you mean upper-arm-joint?");
}

TEST(NearNames, ListAllNamesWhenNoneIsNear) {
  EXPECT_EQ(describe_unknown("joint", "qqqq", {"hinge", "slider"}),
            "there is no joint 'qqqq'; there are: hinge, slider");
  EXPECT_EQ(describe_unknown("joint", "qqqq", {}), "there is no joint 'qqqq'");
}

TEST(NearNames, SuggestAFewOfManyNames) {
  std::vector<std::string> links;
  for (int k = 0; k < 100; ++k) links.push_back("link" + std::to_string(k));
  EXPECT_EQ(describe_unknown("body", "lnik55", links),
            "there is no body 'lnik55'; did you mean link55 or link5 or link15 or link25?");
  EXPECT_EQ(
      describe_unknown("body", "qqqqqq", links),
      "there is no body 'qqqqqq'; there are: link0, link1, link2, link3, link4, link5, link6, link7, link8, link9, "
      "link10, link11, link12, link13, link14, link15, link16, link17, link18, link19 and 80 more");
}

TEST(NearNames, TakeLongWords) {
  const std::string word(1000000, 'a');
  EXPECT_EQ(describe_unknown("joint", word, {"hinge"}), "there is no joint '" + word + "'; there are: hinge");
}

}  // namespace
}  // namespace trammel::model
