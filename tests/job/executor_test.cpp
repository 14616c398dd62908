// `spread: true`: the variants of a job shared out over devices that are alike.
#include <gmock/gmock.h>
#include <sched.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "job/device_lanes.h"
#include "job/job_fixture.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr const char* kJob =
    "workload: scale\nspread: true\nsweep: {block: [32, 64, 128], bind.n: [compile, run]}\nmeasure: false\n";

/// Waits, with a limit, until so many threads have come.
class Meeting {
 public:
  explicit Meeting(int people) : missing_(people) {}
  void come() {
    std::unique_lock lock(mutex_);
    if (--missing_ <= 0) all_here_.notify_all();
    all_here_.wait_for(lock, std::chrono::seconds(20), [&] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int missing_;
};

class CountingWatch : public RunWatch {
 public:
  void variant_begins(const Record& so_far) override { begun.insert(so_far.device.id); }
  void variant_ends() override { ++ended; }
  std::set<std::string> begun;
  int ended = 0;
};

class SpreadTest : public test::JobTest {
 protected:
  SpreadTest() {
    second_ = std::make_shared<test::FakeDevice>(disk_.clock, "fake:1");
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(
        std::make_unique<test::FakeBackend>("fake", std::vector<std::shared_ptr<Device>>{device_, second_}));
    registry_ = std::make_unique<DeviceRegistry>(std::move(backends));
    for (const auto& device : {device_, second_}) define(*device, {});
  }

  /// The workload's kernels; `first` runs before the step's.
  void define(test::FakeDevice& device, std::function<void(std::uint64_t block)> first) {
    for (const char* name : {"_Zscale", "_Zscale_reference"}) {
      test::FakeKernel kernel;
      kernel.seconds = 1e-3;
      const bool step = name == std::string("_Zscale");
      kernel.body = [this, first, step](const LaunchShape& shape, void* const* arguments) {
        if (first && step) first(shape.block.x);
        double* y = *static_cast<double* const*>(arguments[0]);
        const double* x = *static_cast<const double* const*>(arguments[1]);
        for (int i = 0; i < count_; ++i) y[i] = 3 * x[i];
      };
      device.define(name, std::move(kernel));
    }
  }

  JobPlan spread_plan(const std::string& text = kJob) {
    const WorkloadLibrary library(disk_.files, {"/kernels"});
    return make_plan(parse_job(text, "/job.yaml"), library, disk_.files, {device_->info(), second_->info()});
  }

  std::map<RunStatus, int> run_counts(const JobPlan& plan) {
    EXPECT_TRUE(run_job(plan, context(), sink_));
    std::map<RunStatus, int> counts;
    for (const Record& record : sink_.records) ++counts[record.status];
    return counts;
  }

  std::set<std::string> labels() const {
    std::set<std::string> labels;
    for (const Record& record : sink_.records) labels.insert(record.label);
    return labels;
  }

  std::shared_ptr<test::FakeDevice> second_;
};

TEST_F(SpreadTest, EachVariantRunsOnceAndBothDevicesRunSome) {
  Meeting meeting(2);
  for (const auto& device : {device_, second_}) {
    define(*device, [&](std::uint64_t) { meeting.come(); });
  }
  const JobPlan plan = spread_plan();
  ASSERT_EQ(plan.variants.size(), 6U);
  EXPECT_EQ(run_counts(plan)[RunStatus::kOk], 6);
  EXPECT_EQ(labels().size(), 6U);
  std::set<std::string> devices;
  for (const Record& record : sink_.records) devices.insert(record.device.id);
  EXPECT_THAT(devices, UnorderedElementsAre("fake:0", "fake:1"));
}

TEST_F(SpreadTest, FurtherDevicesOfASearchRunVariantsInPlaceOfTheFirst) {
  second_->mutable_info().pci_address = "0000:1c:00.0";
  const JobPlan plan = spread_plan();
  DeviceLanes others({second_}, [](const JobContext& own) { return make_local_runner(own, "j.yaml", true); });
  const JobContext all = context();
  std::vector<TrialLane> lanes = others.lanes(all);
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes[0].name, "fake:1");
  EXPECT_EQ(plan.variants[0].device, "fake:0");
  const auto record = lanes[0].runner->run(plan.variants[0], {.measure = plan.job.measure});
  ASSERT_TRUE(record);
  EXPECT_EQ(record->status, RunStatus::kOk);
  EXPECT_EQ(record->device.id, "fake:1");
  EXPECT_EQ(record->label, plan.variants[0].label);
  EXPECT_FALSE(lanes[0].runner->has_lost("fake:0"));
}

TEST_F(SpreadTest, WithoutItEveryDeviceRunsEveryVariant) {
  const JobPlan plan = spread_plan("workload: scale\nsweep: {block: [32, 64]}\nmeasure: false\n");
  EXPECT_EQ(plan.variants.size(), 4U);
  EXPECT_TRUE(plan.spread.empty());
}

TEST_F(SpreadTest, LanesRunOnTheProcessorsNearTheirDevice) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  int first = 0;
  while (!CPU_ISSET(first, &own)) ++first;
  for (const auto& device : {device_, second_}) {
    const std::string address = device == device_ ? "0000:1b:00.0" : "0000:1c:00.0";
    device->mutable_info().pci_address = address;
    const std::string folder = "/sys/bus/pci/devices/" + address;
    disk_.files.make_directories(folder, false);
    disk_.files.write_file(folder + "/local_cpulist", std::to_string(first) + "\n", false);
  }
  std::mutex mutex;
  std::set<int> counts;
  for (const auto& device : {device_, second_}) {
    define(*device, [&](std::uint64_t) {
      cpu_set_t bound;
      if (sched_getaffinity(0, sizeof bound, &bound) != 0) CPU_ZERO(&bound);
      const std::lock_guard lock(mutex);
      counts.insert(CPU_ISSET(first, &bound) ? CPU_COUNT(&bound) : 0);
    });
  }
  EXPECT_EQ(run_counts(spread_plan())[RunStatus::kOk], 6);
  EXPECT_THAT(counts, testing::ElementsAre(1));
}

TEST_F(SpreadTest, AllDevicesOfABackEndShareTheVariants) {
  JobSpec job = parse_job("workload: scale\nsweep: {block: [32, 64]}\nmeasure: false\n", "/job.yaml");
  job.devices = {"fake:all"};
  const WorkloadLibrary library(disk_.files, {"/kernels"});
  const JobPlan plan = make_plan(job, library, disk_.files, {device_->info(), second_->info()});
  EXPECT_EQ(plan.variants.size(), 2U);
  EXPECT_THAT(plan.spread, testing::ElementsAre("fake:0", "fake:1"));
}

TEST_F(SpreadTest, DevicesThatDifferAreRefused) {
  second_->mutable_info().compute_units += 1;
  EXPECT_THAT(bad_input_of([&] { spread_plan(); }),
              AllOf(HasSubstr("/job.yaml: spread: fake:0 and fake:1 differ"), HasSubstr("compute units")));
}

TEST_F(SpreadTest, ALostDeviceLeavesItsVariantsToTheOther) {
  Meeting meeting(2);
  define(*device_, [&](std::uint64_t) { meeting.come(); });
  define(*second_, [&](std::uint64_t) {
    meeting.come();
    throw device_lost("the kernel faulted");
  });
  auto counts = run_counts(spread_plan());
  EXPECT_EQ(counts[RunStatus::kFaulted], 1);
  EXPECT_EQ(counts[RunStatus::kOk], 5);
  EXPECT_EQ(labels().size(), 6U);
}

TEST_F(SpreadTest, WhereAllDevicesAreLostTheRestHasRecordsToo) {
  Meeting meeting(2);
  for (const auto& device : {device_, second_}) {
    define(*device, [&](std::uint64_t) {
      meeting.come();
      throw device_lost("the kernel faulted");
    });
  }
  auto counts = run_counts(spread_plan());
  EXPECT_EQ(counts[RunStatus::kFaulted], 2);
  EXPECT_EQ(counts[RunStatus::kNotRun], 4);
  EXPECT_EQ(labels().size(), 6U);
}

TEST_F(SpreadTest, AnErrorInOneLaneEndsTheJobWithIt) {
  define(*second_, [](std::uint64_t) { throw environment_error("no space left"); });
  define(*device_, [](std::uint64_t) { throw environment_error("no space left"); });
  const JobPlan plan = spread_plan();
  try {
    run_job(plan, context(), sink_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("no space left"));
  }
}

TEST_F(SpreadTest, WhatAnyOfTheDevicesHasMeasuredIsKnown) {
  const JobPlan plan = spread_plan();
  run_counts(plan);
  const std::vector<Record> records = sink_.records;
  const KnownRecords known = find_known(plan, records, context());
  EXPECT_THAT(known, Each(testing::Ne(std::nullopt)));
  sink_ = {};
  EXPECT_TRUE(run_job(plan, context(), sink_, known));
  EXPECT_EQ(sink_.records.size(), 0U);
  EXPECT_EQ(sink_.told.size(), 6U);
}

TEST_F(SpreadTest, EachLaneIsWatchedByItself) {
  Meeting meeting(2);
  for (const auto& device : {device_, second_}) {
    define(*device, [&](std::uint64_t) { meeting.come(); });
  }
  CountingWatch first, second;
  JobContext watched = context();
  watched.lane_watches = {&first, &second};
  const JobPlan plan = spread_plan();
  EXPECT_TRUE(run_job(plan, watched, sink_));
  EXPECT_THAT(first.begun, UnorderedElementsAre("fake:0"));
  EXPECT_THAT(second.begun, UnorderedElementsAre("fake:1"));
  EXPECT_EQ(first.ended + second.ended, 6);
}

TEST_F(SpreadTest, AStoppedJobSaysSo) {
  JobContext stopped = context();
  stopped.stop = [] { return true; };
  EXPECT_FALSE(run_job(spread_plan(), stopped, sink_));
  EXPECT_TRUE(sink_.records.empty());
}

}  // namespace
}  // namespace kiln
