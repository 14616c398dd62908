#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kiln {
namespace {

TEST(NearestName, FindsASlip) {
  const std::vector<std::string> names = {"block_x", "block_y", "grid", "measure"};
  EXPECT_EQ(nearest_name("blok_x", names), "block_x");
  EXPECT_EQ(nearest_name("block_y", names), "block_y");
  EXPECT_EQ(nearest_name("gird", names), "grid");
  EXPECT_EQ(nearest_name("meassure", names), "measure");
}

TEST(NearestName, FarIsNothing) {
  EXPECT_EQ(nearest_name("temperature", {"block_x", "grid"}), std::nullopt);
  EXPECT_EQ(nearest_name("nx", {"threads"}), std::nullopt);
  EXPECT_EQ(nearest_name("nx", {}), std::nullopt);
}

TEST(NearestName, FirstOfTwoEquallyNear) {
  EXPECT_EQ(nearest_name("block_z", {"block_x", "block_y"}), "block_x");
}

TEST(NearestName, OfAnOldWordIsTheOneThatReplacedIt) {
  EXPECT_EQ(nearest_name("variant", {"n", "implementation"}), "implementation");
  EXPECT_EQ(nearest_name("bind.variant", {"bind.n", "bind.implementation"}), "bind.implementation");
  EXPECT_EQ(nearest_name("variant", {"n", "variants"}), "variants");
}

TEST(Suggestion, NamesTheNearestOrAll) {
  EXPECT_EQ(suggestion("gird", {"grid", "block"}), "; did you mean 'grid'?");
  EXPECT_EQ(suggestion("foo", {"grid", "block"}), "; expected one of grid, block");
  EXPECT_EQ(suggestion("foo", {}), "");
}

TEST(Assignment, IsNameAndValue) {
  EXPECT_EQ(assignment("ppwi", "4"), "ppwi=4");
  EXPECT_EQ(assignment("deck", ""), "deck=");
}

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "c"}, ", "), "a, , c");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("", ','), std::vector<std::string>({""}));
  EXPECT_EQ(split("a,,b,", ','), std::vector<std::string>({"a", "", "b", ""}));
}

TEST(Trim, BothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(IsIdentifier, AsInC) {
  EXPECT_TRUE(is_identifier("_x9"));
  EXPECT_TRUE(is_identifier("T"));
  EXPECT_FALSE(is_identifier(""));
  EXPECT_FALSE(is_identifier("9x"));
  EXPECT_FALSE(is_identifier("a-b"));
  EXPECT_FALSE(is_identifier("\xc3\xa9"));
}

TEST(FormatNumber, IntegersHaveNoPoint) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(-3), "-3");
  EXPECT_EQ(format_number(100000), "100000");
  EXPECT_EQ(format_number(134217728), "134217728");
}

TEST(FormatNumber, ShortestThatReadsBack) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(1e-12), "1e-12");
  EXPECT_EQ(format_number(1e300), "1e+300");
  for (const double value : {1.0 / 3, 1e22, 9007199254740993.0, 5e-324, 1.7976931348623157e308, -0.3}) {
    EXPECT_EQ(parse_real(format_number(value)), value) << value;
  }
  EXPECT_TRUE(std::signbit(*parse_real(format_number(-0.0))));
}

TEST(FormatNumber, NotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(format_number(kInfinity), "inf");
  EXPECT_EQ(format_number(-kInfinity), "-inf");
  EXPECT_EQ(format_number(std::nan("")), "nan");
  EXPECT_EQ(format_number(-std::nan("")), "nan");
}

TEST(FormatBytes, BinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(340), "340 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(1610612736), "1.5 GiB");
  EXPECT_EQ(format_bytes(1048575), "1 MiB");
  EXPECT_EQ(format_bytes(1024000), "1000 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
}

TEST(FormatSeconds, ThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(12.34e-6), "12.3 us");
  EXPECT_EQ(format_seconds(1.05), "1.05 s");
  EXPECT_EQ(format_seconds(1e-3), "1.00 ms");
  EXPECT_EQ(format_seconds(999.96e-6), "1.00 ms");
  EXPECT_EQ(format_seconds(9.999e-9), "10.0 ns");
  EXPECT_EQ(format_seconds(3600), "3600 s");
  EXPECT_EQ(format_seconds(-2e-9), "-2.00 ns");
  EXPECT_EQ(format_seconds(1.5e-10), "0.15 ns");
  EXPECT_EQ(format_seconds(std::nan("")), "nan s");
}

TEST(ParseInteger, WholeTextOnly) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "+", "+-7", "9223372036854775808", "0x10", "1.0", "1e3", " 1", "1 ", "12a"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(ParseReal, WholeTextOnly) {
  EXPECT_EQ(parse_real("0.5"), 0.5);
  EXPECT_EQ(parse_real("+1e-3"), 1e-3);
  EXPECT_EQ(parse_real("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_real("nan").value_or(0)));
  for (const char* text : {"", "0x1p3", "1e999", "1.0f", "1,5", " 1", "+-1"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

TEST(Printable, ShowsControlCharactersInPlaceOfSendingThem) {
  EXPECT_EQ(printable("\033]0;own\a"), "\\x1b]0;own\\x07");
  EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\u007f");
  EXPECT_EQ(printable("one\ttwo\nthree\r\n"), "one\ttwo\nthree\r\n");
  EXPECT_EQ(printable("over\rwritten"), "over\\x0dwritten");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb");
}

TEST(Printable, KeepsUtf8AndShowsOtherBytes) {
  const std::string text = "gr\xc3\xbc\xc3\x9f \xe2\x94\x82 \xf0\x9f\x9a\x80";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("k\xe9.cu"), "k\\xe9.cu");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "too long a form of '/'";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last code point";
  EXPECT_EQ(printable("cut \xe2\x94"), "cut \\xe2\\x94");
}

TEST(Printable, IsIdempotentAndLeavesNothingForAnyPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string shown = printable(std::string{static_cast<char>(first), static_cast<char>(second)});
      ASSERT_EQ(printable(shown), shown);
      const std::string line =
          printable_line(std::string{static_cast<char>(first), static_cast<char>(second)});
      for (const char c : line) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << line;
    }
  }
}

TEST(Printable, OneLineHasNoLineEnds) {
  EXPECT_EQ(printable_line("a\nb\r\nc\td"), "a\\nb\\r\\nc\\td");
  EXPECT_EQ(in_quotes("a\nkiln: error: b"), "'a\\nkiln: error: b'");
}

TEST(Printable, ALongNameIsCut) {
  const std::string shown = in_quotes(std::string(5'000'000, 'x'));
  EXPECT_LT(shown.size(), 250U);
  EXPECT_NE(shown.find("(5000000 bytes)"), std::string::npos);
}

}  // namespace
}  // namespace kiln
