// xsbench and the radix sort on the GPU: each way to look up and each grid against the references, the
// published problems at full size, and the same kernels through the HIP back end over the test shim.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuXsbench : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuXsbench, AgreesWithItsReferences) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuXsbench,
    ::testing::Values(
        WorkloadCase{
            "Sizes", "xsbench",
            "set: {bind.all: run, n_gridpoints: 50}\n"
            "sweep: {n_isotopes: [68, 71], lookups: [1, 2, 4097], implementation: [tuned, paper]}\n"},
        WorkloadCase{
            "FewGridPoints", "xsbench",
            "set: {bind.all: run, lookups: 20000}\n"
            "sweep: {n_gridpoints: [2, 3, 17], grid_type: [hash, unionized, nuclide], order: [sorted, "
            "sampled]}\n"},
        WorkloadCase{"HashBins", "xsbench",
                     "set: {bind.all: run, lookups: 20000, n_gridpoints: 300}\n"
                     "sweep: {hash_bins: [1, 17, 100000], order: [sorted, sampled]}\n"},
        WorkloadCase{
            "Groups", "xsbench",
            "set: {lookups: 100003, n_gridpoints: 300}\n"
            "sweep: {order: [sorted, sampled], block: [32, 128], rounds: [1, 3], batch: [1, 2, 6]}\n"},
        WorkloadCase{
            "SortShapes", "xsbench",
            "set: {lookups: 100003, n_gridpoints: 300}\n"
            "sweep: {passes: [1, 2, 3], bits: [5, 8], sort_block: [64, 256], sort_items: [5, 12]}\n"},
        WorkloadCase{"SmallPublished", "xsbench",
                     "set: {size: small}\nsweep: {grid_type: [hash, unionized, nuclide], order: [sorted, "
                     "sampled]}\n"},
        WorkloadCase{
            "SmallPublishedPaper", "xsbench",
            "set: {size: small, implementation: paper}\nsweep: {grid_type: [hash, unionized, nuclide]}\n"},
        WorkloadCase{"LargePublished", "xsbench",
                     "set: {size: large}\nsweep: {grid_type: [hash, unionized, nuclide], order: [sorted, "
                     "sampled]}\n"},
        WorkloadCase{
            "LargePublishedPaper", "xsbench",
            "set: {size: large, implementation: paper}\nsweep: {grid_type: [hash, unionized, nuclide]}\n"},
        WorkloadCase{
            "Sort", "sort",
            "set: {n: 1000003}\nsweep: {Key: [unsigned, ulong], payload: [true, false], bits: [4, 8], "
            "distinct: [0, 1, 1000]}\n"},
        WorkloadCase{
            "SortBlocks", "sort",
            "sweep: {n: [1, 100, 70001], block: [64, 512], items: [1, 7], Key: [unsigned, ulong]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(GpuXsbench, RunsOnTheHipBackEndOverTheShim) {
  for (const char* lines : {"workload: xsbench\nset: {lookups: 100003, n_gridpoints: 300}\n"
                            "sweep: {implementation: [tuned, paper], order: [sorted, sampled]}\n",
                            "workload: sort\nset: {n: 100003}\nsweep: {Key: [unsigned, ulong]}\n"}) {
    const std::string job = write("job.yaml", std::string(lines) + "device: hip:0\nmeasure: false\n");
    const CliResult result = kiln({"run", job, "--hip", KILN_HIP_SHIM, "--hiprtc", KILN_HIP_SHIM});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("hip:0"));
  }
}

}  // namespace
}  // namespace kiln::test
