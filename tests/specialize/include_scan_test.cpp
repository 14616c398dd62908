#include "specialize/include_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace kiln {
namespace {

using Kind = IncludeUse::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

/// "include \"a.h\":3": what is used, and on which line.
std::vector<std::string> uses_of(const std::string& text) {
  std::vector<std::string> found;
  for (const IncludeUse& use : find_include_uses(text)) {
    const char* kind = use.kind == Kind::kInclude      ? "include "
                       : use.kind == Kind::kHasInclude ? "has "
                       : use.kind == Kind::kComputed   ? "computed "
                                                       : "other ";
    const bool named = use.kind == Kind::kInclude || use.kind == Kind::kHasInclude;
    const std::string open = !named ? "" : use.header.quoted ? "\"" : "<";
    const std::string close = !named ? "" : use.header.quoted ? "\"" : ">";
    found.push_back(kind + open + use.header.name + close + ":" + std::to_string(use.line));
    if (!named) continue;
    EXPECT_EQ(text.substr(use.offset, 1), open);
    EXPECT_EQ(text.substr(use.offset + use.length - 1, 1), close);
  }
  return found;
}

TEST(IncludeScan, FindsEveryForm) {
  EXPECT_THAT(
      uses_of("#include \"a.h\"\n  #  include <b/c.h> // why\n%:include \"d.h\"\n#import \"e.h\"\n"),
      ElementsAre("include \"a.h\":1", "include <b/c.h>:2", "include \"d.h\":3", "include \"e.h\":4"));
  EXPECT_THAT(
      uses_of("/* x */ # /* y */ include /* z */ \"a.h\"\n#include\\\n \"b.h\"\n#inc\\\r\nlude <c.h>\n"),
      ElementsAre("include \"a.h\":1", "include \"b.h\":3", "include <c.h>:5"));
  EXPECT_THAT(uses_of("#include \"last.h\""), ElementsAre("include \"last.h\":1"));
}

TEST(IncludeScan, LeavesOutCommentsAndLiterals) {
  EXPECT_THAT(
      uses_of("// #include \"a.h\"\n/*\n#include \"b.h\"\n*/\nconst char* s = \"\\\n#include <c.h>\";\n"
              "auto r = R\"x(\n#include \"d.h\"\n)\" )x\";\nint n = 1'000;\nchar c = '\"';\n"
              "int include; // \\\n#include \"e.h\"\n"),
      IsEmpty());
  EXPECT_THAT(
      uses_of("int n = 1'0; char q = '\\'';\n#include \"a.h\"\nauto u = u8R\"(\")\";\n#include \"b.h\"\n"),
      ElementsAre("include \"a.h\":2", "include \"b.h\":4"));
}

TEST(IncludeScan, FindsWhatConditionsAskFor) {
  EXPECT_THAT(
      uses_of("#if defined(__has_include) && __has_include(<a.h>)\n#elif __has_include( \"b.h\" ) || X\n"
              "#define HAS __has_include(<c.h>)\n#ifdef __has_include\n#endif\nint __has_include;\n"),
      ElementsAre("has <a.h>:1", "has \"b.h\":2", "has <c.h>:3"));
}

TEST(IncludeScan, TellsOfNamesThatItCannotKnow) {
  EXPECT_THAT(
      uses_of(
          "#include CONFIG\n#include NAME(a.h)\n#if __has_include(CONFIG)\n#define F(x) __has_include(x y)\n"
          "#include_next <a.h>\n#embed \"b.bin\"\n#if __has_include_next(<c.h>)\nasm(\".incbin "
          "\\\"d\\\"\");\n"),
      ElementsAre("computed CONFIG:1", "computed :2", "computed CONFIG:3", "computed :4",
                  "other #include_next:5", "other #embed:6", "other __has_include_next:7",
                  "other .incbin:8"));
}

TEST(IncludeScan, EndsInsideAnything) {
  for (const char* text :
       {"#", "#include", "/*", "\"", "'", "R\"(", "R\"", "\\", "#if __has_include(", "#define"})
    EXPECT_THAT(uses_of(text), IsEmpty()) << text;
  for (const char* text : {"#include \"a", "#include <a\n>", "#if __has_include(<"})
    EXPECT_THAT(uses_of(text), ElementsAre("computed :1")) << text;
}

TEST(HeaderMacros, AreNamesOrSomethingElse) {
  const HeaderMacros macros = find_header_macros(
      "#define CONFIG \"a.h\"\n#define OTHER <z.h>\n# define CONFIG /* c */ <b.h> // d\n#define CONFIG "
      "PICK(1)\n"
      "#define CONFIG(x) \"no.h\"\n#define CONFIG\n");
  ASSERT_EQ(macros.count("OTHER"), 1U);
  EXPECT_EQ(macros.at("OTHER").at(0)->name, "z.h");
  const auto& found = macros.at("CONFIG");
  ASSERT_EQ(found.size(), 4U);
  ASSERT_TRUE(found[0] && found[1]);
  EXPECT_EQ(found[0]->name, "a.h");
  EXPECT_TRUE(found[0]->quoted);
  EXPECT_EQ(found[1]->name, "b.h");
  EXPECT_FALSE(found[1]->quoted);
  EXPECT_FALSE(found[2]);
  EXPECT_FALSE(found[3]);
}

TEST(HeaderName, IsOneNameInQuotesOrBrackets) {
  EXPECT_EQ(parse_header_name(" \"a.h\" ")->name, "a.h");
  EXPECT_EQ(parse_header_name("<a/b.h>")->name, "a/b.h");
  for (const char* text : {"", "\"", "\"\"", "a.h", "<a.h", "\"a\" \"b\"", "<a>b>"}) {
    EXPECT_FALSE(parse_header_name(text)) << text;
  }
}

/// Seconds of this thread that the fastest of a few scans takes.
double seconds_of_scan(const std::string& text) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double begin = now();
    static_cast<void>(find_include_uses(text));
    static_cast<void>(find_header_macros(text));
    least = std::min(least, now() - begin);
  }
  return least;
}

/// Twice the text takes twice the time, not four times; three allows for a machine that does other work.
TEST(IncludeScan, TakesLinearTime) {
  for (const std::string piece :
       {"R\"", "#include <a\n", "#include \"a.h\"\n", "__has_include(<a ", "#define M <a\n", "/*/", "\\\n"}) {
    const auto text = [&](std::size_t times) {
      std::string all = piece.starts_with("__") ? "#if " : "";
      for (std::size_t i = 0; i < times; ++i) all += piece;
      return all;
    };
    EXPECT_LT(seconds_of_scan(text(200'000)), 3 * seconds_of_scan(text(100'000)) + 0.01) << piece;
  }
}

}  // namespace
}  // namespace kiln
