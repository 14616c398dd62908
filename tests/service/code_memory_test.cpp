#include "service/code_memory.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

CodeObject code_of(const std::string& binary) {
  CodeObject code;
  code.binary = binary;
  return code;
}

TEST(CodeMemory, KnowsNothingAtFirst) {
  const CodeMemory memory;
  EXPECT_EQ(memory.code("a"), nullptr);
  EXPECT_EQ(memory.loaded("a", ""), nullptr);
}

TEST(CodeMemory, KeepsCodeThatIsNotLoadedAsLongAsSomebodyDoes) {
  CodeMemory memory;
  auto held = memory.add("a", code_of("text"));
  ASSERT_NE(memory.code("a"), nullptr);
  EXPECT_EQ(memory.code("a")->binary, "text");
  EXPECT_EQ(memory.code("b"), nullptr);
  held.reset();
  EXPECT_EQ(memory.code("a"), nullptr);
}

TEST(CodeMemory, KeepsWhatIsLoadedByDevice) {
  CodeMemory memory;
  const auto held = memory.add("a", code_of("text"));
  const auto loaded = std::make_shared<LoadedCode>(code_of("text"), nullptr);
  memory.add_loaded("a", "cuda:1", loaded);
  EXPECT_EQ(memory.loaded("a", "cuda:1"), loaded);
  EXPECT_EQ(memory.loaded("a", "cuda:0"), nullptr);
  EXPECT_EQ(memory.loaded("b", "cuda:1"), nullptr);
}

TEST(CodeMemory, GivesTheCodeOfWhatIsLoadedOnceNobodyElseHasIt) {
  CodeMemory memory;
  static_cast<void>(memory.add("a", code_of("text")));
  memory.add_loaded("a", "", std::make_shared<LoadedCode>(code_of("text"), nullptr));
  const auto code = memory.code("a");
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->binary, "text");
}

}  // namespace
}  // namespace kiln
