#include "specialize/includes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class IncludesTest : public testing::Test {
 protected:
  void write(const std::filesystem::path& path, const std::string& text) {
    files_.make_directories(path.parent_path(), false);
    files_.write_file(path, text, false);
  }
  Includes find(const std::string& text) { return find_includes(files_, text, search_); }

  /// "name=place", in order.
  static std::vector<std::string> found(const Includes& includes) {
    std::vector<std::string> lines;
    for (const IncludedHeader& header : includes.headers) lines.push_back(header.name + "=" + header.path);
    return lines;
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  IncludeSearch search_{"/src/k.cu", {}, {"/src", "/one", "/two"}, {}};
};

TEST_F(IncludesTest, AreFoundTransitivelyWhereACompilerWouldLook) {
  write("/src/a.h", "#include \"deep/b.h\"\n#include <c.h>\n");
  write("/src/deep/b.h", "#pragma once\n#include \"../a.h\"\n");
  write("/two/c.h", "int c;\n");
  const std::string text =
      "#include \"kiln/params.h\"\n #  include \"a.h\"\n#include <cmath>\n// #include \"none.h\"\n";
  const Includes includes = find(text);
  EXPECT_THAT(found(includes), ElementsAre("a.h=/src/a.h", "deep/b.h=/src/deep/b.h", "c.h=/two/c.h"));
  EXPECT_EQ(includes.headers[2].text, "int c;\n");
  EXPECT_EQ(includes.headers[1].text, "#pragma once\n#include <a.h>\n");
  EXPECT_EQ(includes.text, text);
  EXPECT_THAT(includes.unseen, ElementsAre("cmath"));
  EXPECT_EQ(includes.unknown, "");
}

TEST_F(IncludesTest, QuotesLookBesideTheIncludingFileAndBracketsDoNot) {
  write("/one/lib/a.h", "#include \"b.h\"\n#include <b.h>\n");
  write("/one/lib/b.h", "int beside;\n");
  write("/two/b.h", "int in_the_path;\n");
  const Includes includes = find("#include <lib/a.h>\n");
  EXPECT_THAT(found(includes), ElementsAre("lib/a.h=/one/lib/a.h", "b.h=/one/lib/b.h", "2/b.h=/two/b.h"));
  EXPECT_EQ(includes.headers[0].text, "#include \"b.h\"\n#include <2/b.h>\n");
}

TEST_F(IncludesTest, AHeaderThatShadowsAnotherIsTheOneThatCounts) {
  write("/two/a.h", "int a;\n");
  const Includes before = find("#include <a.h>\n");
  EXPECT_THAT(found(before), ElementsAre("a.h=/two/a.h"));
  write("/one/a.h", "int other;\n");
  EXPECT_THAT(found(find("#include <a.h>\n")), ElementsAre("a.h=/one/a.h"));
  write("/src/a.h", "int third;\n");
  EXPECT_THAT(found(find("#include <a.h>\n")), ElementsAre("a.h=/src/a.h"));
}

// The same files under the same names, and yet another program: only the lines tell.
TEST_F(IncludesTest, TheOrderOfTheFoldersIsSeenInTheText) {
  write("/one/x.h", "X(1)\n");
  write("/two/x.h", "X(2)\n");
  const std::string text = "#include \"../one/x.h\"\n#include \"../two/x.h\"\n#include <x.h>\n";
  const Includes one = find(text);
  search_.directories = {"/src", "/two", "/one"};
  const Includes two = find(text);
  EXPECT_EQ(found(one), found(two));
  EXPECT_EQ(one.text, "#include <one/x.h>\n#include <two/x.h>\n#include <one/x.h>\n");
  EXPECT_EQ(two.text, "#include <one/x.h>\n#include <two/x.h>\n#include <two/x.h>\n");
}

TEST_F(IncludesTest, TheSameTreeElsewhereGivesTheSame) {
  for (const std::string root : {"/here", "/else/where"}) {
    write(root + "/src/a.h", "#include \"../common/b.h\"\n");
    write(root + "/common/b.h", "#include <c.h>\n");
    write(root + "/inc/c.h", "int c;\n");
  }
  const auto at = [&](const std::string& root) {
    const Includes found = find_includes(files_, "#include \"a.h\"\n",
                                         {root + "/src/k.cu", {}, {root + "/src", root + "/inc"}, {}});
    std::string text = found.text;
    for (const IncludedHeader& header : found.headers) text += header.name + "\n" + header.text;
    return text;
  };
  EXPECT_EQ(at("/here"), at("/else/where"));
  EXPECT_EQ(at("/here"),
            "#include \"a.h\"\na.h\n#include <common/b.h>\ncommon/b.h\n#include <c.h>\nc.h\nint c;\n");
}

TEST_F(IncludesTest, AHeaderOfTheCompilerKeepsItsName) {
  write("/src/lib/a.h", "#include \"math.h\"\n");
  write("/src/lib/math.h", "int own;\n");
  const Includes includes = find("#include <math.h>\n#include \"lib/a.h\"\n");
  EXPECT_THAT(found(includes), ElementsAre("lib/a.h=/src/lib/a.h", "2/math.h=/src/lib/math.h"));
  EXPECT_EQ(includes.headers[0].text, "#include <2/math.h>\n");
  EXPECT_EQ(includes.text, "#include <math.h>\n#include \"lib/a.h\"\n");
}

TEST_F(IncludesTest, WhatAConditionAsksForCounts) {
  const std::string text = "#if __has_include(\"tuned.h\")\n#include \"tuned.h\"\n#endif\n";
  EXPECT_THAT(find(text).unseen, ElementsAre("tuned.h"));
  write("/two/tuned.h", "int tuned;\n");
  const Includes includes = find(text);
  EXPECT_THAT(found(includes), ElementsAre("tuned.h=/two/tuned.h"));
  EXPECT_THAT(includes.unseen, IsEmpty());
}

TEST_F(IncludesTest, SuppliedHeadersComeBeforeFiles) {
  write("/src/a.h", "int file;\n");
  write("/two/b.h", "int b;\n");
  search_.supplied = {{"a.h", "", "#include \"b.h\"\n"}, {"not_used.h", "", ""}};
  const Includes includes = find("#include \"./a.h\"\n");
  EXPECT_THAT(found(includes), ElementsAre("a.h=", "b.h=/two/b.h"));
  EXPECT_EQ(includes.text, "#include <a.h>\n");
}

TEST_F(IncludesTest, AMacroIsFollowedToEveryHeaderThatItMayName) {
  write("/src/a.h", "int a;\n");
  write("/src/b.h", "#define MORE <c.h>\n");
  write("/two/c.h", "int c;\n");
  search_.defines = {{"CONFIG", "\"a.h\""}};
  const Includes includes =
      find("#ifdef B\n#define CONFIG \"b.h\"\n#endif\n#include CONFIG\n#include MORE\n");
  EXPECT_THAT(found(includes), ElementsAre("a.h=/src/a.h", "b.h=/src/b.h", "c.h=/two/c.h"));
  EXPECT_EQ(includes.unknown, "");
}

TEST_F(IncludesTest, ANameThatMacrosPutTogetherIsFollowed) {
  write("/src/cases/jet/2nd_order/c.h", "#define ORDER 2nd_order\n#include STRING(cases/KIND/ORDER/d.h)\n");
  write("/src/cases/jet/c.h", "#include UP\n");
  write("/one/cases/jet/2nd_order/d.h", "int d;\n");
  write("/two/up.h", "int up;\n");
  search_.defines = {{"KIND", "jet"}, {"PARENT", "<up.h>"}};
  const Includes includes = find(
      "#define TEXT(a) #a\n#define STRING(a) TEXT(a)\n#define UP PARENT\n#define FIRST "
      "STRING(cases/KIND/c.h)\n"
      "#include FIRST\n#include STRING(cases/KIND/2nd_order/c.h) // \"e.h\"\n");
  EXPECT_THAT(
      found(includes),
      ElementsAre("cases/jet/c.h=/src/cases/jet/c.h", "cases/jet/2nd_order/c.h=/src/cases/jet/2nd_order/c.h",
                  "up.h=/two/up.h", "cases/jet/2nd_order/d.h=/one/cases/jet/2nd_order/d.h"));
  EXPECT_EQ(includes.unknown, "");
  EXPECT_EQ(find("#define A B\n#ifdef X\n#define B \"x.h\"\n#else\n#define B \"y.h\"\n#endif\n#include A\n")
                .unknown,
            "k.cu:7: the header's name is computed");
}

TEST_F(IncludesTest, AMacroThatIsNoPlainNameIsUnknown) {
  EXPECT_EQ(find("int x;\n#include CONFIG\n").unknown, "k.cu:2: the header's name is computed");
  EXPECT_EQ(find("#define CONFIG QUOTE(a.h)\n#include CONFIG\n").unknown,
            "k.cu:2: the header's name is computed");
  EXPECT_EQ(find("#include QUOTE(a.h)\n").unknown, "k.cu:1: the header's name is computed");
  EXPECT_EQ(find("#include_next <a.h>\n").unknown, "k.cu:1: '#include_next' is not followed");
  write("/src/b.h", "\n#include CONFIG\n");
  EXPECT_EQ(find("#include \"b.h\"\n").unknown, "b.h:2: the header's name is computed");
}

TEST_F(IncludesTest, AMacroThatMeansTwoFilesIsRefused) {
  write("/src/lib/b.h", "#include CONFIG\n");
  write("/src/lib/a.h", "int inner;\n");
  write("/src/a.h", "int outer;\n");
  EXPECT_THAT(
      bad_input_of([&] { (void)find("#define CONFIG \"a.h\"\n#include CONFIG\n#include \"lib/b.h\"\n"); }),
      HasSubstr("/src/lib/b.h:1: #include CONFIG means '/src/lib/a.h' here, and '/src/a.h' elsewhere"));
}

TEST_F(IncludesTest, LinesStayWhereTheyAre) {
  write("/src/lib/a.h", "#include \\\n\"../b.h\"\nint third_line;\n");
  write("/src/b.h", "int b;\n");
  const Includes includes = find("#include \"lib/a.h\"\n");
  EXPECT_EQ(includes.headers[0].text, "#include \\\n<b.h>\nint third_line;\n");
}

TEST_F(IncludesTest, FoldersAndFilesOfKilnAreNoHeaders) {
  write("/src/kiln/params.h", "wrong\n");
  write("/src/kiln/mine.h", "int mine;\n");
  files_.make_directories("/src/folder.h", false);
  const Includes includes =
      find("#include \"kiln/params.h\"\n#include \"kiln/mine.h\"\n#include \"folder.h\"\n");
  EXPECT_THAT(found(includes), ElementsAre("kiln/mine.h=/src/kiln/mine.h"));
  EXPECT_THAT(includes.unseen, ElementsAre("folder.h"));
}

TEST_F(IncludesTest, MayBeAChainOfAnyLength) {
  constexpr int kHeaders = 60'000;  // one call for each of them would need more than the stack holds
  for (int i = 0; i < kHeaders; ++i) {
    const std::string next =
        i + 1 < kHeaders ? "#include \"h" + std::to_string(i + 1) + ".h\"\n" : "int last;\n";
    search_.supplied.push_back({"h" + std::to_string(i) + ".h", "", next});
  }
  const Includes includes = find("#include \"h0.h\"\n");
  ASSERT_EQ(includes.headers.size(), static_cast<std::size_t>(kHeaders));
  EXPECT_EQ(includes.headers.front().name, "h0.h");
  EXPECT_EQ(includes.headers.back().text, "int last;\n");
}

TEST_F(IncludesTest, MayBeAChainOfMacros) {
  constexpr int kHeaders = 20'000;
  std::string text;
  for (int i = 0; i < kHeaders; ++i) {
    const std::string number = std::to_string(i), next = std::to_string(i + 1);
    search_.supplied.push_back({"h" + number + ".h", "", "#define M" + next + " \"h" + next + ".h\"\n"});
    text += "#include M" + number + "\n";
  }
  search_.supplied.push_back({"h" + std::to_string(kHeaders) + ".h", "", ""});
  const Includes includes = find("#define M0 \"h0.h\"\n" + text);
  EXPECT_EQ(includes.headers.size(), static_cast<std::size_t>(kHeaders));
  EXPECT_EQ(includes.unknown, "");
}

TEST_F(IncludesTest, AMacroOfTooManyMeaningsIsUnknown) {
  std::string text = "#include M\n";
  for (int i = 0; i < 100; ++i) text += "#define M \"h" + std::to_string(i) + ".h\"\n";
  EXPECT_THAT(find(text).unknown, HasSubstr("k.cu:1: the header's name is computed"));
}

TEST_F(IncludesTest, LoseTheirByteOrderMark) {
  write("/src/a.h", "\xEF\xBB\xBF#pragma once\n#include <b.h>\n");
  write("/one/b.h", "int b;\n");
  const Includes includes = find("\xEF\xBB\xBF#include \"a.h\"\n");
  EXPECT_EQ(includes.text, "#include \"a.h\"\n");
  EXPECT_THAT(found(includes), ElementsAre("a.h=/src/a.h", "b.h=/one/b.h"));
  EXPECT_EQ(includes.headers[0].text, "#pragma once\n#include <b.h>\n");
}

}  // namespace
}  // namespace kiln
