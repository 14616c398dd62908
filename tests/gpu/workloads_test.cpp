// The four workloads, small, through the command line on the GPU: every check against its reference.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuWorkload : public CliTest,
                    public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuWorkload, AgreesWithItsReferences) {
  const auto& [name, settings] = GetParam();
  const std::string job =
      write("job.yaml", "workload: " + std::string(name) + "\ndevice: cuda:0\nset: {" + settings +
                            "}\nsweep: {bind.all: [run, compile]}\n"
                            "measure: {min_time: 1 ms, max_samples: 5, cache: cold}\noutput: " +
                            path("results") + "\n");
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(All, GpuWorkload,
                         ::testing::Values(std::pair{"babelstream", "n: 1048576"},
                                           std::pair{"stencil7", "nx: 96"},
                                           std::pair{"minibude", "nposes: 1024"},
                                           std::pair{"hartree_fock", "natoms: 16"}, std::pair{"su3", "L: 8"}),
                         [](const auto& variant) { return std::string(variant.param.first); });

}  // namespace
}  // namespace kiln::test
