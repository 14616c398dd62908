// The CUDA back end over a fake driver of CUDA 11, 12 and 13 (support/cuda/fake_cuda.cpp).
#include "device/cuda/cuda_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "base/file.h"
#include "device/cuda/cuda_backend.h"
#include "device/fault.h"
#include "support/cuda/open_fake_cuda.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kCode = "kernel increment 8 4\nkernel plain\nkernel other\nglobal table\n";

class FakeCudaDevice {
 protected:
  explicit FakeCudaDevice(const std::string& folder) : fake_(fake_cuda_in(folder)) {
    fake_.reset();
    device_ = open_fake_cuda(folder, *files_);
    stream_ = device_->create_stream();
  }

  void launch(Module& module, const LaunchShape& shape) {
    module.function("plain")->launch(*stream_, shape, nullptr);
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  FakeCuda& fake_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
};

class CudaDeviceTest : public FakeCudaDevice, public ::testing::TestWithParam<const char*> {
 protected:
  CudaDeviceTest() : FakeCudaDevice(GetParam()) {}
  [[nodiscard]] static bool is(const char* folder) { return GetParam() == std::string(folder); }
};

TEST_P(CudaDeviceTest, TellsOfTheDevice) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.id, "cuda:0");
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.target, (Target{"cuda", "sm_90", 32}));
  EXPECT_EQ(info.compute_units, 1016);
  EXPECT_DOUBLE_EQ(info.memory_bandwidth, is(KILN_FAKE_CUDA_13) ? 0 : 2 * 1036e3 * 1037 / 8 / 1e9);
  EXPECT_EQ(info.limits.max_block, (Dim3{1002, 1003, 1004}));
  EXPECT_EQ(info.limits.max_grid, (Dim3{1005, 1006, 1007}));
  EXPECT_EQ(info.limits.clusters, !is(KILN_FAKE_CUDA_11));
  EXPECT_EQ(info.limits.cooperative, !is(KILN_FAKE_CUDA_11));
}

TEST(TheoreticalBandwidth, IsThatOfTwoTransfersACycle) {
  EXPECT_NEAR(theoretical_bandwidth(2619000, 5120), 3352, 1);  // an H100's, from its data sheet
  EXPECT_EQ(theoretical_bandwidth(0, 5120), 0);
  EXPECT_EQ(theoretical_bandwidth(2619000, 0), 0);
}

TEST_P(CudaDeviceTest, LoadsByLibraryWhereTheDriverHasItAndElseByModule) {
  const auto module = device_->load(kCode);
  ASSERT_NE(module->function("plain"), nullptr);
  EXPECT_EQ(module->function("plain"), module->function("plain"));
  EXPECT_EQ(module->function("absent"), nullptr);
  ASSERT_TRUE(module->symbol("table").has_value());
  EXPECT_EQ(module->symbol("table")->second, sizeof(int));
  EXPECT_FALSE(module->symbol("chair").has_value());
  const int by_module = is(KILN_FAKE_CUDA_11) ? 1 : 0;
  EXPECT_EQ(fake_.calls("cuModuleLoadDataEx"), by_module);
  EXPECT_EQ(fake_.calls("cuLibraryLoadData"), 1 - by_module);
  EXPECT_EQ(fake_.calls("cuFuncLoad"), is(KILN_FAKE_CUDA_13) ? 1 : 0);
}

TEST_P(CudaDeviceTest, UnloadsWhatItLoaded) {
  static_cast<void>(device_->load(kCode));
  EXPECT_EQ(fake_.calls("cuModuleUnload"), fake_.calls("cuModuleLoadDataEx"));
  EXPECT_EQ(fake_.calls("cuLibraryUnload"), fake_.calls("cuLibraryLoadData"));
}

TEST_P(CudaDeviceTest, TakesAKernelsUseFromTheDriver) {
  const auto module = device_->load(kCode);
  const FunctionAttributes& use = module->function("increment")->attributes();
  EXPECT_EQ(use.max_threads_per_block, 100u);
  EXPECT_EQ(use.static_shared_bytes, 101u);
  EXPECT_EQ(use.local_bytes, 103u);
  EXPECT_EQ(use.registers, 104);
  if (is(KILN_FAKE_CUDA_13)) {
    EXPECT_EQ(use.parameter_bytes, (std::vector<std::size_t>{8, 4}));
  } else {
    EXPECT_EQ(use.parameter_bytes, std::nullopt);
  }
}

TEST_P(CudaDeviceTest, ALaunchArrivesWithItsShapeAndArguments) {
  const auto module = device_->load(kCode);
  const auto buffer = device_->allocate(sizeof(int));
  const int before = 41;
  device_->copy_to_device(*stream_, buffer->data(), &before, sizeof before);
  void* address = buffer->data();
  float scalar = 2.5f;
  void* arguments[] = {&address, &scalar};
  module->function("increment")->launch(*stream_, {{7, 6, 5}, {4, 3, 2}, 96}, arguments);
  module->function("increment")->launch_native(nullptr, {{1, 1, 1}, {32, 1, 1}}, arguments);
  int after = 0;
  device_->copy_to_host(*stream_, &after, buffer->data(), sizeof after);
  EXPECT_EQ(after, before + 2);

  const auto launches = fake_.launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "increment");
  EXPECT_EQ(launches[0].grid, (std::vector<unsigned>{7, 6, 5}));
  EXPECT_EQ(launches[0].block, (std::vector<unsigned>{4, 3, 2}));
  EXPECT_EQ(launches[0].shared_bytes, 96u);
  EXPECT_EQ(static_cast<void*>(launches[0].stream), stream_->native());
  EXPECT_EQ(launches[1].stream, nullptr);
  ASSERT_EQ(launches[0].arguments.size(), 2u);
  EXPECT_EQ(std::memcmp(launches[0].arguments[0].data(), &address, sizeof address), 0);
  EXPECT_EQ(std::memcmp(launches[0].arguments[1].data(), &scalar, sizeof scalar), 0);
}

TEST_P(CudaDeviceTest, TheDefaultStreamIsTheLegacyOneAndOthersAreNotOrderedWithIt) {
  const auto module = device_->load(kCode);
  {
    const auto meant_by_null = device_->default_stream();
    EXPECT_EQ(meant_by_null->native(), cuda_abi::kLegacyStream);
    module->function("plain")->launch(*meant_by_null, {{1, 1, 1}, {1, 1, 1}}, nullptr);
    meant_by_null->synchronize();
  }
  ASSERT_EQ(fake_.launches().size(), 1u);
  EXPECT_EQ(fake_.launches()[0].stream, cuda_abi::kLegacyStream);
  EXPECT_EQ(fake_.calls("cuStreamSynchronize"), 1);
  EXPECT_EQ(fake_.calls("cuStreamDestroy"), 0);
  EXPECT_EQ(fake_.stream_flags(),
            std::vector<unsigned>{cuda_abi::kStreamNonBlocking});  // that of the fixture
}

TEST_P(CudaDeviceTest, AClusterOrCooperativeLaunchArrivesOrIsRefusedInWords) {
  const auto module = device_->load(kCode);
  LaunchShape clustered{{8, 4, 1}, {64, 1, 1}, 0, {4, 2, 1}};
  LaunchShape cooperative{{8, 1, 1}, {64, 1, 1}};
  cooperative.cooperative = true;
  if (is(KILN_FAKE_CUDA_11)) {
    for (const LaunchShape& shape : {clustered, cooperative}) {
      EXPECT_THAT(message_of(ErrorKind::kUnfit, [&] { launch(*module, shape); }),
                  AllOf(StartsWith("kernel 'plain': this NVIDIA driver ("),
                        HasSubstr("CUDA 11.0) has no cluster or cooperative launches; "
                                  "CUDA 11.8 brought them")));
    }
    EXPECT_EQ(module->function("plain")->resident_blocks(clustered), std::nullopt);
    EXPECT_TRUE(fake_.launches().empty());
    return;
  }
  launch(*module, clustered);
  launch(*module, cooperative);
  const auto launches = fake_.launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].grid, (std::vector<unsigned>{8, 4, 1}));
  EXPECT_EQ(launches[0].cluster, (std::vector<unsigned>{4, 2, 1}));
  EXPECT_FALSE(launches[0].cooperative);
  EXPECT_TRUE(launches[1].cluster.empty());
  EXPECT_TRUE(launches[1].cooperative);
  EXPECT_EQ(module->function("plain")->resident_blocks(clustered), 5u * 8u);
}

TEST_P(CudaDeviceTest, AnOverlappingLaunchIsAnOrdinaryOneWhereTheDeviceHasNone) {
  const auto module = device_->load(kCode);
  LaunchShape shape{{8, 1, 1}, {64, 1, 1}};
  shape.overlap = true;
  launch(*module, shape);
  const auto launches = fake_.launches();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].grid, (std::vector<unsigned>{8, 1, 1}));
  EXPECT_EQ(launches[0].overlap, !is(KILN_FAKE_CUDA_11));
}

TEST_P(CudaDeviceTest, CountsTheBlocksThatTheDeviceHolds) {
  const auto module = device_->load(kCode);
  EXPECT_EQ(module->function("plain")->resident_blocks({{1, 1, 1}, {64, 1, 1}}), 32u * 1016u);
}

TEST_P(CudaDeviceTest, LargeCopiesGoThroughPinnedMemoryInPieces) {
  std::vector<int> out(std::size_t{5} << 20), in(out.size());  // 20 MiB: five pieces
  std::iota(out.begin(), out.end(), 0);
  const auto buffer = device_->allocate(out.size() * sizeof(int));
  device_->copy_to_device(*stream_, buffer->data(), out.data(), buffer->bytes());
  EXPECT_EQ(fake_.calls("cuMemcpyHtoDAsync"), 5);
  device_->copy_to_host(*stream_, in.data(), buffer->data(), buffer->bytes());
  EXPECT_EQ(fake_.calls("cuMemcpyDtoHAsync"), 5);
  EXPECT_TRUE(in == out);
}

TEST_P(CudaDeviceTest, SaysWhatDoesNotFit) {
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(device_->allocate(std::size_t{1} << 30)); }),
              HasSubstr("cannot allocate 1 GiB on cuda:0: 64 MiB of 64 MiB are free"));
}

TEST_P(CudaDeviceTest, ErrorsNameACallAsItsManualDoes) {
  fake_.set_result("cuMemAlloc", 999);
  EXPECT_THAT(error_of([&] { static_cast<void>(device_->allocate(64)); }).message(),
              EndsWith("(999), in cuMemAlloc"));
}

TEST_P(CudaDeviceTest, AKernelThatCouldNotBeLookedAtIsLookedAtAgain) {
  const auto module = device_->load(kCode);
  fake_.set_result("cuFuncGetAttribute", 999);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(error_of([&] { static_cast<void>(module->function("plain")); }).message(),
                HasSubstr("(999), in cuFuncGetAttribute"));
  }
  fake_.set_result("cuFuncGetAttribute", 0);
  EXPECT_NE(module->function("plain"), nullptr);
}

TEST_P(CudaDeviceTest, MakesATextureObjectForEachLayoutAndAddress) {
  const auto memory = device_->allocate(4096);
  TextureLayout plane{TextureLayout::Format::kU8, 4, 12, 5, 64};
  plane.address = {TextureLayout::Address::kWrap, TextureLayout::Address::kMirror};
  plane.linear = plane.normalized_coordinates = plane.normalized_values = true;
  const TextureLayout line{TextureLayout::Format::kI32, 2, 100};
  EXPECT_EQ(device_->texture(plane, memory->data()), 1U);
  EXPECT_EQ(device_->texture(line, memory->data()), 2U);
  EXPECT_EQ(device_->texture(plane, memory->data()), 1U);
  EXPECT_EQ(device_->texture(plane, static_cast<char*>(memory->data()) + 512), 3U);
  const auto textures = fake_.textures();
  ASSERT_EQ(textures.size(), 3U);
  const auto& [resource, sampling] = textures[0];
  EXPECT_EQ(resource.type, cuda_abi::ResourceType::kPitch2D);
  EXPECT_EQ(resource.resource.pitch_2d.address, reinterpret_cast<cuda_abi::DevicePointer>(memory->data()));
  EXPECT_EQ(resource.resource.pitch_2d.format, 1U);
  EXPECT_EQ(resource.resource.pitch_2d.channels, 4U);
  EXPECT_EQ(resource.resource.pitch_2d.width, 12U);
  EXPECT_EQ(resource.resource.pitch_2d.height, 5U);
  EXPECT_EQ(resource.resource.pitch_2d.pitch, 64U);
  EXPECT_EQ(sampling.address_modes[0], 0U);
  EXPECT_EQ(sampling.address_modes[1], 2U);
  EXPECT_EQ(sampling.filter, 1);
  EXPECT_EQ(sampling.flags, cuda_abi::kNormalizedCoordinates);
  EXPECT_EQ(textures[1].first.type, cuda_abi::ResourceType::kLinear);
  EXPECT_EQ(textures[1].first.resource.linear.channels, 2U);
  EXPECT_EQ(textures[1].first.resource.linear.bytes, 800U);
  EXPECT_EQ(textures[1].second.flags, cuda_abi::kReadAsInteger);
}

TEST_P(CudaDeviceTest, SaysWhichTextureItCannotMake) {
  const auto memory = device_->allocate(4096);
  const auto problem = [&](const TextureLayout& layout) {
    return message_of(ErrorKind::kBadInput,
                      [&] { static_cast<void>(device_->texture(layout, memory->data())); });
  };
  EXPECT_THAT(problem({TextureLayout::Format::kF32, 1, 5, 5, 20}),
              HasSubstr("a row of 20 bytes; a GPU's texture units take a multiple of 32"));
  EXPECT_THAT(problem({TextureLayout::Format::kF32, 3, 5, 5, 64}), HasSubstr("expected 1, 2 or 4"));
  TextureLayout volume{TextureLayout::Format::kF32, 1, 8, 5, 32};
  volume.depth = 2;
  EXPECT_THAT(problem(volume),
              HasSubstr("a texture of three dimensions, which a GPU reads from a CUDA array only"));
  fake_.set_result("cuTexObjectCreate", cuda_abi::kInvalidValue);
  EXPECT_THAT(problem({TextureLayout::Format::kF32, 1, 8, 5, 32}),
              HasSubstr("the rules of cuTexObjectCreate apply"));
  fake_.set_result("cuTexObjectCreate", 0);
  EXPECT_NE(device_->texture({TextureLayout::Format::kF32, 1, 8, 5, 32}, memory->data()), 0U);
}

INSTANTIATE_TEST_SUITE_P(Releases, CudaDeviceTest,
                         ::testing::Values(KILN_FAKE_CUDA_11, KILN_FAKE_CUDA_12, KILN_FAKE_CUDA_13),
                         [](const auto& folder) { return "Cuda" + std::to_string(folder.index + 11); });

}  // namespace
}  // namespace kiln::test
