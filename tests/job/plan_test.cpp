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

TEST_F(JobTest, AConstraintThatALaunchViolatesIsExplainedWithItsValues) {
  const std::string workload =
      "workload:\n  workload: mine\n"
      "  parameters: {n: {type: int, default: 4}, m: {type: int, default: 2}}\n"
      "  constraints: [n < 10 * m]\n"
      "  kernels: {k: {source: k.cu, grid: [1], block: [1], args: [n]}}\n"
      "  run: [k, {kernel: k, as: later, with: {n: 5 * n}}]\n";
  EXPECT_THAT(bad_input_of([&] { plan(workload); }),
              HasSubstr("constraint violated: 'n < 10 * m' (m = 2, n = 20) of launch 'later'"));
  EXPECT_THAT(plan(workload + "sweep: {m: [1, 2, 3]}\n").excluded,
              ElementsAre("m=1: violates 'n < 10 * m' (m = 1, n = 20) of launch 'later'",
                          "m=2: violates 'n < 10 * m' (m = 2, n = 20) of launch 'later'"));
}

std::string numbers_to(int last) {
  std::string values = "1";
  for (int i = 2; i <= last; ++i) values += ", " + std::to_string(i);
  return values;
}

/// A workload of three parameters up to `last` whose product is limited.
std::string product_job(int last, const std::string& constraint) {
  const std::string list = "[" + numbers_to(last) + "]";
  return "workload:\n  workload: mine\n"
         "  parameters: {a: {type: int, default: 1}, b: {type: int, default: 1}, c: {type: int, default: "
         "1}}\n"
         "  let: {product: \"a * b * c\"}\n"
         "  constraints: [\"" +
         constraint +
         "\"]\n"
         "  kernels: {k: {source: k.cu, grid: [1], block: [1], args: [a, b, c]}}\n  run: [k]\n"
         "sweep: {a: " +
         list + ", b: " + list + ", c: " + list + "}\n";
}

TEST_F(JobTest, ASweepOfTooManyValidPointsIsRefused) {
  EXPECT_THAT(bad_input_of([&] { plan(product_job(50, "a > 0")); }), HasSubstr("more than 100000 points"));
}

TEST_F(JobTest, OfALargeSweepOnlyTheValidPointsCount) {
  // 125000 combinations; a * b * c <= 3 holds for 1 + 3 + 3.
  const JobPlan made = plan(product_job(50, "product <= 3"));
  std::vector<std::string> labels;
  for (const Variant& variant : made.variants) labels.push_back(variant.label);
  EXPECT_THAT(labels, ElementsAre("a=1 b=1 c=1", "a=1 b=1 c=2", "a=1 b=1 c=3", "a=1 b=2 c=1", "a=1 b=3 c=1",
                                  "a=2 b=1 c=1", "a=3 b=1 c=1"));
  EXPECT_THAT(made.excluded, ElementsAre("124993 of 125000 points", "'product <= 3' alone excludes 100 %"));
}

TEST_F(JobTest, AConstraintSeesWhatFollowsFromTheSweep) {
  // A default, a type and a choice between the swept names and the constraint.
  const auto labels_of = [&](const std::string& parameters, const std::string& constraint,
                             const std::string& sweep) {
    std::vector<std::string> labels;
    for (const Variant& variant :
         plan("workload:\n  workload: mine\n  parameters: {" + parameters + "}\n  constraints: [\"" +
              constraint +
              "\"]\n  kernels: {k: {source: k.cu, grid: [1], block: [1], args: []}}\n"
              "  run: [k]\nsweep: {" +
              sweep + "}\n")
             .variants)
      labels.push_back(variant.label);
    return labels;
  };
  EXPECT_THAT(labels_of("a: {type: int, default: 1}, d: {type: int, default: \"2 * a\"}", "a * d <= 8",
                        "a: [1, 2, 3]"),
              ElementsAre("a=1", "a=2"));
  EXPECT_THAT(labels_of("T: {type: type, default: double}, x: {type: T, default: 1}", "x < 0.1",
                        "T: [float, double], x: [0.1, 0.099999999]"),
              ElementsAre("T=float x=0.099999999", "T=double x=0.099999999"));
  EXPECT_THAT(labels_of("m: {type: choice, values: [slow, fast], default: slow}, a: {type: int, default: 1}",
                        "m == slow || a > 1", "m: [slow, fast], a: [1, 2]"),
              ElementsAre("m=slow a=1", "m=slow a=2", "m=fast a=2"));
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
