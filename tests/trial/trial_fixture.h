#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/fault.h"
#include "device/registry.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"
#include "support/recording_log.h"
#include "support/small_workload.h"
#include "trial/context.h"
#include "trial/variant.h"

namespace kiln::test {

/// The small workload on a fake device whose kernels compute, so that trials run with no compiler and no
/// disk.
class TrialTest : public testing::Test {
 protected:
  TrialTest() {
    device_ = std::make_shared<FakeDevice>(disk_.clock);
    define_scale("_Zscale", 3.0, 1e-3);
    define_scale("_Zscale_reference", 3.0, 0);
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<FakeBackend>("fake", std::vector<std::shared_ptr<Device>>{device_}));
    registry_ = std::make_unique<DeviceRegistry>(std::move(backends));
    service_ = std::make_unique<KernelService>(nullptr, disk_.clock);
  }

  /// y[i] = factor * x[i] for the first `count_` elements, taking `seconds`.
  void define_scale(const std::string& name, double factor, double seconds,
                    std::optional<std::uint64_t> resident_blocks = std::nullopt) {
    FakeKernel kernel;
    kernel.seconds = seconds;
    kernel.resident_blocks = resident_blocks;
    kernel.body = [this, factor](const LaunchShape& /*shape*/, void* const* arguments) {
      double* y = *static_cast<double* const*>(arguments[0]);
      const double* x = *static_cast<const double* const*>(arguments[1]);
      for (int i = 0; i < count_; ++i) y[i] = factor * x[i];
    };
    device_->define(name, std::move(kernel));
  }

  /// Replaces a part of the workload file.
  void edit_workload(const std::string& part, const std::string& by) {
    std::string text = disk_.files.read_file("/kernels/scale/scale.yaml").value();
    text.replace(text.find(part), part.size(), by);
    disk_.files.write_file("/kernels/scale/scale.yaml", text, false);
  }

  /// The small workload with these values, on the fake device.
  Variant variant(const SmallDisk::Settings& settings = {}) {
    std::vector<std::pair<std::string, RawValue>> assignments;
    for (const auto& [name, text] : settings) assignments.emplace_back(name, RawValue{text, false, {}});
    return {configure(disk_.workload(), assignments, device_->info(), disk_.files).configuration,
            "some label", device_->info().id};
  }

  JobContext context() {
    return {.devices = *registry_,
            .compilers = {{"fake", &compiler_}},
            .service = *service_,
            .files = disk_.files,
            .clock = disk_.clock,
            .log = log_,
            .run_id = "run-1",
            .kiln_version = "1.0",
            .kiln_revision = "abc"};
  }

  SmallDisk disk_;
  std::shared_ptr<FakeDevice> device_;
  FakeCompiler compiler_;
  RecordingLog log_;
  std::unique_ptr<DeviceRegistry> registry_;
  std::unique_ptr<KernelService> service_;
  int count_ = 1000;
};

}  // namespace kiln::test
