// What the CUDA back end makes of the driver's results: the refusals after which it goes on, the faults that
// end the device, and what is the user's to mend. Over the fake driver (support/cuda/fake_cuda.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/file.h"
#include "device/fault.h"
#include "support/cuda/open_fake_cuda.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kCode = "kernel plain\nkernel second\nkernel other\nglobal table\n";
const LaunchShape kShape{{7, 6, 1}, {64, 2, 1}, 1024};

class CudaFaultTest : public ::testing::TestWithParam<const char*> {
 protected:
  CudaFaultTest() : fake_(fake_cuda_in(GetParam())) { open(); }

  /// As in a new process.
  void open() {
    fake_.reset();
    device_ = open_fake_cuda(GetParam(), *files_);
    stream_ = device_->create_stream();
    buffer_ = device_->allocate(sizeof(int) * 4);
    event_ = device_->create_event();
    module_ = device_->load(kCode);
    function_ = module_->function("plain");
  }

  [[nodiscard]] const char* loader() const {
    return GetParam() == std::string(KILN_FAKE_CUDA_11) ? "cuModuleLoadDataEx" : "cuLibraryLoadData";
  }
  void load() { static_cast<void>(device_->load(kCode)); }
  void launch() { function_->launch(*stream_, kShape, nullptr); }
  void expect_works() {
    const std::size_t before = fake_.launches().size();
    launch();
    stream_->synchronize();
    EXPECT_EQ(fake_.launches().size(), before + 1);
    EXPECT_NE(device_->load(kCode)->function("other"), nullptr);
  }

  /// Every call on a device that `fault` ended says so.
  void expect_lost(const std::string& fault) {
    int host = 0;
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"launch", [&] { launch(); }},
        {"launch_native", [&] { function_->launch_native(nullptr, kShape, nullptr); }},
        {"synchronize", [&] { stream_->synchronize(); }},
        {"allocate", [&] { static_cast<void>(device_->allocate(64)); }},
        {"free memory", [&] { static_cast<void>(device_->free_memory_bytes()); }},
        {"copy to", [&] { device_->copy_to_device(*stream_, buffer_->data(), &host, sizeof host); }},
        {"copy from", [&] { device_->copy_to_host(*stream_, &host, buffer_->data(), sizeof host); }},
        {"copy on", [&] { device_->copy_on_device(*stream_, buffer_->data(), buffer_->data(), 4); }},
        {"fill", [&] { device_->fill_bytes(*stream_, buffer_->data(), 0, 4); }},
        {"stream", [&] { static_cast<void>(device_->create_stream()); }},
        {"event", [&] { static_cast<void>(device_->create_event()); }},
        {"record", [&] { event_->record(*stream_); }},
        {"capturing", [&] { static_cast<void>(device_->is_capturing(nullptr)); }},
        {"load", [&] { load(); }},
        {"function", [&] { static_cast<void>(module_->function("other")); }},
        {"function again", [&] { static_cast<void>(module_->function("other")); }},
        {"symbol", [&] { static_cast<void>(module_->symbol("table")); }},
        {"resident blocks", [&] { static_cast<void>(function_->resident_blocks(kShape)); }},
    };
    for (const auto& [name, call] : calls) {
      EXPECT_EQ(message_of(ErrorKind::kDeviceLost, call),
                "the device is lost to this process since an earlier fault: " + fault)
          << name;
    }
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  FakeCuda& fake_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<DeviceBuffer> buffer_;
  std::unique_ptr<Event> event_;
  DeviceFunction* function_ = nullptr;
};

TEST_P(CudaFaultTest, ALaunchThatAsksForTooMuchIsARefusalAndTheDeviceGoesOn) {
  fake_.set_result("cuLaunchKernel", 701);
  EXPECT_EQ(message_of(ErrorKind::kUnfit, [&] { launch(); }),
            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701): too many resources requested for launch, in "
            "cuLaunchKernel, kernel 'plain', grid 7 x 6 x 1, block 64 x 2 x 1, 1024 bytes of dynamic shared "
            "memory");
  fake_.set_result("cuLaunchKernel", 0);
  expect_works();
}

TEST_P(CudaFaultTest, AFaultAtALaunchEndsTheDevice) {
  for (const cuda_abi::Result result : {700, 719, 226, 911}) {
    SCOPED_TRACE(result);
    open();
    fake_.set_result("cuLaunchKernel", result);
    const std::string fault = message_of(ErrorKind::kDeviceLost, [&] { launch(); });
    EXPECT_THAT(fault, AllOf(HasSubstr("(" + std::to_string(result) + ")"),
                             HasSubstr(", in cuLaunchKernel, kernel 'plain', grid 7 x 6 x 1, block 64 x 2")));
    expect_lost(fault);
  }
}

TEST_P(CudaFaultTest, AFaultIsSticky) {
  fake_.set_result("cuLaunchKernel", 700);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(error_of([&] { launch(); }).kind(), ErrorKind::kDeviceLost);
}

TEST_P(CudaFaultTest, AFaultWhileKernelsRunNamesTheLastOfThem) {
  launch();
  module_->function("second")->launch(*stream_, kShape, nullptr);
  fake_.set_result("cuStreamSynchronize", 700);
  const std::string fault = message_of(ErrorKind::kDeviceLost, [&] { stream_->synchronize(); });
  EXPECT_EQ(fault,
            "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered, in "
            "cuStreamSynchronize, kernel 'second', or one launched shortly before it");
  expect_lost(fault);
}

TEST_P(CudaFaultTest, AFaultThatACopyWaitsForNamesTheKernel) {
  launch();
  fake_.set_result("cuStreamSynchronize", 719);
  int host = 0;
  EXPECT_EQ(message_of(ErrorKind::kDeviceLost,
                       [&] { device_->copy_to_host(*stream_, &host, buffer_->data(), sizeof host); }),
            "CUDA error (719), in cuStreamSynchronize, kernel 'plain'");
}

TEST_P(CudaFaultTest, AClusterThatDoesNotFitIsARefusalWithItsSize) {
  if (GetParam() == std::string(KILN_FAKE_CUDA_11)) GTEST_SKIP() << "CUDA 11.0 has no clusters";
  fake_.set_result("cuOccupancyMaxActiveClusters", 912);
  const LaunchShape clustered{{32, 1, 1}, {64, 1, 1}, 0, {16, 1, 1}};
  EXPECT_EQ(message_of(ErrorKind::kUnfit, [&] { static_cast<void>(function_->resident_blocks(clustered)); }),
            "CUDA_ERROR_INVALID_CLUSTER_SIZE (912): cluster misconfiguration, in "
            "cuOccupancyMaxActiveClusters, kernel 'plain', grid 32 x 1 x 1, block 64 x 1 x 1, 0 bytes of "
            "dynamic shared memory, clusters of 16 x 1 x 1");
  expect_works();
}

TEST_P(CudaFaultTest, CodeThatIsNotValidIsARefusal) {
  fake_.set_result(loader(), 218);
  EXPECT_EQ(message_of(ErrorKind::kUnfit, [&] { load(); }),
            std::string("CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed, in ") + loader() +
                ", loading a kernel on cuda:0 (sm_90)");
  fake_.set_result(loader(), 0);
  expect_works();
}

TEST_P(CudaFaultTest, CodeThatADriverNeverTakesIsAnErrorOfTheEnvironment) {
  for (const cuda_abi::Result result : {209, 222}) {
    SCOPED_TRACE(result);
    fake_.set_result(loader(), result);
    EXPECT_THAT(
        message_of(ErrorKind::kEnvironment, [&] { load(); }),
        AllOf(HasSubstr("(" + std::to_string(result) + ")"),
              HasSubstr("loading a kernel on cuda:0 (sm_90); the NVRTC that compiled it is newer than "
                        "the driver (" +
                        device_->info().driver + ")"),
              HasSubstr("KILN_NVRTC")));
    fake_.set_result(loader(), 0);
    expect_works();
  }
}

TEST_P(CudaFaultTest, ALoadDuringACaptureIsBadInputThatSaysWhatToDo) {
  for (cuda_abi::Result result = 900; result <= 908; ++result) {
    SCOPED_TRACE(result);
    fake_.set_result(loader(), result);
    EXPECT_THAT(
        bad_input_of([&] { load(); }),
        AllOf(HasSubstr("(" + std::to_string(result) + ")"),
              HasSubstr("; while a stream is captured into a graph, Kiln can launch on it, but neither "
                        "load, allocate nor copy: get the kernel before the capture begins")));
  }
  fake_.set_result(loader(), 909);  // the first result after the range
  EXPECT_THAT(message_of(ErrorKind::kUnfit, [&] { load(); }),
              AllOf(HasSubstr("(909)"), ::testing::Not(HasSubstr("captured"))));
  fake_.set_result(loader(), 0);
  expect_works();
}

TEST_P(CudaFaultTest, ACapturedStreamIsToldOfByTheResultToo) {
  EXPECT_FALSE(device_->is_capturing(nullptr));
  fake_.set_result("cuStreamIsCapturing", 906);
  EXPECT_TRUE(device_->is_capturing(nullptr));
}

INSTANTIATE_TEST_SUITE_P(Releases, CudaFaultTest, ::testing::Values(KILN_FAKE_CUDA_11, KILN_FAKE_CUDA_13),
                         [](const auto& folder) { return folder.index == 0 ? "Cuda11" : "Cuda13"; });

}  // namespace
}  // namespace kiln::test
