#include "job/plan.h"

#include "job/job_fixture.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::JobTest;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(JobTest, ThePlanIsTheProductOfTheSweepInOrder) {
  const JobPlan made = plan("workload: scale\nsweep: {block: [32, 64], bind.n: [compile, run]}\n");
  std::vector<std::string> labels;
  for (const Variant& variant : made.variants) labels.push_back(variant.label);
  EXPECT_THAT(labels, ElementsAre("block=32 bind.n=compile", "block=32 bind.n=run", "block=64 bind.n=compile",
                                  "block=64 bind.n=run"));
  EXPECT_EQ(made.variants[3].configuration.value("block").number(), 64);
  EXPECT_EQ(made.variants[3].configuration.value("n").binding, Binding::kRun);
}

TEST_F(JobTest, AConstraintLeavesPointsOut) {
  const JobPlan made = plan("workload: scale\nset: {n: 10000}\nsweep: {block: [64, 128]}\n");
  ASSERT_EQ(made.variants.size(), 1U);
  EXPECT_THAT(made.excluded,
              ElementsAre("block=128: violates 'n * block <= 1000000' (block = 128, n = 10000)"));
}

TEST_F(JobTest, AConstraintThatNoPointSatisfiesIsAnError) {
  EXPECT_THAT(bad_input_of([&] { plan("workload: scale\nset: {n: 100000}\n"); }),
              HasSubstr("/kernels/scale/scale.yaml:12:16: constraint violated: 'n * block <= 1000000' (block "
                        "= 256, n = 100000)"));
}

TEST_F(JobTest, ASweepThatIsTooLargeIsRefused) {
  std::string values = "1";
  for (int i = 2; i <= 400; ++i) values += ", " + std::to_string(i);
  const std::string text = "workload: scale\nsweep: {n: [" + values + "], unused: [" + values + "]}\n";
  EXPECT_THAT(bad_input_of([&] { plan(text); }), HasSubstr("more than 100000 points"));
}

TEST_F(JobTest, AnInlineWorkloadFindsItsSourcesBesideTheJob) {
  disk_.files.write_file("/k.cu", "__global__ void k(int n) {}", false);
  const JobPlan made = plan(
      "workload:\n  workload: mine\n  parameters: {n: {type: int, default: 1}}\n"
      "  kernels: {k: {source: k.cu, grid: [1], block: [1], args: [n]}}\n  run: [k]\n");
  EXPECT_EQ(made.workload->name, "mine");
  EXPECT_EQ(made.workload->directory, "/");
}

TEST_F(JobTest, ErrorsInAJobPointIntoIt) {
  EXPECT_THAT(bad_input_of([&] { plan("workload: scale\nset: {n: 10, blok: 3}\n"); }),
              HasSubstr("/job.yaml:2:20: workload 'scale' has no parameter 'blok'; did you mean 'block'?"));
}

TEST(ShippedJobs, TheStencilsSweepFitsEachDevice) {
  const auto files = make_real_file_system();
  const std::string root = KILN_SOURCE_DIR;
  const JobSpec spec = load_job(*files, root + "/configs/stencil7.yaml");
  const auto workload = load_workload_file(*files, root + "/kernels_src/stencil7/stencil7.yaml");
  DeviceInfo h200 = unknown_device({"cuda", "sm_90"});
  h200.memory_bandwidth = 4814;
  h200.compute_units = 132;
  for (const DeviceInfo& device :
       {h200, unknown_device({"cuda", "sm_90"}), unknown_device({"hip", "gfx90a", 64}),
        unknown_device({"cpu", "native"})}) {
    const JobPlan plan = make_plan(spec, workload, *files, {device});
    EXPECT_EQ(plan.variants.size(), 8U) << device.target.backend;
    EXPECT_THAT(plan.excluded, testing::IsEmpty()) << device.target.backend;
  }
}

}  // namespace
}  // namespace kiln
