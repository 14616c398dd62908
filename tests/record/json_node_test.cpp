#include "record/json_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kiln {
namespace {

using ::testing::ElementsAre;

/// The message of the error that `read` throws on `text`; empty if it does not.
std::string message_of(const std::string& text, const std::function<void(const JsonNode&)>& read) {
  try {
    read_json(text, "r.jsonl", 7, read);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

TEST(JsonNode, ReadsEachKindOfValue) {
  read_json(R"({"t":"x","b":true,"n":1.5,"i":-3,"c":4,"w":"inf","l":["a","b"],"z":null})", "f", 1,
            [](const JsonNode& node) {
              EXPECT_EQ(node.at("t").text(), "x");
              EXPECT_TRUE(node.at("b").truth());
              EXPECT_EQ(node.at("n").number(), 1.5);
              EXPECT_EQ(node.at("i").integer(), -3);
              EXPECT_EQ(node.at("c").count(), 4U);
              EXPECT_TRUE(std::isinf(node.at("w").number()));
              EXPECT_THAT(node.at("l").texts(), ElementsAre("a", "b"));
              EXPECT_EQ(node.at("z").text_or_empty(), "");
              EXPECT_EQ(node.at("b").scalar_text(), "true");
              EXPECT_EQ(node.at("i").scalar_text(), "-3");
              EXPECT_EQ(node.members().front().first, "t");
            });
}

TEST(JsonNode, SaysWhereWhatWasExpectedAndFound) {
  EXPECT_EQ(message_of(R"({"a":{"b":[1,"x"]}})",
                       [](const JsonNode& node) { (void)node.at("a").at("b").items()[1].number(); }),
            "r.jsonl:7: a.b[1]: expected a number, found \"x\"");
  EXPECT_EQ(message_of("{}", [](const JsonNode& node) { (void)node.at("k"); }),
            "r.jsonl:7: expected a member 'k', found none");
  EXPECT_EQ(message_of("[-1]", [](const JsonNode& node) { (void)node.items()[0].count(); }),
            "r.jsonl:7: [0]: expected a whole number of at least 0, found -1");
  EXPECT_EQ(message_of("{\"a\":{}}", [](const JsonNode& node) { (void)node.at("a").text(); }),
            "r.jsonl:7: a: expected text, found an object");
  EXPECT_EQ(
      message_of("[18446744073709551615]", [](const JsonNode& node) { (void)node.items()[0].integer(); }),
      "r.jsonl:7: [0]: expected a whole number, found 18446744073709551615");
}

TEST(JsonNode, TextThatIsNoJsonIsRefusedAtItsPlace) {
  const auto nothing = [](const JsonNode&) {};
  EXPECT_EQ(message_of("{\"a\": 1", nothing), "r.jsonl:7:8: expected JSON: the text ends too early");
  EXPECT_EQ(message_of("{\n \"a\": ?}", nothing),
            "r.jsonl:8:7: expected JSON: it cannot be read from here on");
  EXPECT_EQ(message_of("[1e999]", nothing), "r.jsonl:7: expected JSON: a number has no 64-bit form");
  EXPECT_EQ(message_of("", nothing), "r.jsonl:7:1: expected JSON: the text ends too early");
}

}  // namespace
}  // namespace kiln
