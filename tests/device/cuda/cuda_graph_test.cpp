// Graphs, events between streams, asynchronous and peer copies of the CUDA back end, over the fake driver
// (support/cuda/fake_cuda.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "device/fault.h"
#include "support/cuda/open_fake_cuda.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const char* const kCode = "kernel increment 8\nkernel plain\n";
const LaunchShape kShape{{1, 1, 1}, {32, 1, 1}};

class CudaGraphTest : public ::testing::TestWithParam<const char*> {
 protected:
  CudaGraphTest() : fake_(fake_cuda_in(GetParam())) {
    fake_.reset();
    device_ = open_fake_cuda(GetParam(), *files_);
    stream_ = device_->create_stream();
    buffer_ = device_->allocate(sizeof(int));
    device_->fill_bytes(*stream_, buffer_->data(), 0, sizeof(int));
    module_ = device_->load(kCode);
  }

  void increment(Stream& stream) {
    void* address = buffer_->data();
    void* arguments[] = {&address};
    module_->function("increment")->launch(stream, kShape, arguments);
  }
  void plain(Stream& stream) { module_->function("plain")->launch(stream, kShape, nullptr); }
  [[nodiscard]] int value() {
    int host = -1;
    device_->copy_to_host(*stream_, &host, buffer_->data(), sizeof host);
    return host;
  }
  template <class Enqueue>
  std::string refusal_of(const Enqueue& enqueue) {
    try {
      static_cast<void>(device_->capture(*stream_, enqueue));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  FakeCuda& fake_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<DeviceBuffer> buffer_;
  std::unique_ptr<Module> module_;
};

using CudaGraphs = CudaGraphTest;

TEST_P(CudaGraphs, WhatIsCapturedRunsAtEachLaunchAndNotBefore) {
  const auto copy = device_->allocate(sizeof(int));
  const auto graph = device_->capture(*stream_, [&] {
    increment(*stream_);
    increment(*stream_);
    device_->copy_on_device(*stream_, copy->data(), buffer_->data(), sizeof(int));
    device_->fill_bytes(*stream_, buffer_->data(), 0, sizeof(int));
    increment(*stream_);
  });
  EXPECT_EQ(value(), 0);
  graph->launch(*stream_);
  EXPECT_EQ(value(), 1);
  graph->launch(*device_->create_stream());
  EXPECT_EQ(value(), 1);
  int copied = 0;
  device_->copy_to_host(*stream_, &copied, copy->data(), sizeof copied);
  EXPECT_EQ(copied, 3);
  EXPECT_EQ(fake_.calls("cuLaunchKernel"), 3);
  EXPECT_EQ(fake_.calls("cuGraphDestroy"), 1);
}

TEST_P(CudaGraphs, WhatWaitsForTheDeviceIsRefusedByNameAndTheStreamGoesOn) {
  int host = 0;
  EXPECT_THAT(refusal_of([&] { stream_->synchronize(); }),
              HasSubstr("synchronize waits for the device, which a stream that is captured"));
  EXPECT_THAT(refusal_of([&] { device_->copy_to_host(*stream_, &host, buffer_->data(), sizeof host); }),
              HasSubstr("copy_to_host waits"));
  EXPECT_THAT(refusal_of([&] { device_->copy_to_device(*stream_, buffer_->data(), &host, sizeof host); }),
              HasSubstr("copy_to_device waits"));
  EXPECT_THAT(refusal_of([&] { static_cast<void>(device_->capture(*stream_, [] {})); }),
              HasSubstr("a capture in a capture"));
  increment(*stream_);
  EXPECT_EQ(value(), 1);
}

TEST_P(CudaGraphs, ALaunchThatIsRefusedInACaptureNamesItsKernel) {
  fake_.set_result("cuLaunchKernel", 701);
  EXPECT_THAT(refusal_of([&] { plain(*stream_); }),
              AllOf(HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"), HasSubstr("kernel 'plain'")));
  fake_.set_result("cuLaunchKernel", 0);
  increment(*stream_);
  EXPECT_EQ(value(), 1);
}

TEST_P(CudaGraphs, AFailedCaptureAndAFailedInstantiationNameTheLastKernel) {
  const auto capture = [&] {
    increment(*stream_);
    plain(*stream_);
  };
  fake_.set_result("cuStreamEndCapture", 901);
  EXPECT_THAT(refusal_of(capture), AllOf(HasSubstr("(901)"), HasSubstr("in cuStreamEndCapture"),
                                         HasSubstr("kernel 'plain', or one launched shortly before it")));
  fake_.set_result("cuStreamEndCapture", 0);
  fake_.set_result("cuGraphInstantiateWithFlags", 2);
  EXPECT_THAT(message_of(ErrorKind::kUnfit, [&] { static_cast<void>(device_->capture(*stream_, capture)); }),
              HasSubstr("a graph with kernel 'plain', or one"));
  EXPECT_EQ(fake_.calls("cuGraphDestroy"), 1);
}

TEST_P(CudaGraphs, AFaultInAReplayIsReportedAsForLaunches) {
  const auto graph = device_->capture(*stream_, [&] {
    plain(*stream_);
    increment(*stream_);
  });
  graph->launch(*stream_);
  fake_.set_result("cuStreamSynchronize", 700);
  EXPECT_THAT(message_of(ErrorKind::kDeviceLost, [&] { stream_->synchronize(); }),
              AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"),
                    HasSubstr("kernel 'increment', or one launched shortly before it")));
  EXPECT_EQ(error_of([&] { graph->launch(*stream_); }).kind(), ErrorKind::kDeviceLost);
}

TEST_P(CudaGraphs, AStreamThatWaitsForACapturedOneTakesPart) {
  const auto side = device_->create_stream();
  const auto fork = device_->create_ordering_event();
  const auto join = device_->create_ordering_event();
  const auto branches = [&] {
    fork->record(*stream_);
    side->wait(*fork);
    increment(*side);
    increment(*stream_);
    join->record(*side);
  };
  const auto graph = device_->capture(*stream_, [&] {
    branches();
    stream_->wait(*join);
  });
  EXPECT_EQ(value(), 0);
  graph->launch(*stream_);
  EXPECT_EQ(value(), 2);
  EXPECT_THAT(refusal_of(branches), HasSubstr("(904)"));  // the second stream is not joined
}

TEST_P(CudaGraphs, AFaultOnAStreamThatWasWaitedForNamesItsKernel) {
  const auto side = device_->create_stream();
  const auto end = device_->create_ordering_event();
  increment(*stream_);
  stream_->synchronize();
  plain(*side);
  end->record(*side);
  stream_->wait(*end);
  fake_.set_result("cuStreamSynchronize", 700);
  EXPECT_THAT(message_of(ErrorKind::kDeviceLost, [&] { stream_->synchronize(); }),
              HasSubstr("kernel 'plain'"));
}

INSTANTIATE_TEST_SUITE_P(Drivers, CudaGraphs, ::testing::Values(KILN_FAKE_CUDA_12, KILN_FAKE_CUDA_13),
                         [](const auto& folder) { return "Cuda" + std::to_string(folder.index + 12); });

class CudaCopies : public CudaGraphTest {};

TEST_P(CudaCopies, AsynchronousOnesUseHostMemoryOfTheDriver) {
  const auto host = device_->allocate_host(2 * sizeof(int));
  EXPECT_EQ(host->data(), host->host_view());
  EXPECT_EQ(host->bytes(), 2 * sizeof(int));
  auto* numbers = static_cast<int*>(host->host_view());
  numbers[0] = 41;
  const int waits = fake_.calls("cuStreamSynchronize");
  device_->enqueue_copy_to_device(*stream_, buffer_->data(), numbers, sizeof(int));
  increment(*stream_);
  device_->enqueue_copy_to_host(*stream_, numbers + 1, buffer_->data(), sizeof(int));
  EXPECT_EQ(fake_.calls("cuStreamSynchronize"), waits);
  stream_->synchronize();
  EXPECT_EQ(numbers[1], 42);
  EXPECT_EQ(fake_.calls("cuMemHostAlloc"), 1);
}

TEST_P(CudaCopies, ACopyFromAPeerAsksOnceForDirectAccess) {
  const auto peer = open_fake_cuda(GetParam(), *files_);
  const auto from = peer->allocate(sizeof(int));
  const int sent = 7;
  peer->copy_to_device(*peer->create_stream(), from->data(), &sent, sizeof sent);
  for (int i = 0; i < 2; ++i)
    device_->copy_from_peer(*stream_, buffer_->data(), *peer, from->data(), sizeof(int));
  EXPECT_EQ(value(), 7);
  EXPECT_EQ(fake_.calls("cuMemcpyPeerAsync"), 2);
  EXPECT_EQ(fake_.calls("cuCtxEnablePeerAccess"), 1);
}

INSTANTIATE_TEST_SUITE_P(Drivers, CudaCopies,
                         ::testing::Values(KILN_FAKE_CUDA_11, KILN_FAKE_CUDA_12, KILN_FAKE_CUDA_13),
                         [](const auto& folder) { return "Cuda" + std::to_string(folder.index + 11); });

class OldCuda : public CudaGraphTest {};

TEST_P(OldCuda, ADriverWithoutGraphsIsNamed) {
  EXPECT_THAT(refusal_of([&] { increment(*stream_); }),
              AllOf(HasSubstr("the NVIDIA driver ("), HasSubstr("CUDA 11.4 brought them")));
  EXPECT_EQ(value(), 0);
}

INSTANTIATE_TEST_SUITE_P(Drivers, OldCuda, ::testing::Values(KILN_FAKE_CUDA_11),
                         [](const auto&) { return "Cuda11"; });

}  // namespace
}  // namespace kiln::test
