#include "job/job_runner.h"

#include "base/hash.h"
#include "job/job_fixture.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::JobTest;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kQuick =
    "measure: {min_time: 0.01 s, max_time: 1 s, min_samples: 5, max_samples: 50}\n";

std::string job(const std::string& rest) {
  return "workload: scale\n" + rest + kQuick;
}

/// Its shape and path may be as they were.
TEST_F(JobTest, AVariantWithAChangedInputIsNotKnown) {
  disk_.files.write_file("/x.txt", "1 2", false);
  edit_workload("init: {iota: [1, 1]}", "init: {file: {path: \"{input}\"}, otherwise: 1}");
  const std::string job = "workload: scale\nset: {input: /x.txt, n: 2}\nmeasure: false\n";
  count_ = 2;
  const std::vector<Record> records = run(job);
  ASSERT_EQ(records.at(0).inputs.size(), 1U);
  EXPECT_EQ(records[0].inputs[0].name, "x.txt");
  EXPECT_EQ(records[0].inputs[0].sha256, sha256_hex("1 2"));
  EXPECT_TRUE(find_known(plan(job), records, context()).at(0));
  disk_.files.write_file("/x.txt", "1 3", false);
  EXPECT_FALSE(find_known(plan(job), records, context()).at(0));
}

TEST_F(JobTest, ARightVariantIsMeasured) {
  const auto records = run(job("set: {n: 1000, block: 64}\n"));
  ASSERT_EQ(records.size(), 1U);
  const Record& record = records[0];
  EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
  ASSERT_TRUE(record.step);
  EXPECT_NEAR(record.step->median, 1e-3, 1e-9);
  ASSERT_EQ(record.checks.size(), 1U);
  EXPECT_EQ(record.checks[0].compared, 1000U);
  EXPECT_EQ(record.checks[0].against, "kernel scale_reference");
  ASSERT_EQ(record.metrics.size(), 1U);
  EXPECT_NEAR(record.metrics[0].value, 2 * 1000 * 8 / 1e-3 * 1e-9, 1e-9);
  ASSERT_EQ(record.launches.size(), 1U);
  EXPECT_EQ(record.launches[0].shape.grid, (Dim3{16, 1, 1}));
  EXPECT_EQ(record.launches[0].shape.block, (Dim3{64, 1, 1}));
  EXPECT_EQ(record.units.size(), 2U);
  EXPECT_EQ(record.source_digest.size(), 64U);
}

TEST_F(JobTest, TheRecordSaysWhyItHoldsNoMachineCode) {
  EXPECT_EQ(run(job("")).at(0).units.at(0).note, "");
  const std::string note = "PTX for compute_120: NVRTC 13.0 does not know sm_130";
  compiler_.set_ptx_note(note);
  const auto records = run(job("set: {block: 64}\n"));
  EXPECT_EQ(records.at(0).units.at(0).note, note);
}

TEST_F(JobTest, ParametersAreRecordedWithTheirBinding) {
  const auto records = run(job("set: {bind.n: run}\n"));
  std::string bound;
  for (const BoundParameter& parameter : records.at(0).parameters) {
    bound += parameter.name + (parameter.compile_time ? "=c " : "=r ");
  }
  // `unused` and `input` are in no kernel: nothing was compiled in.
  EXPECT_EQ(bound, "T=c n=r block=c factor=c unused=r mode=r input=r ");
}

TEST_F(JobTest, TheSecondRunCompilesNothing) {
  run(job(""));
  const int compiled = compiler_.compiles();
  EXPECT_EQ(compiled, 2);
  const auto records = run(job(""));
  EXPECT_EQ(compiler_.compiles(), compiled);
  EXPECT_EQ(records.at(0).units.at(0).origin, Origin::kMemory);
}

TEST_F(JobTest, AParameterThatNoKernelMentionsCompilesNothing) {
  run(job("sweep: {unused: [1, 2, 3]}\n"));
  EXPECT_EQ(compiler_.compiles(), 2);
}

TEST_F(JobTest, AWrongResultNamesIndexValuesAndTolerance) {
  device_->define("_Zscale", {{},
                              [](const LaunchShape&, void* const* arguments) {
                                double* y = *static_cast<double* const*>(arguments[0]);
                                for (int i = 0; i < 1000; ++i) y[i] = 3.0 * (i + 1) + (i == 17 ? 0.5 : 0);
                              },
                              1e-3});
  const auto records = run(job(""));
  EXPECT_EQ(records.at(0).status, RunStatus::kWrong);
  EXPECT_EQ(records[0].checks.at(0).mismatches, 1U);
  EXPECT_THAT(records[0].message, HasSubstr("y[17] is 54.5, expected 54 (rtol 1e-12)"));
  EXPECT_FALSE(records[0].step);
}

TEST_F(JobTest, AnElementThatIsNeverWrittenIsFound) {
  count_ = 999;  // both kernels leave the last element alone: y and its reference stay poisoned
  const auto records = run(job(""));
  EXPECT_EQ(records.at(0).status, RunStatus::kWrong);
  EXPECT_THAT(records[0].message, HasSubstr("y[999] is nan"));
}

TEST_F(JobTest, AVariantThatDoesNotCompileIsARecordAndTheRestGoesOn) {
  disk_.files.write_file("/kernels/scale/broken.cu", "broken", false);
  compiler_.set_diagnostic(Diagnostic{"scale.cu:3:5: error: no", "the whole log", "cc scale.cu", false});
  const auto records = run(job("sweep: {block: [32, 64]}\n"));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].status, RunStatus::kCompileFailed);
  EXPECT_EQ(records[0].message, "scale.cu:3:5: error: no");
  EXPECT_EQ(records[0].log, "the whole log");
}

TEST_F(JobTest, TheOnlyVariantThatDoesNotCompileEndsTheJobWithThatKind) {
  compiler_.set_diagnostic(Diagnostic{"scale.cu:3:5: error: no", "the whole log", "cc scale.cu", false});
  const std::string message = message_of(ErrorKind::kCompile, [&] { run(job("")); });
  EXPECT_THAT(message, HasSubstr("scale.cu:3:5: error: no"));
  EXPECT_THAT(message, HasSubstr("the whole log"));
  EXPECT_TRUE(sink_.records.empty());
}

TEST_F(JobTest, AFaultEndsTheVariantNotTheJob) {
  int launches = 0;
  device_->define("_Zscale", {{},
                              [&launches](const LaunchShape&, void* const*) {
                                if (launches++ == 0) throw device_fault("work-items wait at a barrier");
                              },
                              1e-3});
  const auto records = run(job("sweep: {block: [32, 64]}\n"));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].status, RunStatus::kFaulted);
  EXPECT_THAT(records[0].message, HasSubstr("work-items wait at a barrier"));
}

TEST_F(JobTest, AStickyFaultEndsItsDeviceAndSaysWhichVariantDidIt) {
  int launches = 0;
  device_->define("_Zscale", {{},
                              [&launches](const LaunchShape&, void* const*) {
                                if (launches++ == 0) throw device_lost("illegal address");
                              },
                              1e-3});
  const auto records = run(job("sweep: {block: [32, 64, 128]}\n"));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].status, RunStatus::kFaulted);
  for (std::size_t i : {1U, 2U}) {
    EXPECT_EQ(records[i].status, RunStatus::kNotRun);
    EXPECT_THAT(records[i].message, HasSubstr("since the fault of 'block=32'"));
    EXPECT_TRUE(records[i].units.empty());
  }
  EXPECT_EQ(launches, 1);
}

TEST_F(JobTest, LongStepsAreSamplesOfTheirOwn) {
  const auto records = run(job(""));
  EXPECT_EQ(records.at(0).steps_per_sample, 1U);
}

TEST_F(JobTest, ALongStepIsItsOwnWarmUp) {
  const auto launches = [&](double seconds) {
    define_scale("_Zscale", 3.0, seconds);
    service_ = std::make_unique<KernelService>(nullptr, disk_.clock);
    const std::size_t before = device_->launches().size();
    run("workload: scale\nmeasure: {min_time: 0 s, max_time: 1 s, min_samples: 1, max_samples: 1}\n");
    return device_->launches().size() - before;
  };
  EXPECT_EQ(launches(0.5e-3), launches(2e-3) + 1);
}

TEST_F(JobTest, EnergyIsAMetricWhereItIsAskedFor) {
  define_scale("_Zscale", 3.0, 1e-3);
  const std::string text = "workload: scale\nmeasure: {min_time: 0 s, max_samples: 5, energy: true}\n";
  EXPECT_THROW(run(text), Error) << "the device does not tell";
  device_->draw(400);
  const Record record = run(text).at(0);
  ASSERT_FALSE(record.metrics.empty());
  EXPECT_EQ(record.metrics.back().name, "energy");
  EXPECT_EQ(record.metrics.back().unit, "J");
  EXPECT_FALSE(record.metrics.back().higher_is_better);
  EXPECT_NEAR(record.metrics.back().value, 0.4, 0.02);
}

TEST_F(JobTest, ShortStepsAreTimedInBatches) {
  define_scale("_Zscale", 3.0, 3e-6);
  const auto records = run(job(""));
  EXPECT_EQ(records.at(0).steps_per_sample, 34U);
  EXPECT_NEAR(records[0].step.value().median, 3e-6, 1e-9);
}

TEST_F(JobTest, TheOnlyLaunchOfAStepHasTheTimeOfTheStep) {
  define_scale("_Zscale", 3.0, 3e-6);
  const Record record = run(job("")).at(0);
  EXPECT_EQ(record.profiled_steps, 0U);
  EXPECT_EQ(record.launches.at(0).seconds.value().median, record.step.value().median);
}

TEST_F(JobTest, AStepOfSeveralShortLaunchesIsTimedInBatchesAndItsLaunchesInAPassOfTheirOwn) {
  edit_workload("run: [scale]", "run: [scale, {kernel: scale_reference, as: again}]");
  define_scale("_Zscale", 3.0, 3e-6);
  define_scale("_Zscale_reference", 3.0, 1e-6);
  const Record record = run(job("")).at(0);
  EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
  EXPECT_EQ(record.steps_per_sample, 25U);
  EXPECT_NEAR(record.step.value().median, 4e-6, 1e-12);
  ASSERT_EQ(record.launches.size(), 2U);
  EXPECT_NEAR(record.launches[0].seconds.value().median, 3e-6, 1e-12);
  EXPECT_NEAR(record.launches[1].seconds.value().median, 1e-6, 1e-12);
  EXPECT_EQ(record.profiled_steps, record.launches[0].seconds.value().count);
  EXPECT_GE(record.profiled_steps, 5U);
  EXPECT_NEAR(record.metrics.at(0).value, 2 * 1000 * 8 / 3e-6 * 1e-9, 1e-6) << "scale.time is of that pass";
}

TEST_F(JobTest, OccupancyIsWhatTheDeviceHoldsOverWhatItCould) {
  device_->mutable_info().limits.max_threads_per_unit = 2048;
  define_scale("_Zscale", 3.0, 1e-3, 24);
  const auto records = run(job("set: {block: 64}\n"));
  EXPECT_NEAR(records.at(0).launches.at(0).occupancy.value(), 24.0 * 64 / (4 * 2048), 1e-12);
}

TEST_F(JobTest, AVariantThatDoesNotFitIsARecordAmongOthers) {
  device_->mutable_info().limits.max_threads_per_block = 100;
  const auto records = run(job("sweep: {block: [64, 128]}\n"));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].status, RunStatus::kOk) << records[0].message;
  EXPECT_EQ(records[1].status, RunStatus::kUnfit);
  EXPECT_THAT(records[1].message, HasSubstr("128"));
  EXPECT_THAT(records[1].message, HasSubstr("100"));
}

TEST_F(JobTest, AVariantThatTheDriverRefusesIsARecordAmongOthers) {
  test::FakeKernel kernel;
  kernel.body = [](const LaunchShape& shape, void* const* /*arguments*/) {
    if (shape.block.x == 64) throw unfit_kernel("CUDA_ERROR_X (701): words, in cuLaunchKernel");
  };
  device_->define("_Zscale", kernel);
  const auto records = run(job("sweep: {block: [32, 64, 128]}\n"));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_NE(records[0].status, RunStatus::kUnfit) << records[0].message;
  EXPECT_EQ(records[1].status, RunStatus::kUnfit);
  EXPECT_THAT(records[1].message, HasSubstr("/kernels/scale/scale.yaml:"));
  EXPECT_THAT(records[1].message, HasSubstr("kernel 'scale' cannot be launched: CUDA_ERROR_X (701): words"));
  EXPECT_THAT(records[1].message, HasSubstr("block = 64"));
  EXPECT_NE(records[2].status, RunStatus::kUnfit) << records[2].message;
}

TEST_F(JobTest, ATensorMapThatDoesNotFitIsARecordAmongOthers) {
  std::string text = test::kScaleYaml;
  const std::string args = "args: [y, x, params]";
  text.replace(text.find(args), args.size(),
               "args: [y, x, params, {tensor_map: x, box: [\"block == 32 ? 3 : 8\"]}]");
  disk_.files.write_file("/kernels/scale/scale.yaml", text, false);
  const auto records = run(job("sweep: {block: [32, 64]}\n"));
  ASSERT_EQ(records.size(), 2U);
  for (const Record& record : records) {
    EXPECT_EQ(record.status, RunStatus::kUnfit);
    EXPECT_THAT(record.message, HasSubstr("/kernels/scale/scale.yaml:"));
    EXPECT_THAT(record.message, HasSubstr("tensor_map of 'x'"));
  }
  EXPECT_THAT(records[0].message, HasSubstr("24 bytes"));
  EXPECT_NE(records[0].message, records[1].message);
  // The only variant is the user's input that is wrong.
  EXPECT_THAT(bad_input_of([&] { run(job("set: {block: 32}\n")); }), HasSubstr("24 bytes"));
  EXPECT_THAT(message_of(ErrorKind::kUnfit, [&] { run(job("set: {block: 64}\n")); }),
              HasSubstr("tensor_map of 'x'"));
}

TEST_F(JobTest, BuffersBeyondTheMemoryAreRefusedBeforeAnythingRuns) {
  disk_.files.write_file(
      "/kernels/scale/scale.yaml",
      [] {
        std::string text = test::kScaleYaml;
        return text.replace(text.find("constraints"), text.find("buffers:") - text.find("constraints"), "");
      }(),
      false);
  const std::string message = bad_input_of([&] { run(job("set: {n: 1000000000}\n")); });
  EXPECT_THAT(message, HasSubstr("/kernels/scale/scale.yaml:"));
  EXPECT_THAT(message, HasSubstr("the buffers need 22.4 GiB"));
  EXPECT_EQ(sink_.begun, 0);
}

TEST_F(JobTest, MeasureFalseOnlyChecks) {
  const auto records = run("workload: scale\nmeasure: false\n");
  EXPECT_EQ(records.at(0).status, RunStatus::kOk);
  EXPECT_FALSE(records[0].step);
  EXPECT_TRUE(records[0].metrics.empty());
}

TEST_F(JobTest, AColdMeasurementFlushesTheCacheBeforeEachSample) {
  const auto records =
      run("workload: scale\nmeasure: {min_time: 0 s, min_samples: 4, max_samples: 4, cache: cold}\n");
  EXPECT_EQ(records.at(0).cache_mode, "cold");
  EXPECT_GE(device_->flushes(), 4);
}

TEST_F(JobTest, AStoppedJobLeavesOutTheVariantThatItStopped) {
  JobContext stopping = context();
  stopping.stop = [this] { return !sink_.records.empty() && device_->launches().size() > 100; };
  const JobPlan all = plan(
      "workload: scale\nsweep: {block: [32, 64, 128]}\n"
      "measure: {min_time: 0.05 s, max_time: 0.05 s, max_samples: 1000}\n");
  EXPECT_FALSE(run_job(all, stopping, sink_));
  EXPECT_EQ(sink_.labels.size(), sink_.records.size() + 1) << "one had begun";
  EXPECT_LT(sink_.records.size(), 3U);
  for (const Record& record : sink_.records) EXPECT_EQ(record.status, RunStatus::kOk);
}

TEST_F(JobTest, AJobThatIsStoppedBeforeItsFirstVariantHasNoRecord) {
  JobContext stopped = context();
  stopped.stop = [] { return true; };
  EXPECT_FALSE(run_job(plan("workload: scale\nsweep: {block: [32, 64]}\n"), stopped, sink_));
  EXPECT_TRUE(sink_.labels.empty());
}

TEST_F(JobTest, WhatIsKnownIsToldInItsTurnAndNotRun) {
  const JobPlan all = plan("workload: scale\nsweep: {block: [32, 64, 128]}\n");
  const auto before = run("workload: scale\nsweep: {block: [32, 64, 128]}\n");
  const std::size_t launches = device_->launches().size();
  EXPECT_TRUE(run_job(all, context(), sink_, {before[0], before[1], before[2]}));
  EXPECT_EQ(device_->launches().size(), launches);
  sink_ = {};
  EXPECT_TRUE(run_job(all, context(), sink_, {std::nullopt, before[1], std::nullopt}));
  EXPECT_THAT(sink_.labels, ElementsAre("block=32", "block=128"));
  ASSERT_EQ(sink_.told.size(), 1U);
  EXPECT_EQ(sink_.told[0].label, "block=64");
}

TEST_F(JobTest, ADescriptionIsWhatTheRecordSaysBeforeItRuns) {
  const std::string job = "workload: scale\nset: {bind.n: run}\n";
  const JobPlan planned = plan(job);
  const Record described = describe_variant(planned.variants.at(0), source_of(planned.job), context());
  const Record record = run(job).at(0);
  EXPECT_EQ(described.source_digest, record.source_digest);
  EXPECT_EQ(described.compiler.version, record.compiler.version);
  ASSERT_EQ(described.parameters.size(), record.parameters.size());
  for (std::size_t i = 0; i < record.parameters.size(); ++i) {
    EXPECT_EQ(described.parameters[i].name, record.parameters[i].name);
    EXPECT_EQ(described.parameters[i].compile_time, record.parameters[i].compile_time);
  }
}

TEST_F(JobTest, CompileOnlyFillsTheCacheWithoutADevice) {
  const JobContext own = context();
  PlanUnits of_plan(plan("workload: scale\nsweep: {block: [32, 64]}\n"), own, {"fake", "fake_1", 32});
  const auto units = compile_job(of_plan, own);
  ASSERT_EQ(units.size(), 3U);  // two of the kernel, one of the reference
  for (const CompiledUnit& unit : units) EXPECT_FALSE(unit.failure) << unit.failure->summary;
  EXPECT_TRUE(device_->launches().empty());
}

TEST_F(JobTest, CompileSpecialisesAVariantOnceForItsPartAndForTheJob) {
  Trace trace(disk_.clock, true, {});
  JobContext own = context();
  own.trace = &trace;
  const auto specialised = [&] {
    std::vector<std::string> labels;
    for (const auto& [track, events] : trace.content().tracks) {
      for (const TraceEvent& event : events) {
        if (event.label->kind == TraceKind::kSpecialise) labels.push_back(event.label->name);
      }
    }
    return labels.size();
  };
  PlanUnits units(plan("workload: scale\nsweep: {block: [32, 64, 128]}\n"), own, {"fake", "fake_1", 32});
  compile_part(units, own, {0, 2});
  EXPECT_EQ(specialised(), 2U);
  EXPECT_EQ(compile_job(units, own).size(), 4U);  // three of the kernel, one of the reference
  EXPECT_EQ(specialised(), 3U);
}

}  // namespace
}  // namespace kiln
