#include "launch/shape_check.h"

#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/fake_device.h"

namespace kiln {
namespace {

class ShapeCheck : public testing::Test {
 protected:
  [[nodiscard]] std::string check(const Dim3& grid, const Dim3& block, std::uint64_t shared = 0) const {
    return check_shape(LaunchShape{grid, block, shared}, device_.info(), function_, "axpy").value_or("");
  }

  test::FakeClock clock_;
  test::FakeDevice device_{clock_};
  FunctionAttributes function_;
};

TEST_F(ShapeCheck, WhatFitsHasNoProblem) {
  EXPECT_EQ(check({1, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(check({2147483647, 65535, 65535}, {1024, 1, 1}, 49152), "");
  EXPECT_EQ(check({1, 1, 1}, {16, 1, 64}), "");
}

TEST_F(ShapeCheck, Zero) {
  EXPECT_EQ(check({8, 0, 1}, {1, 1, 1}),
            "kernel 'axpy' cannot be launched: its grid is 8 x 0 x 1; every extent must be at least 1");
  EXPECT_EQ(check({1, 1, 1}, {32, 1, 0}),
            "kernel 'axpy' cannot be launched: its block is 32 x 1 x 0; every extent must be at least 1");
}

TEST_F(ShapeCheck, ExtentsOverTheDevices) {
  EXPECT_EQ(
      check({1, 70000, 1}, {1, 1, 1}),
      "kernel 'axpy' cannot be launched: its grid has 70000 blocks along y, fake:0 takes at most 65535");
  EXPECT_EQ(check({2147483648, 1, 1}, {1, 1, 1}),
            "kernel 'axpy' cannot be launched: its grid has 2147483648 blocks along x, fake:0 takes at most "
            "2147483647");
  EXPECT_EQ(check({1, 1, 1}, {1, 1, 65}),
            "kernel 'axpy' cannot be launched: its block has 65 work-items along z, fake:0 takes at most 64");
}

TEST_F(ShapeCheck, BlockOverTheDevices) {
  EXPECT_EQ(check({1, 1, 1}, {64, 32, 1}),
            "kernel 'axpy' cannot be launched: its block of 64 x 32 x 1 has 2048 work-items, fake:0 takes at "
            "most 1024");
}

TEST_F(ShapeCheck, BlockOverTheCompiledFunctions) {
  function_.max_threads_per_block = 256;
  EXPECT_EQ(check({1, 1, 1}, {256, 1, 1}), "");
  EXPECT_EQ(check({1, 1, 1}, {512, 1, 1}),
            "kernel 'axpy' cannot be launched: its block of 512 x 1 x 1 has 512 work-items, the kernel as "
            "compiled takes at most 256 (launch bounds or registers)");
}

TEST_F(ShapeCheck, SharedMemory) {
  function_.static_shared_bytes = 40000;
  EXPECT_EQ(check({1, 1, 1}, {32, 1, 1}, 9152), "");
  EXPECT_EQ(
      check({1, 1, 1}, {32, 1, 1}, 9153),
      "kernel 'axpy' cannot be launched: it needs 40000 bytes of static and 9153 bytes of dynamic shared "
      "memory, a block on fake:0 has 49152");
  EXPECT_NE(check({1, 1, 1}, {32, 1, 1}, ~std::uint64_t{0}), "");
}

TEST_F(ShapeCheck, Clusters) {
  LaunchShape shape{{12, 3, 1}, {32, 1, 1}};
  shape.cluster = {4, 3, 1};
  const auto problem = [&] { return check_shape(shape, device_.info(), function_, "axpy").value_or(""); };
  EXPECT_EQ(
      problem(),
      "kernel 'axpy' cannot be launched: it is launched in clusters of 4 x 3 x 1 blocks, fake:0 (fake_1) "
      "has no clusters");
  device_.mutable_info().limits.clusters = true;
  EXPECT_EQ(problem(), "");
  shape.grid.x = 10;
  EXPECT_EQ(
      problem(),
      "kernel 'axpy' cannot be launched: its grid has 10 blocks along x, no multiple of its cluster's 4");
}

TEST_F(ShapeCheck, CooperativeLaunches) {
  LaunchShape shape{{12, 1, 1}, {32, 1, 1}};
  shape.cooperative = true;
  EXPECT_EQ(check_shape(shape, device_.info(), function_, "axpy"),
            "kernel 'axpy' cannot be launched: it is cooperative, fake:0 has no cooperative launches");
  device_.mutable_info().limits.cooperative = true;
  EXPECT_EQ(check_shape(shape, device_.info(), function_, "axpy"), std::nullopt);
}

TEST_F(ShapeCheck, Residency) {
  LaunchShape shape{{12, 1, 1}, {32, 1, 1}};
  EXPECT_EQ(check_residency(shape, device_.info(), std::nullopt, "axpy"), std::nullopt);
  EXPECT_EQ(check_residency(shape, device_.info(), 1, "axpy"), std::nullopt);
  EXPECT_EQ(check_residency(shape, device_.info(), 0, "axpy"),
            "kernel 'axpy' cannot be launched: no such block fits on fake:0: too many registers or too much "
            "shared memory");
  shape.cooperative = true;
  EXPECT_EQ(check_residency(shape, device_.info(), 12, "axpy"), std::nullopt);
  EXPECT_EQ(
      check_residency(shape, device_.info(), 11, "axpy"),
      "kernel 'axpy' cannot be launched: it is cooperative and its grid has 12 blocks, fake:0 holds 11 of "
      "them at a time");
}

TEST(CheckArguments, CountAndSizes) {
  FunctionAttributes function;
  EXPECT_EQ(check_arguments({8, 8}, function, "axpy"), std::nullopt);
  function.parameter_bytes = {8, 8, 4, 8};
  EXPECT_EQ(check_arguments({8, 8, 4, 8}, function, "axpy"), std::nullopt);
  EXPECT_EQ(check_arguments({8, 8, 4}, function, "axpy"), "kernel 'axpy' takes 4 arguments, 3 are given");
  EXPECT_EQ(check_arguments({8}, function, "axpy"), "kernel 'axpy' takes 4 arguments, 1 is given");
  EXPECT_EQ(check_arguments({8, 4, 4, 8}, function, "axpy"),
            "argument 2 of kernel 'axpy' is 4 bytes, the kernel takes 8");
  function.parameter_bytes = std::vector<std::size_t>{8};
  EXPECT_EQ(check_arguments({}, function, "f"), "kernel 'f' takes 1 argument, 0 are given");
}

}  // namespace
}  // namespace kiln
