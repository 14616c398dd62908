#include "specialize/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;

TEST(Tokens, AreJoinedSoThatTheyStaySeparate) {
  const TokenizedText text = tokenize("const  unsigned int *x = a - -b + + c<d> >>1;");
  EXPECT_EQ(text_of(text.tokens, {0, text.tokens.size()}), "const unsigned int*x=a- -b+ +c<d>>>1;");
}

TEST(Tokens, AreSplitAtCommasOutsideOfBrackets) {
  EXPECT_THAT(split_at_commas("f(a, b), {1, 2}, x[i, j]", false), ElementsAre("f(a,b)", "{1,2}", "x[i,j]"));
  EXPECT_THAT(split_at_commas("Vec<float, 3>, Map<A<int>, B>", true),
              ElementsAre("Vec<float,3>", "Map<A<int>,B>"));
  EXPECT_THAT(split_at_commas("a < b, c > d", false), ElementsAre("a<b", "c>d"));
}

}  // namespace
}  // namespace kiln
