// Kernels that a program launches with a null stream, beside its own work in the driver's default stream.
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "device/vendor_library.h"
#include "gpu/gpu_fixture.h"
#include "kiln/kiln.h"

extern char** environ;

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWorkload = R"yaml(workload: shifted
parameters:
  n: {type: int, default: 262144}
buffers:
  y: {type: double, shape: [n]}
  x: {type: double, shape: [n]}
kernels:
  shifted: {source: shifted.cu, grid: ["ceil_div(n, 256)"], block: [256], args: [y, x, n]}
run: [shifted]
)yaml";
constexpr const char* kSource = R"(extern "C" __global__ void shifted(double* y, const double* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}
)";
constexpr std::size_t kCount = 64 * 64 * 64;
constexpr std::size_t kBytes = kCount * sizeof(double);

/// What a program calls that knows nothing of Kiln; the driver's default stream is the legacy one.
struct DriverCalls : LibraryImports {
  using Address = unsigned long long;
  Import<int(Address* address, std::size_t bytes)> allocate = want("cuMemAlloc_v2");
  Import<int(Address address)> free = want("cuMemFree_v2");
  Import<int(Address to, const void* from, std::size_t bytes)> to_device = want("cuMemcpyHtoD_v2");
  Import<int(void* to, Address from, std::size_t bytes)> to_host = want("cuMemcpyDtoH_v2");
  Import<int(Address address, unsigned char value, std::size_t bytes)> fill = want("cuMemsetD8_v2");
  Import<int(Address address, unsigned char value, std::size_t bytes, void* stream)> fill_in_stream =
      want("cuMemsetD8Async");
  Import<int(void** stream, unsigned flags)> create_stream = want("cuStreamCreate");
  Import<int(void* stream)> destroy_stream = want("cuStreamDestroy_v2");
  Import<int(void* stream, int mode)> begin_capture = want("cuStreamBeginCapture_v2");
  Import<int(void* stream, void** graph)> end_capture = want("cuStreamEndCapture");
  Import<int(void** context, int device)> primary = want("cuDevicePrimaryCtxRetain");
  Import<int(void* context)> set_current = want("cuCtxSetCurrent");

  explicit DriverCalls(FileSystem& files) : LibraryImports(open_library({"", {"libcuda.so.1"}, {}}, files)) {}
};

/// Fails the program's test, not Kiln's.
void require(int result) {
  if (result != 0) throw std::runtime_error("the driver's own call gave " + std::to_string(result));
}

class GpuNullStream : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    std::string name = ::testing::TempDir() + "kiln_null_stream.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "shifted.yaml") << kWorkload;
    std::ofstream(folder_ / "shifted.cu") << kSource;
    Settings settings;
    settings.cache = false;
    settings.log_level = "off";
    service_.emplace(settings);
    handle_.emplace(service_->device("cuda:0"));
    kernel_.emplace(
        service_->workload((folder_ / "shifted.yaml").string()).kernel("shifted").on(*handle_).get());
    calls_ = std::make_unique<DriverCalls>(*files_);
    void* context = nullptr;
    require(calls_->primary(&context, 0));
    require(calls_->set_current(context));
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  static const void* pointer(DriverCalls::Address address) {
    return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
  }

  /// Elements that are wrong after inputs were copied, `before_launch(y)` has done the program's own work,
  /// and the kernel was launched with a null stream.
  template <class BeforeLaunch>
  std::size_t wrong_elements(double seed, const BeforeLaunch& before_launch) {
    std::vector<double> x(kCount);
    for (std::size_t i = 0; i < kCount; ++i) x[i] = seed + static_cast<double>(i);
    DriverCalls::Address in = 0;
    DriverCalls::Address out = 0;
    require(calls_->allocate(&in, kBytes));
    require(calls_->allocate(&out, kBytes));
    require(calls_->to_device(in, x.data(), kBytes));
    before_launch(out);
    kernel_->launch(nullptr, args(pointer(out), pointer(in)));
    handle_->synchronize();
    std::vector<double> y(kCount);
    require(calls_->to_host(y.data(), out, kBytes));
    require(calls_->free(in));
    require(calls_->free(out));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) wrong += y[i] != x[i] + 1 ? 1U : 0U;
    return wrong;
  }

  std::filesystem::path folder_;
  std::optional<Service> service_;
  std::optional<DeviceHandle> handle_;
  std::optional<Kernel> kernel_;
  std::unique_ptr<DriverCalls> calls_;
};

/// Milliseconds of work, so that a launch that does not wait for it is always too early.
TEST_F(GpuNullStream, ALaunchWaitsForWhatIsInTheDefaultStreamAndInBlockingOnes) {
  constexpr std::size_t kLarge = std::size_t{2} << 30;
  constexpr int kTimes = 8;
  DriverCalls::Address large = 0;
  require(calls_->allocate(&large, kLarge));
  EXPECT_EQ(wrong_elements(1,
                           [&](DriverCalls::Address y) {
                             for (int i = 0; i < kTimes; ++i) require(calls_->fill(large, 1, kLarge));
                             require(calls_->fill(y, 0, kBytes));
                           }),
            0U);
  void* blocking = nullptr;
  require(calls_->create_stream(&blocking, 0));
  EXPECT_EQ(wrong_elements(2,
                           [&](DriverCalls::Address y) {
                             for (int i = 0; i < kTimes; ++i)
                               require(calls_->fill_in_stream(large, 2, kLarge, blocking));
                             require(calls_->fill_in_stream(y, 0, kBytes, blocking));
                           }),
            0U);
  require(calls_->destroy_stream(blocking));
  require(calls_->free(large));
}

TEST_F(GpuNullStream, ALaunchDuringTheCaptureOfABlockingStreamSaysWhyItIsRefused) {
  void* blocking = nullptr;
  require(calls_->create_stream(&blocking, 0));
  require(calls_->begin_capture(blocking, 1));
  try {
    kernel_->launch(nullptr, args(static_cast<double*>(nullptr), static_cast<double*>(nullptr)));
    ADD_FAILURE() << "it was launched";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("while a stream is captured"));
  }
  void* graph = nullptr;
  static_cast<void>(calls_->end_capture(blocking, &graph));
  require(calls_->destroy_stream(blocking));
}

/// One of the processes of the test below.
TEST_F(GpuNullStream, DISABLED_OneProcess) {
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    EXPECT_EQ(wrong_elements(round, [&](DriverCalls::Address y) { require(calls_->fill(y, 0, kBytes)); }), 0U)
        << "round " << round;
  }
}

TEST_F(GpuNullStream, OfEightProcessesAtOnceNoneIsWrong) {
  constexpr int kProcesses = 8;
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string filter = "--gtest_filter=GpuNullStream.DISABLED_OneProcess";
  std::string disabled = "--gtest_also_run_disabled_tests";
  std::array<char*, 4> arguments = {program.data(), filter.data(), disabled.data(), nullptr};
  std::vector<pid_t> processes(kProcesses);
  for (pid_t& process : processes)
    ASSERT_EQ(::posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments.data(), environ), 0);
  int wrong = 0;
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    wrong += status != 0 ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << "of " << kProcesses << " processes";
}

}  // namespace
}  // namespace kiln::test
