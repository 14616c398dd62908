// Kiln beside a caller that captures its stream into a CUDA graph.
#include <gmock/gmock.h>

#include "device/vendor_library.h"
#include "gpu/gpu_fixture.h"
#include "service/kernel_service.h"

namespace kiln::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// The few driver functions that a capturing caller uses, from the library that is loaded already.
struct GraphCalls : LibraryImports {
  Import<int(void** stream, unsigned flags)> create = want("cuStreamCreate");
  Import<int(void* stream, int mode)> begin = want("cuStreamBeginCapture_v2");
  Import<int(void* stream, void** graph)> end = want("cuStreamEndCapture");
  Import<int(void** executable, void* graph, unsigned long long flags)> instantiate =
      want("cuGraphInstantiateWithFlags");
  Import<int(void* executable, void* stream)> launch = want("cuGraphLaunch");
  Import<int(void* context)> set_current = want("cuCtxSetCurrent");
  Import<int(void** context, int device)> primary = want("cuDevicePrimaryCtxRetain");

  explicit GraphCalls(FileSystem& files) : LibraryImports(open_library({"", {"libcuda.so.1"}, {}}, files)) {}
};

class GpuCapture : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    calls_ = std::make_unique<GraphCalls>(*files_);
    void* context = nullptr;
    ASSERT_EQ(calls_->primary(&context, 0), 0);
    ASSERT_EQ(calls_->set_current(context), 0);
  }

  static constexpr int kThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  static constexpr const char* kAdd = R"(extern "C" __global__ void add(int* a, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += value;
})";
  std::unique_ptr<GraphCalls> calls_;
};

TEST_F(GpuCapture, TakesALaunchOnTheCallersStreamIntoAGraph) {
  DeviceFunction& add = build(kAdd, "add");
  const auto buffer = upload(std::vector<int>(256, 0));
  ASSERT_EQ(calls_->begin(stream_->native(), kThreadLocal), 0);
  void* data = buffer->data();
  int value = 3;
  int count = 256;
  void* addresses[] = {&data, &value, &count};
  add.launch_native(stream_->native(), {{1, 1, 1}, {256, 1, 1}, 0}, addresses);
  void* graph = nullptr;
  ASSERT_EQ(calls_->end(stream_->native(), &graph), 0);
  EXPECT_THAT(download<int>(*buffer), Each(0));
  void* executable = nullptr;
  ASSERT_EQ(calls_->instantiate(&executable, graph, 0), 0);
  ASSERT_EQ(calls_->launch(executable, stream_->native()), 0);
  ASSERT_EQ(calls_->launch(executable, stream_->native()), 0);
  EXPECT_THAT(download<int>(*buffer), Each(6));
}

/// Some drivers load while a stream is captured, others refuse; neither may pass in silence for the other.
TEST_F(GpuCapture, EitherLoadsMeanwhileOrSaysThatItCannot) {
  const CodeObject code = compile(kAdd, "add");
  const auto buffer = upload(std::vector<int>(256, 0));
  ASSERT_EQ(calls_->begin(stream_->native(), kThreadLocal), 0);
  bool loaded = false;
  try {
    modules_.push_back(device_->load(code.binary));
    DeviceFunction* add = modules_.back()->function("add");
    ASSERT_NE(add, nullptr);
    launch(*stream_, *add, {{1, 1, 1}, {256, 1, 1}, 0}, buffer->data(), 3, 256);
    loaded = true;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("while a stream is captured"));
  }
  void* graph = nullptr;
  const int ended = calls_->end(stream_->native(), &graph);
  if (loaded) {
    void* executable = nullptr;
    EXPECT_EQ(ended, 0);
    ASSERT_EQ(calls_->instantiate(&executable, graph, 0), 0);
    ASSERT_EQ(calls_->launch(executable, stream_->native()), 0);
    EXPECT_THAT(download<int>(*buffer), Each(3));
  }
  EXPECT_NE(device_->load(code.binary), nullptr);
}

TEST_F(GpuCapture, IsSeenOnTheStreamAndByTheDefaultStream) {
  EXPECT_FALSE(device_->is_capturing(nullptr));
  EXPECT_FALSE(device_->is_capturing(stream_->native()));
  void* blocking = nullptr;
  ASSERT_EQ(calls_->create(&blocking, 0), 0);
  for (void* stream : {stream_->native(), blocking}) {
    ASSERT_EQ(calls_->begin(stream, kThreadLocal), 0);
    EXPECT_TRUE(device_->is_capturing(stream));
    // Kiln's own stream does not wait for the default stream, which therefore knows nothing of it.
    EXPECT_EQ(device_->is_capturing(nullptr), stream == blocking);
    void* graph = nullptr;
    EXPECT_EQ(calls_->end(stream, &graph), 0) << "looking has ended the capture";
  }
}

TEST_F(GpuCapture, TheServiceNeitherCompilesNorLoadsMeanwhile) {
  const auto clock = make_system_clock();
  KernelService service(nullptr, *clock);
  const Specialization add = specialization(kAdd, "add");
  const Specialization other = specialization(std::string(kAdd) + "// another", "add");
  ASSERT_TRUE(std::holds_alternative<ServiceResult>(service.get(add, *compiler_, device_)));
  ASSERT_EQ(calls_->begin(stream_->native(), kThreadLocal), 0);
  EXPECT_TRUE(
      std::holds_alternative<ServiceResult>(service.get(add, *compiler_, device_, stream_->native())));
  try {
    static_cast<void>(service.get(other, *compiler_, device_, stream_->native()));
    ADD_FAILURE() << "it was compiled";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is being captured"));
  }
  void* graph = nullptr;
  EXPECT_EQ(calls_->end(stream_->native(), &graph), 0);
  EXPECT_EQ(service.counters().compiled, 1U);
  EXPECT_TRUE(std::holds_alternative<ServiceResult>(service.get(other, *compiler_, device_)));
}

TEST_F(GpuCapture, SaysThatNothingCanBeCopiedMeanwhile) {
  const auto buffer = upload(std::vector<int>(256, 0));
  ASSERT_EQ(calls_->begin(stream_->native(), kThreadLocal), 0);
  try {
    static_cast<void>(download<int>(*buffer));
    ADD_FAILURE() << "it was copied";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("while a stream is captured"));
  }
  void* graph = nullptr;
  static_cast<void>(calls_->end(stream_->native(), &graph));
}

}  // namespace
}  // namespace kiln::test
