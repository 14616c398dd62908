#include "report/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TextTable small_table() {
  return {{{"name"}, {"value\nGB/s", true}}, {{{"a"}, {"1.5"}}, {{"longer"}, {"12.25", Tone::kGood}}}};
}

TEST(TextTable, AlignsColumnsUnderTheirTitles) {
  EXPECT_EQ(render_terminal(small_table(), {0, true, false}),
            " name   │ value\n"
            "        │  GB/s\n"
            "────────┼───────\n"
            " a      │   1.5\n"
            " longer │ 12.25\n");
}

TEST(TextTable, NeedsNothingButAsciiWhereTheTerminalHasNothingElse) {
  const std::string text = render_terminal(small_table(), {0, false, false});
  EXPECT_THAT(text, HasSubstr("--------+-------\n"));
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 128);
}

TEST(TextTable, ColoursOnlyWhenAsked) {
  EXPECT_THAT(render_terminal(small_table(), {0, true, false}), Not(HasSubstr("\033")));
  EXPECT_THAT(render_terminal(small_table(), {0, true, true}), HasSubstr("\033[32m12.25\033[0m"));
}

TEST(TextTable, ContinuesInFurtherBlocksWhenTooWide) {
  TextTable table{{{"variant"}}, {{{"first"}}}};
  for (int i = 0; i < 8; ++i) {
    table.columns.push_back({"metric_number_" + std::to_string(i)});
    table.rows[0].push_back({std::to_string(i)});
  }
  const std::string text = render_terminal(table, {60, true, false});
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 60U) << line;
  for (int i = 0; i < 8; ++i) EXPECT_THAT(text, HasSubstr("metric_number_" + std::to_string(i)));
  EXPECT_GT(text.find("variant", text.find("variant") + 1), 0U);
}

TEST(TextTable, WrapsTheFirstColumnWhenThatIsEnough) {
  const TextTable table{{{"variant"}, {"status"}},
                        {{{"block_x=128 block_y=2 bind.nx=compile fast_math=true"}, {"ok"}}}};
  const std::string text = render_terminal(table, {40, true, false});
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 40U) << line;
  EXPECT_THAT(text, HasSubstr("fast_math=true"));
}

TEST(TextTable, MarkdownEscapesBars) {
  const TextTable table{{{"a"}, {"b\nc", true}}, {{{"x|y"}, {"1"}}}};
  EXPECT_EQ(render_markdown(table), "| a | b c |\n| --- | ---: |\n| x\\|y | 1 |\n");
}

TEST(TextTable, AWordThatATitleBreaksIsWholeInMarkdown) {
  const TextTable table{{{"effi-\nciency", true}, {"max. rel.\nerror", true}}, {}};
  EXPECT_EQ(render_markdown(table), "| efficiency | max. rel. error |\n| ---: | ---: |\n");
}

TEST(TextTable, WrapsAtBlanksAndKeepsLineEnds) {
  EXPECT_THAT(wrap_text("one two three\nfour", 8), ElementsAre("one two", "three", "four"));
  EXPECT_THAT(wrap_text("unbreakable", 4), ElementsAre("unbreakable"));
  EXPECT_THAT(wrap_text("any width", 0), ElementsAre("any width"));
}

TEST(TextTable, CountsCodePoints) {
  EXPECT_EQ(display_width("1 ± 2"), 5U);
}

TEST(TextTable, ACellCannotMoveTheCursorOrColourItself) {
  const TextTable table{{{"na\033[2Jme"}}, {{{"a\033[32mb\r", Tone::kBad}}}};
  for (const bool colour : {false, true}) {
    std::string text = render_terminal(table, {0, true, colour});
    EXPECT_THAT(text, HasSubstr("na\\x1b[2Jme"));
    EXPECT_THAT(text, HasSubstr("a\\x1b[32mb\\x0d"));
    EXPECT_THAT(text, Not(HasSubstr("\033[32m")));
  }
}

TEST(TextTable, MarkdownShowsACellAsItIs) {
  EXPECT_EQ(markdown_text("<script>x</script> & `y` [z](javascript:0) *w* a|b \\ \033\nend"),
            "\\<script>x\\</script> & \\`y\\` [z\\](javascript:0) \\*w\\* a\\|b \\ \\x1b end");
  EXPECT_EQ(markdown_text("&lt; \\| ![a][b] [c]: d"), "\\&lt; \\\\\\| ![a\\][b] [c\\]: d");
  EXPECT_EQ(markdown_text("1.1 [0.9, 1.2] 3 * n <= 4 & more"), "1.1 [0.9, 1.2] 3 * n <= 4 & more");
  EXPECT_EQ(markdown_text("block_x=128 bind.all=compile"), "block_x=128 bind.all=compile");
}

}  // namespace
}  // namespace kiln
