#include "device/cuda/arch_name.h"

#include <gtest/gtest.h>

namespace kiln::test {
namespace {

TEST(ArchName, HasItsParts) {
  const auto name = parse_arch_name("sm_90a");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->prefix, "sm_");
  EXPECT_EQ(name->number, 90);
  EXPECT_EQ(name->suffix, "a");
  EXPECT_EQ(parse_arch_name("compute_100")->number, 100);
  EXPECT_EQ(parse_arch_name("sm_100f")->suffix, "f");
}

TEST(ArchName, IsWrittenInOneWay) {
  for (const char* text : {"sm_090", "SM_90", "sm_90b", "sm_90aa", "sm_", "sm_a", "sm_9", "sm_9000", "sm90",
                           "90", "", "_90", "sm_-90", "sm_ 90"}) {
    EXPECT_FALSE(parse_arch_name(text).has_value()) << text;
  }
}

TEST(ArchName, IsGuessedFromOtherSpellings) {
  for (const char* text : {"90", "9.0", "SM_90", "sm90", "sm_090", "sm-90", "sm_ 90"}) {
    EXPECT_EQ(likely_arch_name(text), "sm_90") << text;
  }
  EXPECT_EQ(likely_arch_name("Compute_090"), "compute_90");
  EXPECT_EQ(likely_arch_name("90A"), "sm_90a");
  for (const char* text : {"", "haswell", "x86-64", "sm_90b", "9000", "0", "gfx90a", "arm64", "sm"}) {
    EXPECT_EQ(likely_arch_name(text), "") << text;
  }
}

}  // namespace
}  // namespace kiln::test
