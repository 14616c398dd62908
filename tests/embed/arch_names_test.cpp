#include "embed/arch_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_compiler.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AnyTarget : public FakeCompiler {
 public:
  Target target_for(const std::string& arch) override { return {"cuda", arch, 32}; }
};

std::string refusal(const std::string& archs) {
  AnyTarget compiler;
  return bad_input_of([&] {
    static_cast<void>(targets_of(archs, {{"cpu", &compiler}, {"cuda", &compiler}, {"hip", &compiler}}));
  });
}

TEST(ArchArguments, ATextThatIsNoNameIsRefusedWithTheOneThatIsMeant) {
  const std::pair<const char*, const char*> texts[] = {
      {"90", "sm_90"},      {"SM_90", "sm_90"},  {"sm90", "sm_90"},   {"9.0", "sm_90"},
      {"GFX90a", "gfx90a"}, {"nativ", "native"}, {"x86_64", "x86-64"}};
  for (const auto& [text, meant] : texts) {
    EXPECT_THAT(refusal(text), AllOf(StartsWith("--arch: unknown architecture '" + std::string(text) +
                                                "'; did you mean '" + meant + "'? Expected: "),
                                     HasSubstr("sm_90, sm_90a"), HasSubstr("gfx90a"), HasSubstr("native")))
        << text;
  }
  EXPECT_THAT(refusal("haswell"), StartsWith("--arch: unknown architecture 'haswell'; expected sm_90, "));
}

TEST(ArchArguments, AnEmptyNameIsRefused) {
  for (const std::string archs : {"", "sm_90,,sm_80", "sm_90,", " "}) {
    EXPECT_THAT(refusal(archs),
                StartsWith("--arch: there is no name in '" + archs + "' where one should be; "))
        << archs;
  }
}

TEST(ArchArguments, BlanksAfterACommaAreNoPartOfAName) {
  AnyTarget compiler;
  const std::vector<Target> targets = targets_of("sm_90, sm_80", {{"cuda", &compiler}});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[1].arch, "sm_80");
}

}  // namespace
}  // namespace kiln::test
