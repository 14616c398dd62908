#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "device/cpu/cpu_backend.h"
#include "device/cpu/machine.h"
#include "device/fault.h"
#include "device/registry.h"
#include "kiln/error.h"
#include "support/cpu_kernels.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

TEST(CpuBackend, IsFoundByName) {
  const auto files = make_real_file_system();
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(make_cpu_backend({}, *files));
  DeviceRegistry registry(std::move(backends));
  const auto device = registry.open("cpu");
  EXPECT_EQ(registry.open("cpu:0"), device);
  EXPECT_EQ(device->info().id, "cpu");
  EXPECT_EQ(device->info().target.backend, "cpu");
  EXPECT_EQ(device->info().target.warp_size, 32);
  EXPECT_GT(device->info().compute_units, 0);
  EXPECT_GT(device->info().memory_bytes, 1U << 28);
  // A container may lack /sys, which is where the size of the cache stands.
  if (std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache")) {
    EXPECT_GT(device->info().l2_bytes, 1U << 16);
  }
  EXPECT_EQ(device->info().limits.max_threads_per_block, 1024U);
  EXPECT_THROW(static_cast<void>(registry.open("cpu:1")), Error);
}

TEST(CpuTarget, IsSpelledOutAndNeverNative) {
  const auto files = make_real_file_system();
  const auto device = make_cpu_backend({}, *files)->open(0);
  EXPECT_EQ(device->info().target.arch.find("native"), std::string::npos);
  EXPECT_FALSE(device->info().target.arch.empty());
}

TEST(Machine, ReadsProcAndSys) {
  FakeClock clock;
  MemoryFileSystem files(clock);
  files.make_directories("/proc/self", false);
  files.make_directories("/sys/devices/system/cpu/cpu0/cache/index3", false);
  files.make_directories("/sys/fs/cgroup/job", false);
  files.write_file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU 9\n", false);
  files.write_file("/proc/meminfo", "MemTotal:       1000 kB\nMemFree: 10 kB\nMemAvailable:    800 kB\n",
                   false);
  files.write_file("/sys/devices/system/cpu/cpu0/cache/index3/size", "32768K\n", false);
  const Machine machine = describe_machine(files);
  EXPECT_EQ(machine.processor, "Fast CPU 9");
  EXPECT_EQ(machine.memory_bytes, 1000U << 10);
  EXPECT_EQ(machine.last_level_cache_bytes, 32U << 20);
  EXPECT_EQ(available_memory_bytes(files), 800U << 10);
  files.write_file("/proc/self/cgroup", "0::/job\n", false);
  files.write_file("/sys/fs/cgroup/job/memory.max", "500000\n", false);
  files.write_file("/sys/fs/cgroup/job/memory.current", "400000\n", false);
  EXPECT_EQ(available_memory_bytes(files), 100000U);
  files.write_file("/sys/fs/cgroup/job/memory.max", "max\n", false);
  EXPECT_EQ(available_memory_bytes(files), 800U << 10);
}

class CpuDeviceTest : public ::testing::Test {
 protected:
  CpuKernels kernels_;
};

TEST_F(CpuDeviceTest, AllocatesAlignedMemoryThatTheHostSees) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{9} << 20}) {
    const auto buffer = kernels_.device().allocate(bytes);
    EXPECT_EQ(buffer->bytes(), bytes);
    EXPECT_EQ(buffer->host_view(), buffer->data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 4096, 0U);
    kernels_.device().fill_bytes(kernels_.stream(), buffer->data(), 7, bytes);
    std::vector<unsigned char> copy(bytes);
    kernels_.device().copy_to_host(kernels_.stream(), copy.data(), buffer->data(), bytes);
    EXPECT_EQ(std::count(copy.begin(), copy.end(), 7), static_cast<std::ptrdiff_t>(bytes));
    const auto other = kernels_.device().allocate(bytes);
    kernels_.device().copy_on_device(kernels_.stream(), other->data(), buffer->data(), bytes);
    EXPECT_TRUE(bytes == 0 || std::memcmp(other->data(), copy.data(), bytes) == 0);
  }
}

TEST_F(CpuDeviceTest, NamesBothSizesWhereMemoryDoesNotSuffice) {
  const std::string message =
      bad_input_of([&] { static_cast<void>(kernels_.device().allocate(std::size_t{1} << 50)); });
  EXPECT_THAT(message, HasSubstr("cannot allocate 1 PiB on cpu"));
  EXPECT_THAT(message, HasSubstr("GiB of memory are available"));
}

TEST_F(CpuDeviceTest, TimesWithEvents) {
  const auto begin = kernels_.device().create_event(), end = kernels_.device().create_event();
  begin->record(kernels_.stream());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  end->record(kernels_.stream());
  EXPECT_GE(end->seconds_since(*begin), 0.005);
  EXPECT_LT(end->seconds_since(*begin), 5.0);
  EXPECT_NO_THROW(kernels_.device().flush_cache(kernels_.stream()));
}

TEST_F(CpuDeviceTest, RefusesWhatIsNoSharedObject) {
  EXPECT_THROW(static_cast<void>(kernels_.device().load("not an object")), Error);
  EXPECT_THROW(static_cast<void>(kernels_.device().load("")), Error);
}

TEST_F(CpuDeviceTest, KeepsManyModulesApartAndUnloadsThem) {
  std::vector<std::string> binaries;
  binaries.reserve(3);
  for (int version = 0; version < 3; ++version) {
    binaries.push_back(
        kernels_
            .compile(kernels_.specialize("__shared__ int seen[256]; extern \"C\" __global__ void k(int* a) { "
                                         "seen[threadIdx.x] = 1; a[threadIdx.x] = " +
                                             std::to_string(version) + "; __syncthreads(); }",
                                         "k"))
            .binary);
  }
  std::vector<std::unique_ptr<Module>> kept;
  for (int i = 0; i < 600; ++i) {
    auto module = kernels_.device().load(binaries[static_cast<std::size_t>(i % 3)]);
    DeviceFunction* k = module->function("kiln_kernel_0");
    ASSERT_NE(k, nullptr);
    int a[64] = {};
    kernels_.run(*k, {{1 + static_cast<unsigned>(i) % 4, 1, 1}, {64, 1, 1}, 0}, &a[0]);
    EXPECT_EQ(a[63], i % 3);
    if (i % 50 == 0) kept.push_back(std::move(module));
  }
  int a[64] = {};
  kernels_.run(*kept[1]->function("kiln_kernel_0"), {{4, 1, 1}, {64, 1, 1}, 0}, &a[0]);
  EXPECT_EQ(a[0], 50 % 3);
}

TEST_F(CpuDeviceTest, RunsStreamsOfSeveralThreads) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(int* a, int v) {
  __shared__ int tile[64];
  tile[threadIdx.x] = v;
  __syncthreads();
  atomicAdd(a + blockIdx.x, tile[63 - threadIdx.x]);
})",
                                     "k");
  DeviceFunction& bad = kernels_.build(
      R"(extern "C" __global__ void bad() { if (threadIdx.x) __syncthreads(); __syncthreads(); })", "bad");
  std::vector<std::jthread> threads;
  threads.reserve(4);
  std::atomic<int> faults{0};
  std::vector<std::vector<int>> results(4, std::vector<int>(40));
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto stream = kernels_.device().create_stream();
      int* a = results[static_cast<std::size_t>(t)].data();
      int value = t + 1;
      void* arguments[] = {&a, &value};
      for (int i = 0; i < 50; ++i) {
        k.launch(*stream, {{40, 1, 1}, {64, 1, 1}, 0}, arguments);
        stream->synchronize();
        if (i % 10 != 0) continue;
        bad.launch(*stream, {{2, 1, 1}, {64, 1, 1}, 0}, nullptr);
        try {
          stream->synchronize();
        } catch (const Error& error) {
          faults += error.kind() == ErrorKind::kDeviceFault ? 1 : 0;
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(faults, 20);
  for (int t = 0; t < 4; ++t) {
    for (const int value : results[static_cast<std::size_t>(t)]) EXPECT_EQ(value, 50 * 64 * (t + 1));
  }
}

TEST(CpuGraph, IsAListOfOperationsWithTheArgumentsOfTheCapture) {
  CpuKernels kernels;
  DeviceFunction& add =
      kernels.build("extern \"C\" __global__ void add(int* a, int value) { *a += value; }", "add");
  Device& device = kernels.device();
  Stream& stream = kernels.stream();
  const auto buffer = device.allocate(2 * sizeof(int));
  auto* numbers = static_cast<int*>(buffer->host_view());
  std::memset(numbers, 0, buffer->bytes());
  const auto graph = device.capture(stream, [&] {
    for (int value = 1; value <= 3; ++value) {
      void* address = numbers;
      void* arguments[] = {&address, &value};
      add.launch(stream, {{1, 1, 1}, {1, 1, 1}}, arguments);
    }
    device.copy_on_device(stream, numbers + 1, numbers, sizeof(int));
    device.fill_bytes(stream, numbers, 0, sizeof(int));
  });
  EXPECT_EQ(numbers[0], 0);
  graph->launch(stream);
  EXPECT_EQ(numbers[0], 0);
  EXPECT_EQ(numbers[1], 6);
  numbers[0] = 10;
  graph->launch(stream);
  EXPECT_EQ(numbers[1], 16);
}

TEST(CpuGraph, AFaultInAReplayIsReportedAsForLaunches) {
  CpuKernels kernels;
  DeviceFunction& fail = kernels.build(
      "#include <assert.h>\nextern \"C\" __global__ void fail(int a) { assert(a == 1); }", "fail");
  Stream& stream = kernels.stream();
  const auto graph = kernels.device().capture(stream, [&] {
    int value = 2;
    void* arguments[] = {&value};
    fail.launch(stream, {{1, 1, 1}, {1, 1, 1}}, arguments);
  });
  stream.synchronize();
  graph->launch(stream);
  EXPECT_EQ(error_of([&] { stream.synchronize(); }).kind(), ErrorKind::kDeviceFault);
}

TEST(CpuGraph, WhatWaitsCannotBeCapturedAndTheStreamGoesOn) {
  CpuKernels kernels;
  Device& device = kernels.device();
  Stream& stream = kernels.stream();
  const auto buffer = device.allocate(4);
  int host = 1;
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(device.capture(
                    stream, [&] { device.copy_to_device(stream, buffer->data(), &host, sizeof host); }));
              }),
              HasSubstr("copy_to_device waits for the device, which a stream that is captured"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(device.capture(stream, [&] { stream.synchronize(); })); }),
              HasSubstr("synchronize waits"));
  device.copy_to_device(stream, buffer->data(), &host, sizeof host);
  stream.synchronize();
}

}  // namespace
}  // namespace kiln::test
