#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "device/fault.h"
#include "device/registry.h"
#include "job/job_runner.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"
#include "support/recording_log.h"
#include "support/small_workload.h"

namespace kiln::test {

/// Keeps what it is told.
class RecordingSink : public RecordSink {
 public:
  void begin(const JobPlan& /*plan*/) override { ++begun; }
  void variant_started(std::size_t /*index*/, std::size_t /*count*/, const std::string& label) override {
    labels.push_back(label);
  }
  void record(const Record& record) override { records.push_back(record); }
  void known(const Record& record) override { told.push_back(record); }

  int begun = 0;
  std::vector<std::string> labels;
  std::vector<Record> records;
  std::vector<Record> told;  ///< that were known
};

/// The small workload on a fake device whose kernels compute, so that a whole job runs with no compiler and
/// no disk.
class JobTest : public testing::Test {
 protected:
  JobTest() {
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

  JobPlan plan(const std::string& job_text) {
    const WorkloadLibrary library(disk_.files, {"/kernels"});
    return make_plan(parse_job(job_text, "/job.yaml"), library, disk_.files, {device_->info()});
  }

  JobContext context() {
    return {
        *registry_, {{"fake", &compiler_}}, *service_, disk_.files, disk_.clock, log_, "run-1", "1.0", "abc",
        0};
  }

  std::vector<Record> run(const std::string& job_text) {
    sink_ = {};
    run_job(plan(job_text), context(), sink_);
    return sink_.records;
  }

  SmallDisk disk_;
  std::shared_ptr<FakeDevice> device_;
  FakeCompiler compiler_;
  RecordingLog log_;
  std::unique_ptr<DeviceRegistry> registry_;
  std::unique_ptr<KernelService> service_;
  RecordingSink sink_;
  int count_ = 1000;
};

}  // namespace kiln::test
