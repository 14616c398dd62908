// Both variants of hartree_fock on the GPU: small against its references, at the papers' sizes against the
// energies.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuHartreeFock : public CliTest,
                       public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuHartreeFock, AgreesWithItsReferences) {
  const std::string job =
      write("job.yaml",
            std::string("workload: hartree_fock\ndevice: cuda:0\nmeasure: false\n") + GetParam().second);
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuHartreeFock,
    ::testing::Values(
        std::pair{
            "Sizes",
            "set: {random_density: true}\n"
            "sweep: {natoms: [1, 2, 3, 5, 33], implementation: [tuned, paper], bind.all: [run, compile]}\n"},
        std::pair{"Shapes",
                  "set: {natoms: 33, random_density: true}\n"
                  "sweep: {kets: [1, 2, 4], rows: [1, 7], block: [32, 96, 256], blocks: [1, 2048], ahead: "
                  "[false, true]}\n"},
        std::pair{"SixGaussians", "set: {natoms: 20, ngauss: 6}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Close", "set: {natoms: 6, spacing: 1e-9}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Far", "set: {natoms: 6, spacing: 1e7}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"He64",
                  "set: {natoms: 64, energy: 419.672120857448}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"He128",
                  "set: {natoms: 128, energy: 1300.09362639208}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"He256",
                  "set: {natoms: 256, energy: 4204.80447818044, reference_atoms: 0}\n"
                  "sweep: {implementation: [tuned, paper]}\n"},
        std::pair{"He1024", "set: {natoms: 1024, ngauss: 6, energy: 43952.247572576}\n"}),
    [](const auto& test) { return std::string(test.param.first); });

}  // namespace
}  // namespace kiln::test
