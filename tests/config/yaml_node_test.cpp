#include "config/yaml_node.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;
using testing::StartsWith;

YamlNode parse(const std::string& text) {
  return YamlNode::parse(text, "f.yaml");
}

TEST(YamlNode, ReadsScalarsWithTheirPlaces) {
  const YamlNode root = parse("a: 7\nb: {c: 'x y', d: [1.5, true]}\n");
  EXPECT_EQ(root.at("a").integer(), 7);
  const YamlNode c = root.at("b").at("c");
  EXPECT_EQ(c.text(), "x y");
  EXPECT_TRUE(c.quoted());
  EXPECT_EQ(c.path(), "b.c");
  EXPECT_EQ(c.where().to_string(), "f.yaml:2:8");
  const auto items = root.at("b").at("d").items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].real(), 1.5);
  EXPECT_TRUE(items[1].boolean());
  EXPECT_EQ(items[1].path(), "b.d[1]");
}

TEST(YamlNode, KeepsTheOrderOfKeys) {
  std::string order;
  for (const auto& [key, value] : parse("z: 1\na: 2\nm: 3\n").entries()) order += key;
  EXPECT_EQ(order, "zam");
}

TEST(YamlNode, AnEmptyDocumentIsAnEmptyMap) {
  EXPECT_TRUE(parse("").is_map());
  EXPECT_TRUE(parse("# only a comment\n").entries().empty());
}

TEST(YamlNode, UnknownKeySuggestsTheNearest) {
  const YamlNode root = parse("workload: x\nswep: {}\n");
  const std::string message = bad_input_of([&] { root.require_keys({"workload", "sweep", "set"}); });
  EXPECT_EQ(message, "f.yaml:2:1: unknown key 'swep'; did you mean 'sweep'?");
}

TEST(YamlNode, RefusesDuplicateKeys) {
  EXPECT_EQ(bad_input_of([] { parse("a: 1\nb: 2\na: 3\n"); }), "f.yaml:3:1: duplicate key 'a'");
  EXPECT_THAT(bad_input_of([] { parse("o: {k: 1, k: 2}\n"); }), HasSubstr("f.yaml:1:11: duplicate key 'k'"));
}

TEST(YamlNode, SyntaxErrorsHaveAPlace) {
  EXPECT_THAT(bad_input_of([] { parse("a: [1, 2\nb: 3\n"); }), StartsWith("f.yaml:2:"));
  EXPECT_THAT(bad_input_of([] { parse("a: {b: 1\n"); }), HasSubstr("YAML syntax"));
}

TEST(YamlNode, WrongTypesSayWhatWasExpected) {
  const YamlNode root = parse("n: many\nlist: 3\nmap: [1]\nflag: yes\n");
  EXPECT_EQ(bad_input_of([&] { static_cast<void>(root.at("n").integer()); }),
            "f.yaml:1:4: n: expected a whole number; found 'many'");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(root.at("list").items()); }),
              HasSubstr("expected a list; found a scalar"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(root.at("map").entries()); }),
              HasSubstr("expected a map; found a list"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(root.at("flag").boolean()); }),
              HasSubstr("expected true or false; found 'yes'"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(root.at("none")); }),
              HasSubstr("the key 'none' is missing"));
}

TEST(YamlNode, RefusesAnAliasBomb) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) bomb += below + ", ";
    bomb += below + "]\n";
  }
  EXPECT_THAT(bad_input_of([&] { parse(bomb); }),
              HasSubstr("aliases expand this document beyond 100000 nodes"));
}

TEST(YamlNode, FollowsAnAlias) {
  const YamlNode root = parse("base: &b {x: 1}\nother: *b\n");
  EXPECT_EQ(root.at("other").at("x").integer(), 1);
}

TEST(YamlNode, MergesMaps) {
  const YamlNode root = parse(
      "a: &a {x: 1, y: 2, z: 3}\nb: &b {y: 20, w: 40}\n"
      "one: {p: 0, <<: *a, y: 5}\nseveral: {<<: [*b, *a], z: 30}\nquoted: {'<<': 1}\n");
  const auto text = [](const YamlNode& map) {
    std::string all;
    for (const auto& [key, value] : map.entries()) all += key + "=" + value.text() + " ";
    return all;
  };
  EXPECT_EQ(text(root.at("one")), "p=0 x=1 z=3 y=5 ");
  EXPECT_EQ(text(root.at("several")), "y=20 w=40 x=1 z=30 ");
  EXPECT_EQ(text(root.at("quoted")), "<<=1 ");
}

TEST(YamlNode, RefusesToMergeWhatIsNoMap) {
  EXPECT_THAT(bad_input_of([] { parse("a: &a 1\nb: {<<: *a}\n"); }),
              HasSubstr("'<<' takes a map, or a list of maps, such as *name; found a scalar"));
  EXPECT_THAT(bad_input_of([] { parse("b: {<<: [1]}\n"); }), HasSubstr("f.yaml:1:10"));
}

TEST(YamlNode, RefusesAnAliasToItself) {
  EXPECT_THAT(bad_input_of([] { parse("a: &a [1, *a]\n"); }), HasSubstr("an alias refers to itself"));
}

TEST(YamlNode, RefusesDeepNesting) {
  EXPECT_THAT(bad_input_of([] { parse("a: " + std::string(100, '[') + std::string(100, ']')); }),
              HasSubstr("nested deeper than 64"));
  EXPECT_THAT(bad_input_of([] { parse(std::string(100000, '[')); }), HasSubstr("f.yaml"));
}

TEST(YamlNode, RefusesASecondDocument) {
  EXPECT_THAT(bad_input_of([] { parse("a: 1\n---\nb: 2\n"); }), HasSubstr("a second document"));
}

TEST(YamlNode, RefusesKeysThatAreNoWords) {
  EXPECT_THAT(bad_input_of([] { parse("? [a, b]\n: 1\n"); }), HasSubstr("a key must be a word"));
}

struct DurationCase {
  const char* text;
  double seconds;
};
class YamlDuration : public testing::TestWithParam<DurationCase> {};
TEST_P(YamlDuration, IsReadInSeconds) {
  EXPECT_DOUBLE_EQ(parse(std::string("t: ") + GetParam().text).at("t").duration(), GetParam().seconds);
}
INSTANTIATE_TEST_SUITE_P(Units, YamlDuration,
                         testing::Values(DurationCase{"0.5 s", 0.5}, DurationCase{"20ms", 0.02},
                                         DurationCase{"3 us", 3e-6}, DurationCase{"7 ns", 7e-9},
                                         DurationCase{"2 min", 120}, DurationCase{"4", 4}));

TEST(YamlNode, RefusesATimeThatIsNone) {
  for (const char* text : {"-1 s", "fast", "3 h", "nan", "inf", "1e308 min", "''"}) {
    EXPECT_THAT(bad_input_of([&] { static_cast<void>(parse(std::string("t: ") + text).at("t").duration()); }),
                HasSubstr("expected a time"));
  }
}

TEST(YamlNode, RefusesBytes0ThatYamlCppWouldTakeForAnEnd) {
  EXPECT_THAT(bad_input_of([] { parse(std::string("a: 1\nb: x\0y\n", 12)); }), HasSubstr(":2: a byte 0"));
  EXPECT_THAT(bad_input_of([] { parse("a: \"x\\0y\"\n"); }), HasSubstr(":1:4: a byte 0"));
}

TEST(YamlNode, MessagesShowControlCharactersOnOneLine) {
  const std::string message = bad_input_of([] { parse("\"a\\n\\e[1m\": 1\n").require_keys({"b"}); });
  EXPECT_THAT(message, HasSubstr("unknown key 'a\\n\\x1b[1m'"));
}

}  // namespace
}  // namespace kiln
