#include "launch/argument_values.h"

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

class ArgumentValues : public testing::Test {
 protected:
  /// A workload whose kernel has `keys` and one tensor map with `map_keys`.
  void read(const std::string& keys, const std::string& map_keys = "box: [1, 16]") {
    const std::string text = R"yaml(workload: w
parameters:
  rows: {type: int, default: 6}
  columns: {type: int, default: 32}
  bx: {type: int, default: 64}
buffers:
  u: {type: float, shape: [rows, columns]}
kernels:
  k:
    source: k.cu
    grid: ["ceil_div(columns, bx)", rows]
    block: bx
    args: [{tensor_map: u, )yaml" +
                             map_keys + "}]\n" + keys + "run: k\n";
    workload_ = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
    configuration_ = configure(workload_, {}, unknown_device({"cuda", "sm_90"}), files_).configuration;
    kernel_ = workload_->find_kernel("k");
  }
  /// The same with a texture of a buffer `v`.
  void read_texture(const std::string& buffer, const std::string& keys) {
    const std::string text = "workload: w\nbuffers:\n  v: " + buffer +
                             "\nkernels:\n  k: {source: k.cu, grid: [1], block: [1], args: [{texture: v" +
                             keys + "}]}\nrun: k\n";
    workload_ = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
    configuration_ = configure(workload_, {}, unknown_device({"cuda", "sm_90"}), files_).configuration;
    kernel_ = workload_->find_kernel("k");
  }
  [[nodiscard]] TextureLayout texture() const { return texture_layout(configuration_, kernel_->args.at(0)); }
  [[nodiscard]] TensorMapLayout layout() const {
    return tensor_map_layout(configuration_, kernel_->args.at(0));
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  std::shared_ptr<const Workload> workload_;
  Configuration configuration_;
  const KernelSpec* kernel_ = nullptr;
};

TEST_F(ArgumentValues, AShapeHasAClusterAndIsCooperativeOnlyWhereItSaysSo) {
  read("");
  EXPECT_FALSE(shape_of(configuration_, *kernel_).clustered());
  EXPECT_FALSE(shape_of(configuration_, *kernel_).cooperative);
  read("    cluster: [1, \"rows / 3\"]\n    cooperative: true\n");
  EXPECT_EQ(shape_of(configuration_, *kernel_).cluster, (Dim3{1, 2, 1}));
  EXPECT_TRUE(shape_of(configuration_, *kernel_).cooperative);
}

TEST_F(ArgumentValues, AShapeOverlapsWhereAConditionHolds) {
  read("");
  EXPECT_FALSE(shape_of(configuration_, *kernel_).overlap);
  for (const auto& [text, overlaps] : std::vector<std::pair<std::string, bool>>{
           {"true", true}, {"false", false}, {"rows == 6", true}, {"rows > 6", false}}) {
    read("    overlap: " + text + "\n");
    EXPECT_EQ(shape_of(configuration_, *kernel_).overlap, overlaps) << text;
  }
}

TEST_F(ArgumentValues, AShapeIsExplainedByItsExpressionsAndValues) {
  read("    shared: \"4 * bx\"\n");
  EXPECT_EQ(
      explain_shape(configuration_, *kernel_),
      "grid: [ceil_div(columns, bx), rows], block: [bx], shared: [4 * bx], bx = 64, columns = 32, rows = 6");
}

TEST_F(ArgumentValues, ATensorMapListsTheFastestDimensionFirst) {
  read("", "box: [2, 16]");
  EXPECT_EQ(layout().element, TensorMapLayout::Element::kF32);
  EXPECT_THAT(layout().extents, ElementsAre(32, 6));
  EXPECT_THAT(layout().strides, ElementsAre(128));
  EXPECT_THAT(layout().box, ElementsAre(16, 2));
  EXPECT_THAT(layout().element_strides, ElementsAre(1, 1));
  EXPECT_EQ(layout().swizzle, TensorMapLayout::Swizzle::kNone);
}

TEST_F(ArgumentValues, ATensorMapTakesExtentsStridesAndModes) {
  read("",
       "box: [2, 8], extents: [3, 16], strides: [\"2 * columns\"], element_strides: [1, 2], swizzle: 64B, "
       "l2_promotion: 256B, fill: nan");
  EXPECT_THAT(layout().extents, ElementsAre(16, 3));
  EXPECT_THAT(layout().strides, ElementsAre(256));
  EXPECT_THAT(layout().element_strides, ElementsAre(2, 1));
  EXPECT_EQ(layout().swizzle, TensorMapLayout::Swizzle::k64B);
  EXPECT_EQ(layout().l2_promotion, TensorMapLayout::L2Promotion::k256B);
  EXPECT_EQ(layout().fill, TensorMapLayout::Fill::kNan);
}

TEST_F(ArgumentValues, WhatTheHardwareDoesNotTakeIsBadInputAtTheArgument) {
  const auto problem = [&](const std::string& map_keys) {
    return bad_input_of([&] {
      read("", map_keys);
      static_cast<void>(layout());
    });
  };
  EXPECT_THAT(problem("box: [1, 3]"), HasSubstr("w.yaml:13"));
  EXPECT_THAT(problem("box: [1, 3]"), HasSubstr("12 bytes; expected a multiple of 16"));
  EXPECT_THAT(problem("box: [257, 16]"), HasSubstr("a box extent of 257; expected 1 to 256"));
  EXPECT_THAT(problem("box: [1, 32], swizzle: 64B"), HasSubstr("a swizzle of 64B takes at most 64"));
  EXPECT_THAT(problem("box: [1, 16], strides: [33]"), HasSubstr("132 bytes; expected a multiple of 16"));
  EXPECT_THAT(problem("box: [1, 16], extents: [7, 32]"),
              HasSubstr("its extents and strides reach beyond the buffer's 768 bytes"));
  EXPECT_THAT(problem("box: [1, 16], extents: [2147483649, 32], strides: [8589934592]"),
              HasSubstr("reach beyond the buffer's 768 bytes"));
  EXPECT_THAT(problem("box: [16]"), HasSubstr("`box` has 1 items; expected 2"));
  EXPECT_THAT(problem("box: [1, 16], swizzle: 63B"), HasSubstr("did you mean"));
}

TEST_F(ArgumentValues, ATextureTakesTheBuffersShapeOrLess) {
  read_texture("{type: uchar4, shape: [6, 32]}", "");
  EXPECT_EQ(texture().format, TextureLayout::Format::kU8);
  EXPECT_EQ(texture().channels, 4U);
  EXPECT_EQ(texture().width, 32U);
  EXPECT_EQ(texture().height, 6U);
  EXPECT_EQ(texture().pitch, 128U);
  EXPECT_EQ(texture().address[0], TextureLayout::Address::kClamp);
  EXPECT_FALSE(texture().linear || texture().normalized_coordinates || texture().normalized_values);
  read_texture(
      "{type: uchar4, shape: [6, 32]}",
      ", extents: [5, 30], filter: linear, address: [mirror, wrap], normalized: true, read: normalized");
  EXPECT_EQ(texture().width, 30U);
  EXPECT_EQ(texture().height, 5U);
  EXPECT_EQ(texture().pitch, 128U);
  EXPECT_EQ(texture().address[0], TextureLayout::Address::kWrap);
  EXPECT_EQ(texture().address[1], TextureLayout::Address::kMirror);
  EXPECT_TRUE(texture().linear && texture().normalized_coordinates && texture().normalized_values);
  read_texture("{type: float, shape: [3, 5, 32]}", ", address: [border, clamp, clamp], layers: true");
  EXPECT_EQ(texture().depth, 3U);
  EXPECT_EQ(texture().height, 5U);
  EXPECT_TRUE(texture().layers);
  EXPECT_EQ(texture().address[0], TextureLayout::Address::kClamp);
  EXPECT_EQ(texture().address[2], TextureLayout::Address::kBorder);
  read_texture("{type: half, shape: [100]}", "");
  EXPECT_EQ(texture().format, TextureLayout::Format::kF16);
  EXPECT_EQ(texture().height, 0U);
}

TEST_F(ArgumentValues, PointersToRowsAreThoseOfTheFirstExtent) {
  const auto table = [&](const std::string& buffer) {
    const std::string text =
        "workload: w\ntypes:\n  Pair: {a: double, b: int}\nbuffers:\n  v: " + buffer +
        "\nkernels:\n  k: {source: k.cu, grid: [1], block: [1], args: [{pointers: v}]}\nrun: k\n";
    workload_ = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
    configuration_ = configure(workload_, {}, unknown_device({"cuda", "sm_90"}), files_).configuration;
    return pointer_table(configuration_, workload_->find_kernel("k")->args.at(0));
  };
  EXPECT_EQ(table("{type: float, shape: [7, 5]}"), (PointerTable{7, 20}));
  EXPECT_EQ(table("{type: uchar4, shape: [3, 5, 32]}"), (PointerTable{3, 640}));
  EXPECT_EQ(table("{type: Pair, shape: [6]}"), (PointerTable{6, 16}));
  EXPECT_EQ(table("{type: double, shape: [1, 2]}"), (PointerTable{1, 16}));
}

TEST_F(ArgumentValues, WhatNoTextureCanBeIsBadInputAtTheArgument) {
  const auto problem = [&](const std::string& buffer, const std::string& keys) {
    return bad_input_of([&] {
      read_texture(buffer, keys);
      static_cast<void>(texture());
    });
  };
  const std::string plane = "{type: float, shape: [6, 32]}";
  EXPECT_THAT(problem("{type: double, shape: [6, 32]}", ""),
              HasSubstr("w.yaml:5:51: texture of 'v': no texture holds 'double'"));
  EXPECT_THAT(problem("{type: float3, shape: [6, 32]}", ""), HasSubstr("elements of 3 numbers"));
  EXPECT_THAT(problem("{type: float, shape: [2, 2, 6, 32]}", ""), HasSubstr("a buffer of 4 dimensions"));
  EXPECT_THAT(problem("{type: float, shape: [2, 6, 32]}", ", extents: [2, 5, 32]"),
              HasSubstr("an extent of 5 along y"));
  EXPECT_THAT(problem(plane, ", address: [clamp, clamp, border]"), HasSubstr("`address` has 3 words"));
  EXPECT_THAT(problem("{type: float, shape: [32]}", ", layers: true"), HasSubstr("the buffer has one"));
  EXPECT_THAT(problem(plane, ", extents: [7, 32]"), HasSubstr("an extent of 7; the buffer has 6"));
  EXPECT_THAT(problem(plane, ", extents: [32]"), HasSubstr("`extents` has 1 items; expected 2"));
  EXPECT_THAT(problem(plane, ", address: wrap"), HasSubstr("need `normalized: true`"));
  EXPECT_THAT(problem(plane, ", filter: liner"), HasSubstr("did you mean 'linear'?"));
  EXPECT_THAT(problem(plane, ", address: [clamp]"), HasSubstr("expected one word, or one for each"));
  EXPECT_THAT(problem("{type: int, shape: [6, 32]}", ", filter: linear"), HasSubstr("floating point"));
}

}  // namespace
}  // namespace kiln
