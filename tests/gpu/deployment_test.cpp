// Kernels that a program brings along, on a GPU of a machine without NVRTC.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "cache/bundle.h"
#include "gpu/gpu_fixture.h"
#include "kiln/kiln.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText = R"cuda(
template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)cuda";
using Axpy = void(int, double, const double*, double*);

class GpuDeployment : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    std::string name = testing::TempDir() + "kiln_gpu_deployment.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  static FunctionRequest request(const Program& program, const DeviceHandle* device) {
    FunctionRequest axpy = device == nullptr ? program.function("axpy") : program.function("axpy", *device);
    return axpy.template_args({"double"}).block(256).cover(0);
  }
  /// A bundle for these architectures, from a machine with NVRTC; no device is asked.
  [[nodiscard]] std::string bundle_for(const std::string& archs) const {
    Settings settings;
    settings.cache_dir = (folder_ / archs).string();
    settings.log_level = "off";
    request(Service(settings).program("axpy.cu", kText), nullptr).compile_for<Axpy>(archs);
    const auto files = make_real_file_system();
    const EntryStore store(*files, folder_ / archs, EntryStore::Owners::kSelfAndRoot);
    pack_bundle(
        *files, store, [](const CacheEntryInfo&) { return true; }, folder_ / "kernels.tar");
    return files->read_file(folder_ / "kernels.tar").value_or("");
  }
  static Settings without_compiler() {
    Settings settings;
    settings.cache = false;
    settings.log_level = "off";
    settings.nvrtc = "/nonexistent/libnvrtc.so";
    return settings;
  }

  std::filesystem::path folder_;
};

TEST_F(GpuDeployment, ABundleRunsWithoutNvrtc) {
  const Service service(without_compiler());
  const DeviceHandle device = service.device("cuda:0");
  const std::string bundle = bundle_for(device.arch() + ",compute_75");
  service.add_bundle(std::as_bytes(std::span(bundle)));
  const auto axpy = request(service.program("axpy.cu", kText), &device).get<Axpy>();
  EXPECT_EQ(axpy.info().origin, "bundle");
  const StreamHandle stream = device.create_stream();
  Buffer<double> x(device, 1000), y(device, 1000);
  std::ranges::fill(x.host_write(), 2.0);
  std::ranges::fill(y.host_write(), 1.0);
  axpy(stream.native(), 1000, 3.0, x.read(stream), y.update(stream));
  EXPECT_EQ(y.host_read()[999], 7);

  // What get() costs beside the driver's own load, each time in a service that has loaded nothing.
  std::vector<double> microseconds;
  for (int i = 0; i < 21; ++i) {
    const Service fresh(without_compiler());
    const DeviceHandle again = fresh.device("cuda:0");
    const auto begin = std::chrono::steady_clock::now();
    fresh.add_bundle(std::as_bytes(std::span(bundle)));
    static_cast<void>(request(fresh.program("axpy.cu", kText), &again).get<Axpy>());
    const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - begin;
    microseconds.push_back(whole.count() - 1e6 * fresh.statistics().load_seconds);
  }
  std::sort(microseconds.begin(), microseconds.end());
  std::printf("add_bundle() and get() beside the driver's load: %.0f us (%.0f to %.0f)\n", microseconds[10],
              microseconds[5], microseconds[15]);
}

TEST_F(GpuDeployment, LaterGpusCompileThePtxOfEarlierOnes) {
  const Service service(without_compiler());
  const DeviceHandle device = service.device("cuda:0");
  const std::string bundle = bundle_for("compute_75");
  service.add_bundle(std::as_bytes(std::span(bundle)));
  const auto axpy = request(service.program("axpy.cu", kText), &device).get<Axpy>();
  Buffer<double> y(device, 8);
  std::ranges::fill(y.host_write(), 1.0);
  const StreamHandle stream = device.stream();
  double* on_device = y.update(stream);
  axpy.run(8, 1.0, on_device, on_device);
  EXPECT_EQ(y.host_read()[7], 2);
}

TEST_F(GpuDeployment, AnotherGenerationsMachineCodeIsListedAndNotLoaded) {
  const Service service(without_compiler());
  const DeviceHandle device = service.device("cuda:0");
  if (device.arch() == "sm_75") GTEST_SKIP() << "this GPU is the generation";
  const std::string bundle = bundle_for("sm_75");
  service.add_bundle(std::as_bytes(std::span(bundle)));
  const Error error =
      error_of([&] { static_cast<void>(request(service.program("axpy.cu", kText), &device).get<Axpy>()); });
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_THAT(error.what(), HasSubstr("for cuda:" + device.arch() +
                                      " with these values; there is\n  axpy.cu axpy<double>: cuda:sm_75"));
}

}  // namespace
}  // namespace kiln::test
