#include "trial/overlap_check.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "trial/buffer_layout.h"
#include "trial/needs.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

constexpr const char* kHead = R"yaml(workload: w
parameters: {n: {type: int, default: 8}, at: {type: int, default: 4}, off: {type: bool, default: false}}
types: {Pair: {a: float, b: double}}
buffers:
  u: {type: double, shape: [n]}
  v: {type: double, shape: [n]}
  low: {type: double, shape: [4], view: {of: u}}
  high: {type: double, shape: [4], view: {of: u, offset: at}}
  raw: {type: uint8, shape: [64]}
  word: {type: float2, shape: [3], view: {of: raw, offset: "2 * at"}}
  pair: {type: Pair, shape: [2], view: {of: raw, offset: 16}}
kernels:
  step: {source: k.cu, grid: [1], block: [1], args: [u, v, word]}
run:
)yaml";

Configuration configured(const std::string& run, const std::string& at = "4") {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  const std::string text = kHead + run;
  const auto workload = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
  return configure(workload, {{"at", RawValue{at, false, {}}}}, unknown_device({"cuda", "sm_90"}), files)
      .configuration;
}

void check(const std::string& run, const std::string& at = "4") {
  const Configuration configuration = configured("  - step\n" + run, at);
  check_overlaps(configuration, configuration.workload().run);
}
std::string refusal_of(const std::string& run, const std::string& at = "4") {
  return bad_input_of([&] { check(run, at); });
}

TEST(Views, StandInTheMemoryOfTheirBuffer) {
  const Configuration configuration = configured("  - step\n");
  const auto layout = [&](const std::string& name) {
    return layout_of(configuration, *configuration.workload().find_buffer(name));
  };
  const BufferLayout high = layout("high");
  EXPECT_TRUE(high.is_view());
  EXPECT_EQ(high.memory->name, "u");
  EXPECT_EQ(high.offset, 32U);
  EXPECT_EQ(high.bytes, 32U);
  EXPECT_TRUE(high.overlaps(layout("u")));
  EXPECT_FALSE(high.overlaps(layout("low")));
  EXPECT_FALSE(high.overlaps(layout("v")));
  EXPECT_EQ(layout("word").offset, 8U);
  EXPECT_TRUE(layout("word").overlaps(layout("pair")));
  EXPECT_FALSE(layout("u").is_view());
}

TEST(Views, FitIntoTheirBuffer) {
  const auto refusal = [](const std::string& buffer, const std::string& at) {
    const Configuration configuration = configured("  - step\n", at);
    return bad_input_of(
        [&] { static_cast<void>(layout_of(configuration, *configuration.workload().find_buffer(buffer))); });
  };
  EXPECT_EQ(refusal("high", "5"),
            "w.yaml:8:58: buffers.high.view: 4 elements of 8 bytes that begin at element 5 of buffer 'u' do "
            "not fit "
            "into its 8 elements of 8 bytes");
  EXPECT_THAT(refusal("high", "2147483647"), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("high", "-1"), HasSubstr("-1"));
  EXPECT_THAT(refusal("word", "3"),
              HasSubstr("buffers.word.view: it begins at byte 6 of buffer 'raw'; expected a "
                        "multiple of 8, the alignment of its elements"));
}

TEST(Overlaps, ACopyGoesToOtherBytes) {
  check("  - copy: {from: low, to: high}\n  - copy: {from: u, to: v}\n");
  EXPECT_EQ(
      refusal_of("  - copy: {from: low, to: high}\n", "3"),
      "w.yaml:16:5: copy: 'low' and 'high' have bytes in common; expected buffers or views that have none");
  EXPECT_THAT(refusal_of("  - {repeat: 2, do: {copy: {from: low, to: high}}}\n", "0"),
              HasSubstr("in common"));
  check("  - {copy: {from: low, to: high}, when: off}\n", "3");
}

TEST(Overlaps, ABranchDoesNotWriteWhatAnotherTakes) {
  const auto branches = [](const std::string& first, const std::string& second) {
    return "  - parallel:\n    - " + first + "\n    - " + second + "\n";
  };
  check(branches("{fill: {buffer: low, value: 0}}", "{fill: {buffer: high, value: 1}}"));
  EXPECT_EQ(
      refusal_of(branches("{fill: {buffer: low, value: 0}}", "{fill: {buffer: high, value: 1}}"), "3"),
      "w.yaml:17:7: parallel: this writes 'low', and another branch takes 'high', which has bytes in common "
      "with it; expected branches that do not depend on each other");
  EXPECT_THAT(refusal_of(branches("step", "[{repeat: 2, do: {copy: {from: v, to: low}}}]")),
              HasSubstr("this writes 'low', and another branch takes 'u', which has"));
  EXPECT_THAT(refusal_of(branches("step", "{fill: {buffer: v, value: 0}}")),
              HasSubstr("this writes 'v', and another branch takes it, too"));
  check(branches("step", "step"));  // kernels may read only
}

}  // namespace
}  // namespace kiln
