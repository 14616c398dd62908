#include "base/word_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

enum class Colour { kRed, kGreen, kUnnamed };

}  // namespace

template <>
inline constexpr auto kWords<Colour> = std::to_array<Word<Colour>>({{Colour::kGreen, "green"},
                                                                    {Colour::kRed, "red"}});

namespace {

TEST(WordTable, WritesAndReadsTheSameWords) {
  EXPECT_STREQ(to_string(Colour::kRed), "red");
  EXPECT_EQ(from_word<Colour>("green"), Colour::kGreen);
  EXPECT_EQ(from_word<Colour>("Green"), std::nullopt);
  EXPECT_THAT(words_of<Colour>(), ::testing::ElementsAre("green", "red"));
}

TEST(WordTable, AValueWithoutARowHasNoWord) {
  EXPECT_STREQ(to_string(Colour::kUnnamed), "");
}

}  // namespace
}  // namespace kiln
