// xsbench on the CPU: each way to look up, each grid, against the reference kernel and the published hash.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Xsbench : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Xsbench, AgreesWithItsReferences) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Xsbench,
    ::testing::Values(
        WorkloadCase{"Grids", "xsbench",
                     "set: {n_gridpoints: 100, lookups: 20000}\n"
                     "sweep: {grid_type: [hash, unionized, nuclide], order: [sorted, sampled]}\n"},
        WorkloadCase{"Paper", "xsbench",
                     "set: {n_gridpoints: 100, lookups: 20000, implementation: paper}\n"
                     "sweep: {grid_type: [hash, unionized, nuclide]}\n"},
        WorkloadCase{
            "Sizes", "xsbench",
            "set: {bind.all: run, n_gridpoints: 50}\n"
            "sweep: {n_isotopes: [68, 71], lookups: [1, 2, 4097], implementation: [tuned, paper]}\n"},
        WorkloadCase{"FewGridPoints", "xsbench",
                     "set: {bind.all: run, lookups: 2000}\n"
                     "sweep: {n_gridpoints: [2, 3, 17], grid_type: [hash, unionized, nuclide]}\n"},
        WorkloadCase{"HashBins", "xsbench",
                     "set: {bind.all: run, lookups: 2000, n_gridpoints: 300}\n"
                     "sweep: {hash_bins: [1, 17, 100000], order: [sorted, sampled]}\n"},
        WorkloadCase{"Groups", "xsbench",
                     "set: {lanes: 32, block: 64, lookups: 3001, n_gridpoints: 300}\n"
                     "sweep: {order: [sorted, sampled], rounds: [1, 3], batch: [1, 4]}\n"},
        WorkloadCase{
            "SortByBlocks", "xsbench",
            "set: {sort_block: 64, sort_items: 5, scan_block: 64, lookups: 3001, n_gridpoints: 300}\n"
            "sweep: {passes: [1, 2, 3], bits: [5, 8]}\n"},
        WorkloadCase{"GridsByBlocks", "xsbench",
                     "set: {init_block: 64, init_items: 3, lookups: 3001, n_gridpoints: 300}\n"
                     "sweep: {grid_type: [hash, unionized]}\n"},
        // The hash, sums and counts that are published, 17 million lookups.
        WorkloadCase{"Published", "xsbench",
                     "set: {size: small, lookups: 17000000, reference_lookups: 0}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Xsbench, FindsAWrongWeight) {
  for (const char* file :
       {"sort/radix_sort.h", "xsbench/xsbench.yaml", "xsbench/sampling.h", "xsbench/lookup.h",
        "xsbench/groups.h", "xsbench/paper.cu", "xsbench/sample_sort.cu", "xsbench/by_groups.cu",
        "xsbench/references.cu", "xsbench/xsbench_data.cu"}) {
    const auto text = files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/" + file);
    write("broken/" + std::string(file), text.value_or(""));
  }
  std::string kernel =
      files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/xsbench/by_energy.cu").value_or("");
  const std::string right = "begin.amount - low_weight";
  ASSERT_NE(kernel.find(right), std::string::npos);
  for (std::size_t at = kernel.find(right); at != std::string::npos; at = kernel.find(right))
    kernel.replace(at, right.size(), "begin.amount * 1.001 - low_weight");
  write("broken/xsbench/by_energy.cu", kernel);
  const std::string job =
      write("job.yaml", "workload: " + path("broken/xsbench") +
                            "\ndevice: cpu\nmeasure: false\nset: {lookups: 2000, n_gridpoints: 100}\n");
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("sums and counts of the reference kernel"));
}

class XsbenchCompiles : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(XsbenchCompiles, ForAGpuThatIsNotThere) {
  const std::string job = write(
      "job.yaml", "workload: xsbench\nsweep: {implementation: [tuned, paper], order: [sorted, sampled]}\n");
  const CliResult result = kiln({"compile", job, "--arch", GetParam()});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 failed"));
}

INSTANTIATE_TEST_SUITE_P(All, XsbenchCompiles, ::testing::Values("sm_80", "sm_90", "gfx90a"),
                         [](const auto& arch) { return std::string(arch.param); });

}  // namespace
}  // namespace kiln::test
