// The HIP back end on an NVIDIA GPU, through the test shim that has HIP's entry points over CUDA and NVRTC:
// its launch path, and the four workloads with every check against its reference.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "compile/hip/hiprtc_compiler.h"
#include "device/hip/hip_backend.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kMark = "hip over cuda (test shim)";

/// GpuTest's helpers with hip:0 in place of cuda:0.
class HipShimGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const HipPlaces places = hip_places(KILN_HIP_SHIM, KILN_HIP_SHIM);
    backend_ = make_hip_backend(places, *files_);
    ASSERT_EQ(backend_->problem(), "");
    compiler_ = make_hiprtc_compiler({places, "", ""}, *files_, log_);
    device_ = backend_->open(0);
    stream_ = device_->create_stream();
  }
};

TEST_F(HipShimGpu, SaysWhatItIs) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.id, "hip:0");
  EXPECT_THAT(info.name, StartsWith(kMark));
  EXPECT_EQ(info.target, (Target{"hip", "gfx1030", 32}));
  EXPECT_GT(info.memory_bytes, device_->free_memory_bytes());
  EXPECT_EQ(info.limits.max_threads_per_block, 1024U);
}

TEST_F(HipShimGpu, LaunchesOnItsOwnAndOnACallersStream) {
  DeviceFunction& add = build(R"(extern "C" __global__ void add(int* a, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += value;
})",
                              "add");
  EXPECT_EQ(add.attributes().parameter_bytes, (std::vector<std::size_t>{8, 4, 4}));
  EXPECT_GT(add.attributes().registers.value_or(0), 0);
  const auto buffer = upload(std::vector<int>(100'000, 1));
  const LaunchShape shape{{782, 1, 1}, {128, 1, 1}, 0};
  EXPECT_GE(add.resident_blocks(shape).value_or(0),
            static_cast<std::uint64_t>(device_->info().compute_units));
  launch(*stream_, add, shape, buffer->data(), 20, 100'000);
  void* address = buffer->data();
  int value = 21;
  int count = 100'000;
  void* arguments[] = {&address, &value, &count};
  add.launch_native(stream_->native(), shape, arguments);
  stream_->synchronize();
  EXPECT_THAT(download<int>(*buffer), Each(42));
  const auto copy = device_->allocate(buffer->bytes());
  device_->copy_on_device(*stream_, copy->data(), buffer->data(), buffer->bytes());
  EXPECT_THAT(download<int>(*copy), Each(42));
  device_->fill_bytes(*stream_, buffer->data(), 0xff, buffer->bytes());
  EXPECT_THAT(download<int>(*buffer), Each(-1));
}

TEST_F(HipShimGpu, TakesMoreThan48KiBOfDynamicSharedMemory) {
  DeviceFunction& last = build(R"(extern "C" __global__ void last(double* out, int n) {
  extern __shared__ double values[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = 2.0 * i;
  __syncthreads();
  if (threadIdx.x == 0) *out = values[n - 1];
})",
                               "last");
  const auto out = upload(std::vector<double>{0});
  constexpr int kValues = 8192;
  launch(*stream_, last, {{1, 1, 1}, {256, 1, 1}, kValues * sizeof(double)}, out->data(), kValues);
  EXPECT_THAT(download<double>(*out), ElementsAre(2.0 * (kValues - 1)));
}

TEST_F(HipShimGpu, FindsSymbolsAndTimesKernels) {
  const CodeObject code =
      compile("__constant__ int table[4]; extern \"C\" __global__ void f(int* a) { *a = table[2]; }", "f");
  const auto module = device_->load(code.binary);
  const auto symbol = module->symbol("table");
  ASSERT_TRUE(symbol.has_value());
  EXPECT_EQ(symbol->second, 4 * sizeof(int));
  const std::vector<int> table = {1, 2, 3, 4};
  device_->copy_to_device(*stream_, symbol->first, table.data(), symbol->second);
  EXPECT_FALSE(module->symbol("chair").has_value());
  const auto out = upload(std::vector<int>{0});
  const auto begin = device_->create_event();
  const auto end = device_->create_event();
  begin->record(*stream_);
  launch(*stream_, *module->function("f"), {{1, 1, 1}, {1, 1, 1}, 0}, out->data());
  end->record(*stream_);
  stream_->synchronize();
  EXPECT_GT(end->seconds_since(*begin), 0);
  EXPECT_THAT(download<int>(*out), ElementsAre(3));
}

TEST_F(HipShimGpu, UsesEveryDevice) {
  const std::vector<DeviceInfo> devices = backend_->devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto device = backend_->open(static_cast<int>(i));
    const auto stream = device->create_stream();
    const auto buffer = device->allocate(sizeof(int));
    device->fill_bytes(*stream, buffer->data(), 1, sizeof(int));
    int value = 0;
    device->copy_to_host(*stream, &value, buffer->data(), sizeof value);
    EXPECT_EQ(value, 0x01010101) << devices[i].id;
  }
}

class HipShimWorkload : public CliTest,
                        public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(HipShimWorkload, AgreesWithItsReferencesAndEachRecordSaysWhatItWasMadeWith) {
  const auto& [name, settings] = GetParam();
  const std::string job =
      write("job.yaml", "workload: " + std::string(name) + "\ndevice: hip:0\nset: {" + settings +
                            "}\nsweep: {bind.all: [run, compile]}\n"
                            "measure: {min_time: 1 ms, max_samples: 5, cache: cold}\noutput: " +
                            path("results") + "\n");
  const CliResult result = kiln({"run", job, "--hip", KILN_HIP_SHIM, "--hiprtc", KILN_HIP_SHIM});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("hip:0"));
  const std::string records = files_->read_file(path("results") + "/records.jsonl").value_or("");
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < records.size(); ++lines) {
    const std::size_t end = records.find('\n', begin);
    EXPECT_THAT(records.substr(begin, end - begin), AllOf(HasSubstr(kMark), HasSubstr("\"gfx1030\"")));
    begin = end + 1;
  }
  EXPECT_EQ(lines, 2U);
}

INSTANTIATE_TEST_SUITE_P(All, HipShimWorkload,
                         ::testing::Values(std::pair{"babelstream", "n: 1048576"},
                                           std::pair{"stencil7", "nx: 96"},
                                           std::pair{"minibude", "nposes: 1024"},
                                           std::pair{"hartree_fock", "natoms: 16"}, std::pair{"su3", "L: 8"},
                                           std::pair{"cloverleaf", "nx: 70, ny: 45, end_step: 12"}),
                         [](const auto& variant) { return std::string(variant.param.first); });

}  // namespace
}  // namespace kiln::test
