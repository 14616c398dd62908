// The HIP back end over a fake run time of two devices (fake_hip.cpp), with both layouts of HIP's properties.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/chrome_trace.h"
#include "base/clock.h"
#include "base/file.h"
#include "device/fault.h"
#include "device/hip/hip_backend.h"
#include "device/traced_device.h"
#include "hip_shim/code_object_writer.h"
#include "kiln/error.h"
#include "support/error_matchers.h"
#include "support/trace_reading.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

HipPlaces fake_places(const char* library) {
  HipPlaces places;
  places.hip = library;
  return places;
}

std::string code_for(const std::string& isa) {
  return hip_shim::write_code_object(
      isa, 64, {{"increment", 12, 256, 8, 512, {8}}, {"fault", 4, 0, 0, 1024, {}}}, "no machine code");
}

template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class HipDeviceTest : public ::testing::TestWithParam<const char*> {
 protected:
  HipDeviceTest() : files_(make_real_file_system()) {
    backend_ = make_hip_backend(fake_places(GetParam()), *files_);
  }

  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Backend> backend_;
};

TEST_P(HipDeviceTest, TellsOfEveryDeviceWithItsFullIsa) {
  ASSERT_EQ(backend_->problem(), "");
  const std::vector<DeviceInfo> devices = backend_->devices();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].id, "hip:0");
  EXPECT_EQ(devices[0].name, "gfx-fake 0");
  EXPECT_EQ(devices[0].target, (Target{"hip", "gfx90a:sramecc+:xnack-", 64}));
  EXPECT_EQ(devices[1].target.arch, "gfx906:sramecc+:xnack+");
  EXPECT_EQ(devices[0].compute_units, 1063);
  EXPECT_DOUBLE_EQ(devices[0].memory_bandwidth,
                   GetParam() == std::string(KILN_FAKE_HIP_5) ? 0 : 2 * 1060e3 * 1059 / 8 / 1e9);
  EXPECT_EQ(devices[0].limits.max_threads_per_block, 1056u);
  EXPECT_EQ(devices[0].limits.max_block, (Dim3{1026, 1027, 1028}));
  EXPECT_EQ(devices[0].limits.max_grid, (Dim3{1029, 1030, 1031}));
  EXPECT_EQ(devices[0].limits.max_shared_bytes_per_block, 1074u);
  EXPECT_FALSE(devices[0].limits.cooperative);  // the fake lacks the call
  EXPECT_THAT(
      devices[0].driver,
      HasSubstr(std::string(GetParam()).find("5") != std::string::npos ? "HIP 5.2.21153" : "HIP 6.2.41134"));
}

TEST_P(HipDeviceTest, ATraceHasItsLaunchesOnTheHostAndOnTheDevice) {
  const auto clock = make_system_clock();
  Trace trace(*clock, true, {});
  const auto device = make_traced_device(backend_->open(1), trace);
  const auto buffer = device->allocate(sizeof(int));
  const auto stream = device->create_stream();
  const int zero = 0;
  device->copy_to_device(*stream, buffer->data(), &zero, sizeof zero);
  const auto module = device->load(code_for("gfx906"));
  void* address = buffer->data();
  void* arguments[] = {&address};
  for (int i = 0; i < 2; ++i)
    module->function("increment")->launch(*stream, {{1, 1, 1}, {1, 1, 1}}, arguments);
  stream->synchronize();
  int value = -1;
  device->copy_to_host(*stream, &value, buffer->data(), sizeof value);
  EXPECT_EQ(value, 2);
  const TraceReading read(chrome_trace_json(trace.content()));
  read.expect_sound();
  EXPECT_EQ(read.names("launch"), (std::vector<std::string>{"launch increment", "launch increment"}));
  EXPECT_EQ(read.names("kernel"), (std::vector<std::string>{"increment", "increment"}));
  EXPECT_EQ(read.names("copy"), (std::vector<std::string>{"copy to hip:1", "copy from hip:1"}));
  EXPECT_GE(read.spans("kernel")[0].at("ts").get<double>() +
                read.facts().at("device_clock_uncertainty_us").at("hip:1").get<double>() + 1,
            read.spans("copy")[0].at("ts").get<double>());
}

TEST_P(HipDeviceTest, WorksOnTheSecondDeviceAndLeavesTheCallersSelected) {
  const auto device = backend_->open(1);
  const auto first = backend_->open(0);
  const std::uint64_t free_before = device->free_memory_bytes();
  const auto buffer = device->allocate(sizeof(int));
  EXPECT_EQ(device->free_memory_bytes(), free_before - sizeof(int));
  EXPECT_EQ(first->free_memory_bytes(), free_before);  // also: the first device is selected again

  const auto stream = device->create_stream();
  device->fill_bytes(*stream, buffer->data(), 0, sizeof(int));
  const auto module = device->load(code_for("gfx906"));
  DeviceFunction* function = module->function("increment");
  ASSERT_NE(function, nullptr);
  void* address = buffer->data();
  void* arguments[] = {&address};
  function->launch(*stream, {{1, 1, 1}, {64, 1, 1}, 0}, arguments);
  function->launch_native(stream->native(), {{1, 1, 1}, {64, 1, 1}, 0}, arguments);
  int value = 0;
  device->copy_to_host(*stream, &value, buffer->data(), sizeof value);
  EXPECT_EQ(value, 2);
  const auto copy = device->allocate(sizeof(int));
  device->copy_on_device(*stream, copy->data(), buffer->data(), sizeof(int));
  int copied = 0;
  device->copy_to_host(*stream, &copied, copy->data(), sizeof copied);
  EXPECT_EQ(copied, 2);
  EXPECT_EQ(function->resident_blocks({{1, 1, 1}, {64, 1, 1}, 0}), 32u * 1063u);
  EXPECT_TRUE(device->is_capturing(nullptr));
  EXPECT_FALSE(device->is_capturing(stream->native()));
}

TEST_P(HipDeviceTest, TheDefaultStreamIsTheNullStreamOfTheDevice) {
  const auto device = backend_->open(1);
  const auto stream = device->default_stream();
  EXPECT_EQ(stream->native(), nullptr);
  const auto buffer = device->allocate(sizeof(int));
  const int before = 41;
  device->copy_to_device(*stream, buffer->data(), &before, sizeof before);
  const auto module = device->load(code_for("gfx906"));
  void* address = buffer->data();
  void* arguments[] = {&address};
  module->function("increment")->launch(*stream, {{1, 1, 1}, {64, 1, 1}, 0}, arguments);
  stream->synchronize();
  int value = 0;
  device->copy_to_host(*stream, &value, buffer->data(), sizeof value);
  EXPECT_EQ(value, 42);
}

TEST_P(HipDeviceTest, TakesAKernelsUseFromTheCodeObject) {
  const auto device = backend_->open(0);
  const auto module = device->load(code_for("gfx90a:xnack-"));
  const FunctionAttributes& use = module->function("increment")->attributes();
  EXPECT_EQ(use.registers, 12);
  EXPECT_EQ(use.static_shared_bytes, 256u);
  EXPECT_EQ(use.local_bytes, 8u);
  EXPECT_EQ(use.max_threads_per_block, 512u);
  EXPECT_EQ(use.parameter_bytes, std::vector<std::size_t>{8});
  EXPECT_EQ(module->function("decrement"), nullptr);
  EXPECT_EQ(module->symbol("table")->second, sizeof(int));
  EXPECT_FALSE(module->symbol("chair").has_value());
}

TEST_P(HipDeviceTest, RefusesCodeForAnotherIsaBeforeTheRunTimeSeesIt) {
  const auto device = backend_->open(0);
  for (const char* isa : {"gfx906", "gfx90a:xnack+"}) {
    EXPECT_THAT(error_of([&] { static_cast<void>(device->load(code_for(isa))); }),
                HasSubstr(std::string("hip:0 (gfx90a:sramecc+:xnack-): it was compiled for ") + isa));
  }
  EXPECT_THAT(error_of([&] { static_cast<void>(device->load("text")); }),
              HasSubstr("not an AMD code object"));
}

TEST_P(HipDeviceTest, ReportsAFaultAndThatTheDeviceIsLost) {
  const auto device = backend_->open(0);
  const auto stream = device->create_stream();
  const auto module = device->load(code_for("gfx90a"));
  module->function("fault")->launch(*stream, {{1, 1, 1}, {1, 1, 1}, 0}, nullptr);
  EXPECT_THAT(message_of(ErrorKind::kDeviceLost, [&] { stream->synchronize(); }),
              AllOf(StartsWith("hipErrorIllegalAddress (700): an illegal memory access was encountered"),
                    HasSubstr("kernel 'fault'")));
  EXPECT_THAT(error_of([&] { stream->synchronize(); }),
              HasSubstr("lost to this process since an earlier fault"));
}

TEST_P(HipDeviceTest, AFaultThatACopyWaitsForNamesTheKernel) {
  const auto device = backend_->open(0);
  const auto stream = device->create_stream();
  const auto buffer = device->allocate(sizeof(int));
  const auto module = device->load(code_for("gfx90a"));
  module->function("fault")->launch(*stream, {{1, 1, 1}, {1, 1, 1}, 0}, nullptr);
  int value = 0;
  EXPECT_THAT(error_of([&] { device->copy_to_host(*stream, &value, buffer->data(), sizeof value); }),
              HasSubstr("in hipStreamSynchronize, kernel 'fault'"));
}

TEST_P(HipDeviceTest, SaysWhatDoesNotFit) {
  const auto device = backend_->open(0);
  EXPECT_THAT(error_of([&] { static_cast<void>(device->allocate(std::size_t{2} << 20)); }),
              HasSubstr("cannot allocate 2 MiB on hip:0: 1 MiB of 1 MiB are free"));
  const auto stream = device->create_stream();
  const auto module = device->load(code_for("gfx90a"));
  EXPECT_THAT(error_of([&] {
                module->function("fault")->launch(*stream, {{1u << 30, 1, 1}, {256, 1, 1}, 0}, nullptr);
              }),
              HasSubstr("HIP launches fewer than 2^32 work-items along each axis"));
}

TEST_P(HipDeviceTest, TimesBetweenEvents) {
  const auto device = backend_->open(1);
  const auto stream = device->create_stream();
  const auto begin = device->create_event();
  const auto end = device->create_event();
  begin->record(*stream);
  end->record(*stream);
  EXPECT_GE(end->seconds_since(*begin), 0);
  EXPECT_LT(end->seconds_since(*begin), 1);
}

TEST_P(HipDeviceTest, AGraphRunsAtEachLaunchOnItsOwnDevice) {
  const auto device = backend_->open(1);
  const auto module = device->load(code_for("gfx906:sramecc+:xnack+"));
  const auto stream = device->create_stream();
  const auto buffer = device->allocate(sizeof(int));
  device->fill_bytes(*stream, buffer->data(), 0, sizeof(int));
  void* address = buffer->data();
  void* arguments[] = {&address};
  const auto capture = [&] {
    return device->capture(*stream, [&] {
      for (int i = 0; i < 3; ++i)
        module->function("increment")->launch(*stream, {{1, 1, 1}, {64, 1, 1}}, arguments);
    });
  };
  if (GetParam() == std::string(KILN_FAKE_HIP_5)) {
    EXPECT_THAT(error_of([&] { static_cast<void>(capture()); }),
                AllOf(HasSubstr("the HIP run time ("), HasSubstr("HIP 5.2 brought them")));
    return;
  }
  const auto graph = capture();
  int value = -1;
  device->copy_to_host(*stream, &value, buffer->data(), sizeof value);
  EXPECT_EQ(value, 0);
  graph->launch(*stream);
  graph->launch(*stream);
  device->copy_to_host(*stream, &value, buffer->data(), sizeof value);
  EXPECT_EQ(value, 6);
  const auto faulty = device->capture(*stream, [&] {
    module->function("fault")->launch(*stream, {{1, 1, 1}, {64, 1, 1}}, nullptr);
  });
  faulty->launch(*stream);
  EXPECT_THAT(error_of([&] { stream->synchronize(); }),
              AllOf(HasSubstr("hipErrorIllegalAddress"), HasSubstr("kernel 'fault'")));
}

TEST_P(HipDeviceTest, CopiesBetweenDevicesAndBesideTheHost) {
  const auto first = backend_->open(0);
  const auto second = backend_->open(1);
  const auto from_stream = first->create_stream();
  const auto stream = second->create_stream();
  const auto host = second->allocate_host(2 * sizeof(int));
  auto* numbers = static_cast<int*>(host->host_view());
  numbers[0] = 5;
  const auto from = first->allocate(sizeof(int));
  const auto to = second->allocate(sizeof(int));
  first->enqueue_copy_to_device(*from_stream, from->data(), numbers, sizeof(int));
  const auto sent = first->create_event();
  sent->record(*from_stream);
  first->create_stream()->wait(*sent);
  from_stream->synchronize();
  second->copy_from_peer(*stream, to->data(), *first, from->data(), sizeof(int));
  second->enqueue_copy_to_host(*stream, numbers + 1, to->data(), sizeof(int));
  stream->synchronize();
  EXPECT_EQ(numbers[1], 5);
}

INSTANTIATE_TEST_SUITE_P(Releases, HipDeviceTest, ::testing::Values(KILN_FAKE_HIP_5, KILN_FAKE_HIP_6),
                         [](const auto& library) { return "Hip" + std::to_string(library.index + 5); });

TEST(HipBackend, SaysWhatIsMissingAndWhatToInstall) {
  const auto files = make_real_file_system();
  const auto backend = make_hip_backend(fake_places("/none/libamdhip64.so.6"), *files);
  EXPECT_THAT(backend->problem(), HasSubstr("/none/libamdhip64.so.6"));
  EXPECT_THAT(backend->problem(), HasSubstr("KILN_HIP"));
  EXPECT_THROW(static_cast<void>(backend->open(0)), Error);
}

}  // namespace
}  // namespace kiln::test
