// Launches beyond grid and block: clusters, cooperative grids, tensor maps; and the driver's attributes of a
// kernel.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "gpu/gpu_fixture.h"
#include "gpu/launch_kernels.h"
#include "launch/shape_check.h"

namespace kiln::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class GpuLaunch : public GpuTest {};

TEST_F(GpuLaunch, BlocksOfAClusterSeeEachOthersSharedMemory) {
  if (!device_->info().limits.clusters) GTEST_SKIP() << device_->info().target.arch << " has no clusters";
  DeviceFunction& sum = build(kClusterSum, "cluster_sum");
  const auto out = upload(std::vector<int>(32, 0));
  for (const unsigned size : {2U, 8U, 16U}) {
    LaunchShape shape{{32, 1, 1}, {32, 1, 1}};
    shape.cluster = {size, 1, 1};
    ASSERT_GE(sum.resident_blocks(shape).value(), size);
    launch(*stream_, sum, shape, out->data());
    stream_->synchronize();
    EXPECT_THAT(download<int>(*out), Each(size * (size + 1) / 2)) << "clusters of " << size;
  }
}

TEST_F(GpuLaunch, ACooperativeGridRunsAllAtOnceOrNotAtAll) {
  DeviceFunction& barrier = build(kGridBarrier, "grid_barrier");
  LaunchShape shape{{1, 1, 1}, {64, 1, 1}};
  shape.cooperative = true;
  const std::uint64_t most = barrier.resident_blocks(shape).value();
  ASSERT_GE(most, static_cast<std::uint64_t>(device_->info().compute_units));
  shape.grid.x = most;
  const auto arrived = upload(std::vector<int>(1, 0));
  const auto seen = upload(std::vector<int>(most, 0));
  EXPECT_EQ(check_residency(shape, device_->info(), most, "grid_barrier"), std::nullopt);
  launch(*stream_, barrier, shape, arrived->data(), seen->data());
  stream_->synchronize();
  EXPECT_THAT(download<int>(*seen), Each(static_cast<int>(most)));

  shape.grid.x = most + 1;
  EXPECT_THAT(check_residency(shape, device_->info(), most, "grid_barrier").value_or(""),
              HasSubstr("at a time"));
  try {
    launch(*stream_, barrier, shape, arrived->data(), seen->data());
    ADD_FAILURE() << "the driver took it";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cooperative"));
    EXPECT_THAT(error.what(), HasSubstr("cuLaunchKernelEx"));
  }
}

/// One box, copied by the tensor memory accelerator into shared memory and from there by threads to `out`.
constexpr const char* kBoxCopy = R"(struct __align__(64) Map { char bytes[128]; };
extern "C" __global__ void box_copy(const __grid_constant__ Map map, float* out, int x, int y) {
  __shared__ __align__(128) float box[4][8];
  __shared__ unsigned long long arrived;
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(128) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            (unsigned)__cvta_generic_to_shared(box)),
        "l"(&map), "r"(x), "r"(y), "r"(bar)
        : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred done;\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait;\n}" ::"r"(bar)
               : "memory");
  out[threadIdx.x] = box[threadIdx.x / 8][threadIdx.x % 8];
})";

TEST_F(GpuLaunch, ATensorMapShowsAKernelABoxOfABuffer) {
  if (!device_->info().limits.clusters)
    GTEST_SKIP() << device_->info().target.arch << " has no tensor memory accelerator";
  constexpr int kColumns = 16;
  constexpr int kRows = 6;
  std::vector<float> values(kColumns * kRows);
  std::iota(values.begin(), values.end(), 1.0F);
  const auto tensor = upload(values);
  const auto out = upload(std::vector<float>(32, -1));
  TensorMapLayout layout;
  layout.extents = {kColumns, kRows};
  layout.strides = {kColumns * sizeof(float)};
  layout.box = {8, 4};
  layout.element_strides = {1, 1};
  const TensorMap map = device_->encode_tensor_map(layout, tensor->data());
  DeviceFunction& copy = build(kBoxCopy, "box_copy");
  // The box leaves the tensor on the right and below: what is outside reads as 0.
  constexpr int kX = 12;
  constexpr int kY = 4;
  launch(*stream_, copy, {{1, 1, 1}, {32, 1, 1}}, map, out->data(), kX, kY);
  stream_->synchronize();
  const auto copied = download<float>(*out);
  for (int i = 0; i < 32; ++i) {
    const int x = kX + i % 8;
    const int y = kY + i / 8;
    const bool inside = x < kColumns && y < kRows;
    EXPECT_EQ(copied[static_cast<std::size_t>(i)],
              inside ? values[static_cast<std::size_t>(y * kColumns + x)] : 0.0F)
        << x << ", " << y;
  }
  layout.box = {3, 4};
  EXPECT_THROW(static_cast<void>(device_->encode_tensor_map(layout, tensor->data())), Error);
}

TEST_F(GpuLaunch, TellsHowManyBlocksAreResident) {
  DeviceFunction& barrier = build(kGridBarrier, "grid_barrier");
  const auto units = static_cast<std::uint64_t>(device_->info().compute_units);
  const DeviceLimits& limits = device_->info().limits;
  EXPECT_EQ(barrier.resident_blocks({{1, 1, 1}, {1024, 1, 1}}), units * (limits.max_threads_per_unit / 1024));
  EXPECT_EQ(barrier.resident_blocks({{1, 1, 1}, {32, 1, 1}, limits.max_shared_bytes_per_block}), units);
}

TEST_F(GpuLaunch, CopiesLargeBuffersWholeThroughStaging) {
  std::vector<unsigned> values(std::size_t{7} << 20);  // 28 MiB: seven pieces
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned>(i * 2654435761U);
  values.resize(values.size() - 3);
  const auto first = upload(values);
  const auto second = upload(std::vector<unsigned>(values.size(), 7));
  EXPECT_EQ(download<unsigned>(*first), values);
  EXPECT_THAT(download<unsigned>(*second), Each(7U));
}

TEST_F(GpuLaunch, ReadsClocks) {
  const auto clocks = device_->clocks();
  if (!clocks) GTEST_SKIP() << "NVML does not show the device";
  EXPECT_GT(clocks->compute_mhz.value(), 0U);
  EXPECT_GE(clocks->compute_max_mhz.value(), clocks->compute_mhz.value());
  EXPECT_GE(clocks->memory_max_mhz.value(), clocks->memory_mhz.value());
}

}  // namespace
}  // namespace kiln::test
