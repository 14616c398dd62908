#include "workload/key_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::HasSubstr;

KeyWords words() {
  return {{"cells", "end_time"},
          {"profiler_on", "visit"},
          {{"state", {"density", "geometry", "xmin"}}},
          {"rectangle", "circle"}};
}

KeyFile parsed(const std::string& text) {
  return KeyFile(text, "deck.in", words());
}

std::string refusal(const std::string& text) {
  return bad_input_of([&] { static_cast<void>(parsed(text)); });
}

double number(const KeyFile::Entry* entry) {
  return entry == nullptr ? -1.0 : to_real(entry->value);
}

TEST(KeyFile, ReadsKeysAndRecords) {
  const KeyFile file = parsed(
      " state 1 density=0.2 ! the background\n"
      " state 2 density 1.0 geometry=circle xmin=-3\r\n"
      "\n"
      " cells = 960\n"
      " profiler_on\n"
      "visit=3 # of no interest\n"
      "end_time=+5e-1 ; comment\n");
  EXPECT_EQ(number(file.find("cells")), 960);
  EXPECT_EQ(number(file.find("end_time")), 0.5);
  EXPECT_EQ(file.find("visit"), nullptr);
  ASSERT_EQ(file.records("state"), 2U);
  EXPECT_EQ(file.records("zone"), 0U);
  EXPECT_EQ(number(file.find("state", 0, "density")), 0.2);
  EXPECT_EQ(number(file.find("state", 1, "density")), 1.0);
  EXPECT_EQ(number(file.find("state", 1, "geometry")), 2);
  EXPECT_EQ(number(file.find("state", 1, "xmin")), -3);
  EXPECT_EQ(file.find("state", 0, "xmin"), nullptr);
  EXPECT_EQ(file.find("state", 2, "density"), nullptr);
  const SourceLocation where = file.find("cells")->where;
  EXPECT_EQ(where.file, "deck.in");
  EXPECT_EQ(where.line, 4);
  EXPECT_EQ(where.column, 10);
}

TEST(KeyFile, OnlyTheSectionCounts) {
  const KeyFile file = parsed("anything at all\n*clover\ncells=7\n*endclover\nmore = of it\n");
  EXPECT_EQ(number(file.find("cells")), 7);
  EXPECT_EQ(number(parsed("cells=7").find("cells")), 7);
  EXPECT_EQ(parsed("").find("cells"), nullptr);
}

TEST(KeyFile, NumbersKeepAllTheirDigits) {
  const Number whole = parsed("cells=9007199254740993\n").find("cells")->value;
  EXPECT_EQ(to_string(whole), "9007199254740993");
}

TEST(KeyFile, RefusesWithThePlace) {
  EXPECT_THAT(refusal("\n cell=3\n"), HasSubstr("deck.in:2:2: unknown key 'cell'; did you mean 'cells'?"));
  EXPECT_THAT(refusal("cells=3\ncells=4\n"),
              HasSubstr("deck.in:2:1: 'cells' is there twice, before in line 1"));
  EXPECT_THAT(refusal("cells=\n"), HasSubstr("deck.in:1:1: expected a value of 'cells'"));
  EXPECT_THAT(refusal("cells=many\n"),
              HasSubstr("deck.in:1:7: cells: expected a finite number; found 'many'"));
  EXPECT_THAT(refusal("cells=inf\n"), HasSubstr("expected a finite number"));
  EXPECT_THAT(refusal("cells=circle\n"), HasSubstr("expected a finite number; found 'circle'"));
  EXPECT_THAT(refusal("cells=3 4\n"),
              HasSubstr("deck.in:1:9: expected one value of 'cells' and no more; found '4'"));
  EXPECT_THAT(refusal("state density=1\n"), HasSubstr("deck.in:1:7: expected a number from 1 to"));
  EXPECT_THAT(refusal("state\n"), HasSubstr("deck.in:1:1: expected a number from 1 to"));
  EXPECT_THAT(refusal("state 0 density=1\n"), HasSubstr("expected a number from 1 to"));
  EXPECT_THAT(refusal("state 1 density=1\nstate 1 xmin=1\n"),
              HasSubstr("deck.in:2:1: state 1 is there twice"));
  EXPECT_THAT(refusal("state 1 densty=1\n"),
              HasSubstr("deck.in:1:9: unknown key 'densty'; did you mean 'density'?"));
  EXPECT_THAT(refusal("state 1 density=1 density=2\n"), HasSubstr("deck.in:1:19: 'density' is there twice"));
  EXPECT_THAT(refusal("state 1 geometry=square\n"),
              HasSubstr("geometry: expected a finite number or one of rectangle, circle; found 'square'"));
  EXPECT_THAT(refusal("state 1 xmin=1\nstate 3 xmin=1\n"), HasSubstr("deck.in: has state 3, but no state 2"));
}

TEST(KeyFile, RefusesMarksThatDoNotMatch) {
  EXPECT_THAT(refusal("*clover\ncells=1\n"), HasSubstr("deck.in:2:1: ends before the line '*endclover'"));
  EXPECT_THAT(refusal("*clover\n*endclove\n"),
              HasSubstr("deck.in:2:1: expected *endclover; found '*endclove'"));
  EXPECT_THAT(refusal("cells=1\n*endclover\n"), HasSubstr("deck.in:2:1: expected *name; found '*endclover'"));
  EXPECT_THAT(refusal("*a\n*enda\n*b\n"), HasSubstr("deck.in:3:1: expected no more sections; found '*b'"));
}

TEST(KeyFile, BytesThatAreNoTextAreRefused) {
  EXPECT_THAT(refusal(std::string("\0\1\2\xff", 4)), HasSubstr("deck.in:1:1: unknown key"));
}

}  // namespace
}  // namespace kiln
