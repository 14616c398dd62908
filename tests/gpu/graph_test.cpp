// Graphs, streams that wait for each other, and asynchronous copies on a GPU, by CUDA and by the HIP back end
// over the test shim.
#include <gmock/gmock.h>

#include "compile/hip/hiprtc_compiler.h"
#include "device/fault.h"
#include "device/hip/hip_backend.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kCount = 1 << 20;
constexpr const char* kStep =
    R"(extern "C" __global__ void step(double* out, const double* in, int k, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5 * in[i] + k;
})";

class GpuGraphs : public GpuTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || GetParam() == std::string("cuda")) return;
    const HipPlaces places = hip_places(KILN_HIP_SHIM, KILN_HIP_SHIM);
    backend_ = make_hip_backend(places, *files_);
    ASSERT_EQ(backend_->problem(), "");
    compiler_ = make_hiprtc_compiler({places, "", ""}, *files_, log_);
    device_ = backend_->open(0);
    stream_ = device_->create_stream();
  }

  const LaunchShape shape_{{kCount / 256, 1, 1}, {256, 1, 1}, 0};
};

TEST_P(GpuGraphs, AReplayIsWhatTheLaunchesAre) {
  DeviceFunction& step = build(kStep, "step");
  const auto a = upload(std::vector<double>(kCount, 1));
  const auto b = upload(std::vector<double>(kCount, 2));
  const auto steps = [&] {
    for (int k = 0; k < 50; ++k) {
      launch(*stream_, step, shape_, b->data(), static_cast<const void*>(a->data()), k, kCount);
      launch(*stream_, step, shape_, a->data(), static_cast<const void*>(b->data()), -k, kCount);
    }
    device_->copy_on_device(*stream_, b->data(), a->data(), a->bytes() / 2);
    device_->fill_bytes(*stream_, b->data(), 0, 64);
  };
  steps();
  steps();
  stream_->synchronize();
  const auto plain_a = download<double>(*a);
  const auto plain_b = download<double>(*b);

  const auto begin = upload(std::vector<double>(kCount, 1));
  device_->copy_on_device(*stream_, a->data(), begin->data(), a->bytes());
  const auto graph = device_->capture(*stream_, steps);
  stream_->synchronize();
  EXPECT_THAT(download<double>(*a), Each(1.0)) << "a capture runs nothing";
  graph->launch(*stream_);
  graph->launch(*stream_);
  stream_->synchronize();
  EXPECT_EQ(download<double>(*a), plain_a);
  EXPECT_EQ(download<double>(*b), plain_b);
}

TEST_P(GpuGraphs, BranchesOnTwoStreamsForkAndJoinInAGraphAndWithout) {
  DeviceFunction& step = build(kStep, "step");
  const auto side = device_->create_stream();
  const auto fork = device_->create_ordering_event();
  const auto join = device_->create_ordering_event();
  const auto a = upload(std::vector<double>(kCount, 0));
  const auto b = upload(std::vector<double>(kCount, 0));
  const auto c = upload(std::vector<double>(kCount, 0));
  const auto branches = [&] {
    fork->record(*stream_);
    side->wait(*fork);
    launch(*side, step, shape_, b->data(), static_cast<const void*>(a->data()), 1, kCount);
    launch(*stream_, step, shape_, c->data(), static_cast<const void*>(a->data()), 2, kCount);
    join->record(*side);
    stream_->wait(*join);
    launch(*stream_, step, shape_, a->data(), static_cast<const void*>(b->data()), 3, kCount);
  };
  branches();
  stream_->synchronize();
  EXPECT_THAT(download<double>(*a), Each(3.5));
  const auto graph = device_->capture(*stream_, branches);
  graph->launch(*stream_);
  stream_->synchronize();
  EXPECT_THAT(download<double>(*b), Each(2.75));
  EXPECT_THAT(download<double>(*c), Each(3.75));
  EXPECT_THAT(download<double>(*a), Each(4.375));
}

TEST_P(GpuGraphs, WhatWaitsIsRefusedAndTheStreamGoesOn) {
  DeviceFunction& step = build(kStep, "step");
  const auto a = upload(std::vector<double>(kCount, 4));
  try {
    static_cast<void>(device_->capture(*stream_, [&] { stream_->synchronize(); }));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("synchronize waits for the device"));
  }
  launch(*stream_, step, shape_, a->data(), static_cast<const void*>(a->data()), 0, kCount);
  stream_->synchronize();
  EXPECT_THAT(download<double>(*a), Each(2.0));
}

TEST_P(GpuGraphs, AsynchronousCopiesArrive) {
  DeviceFunction& step = build(kStep, "step");
  const auto host = device_->allocate_host(kCount * sizeof(double));
  auto* values = static_cast<double*>(host->host_view());
  std::fill(values, values + kCount, 8.0);
  const auto a = device_->allocate(host->bytes());
  device_->enqueue_copy_to_device(*stream_, a->data(), values, host->bytes());
  launch(*stream_, step, shape_, a->data(), static_cast<const void*>(a->data()), 1, kCount);
  device_->enqueue_copy_to_host(*stream_, values, a->data(), host->bytes());
  stream_->synchronize();
  EXPECT_THAT(std::vector<double>(values, values + kCount), Each(5.0));
}

INSTANTIATE_TEST_SUITE_P(Backends, GpuGraphs, ::testing::Values("cuda", "hip"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace kiln::test
