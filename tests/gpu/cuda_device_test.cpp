#include <gmock/gmock.h>

#include <numeric>

#include "device/fault.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kAdd = R"(extern "C" __global__ void add(int* a, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += value;
})";

TEST_F(GpuTest, TellsWhatItIs) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.id, "cuda:0");
  EXPECT_THAT(info.target.arch, StartsWith("sm_"));
  EXPECT_GT(info.compute_units, 0);
  EXPECT_GT(info.memory_bandwidth, 1);
  EXPECT_GT(info.memory_bytes, device_->free_memory_bytes());
  EXPECT_GE(info.limits.max_shared_bytes_per_block, 48U << 10);
  EXPECT_EQ(info.limits.max_threads_per_block, 1024U);
  EXPECT_THAT(info.driver, HasSubstr("CUDA "));
}

TEST_F(GpuTest, CopiesAndFills) {
  std::vector<int> values(100'000);
  std::iota(values.begin(), values.end(), 7);
  const auto buffer = upload(values);
  EXPECT_EQ(buffer->host_view(), nullptr);
  EXPECT_EQ(download<int>(*buffer), values);
  const auto copy = device_->allocate(buffer->bytes());
  device_->copy_on_device(*stream_, copy->data(), buffer->data(), buffer->bytes());
  EXPECT_EQ(download<int>(*copy), values);
  device_->fill_bytes(*stream_, buffer->data(), 0xff, buffer->bytes());
  EXPECT_THAT(download<int>(*buffer), Each(-1));
}

TEST_F(GpuTest, RefusesMoreMemoryThanThereIsNamingBothSizes) {
  try {
    static_cast<void>(device_->allocate(device_->info().memory_bytes * 2));
    FAIL() << "it was allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("cannot allocate"));
    EXPECT_THAT(error.what(), HasSubstr("are free"));
  }
}

TEST_F(GpuTest, LaunchesAndTellsWhatAKernelUses) {
  DeviceFunction& add = build(kAdd, "add");
  const auto buffer = upload(std::vector<int>(1000, 1));
  launch(*stream_, add, {{8, 1, 1}, {128, 1, 1}, 0}, buffer->data(), 41, 1000);
  stream_->synchronize();
  EXPECT_THAT(download<int>(*buffer), Each(42));
  const FunctionAttributes& attributes = add.attributes();
  EXPECT_GT(attributes.registers.value_or(0), 0);
  EXPECT_EQ(attributes.local_bytes, 0U);
  EXPECT_EQ(attributes.max_threads_per_block, 1024U);
  if (attributes.parameter_bytes) {
    EXPECT_THAT(*attributes.parameter_bytes, ElementsAre(8U, 4U, 4U));
  }
}

// What an NVRTC that does not know the device gives.
TEST_F(GpuTest, RunsPtxThatTheDriverTranslates) {
  Specialization wanted = specialization(kAdd, "add");
  wanted.target = compiler_->target_for("compute_80");
  const CompileResult result = compiler_->compile(wanted);
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << std::get<Diagnostic>(result).log;
  const auto& code = std::get<CodeObject>(result);
  EXPECT_EQ(code.format, "ptx");
  EXPECT_THAT(code.binary, HasSubstr(".target sm_80"));
  modules_.push_back(device_->load(code.binary));
  DeviceFunction* add = modules_.back()->function("add");
  ASSERT_NE(add, nullptr);
  EXPECT_GT(add->attributes().registers.value_or(0), 0);
  const auto buffer = upload(std::vector<int>(1000, 1));
  launch(*stream_, *add, {{8, 1, 1}, {128, 1, 1}, 0}, buffer->data(), 41, 1000);
  stream_->synchronize();
  EXPECT_THAT(download<int>(*buffer), Each(42));
}

TEST_F(GpuTest, TakesDynamicSharedMemoryBeyond48Kibibytes) {
  const std::uint64_t bytes = device_->info().limits.max_shared_bytes_per_block;
  if (bytes <= 48U << 10) GTEST_SKIP() << "this device has no more than 48 KiB";
  DeviceFunction& last = build(R"(extern "C" __global__ void last(int* out, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = tile[n - 1];
})",
                               "last");
  const auto out = upload(std::vector<int>{0});
  const int n = static_cast<int>(bytes / sizeof(int));
  launch(*stream_, last, {{1, 1, 1}, {256, 1, 1}, bytes}, out->data(), n);
  EXPECT_THAT(download<int>(*out), ElementsAre(n - 1));
}

TEST_F(GpuTest, FindsVariablesAndNoOthers) {
  static_cast<void>(build(R"(__constant__ int table[4];
extern "C" __global__ void read(int* out) { *out = table[2]; })",
                          "read"));
  const auto symbol = modules_.back()->symbol("table");
  ASSERT_TRUE(symbol.has_value());
  EXPECT_EQ(symbol->second, 16U);
  EXPECT_FALSE(modules_.back()->symbol("chair").has_value());
  EXPECT_EQ(modules_.back()->function("write"), nullptr);
}

TEST_F(GpuTest, RefusesABinaryThatIsNone) {
  try {
    static_cast<void>(device_->load("not a cubin"));
    FAIL() << "it was loaded";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_"));
    EXPECT_THAT(error.what(), HasSubstr("loading a kernel on cuda:0"));
  }
}

TEST_F(GpuTest, NamesKernelAndShapeOfALaunchThatTheDriverRefuses) {
  DeviceFunction& add = build(kAdd, "add");
  try {
    launch(*stream_, add, {{1, 1, 1}, {2048, 1, 1}, 0}, static_cast<void*>(nullptr), 1, 0);
    FAIL() << "it was launched";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_INVALID_VALUE (1)"));
    EXPECT_THAT(error.what(),
                HasSubstr("in cuLaunchKernel, kernel 'add', grid 1 x 1 x 1, block 2048 x 1 x 1"));
  }
}

TEST_F(GpuTest, TimesWithEvents) {
  DeviceFunction& spin = build(R"(extern "C" __global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
})",
                               "spin");
  const auto first = device_->create_event();
  const auto second = device_->create_event();
  first->record(*stream_);
  launch(*stream_, spin, {{1, 1, 1}, {1, 1, 1}, 0}, 2'000'000LL);
  second->record(*stream_);
  stream_->synchronize();
  EXPECT_GT(second->seconds_since(*first), 5e-4);
  EXPECT_LT(second->seconds_since(*first), 1.0);
  device_->flush_cache(*stream_);
  stream_->synchronize();
}

/// In a process of its own: the device is lost to it.
TEST_F(GpuTest, ReportsAnIllegalAddressAsAStickyFaultThatNamesTheKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [&] {
    DeviceFunction& poke = build("extern \"C\" __global__ void poke(int* a) { a[1ull << 40] = 1; }", "poke");
    launch(*stream_, poke, {{1, 1, 1}, {1, 1, 1}, 0}, static_cast<void*>(nullptr));
    try {
      stream_->synchronize();
    } catch (const Error& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(error.kind() == ErrorKind::kDeviceLost ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(fault(), ::testing::ExitedWithCode(0), "CUDA_ERROR_ILLEGAL_ADDRESS \\(700\\).*kernel 'poke'");
}

}  // namespace
}  // namespace kiln::test
