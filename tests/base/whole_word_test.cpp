#include "base/whole_word.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(WholeWord, IsNoPartOfALongerOne) {
  EXPECT_TRUE(has_word("i", "i"));
  EXPECT_TRUE(has_word("p-i", "i"));
  EXPECT_TRUE(has_word("i-p", "i"));
  EXPECT_TRUE(has_word("ii + i", "i"));
  EXPECT_FALSE(has_word("ii + i2 + _i", "i"));
  EXPECT_TRUE(has_word("2*a[0]b", "a[0]"));
  EXPECT_TRUE(has_word("s**q", "*q"));
  EXPECT_FALSE(has_word("s**qq", "*q"));
  EXPECT_FALSE(has_word("text", ""));
  EXPECT_FALSE(has_word("", "i"));
}

TEST(WholeWord, OptionsContainHyphens) {
  EXPECT_TRUE(has_word("unknown option '--foo'", "--foo"));
  EXPECT_TRUE(has_word("--foo=3", "--foo"));
  EXPECT_FALSE(has_word("--foo", "-foo"));
  EXPECT_FALSE(has_word("--foo-bar", "--foo"));
  EXPECT_FALSE(has_word("x--foo", "--foo"));
}

}  // namespace
}  // namespace kiln
