#include "workload/memory_check.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::AllOf;
using testing::HasSubstr;

std::string with(const std::string& run, const std::string& rest = "", const std::string& buffer = "") {
  return "workload: w\n"
         "parameters: {n: {type: int, default: 8}}\n"
         "buffers:\n"
         "  u: {type: double, shape: [n], init: 1}\n"
         "  v: {type: double, shape: [n]}\n"
         "  row: {type: double, shape: [4], view: {of: u, offset: 4}}\n"
         "  t: {type: double, shape: [n], temporary: true}\n"
         "  part: {type: double, shape: [2], view: {of: t}}\n" +
         buffer +
         "kernels:\n"
         "  step: {source: k.cu, grid: [1], block: [1], args: [v, u]}\n"
         "  takes: {source: k.cu, grid: [1], block: [1], args: [v, part]}\n"
         "run:\n" +
         run + rest;
}

std::shared_ptr<const Workload> parse(const std::string& text) {
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

std::string refusal_of(const std::string& run, const std::string& rest = "", const std::string& buffer = "") {
  return bad_input_of([&] { static_cast<void>(parse(with(run, rest, buffer))); });
}

TEST(MemoryCheck, ViewsAndTemporaryBuffersAreRead) {
  const auto workload =
      parse(with("  - {kernel: step, args: {v: t}}\n  - {copy: {from: part, to: row}, when: 0}\n"));
  const BufferSpec& row = *workload->find_buffer("row");
  ASSERT_TRUE(row.view);
  EXPECT_EQ(row.view->of, "u");
  EXPECT_EQ(row.view->offset.text, "4");
  EXPECT_EQ(workload->memory_of(row).name, "u");
  EXPECT_EQ(workload->find_buffer("part")->view->offset.text, "0");
  EXPECT_TRUE(workload->memory_of(*workload->find_buffer("part")).temporary);
  EXPECT_EQ(workload->memory_of(*workload->find_buffer("v")).name, "v");
}

TEST(MemoryCheck, AViewIsOfABufferWithMemory) {
  EXPECT_EQ(refusal_of("  - step\n", "", "  x: {type: double, shape: [1], view: {of: row}}\n"),
            "w.yaml:9:39: buffers.x.view.of: 'row' is a view, too; expected a buffer with memory of its own");
  EXPECT_THAT(refusal_of("  - step\n", "", "  x: {type: double, shape: [1], view: {of: parts}}\n"),
              HasSubstr("unknown buffer 'parts'; did you mean 'part'?"));
  EXPECT_THAT(refusal_of("  - step\n", "", "  x: {type: double, shape: [1], view: {of: u, offset: m}}\n"),
              HasSubstr("unknown name 'm'"));
  EXPECT_THAT(refusal_of("  - step\n", "", "  x: {type: double, shape: [1], init: 0, view: {of: u}}\n"),
              HasSubstr("buffers.x.init: a view has the content of the buffer that it refers to"));
  EXPECT_THAT(refusal_of("  - step\n", "", "  x: {type: double, shape: [1], init: 0, temporary: true}\n"),
              HasSubstr("buffers.x.init: a temporary buffer holds nothing when a step begins"));
  EXPECT_THAT(
      refusal_of("  - step\n", "", "  x: {type: double, shape: [1], temporary: true, view: {of: u}}\n"),
      HasSubstr("buffers.x.temporary: a view has no memory of its own"));
  EXPECT_THAT(refusal_of("  - step\n", "", "  x: {type: double, shape: [8], init: {same_as: row}}\n"),
              HasSubstr("same_as: 'row' is a view of 'u'"));
}

TEST(MemoryCheck, OnlyBuffersWithMemoryOfTheirOwnAreSwapped) {
  EXPECT_EQ(refusal_of("  - step\n  - swap: [row, v]\n"),
            "w.yaml:14:5: swap: 'row' is a view of 'u'; expected a buffer with memory of its own");
  EXPECT_THAT(refusal_of("  - {kernel: step, args: {v: t}}\n  - swap: [u, t]\n"),
              HasSubstr("swap: 't' is temporary, and its memory is shared"));
}

TEST(MemoryCheck, ABufferWhoseAddressIsHeldStaysWhereItIs) {
  const std::string table = "  table: {type: ulong, shape: [2], init: {addresses: [row, null]}}\n";
  EXPECT_EQ(refusal_of("  - step\n  - swap: [u, v]\n", "", table),
            "w.yaml:15:5: swap: buffer 'table' holds the address of 'u', which would be that of the other "
            "buffer from then on; copy the contents, or swap two buffers of addresses");
  EXPECT_EQ(refusal_of("  - step\n", "", "  table: {type: ulong, shape: [1], init: {addresses: part}}\n"),
            "w.yaml:9:54: buffer 'part' is a part of 't', which is temporary: it has no content outside of "
            "`run`");
  EXPECT_EQ(refusal_of("  - step\n", "", table + "  x: {type: ulong, shape: [2], init: {same_as: table}}\n"),
            "w.yaml:10:48: buffers.x.init.same_as: 'table' holds addresses of buffers; name them here, too");
}

TEST(MemoryCheck, TemporaryBuffersAreWrittenBeforeTheyAreRead) {
  EXPECT_EQ(refusal_of("  - step\n  - copy: {from: t, to: u}\n"),
            "w.yaml:14:5: buffer 't' is temporary, and is read before any statement has written it");
  EXPECT_THAT(refusal_of("  - step\n  - read: {x: part}\n"),
              HasSubstr("buffer 'part' is temporary, and is read"));
  EXPECT_THAT(refusal_of("  - {repeat: {until: \"x < 1\", most: 3, read: {x: t}}, do: step}\n"),
              HasSubstr("buffer 't' is temporary, and is read"));
  static_cast<void>(
      parse(with("  - {fill: {buffer: part, value: 0}}\n  - copy: {from: t, to: u}\n  - step\n")));
  static_cast<void>(parse(with("  - takes\n  - read: {x: t}\n")));
}

TEST(MemoryCheck, NothingOutsideOfRunUsesTemporaryBuffers) {
  const std::string run = "  - {kernel: step, args: {v: t}}\n";
  const char* const outside = "is temporary: it has no content outside of `run`";
  EXPECT_THAT(refusal_of(run, "verify: {checks: [{buffer: t, expected: 0}]}\n"), HasSubstr(outside));
  EXPECT_THAT(refusal_of(run, "verify: {checks: [{buffer: part, expected: 0}]}\n"),
              AllOf(HasSubstr("buffer 'part' is a part of 't', which"), HasSubstr(outside)));
  EXPECT_THAT(refusal_of(run, "verify: {run: [takes], checks: []}\n"), HasSubstr(outside));
  EXPECT_THAT(refusal_of(run, "verify: {run: [{fill: {buffer: t, value: 0}}], checks: []}\n"),
              HasSubstr(outside));
  EXPECT_THAT(refusal_of(run, "verify: {checks: [{buffer: u, reference: {kernel: takes, buffer: v}}]}\n"),
              HasSubstr(outside));
  EXPECT_THAT(refusal_of(run, "", "  x: {type: double, shape: [8], init: {same_as: t}}\n"),
              HasSubstr(outside));
}

TEST(MemoryCheck, AReferenceIsNoPartOfWhatItIsComparedWith) {
  EXPECT_THAT(
      refusal_of("  - step\n", "verify: {checks: [{buffer: v, reference: {kernel: step, buffer: row}}]}\n"),
      HasSubstr("reference: 'row' is a view of 'u'"));
  EXPECT_THAT(
      refusal_of("  - step\n", "verify: {checks: [{buffer: row, reference: {kernel: step, buffer: u}}]}\n"),
      HasSubstr("compares buffer 'row' with 'u', which it is a part of"));
}

}  // namespace
}  // namespace kiln
