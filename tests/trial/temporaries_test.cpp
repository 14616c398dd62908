#include "trial/temporaries.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "trial/needs.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Layers on buffers of 1000 bytes and one of 3000; each takes what the one before it has made.
constexpr const char* kHead = R"yaml(workload: w
parameters: {skip: {type: bool, default: false}}
buffers:
  x: {type: uint8, shape: [1000], init: 1}
  y: {type: uint8, shape: [1000]}
  a: {type: uint8, shape: [1000], temporary: true}
  b: {type: uint8, shape: [1000], temporary: true}
  c: {type: uint8, shape: [1000], temporary: true}
  d: {type: uint8, shape: [1000], temporary: true}
  large: {type: uint8, shape: [3000], temporary: true}
  part: {type: uint8, shape: [10], view: {of: a, offset: 5}}
kernels:
  layer: {source: k.cu, grid: [1], block: [1], args: [{buffer: y, name: to}, {buffer: x, name: from}]}
run:
)yaml";

Configuration configured(const std::string& run) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  const std::string text = kHead + run;
  const auto workload = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
  return configure(workload, {}, unknown_device({"cuda", "sm_90"}), files).configuration;
}

std::map<std::string, std::uint64_t> places(const std::string& run) {
  const Configuration configuration = configured(run);
  return TrialNeeds(configuration).temporaries().offsets;
}

std::string layer(const std::string& from, const std::string& to) {
  return "  - {kernel: layer, args: {from: " + from + ", to: " + to + "}}\n";
}

TEST(Temporaries, BuffersThatAreNotInUseAtTheSameTimeShareMemory) {
  const Configuration configuration =
      configured(layer("x", "a") + layer("a", "b") + layer("b", "c") + layer("c", "d") + layer("d", "y"));
  const TrialNeeds needs(configuration);
  const TemporaryPlan plan = needs.temporaries();
  EXPECT_THAT(plan.offsets, ElementsAre(Pair("a", 0), Pair("b", 1024), Pair("c", 0), Pair("d", 1024)));
  EXPECT_EQ(plan.bytes, 2048U);
  EXPECT_EQ(needs.bytes(), 2000 + 2048U);
  EXPECT_EQ(needs.unshared_bytes(), 6000U);
}

TEST(Temporaries, OneThatIsUsedLateKeepsItsMemory) {
  EXPECT_THAT(places(layer("x", "a") + layer("a", "b") + layer("b", "c") + layer("a", "y")),
              ElementsAre(Pair("a", 0), Pair("b", 1024), Pair("c", 2048)));
}

TEST(Temporaries, AViewKeepsTheMemoryOfItsBuffer) {
  EXPECT_THAT(places(layer("x", "a") + layer("x", "b") + layer("part", "y")),
              ElementsAre(Pair("a", 0), Pair("b", 1024)));
}

TEST(Temporaries, TheLargestIsPlacedFirst) {
  EXPECT_THAT(
      places(layer("x", "a") + layer("a", "large") + layer("large", "b") + layer("b", "c") + layer("c", "y")),
      ElementsAre(Pair("a", 3072), Pair("b", 3072), Pair("c", 0), Pair("large", 0)));
}

TEST(Temporaries, OneFitsIntoAGapBetweenOthers) {
  // While a, b and c are in use b ends; d takes its place, below c.
  EXPECT_THAT(places(layer("a", "b") + layer("b", "c") + layer("a", "c") + layer("c", "d") + layer("a", "y")),
              ElementsAre(Pair("a", 0), Pair("b", 1024), Pair("c", 2048), Pair("d", 1024)));
}

TEST(Temporaries, ALoopUsesItsBuffersFromItsFirstToItsLastIteration) {
  const std::string loop =
      "  - repeat: 3\n    do:\n      - {kernel: layer, args: {from: x, to: a}}\n"
      "      - {kernel: layer, args: {from: x, to: b}}\n";
  EXPECT_THAT(places(loop + layer("x", "c") + layer("c", "y")),
              ElementsAre(Pair("a", 0), Pair("b", 1024), Pair("c", 0)));
}

TEST(Temporaries, BranchesDoNotShare) {
  const std::string branches =
      "  - parallel:\n    - {kernel: layer, args: {from: x, to: a}}\n"
      "    - {kernel: layer, args: {from: x, to: b}}\n";
  EXPECT_THAT(places(branches + layer("x", "y")), ElementsAre(Pair("a", 0), Pair("b", 1024)));
}

TEST(Temporaries, AStatementThatIsLeftOutUsesNothing) {
  const std::string skipped = "  - {kernel: layer, args: {from: a, to: y}, when: skip}\n";
  EXPECT_THAT(places(layer("x", "a") + layer("x", "b") + skipped), ElementsAre(Pair("a", 0), Pair("b", 0)));
}

TEST(Temporaries, AllTogetherTakeAtMost2To60Bytes) {
  std::string text = "workload: w\nbuffers:\n";
  for (const char name : {'a', 'b'})
    text += std::string("  ") + name + ": {type: Page, shape: [281474976710656], temporary: true}\n";
  text = "types: {Page: {bytes: \"uint8[4096]\"}}\n" + text +
         "kernels: {k: {source: k.cu, grid: [1], block: [1], args: [a, b]}}\nrun: [k]\n";
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  const auto workload = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
  const Configuration configuration =
      configure(workload, {}, unknown_device({"cuda", "sm_90"}), files).configuration;
  const TrialNeeds needs(configuration);
  EXPECT_EQ(needs.unshared_bytes(), std::uint64_t{1} << 61);
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(needs.temporaries()); }),
              testing::HasSubstr("w.yaml:5:6: buffers.b: the temporary buffers take more than 2^60 bytes"));
}

}  // namespace
}  // namespace kiln
