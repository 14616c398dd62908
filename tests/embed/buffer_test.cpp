// Streams, events, graphs and buffers of the public interface: on the cpu with a real compiler, and over a
// CUDA driver that has memory of its own, which counts the copies (support/cuda/fake_cuda.cpp).
#include "kiln/buffer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>

#include "kiln/kiln.h"
#include "support/cuda/fake_cuda.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

constexpr const char* kText = R"cuda(
__global__ void axpy(int n, double a, const double* x, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void wild(int n, double* x) { x[n] = 1; }
)cuda";

class CpuBuffers : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_buffer.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Settings settings;
    settings.cache_dir = (folder_ / "cache").string();
    settings.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    service_.emplace(settings);
    device_.emplace(service_->device("cpu"));
    axpy_ = service_->program("axpy.cu", kText)
                .function("axpy", *device_)
                .block(64)
                .cover(0)
                .get<void(int, double, const double*, double*)>();
  }
  void TearDown() override {
    axpy_ = {};
    device_.reset();
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path folder_;
  std::optional<Service> service_;
  std::optional<DeviceHandle> device_;
  Function<void(int, double, const double*, double*)> axpy_;
};

TEST_F(CpuBuffers, OneHostCodeServesEveryBackEnd) {
  const StreamHandle stream = device_->create_stream(), other = device_->create_stream();
  Buffer<double> x(*device_, 100), y(*device_, 100);
  std::iota(x.host_write().begin(), x.host_write().end(), 0.0);
  for (double& value : y.host_write()) value = 1;
  const EventHandle begin = stream.record();
  axpy_(stream.native(), 100, 2.0, x.read(stream), y.update(stream));
  axpy_(other.native(), 100, 0.5, x.read(other), y.update(other));
  const EventHandle end = other.record();
  other.synchronize();
  EXPECT_GT(end.seconds_since(begin), 0);
  EXPECT_EQ(y.host_read()[99], 1 + 2.5 * 99);
  EXPECT_EQ(y.host_read().data(), y.read(stream)) << "the cpu works on the host's memory";
  EXPECT_EQ(x.size(), 100U);
  EXPECT_EQ(x.device().id(), "cpu");
}

TEST_F(CpuBuffers, AGraphIsLaunchedAgainAndAgain) {
  const StreamHandle stream = device_->create_stream();
  Buffer<double> x(*device_, 8), y(*device_, 8);
  for (double& value : x.host_write()) value = 1;
  for (double& value : y.host_write()) value = 0;
  const double* from = x.read(stream);
  double* to = y.update(stream);
  const GraphHandle graph = stream.capture([&] {
    axpy_(stream.native(), 8, 1.0, from, to);
    axpy_(stream.native(), 4, 10.0, from, to);
  });
  EXPECT_EQ(y.host_read()[0], 0) << "nothing runs while it is captured";
  for (int i = 0; i < 3; ++i) graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(y.host_read()[0], 33);
  EXPECT_EQ(y.host_read()[7], 3);

  to = y.update(stream);
  graph.update(stream, [&] { axpy_(stream.native(), 8, -3.0, from, to); });
  graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(y.host_read()[0], 30);
  EXPECT_EQ(y.host_read()[7], 0);
  to = y.update(stream);
  EXPECT_THROW(graph.update(stream, [] { throw std::runtime_error("no"); }), std::runtime_error);
  graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(y.host_read()[7], -3) << "as it was before the failure";
}

TEST_F(CpuBuffers, AProgramsHandleOfAStreamIsTakenBack) {
  const StreamHandle own = device_->create_stream();
  const StreamHandle same = device_->stream(own.native());
  EXPECT_EQ(same.native(), own.native());
  double x = 1, y = 0;
  const GraphHandle graph = same.capture([&] { axpy_(own.native(), 1, 5.0, &x, &y); });
  EXPECT_EQ(y, 0);
  graph.launch(device_->stream());
  EXPECT_EQ(y, 5);
  int foreign = 0;
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(device_->stream(&foreign)); }),
              HasSubstr("is not a stream of the cpu"));
  EXPECT_THAT(bad_input_of([&] { axpy_(&foreign, 1, 5.0, &x, &y); }),
              HasSubstr("is not a stream of the cpu"));
}

TEST_F(CpuBuffers, WhatCannotBeMeantIsRefused) {
  const StreamHandle stream = device_->create_stream();
  Buffer<double> x(*device_, 8);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(x.read(stream)); }), HasSubstr("was never written"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(x.host_update()); }), HasSubstr("was never written"));
  EXPECT_THAT(bad_input_of([&] { Buffer<double>(*device_, 0); }), HasSubstr("at least one element"));
  EXPECT_THAT(bad_input_of([&] { Buffer<double>(*device_, std::numeric_limits<std::size_t>::max() / 4); }),
              HasSubstr("larger than any memory"));
  EXPECT_THAT(bad_input_of([&] { Buffer<double>(DeviceHandle(), 1); }), HasSubstr("holds none"));
  const StreamHandle elsewhere =
      Service(Settings::for_application("kiln-buffer-test")).device("cpu").create_stream();
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(x.write(elsewhere)); }), HasSubstr("on a stream of cpu"));
  EXPECT_THAT(bad_input_of([&] { stream.wait(elsewhere.record()); }), HasSubstr("its own device"));
}

class GpuBuffers : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("LD_LIBRARY_PATH");
    if (path != nullptr) library_path_ = path;
    ::setenv("LD_LIBRARY_PATH", KILN_FAKE_CUDA_12, 1);
    fake_ = &fake_cuda_in(KILN_FAKE_CUDA_12);
    fake_->reset();
    Settings settings;
    settings.cache = false;
    settings.log_level = "off";
    settings.nvrtc = KILN_FAKE_NVRTC_11_1;
    service_.emplace(settings);
    device_.emplace(service_->device("cuda:0"));
  }
  void TearDown() override {
    if (library_path_)
      ::setenv("LD_LIBRARY_PATH", library_path_->c_str(), 1);
    else
      ::unsetenv("LD_LIBRARY_PATH");
  }
  [[nodiscard]] int to_device() const {
    return fake_->calls("cuMemcpyHtoD") + fake_->calls("cuMemcpyHtoDAsync");
  }
  [[nodiscard]] int to_host() const {
    return fake_->calls("cuMemcpyDtoH") + fake_->calls("cuMemcpyDtoHAsync");
  }

  std::optional<std::string> library_path_;
  FakeCuda* fake_ = nullptr;
  std::optional<Service> service_;
  std::optional<DeviceHandle> device_;
};

TEST_F(GpuBuffers, ASideIsCopiedOnlyWhenTheOtherHasChangedIt) {
  const StreamHandle stream = device_->create_stream();
  Buffer<float> x(*device_, 1000);
  for (float& value : x.host_write()) value = 3;
  EXPECT_EQ(to_device() + to_host(), 0);
  const float* on_device = x.read(stream);
  EXPECT_EQ(on_device[999], 3) << "the fake driver's memory can be looked at";
  EXPECT_EQ(to_device(), 1);
  static_cast<void>(x.read(stream));
  EXPECT_EQ(x.host_read()[0], 3);
  EXPECT_EQ(to_device(), 1);
  EXPECT_EQ(to_host(), 0) << "nobody changed it on the device";
  x.update(stream)[5] = 7;
  EXPECT_EQ(to_device(), 1);
  EXPECT_EQ(x.host_read()[5], 7);
  EXPECT_EQ(x.host_read()[4], 3);
  EXPECT_EQ(to_host(), 1);
  x.host_update()[4] = 8;
  EXPECT_EQ(to_host(), 1);
  EXPECT_EQ(x.read(stream)[4], 8);
  EXPECT_EQ(to_device(), 2);
  x.host_write()[0] = 1;
  x.write(stream)[0] = 2;  // all of it is written anew: nothing is copied
  EXPECT_EQ(to_device(), 2);
  EXPECT_EQ(x.host_read()[0], 2);
  EXPECT_EQ(to_host(), 2);
}

TEST_F(GpuBuffers, StreamsOfOneBufferWaitForEachOther) {
  const StreamHandle stream = device_->create_stream(), other = device_->create_stream();
  Buffer<float> x(*device_, 4);
  static_cast<void>(x.write(stream));
  EXPECT_EQ(fake_->calls("cuStreamWaitEvent"), 0);
  static_cast<void>(x.read(stream));
  EXPECT_EQ(fake_->calls("cuStreamWaitEvent"), 0);
  static_cast<void>(x.read(other));
  EXPECT_EQ(fake_->calls("cuStreamWaitEvent"), 1);
  Buffer<float> moved = std::move(x);
  static_cast<void>(moved.read(device_->stream(other.native())));
  EXPECT_EQ(fake_->calls("cuStreamWaitEvent"), 1) << "the same stream";
}

}  // namespace
}  // namespace kiln::test
