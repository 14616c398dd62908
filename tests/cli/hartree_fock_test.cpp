// Both variants of hartree_fock on the CPU against its references: sizes that no chunk divides, a basis of
// every size, groups of several lanes, any symmetric density.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class HartreeFock : public CliTest,
                    public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(HartreeFock, AgreesWithItsReferences) {
  const std::string job = write(
      "job.yaml", std::string("workload: hartree_fock\ndevice: cpu\nmeasure: false\n") + GetParam().second);
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, HartreeFock,
    ::testing::Values(
        std::pair{"Sizes",
                  "set: {random_density: true}\nsweep: {natoms: [1, 2, 3, 5, 33], implementation: [tuned, "
                  "paper]}\n"},
        std::pair{"SixGaussians", "set: {natoms: 5, ngauss: 6}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Lanes",
                  "set: {natoms: 9, lanes: 32, block: 64, random_density: true}\n"
                  "sweep: {kets: [1, 4], rows: [1, 7], ahead: [false, true]}\n"},
        std::pair{"RunTime", "set: {natoms: 9, bind.all: run}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Unscreened", "set: {natoms: 7, dtol: 0}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"SetUpInTheStep", "set: {natoms: 9, set_up: true}\nsweep: {sort_items: [4, 16384]}\n"},
        std::pair{"Far", "set: {natoms: 6, spacing: 1e7}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Close", "set: {natoms: 6, spacing: 1e-9}\nsweep: {implementation: [tuned, paper]}\n"}),
    [](const auto& test) { return std::string(test.param.first); });

TEST_F(HartreeFock, ReadsABasisOfAnySize) {
  for (int ngauss : {1, 2, 8}) {
    std::string input = std::to_string(ngauss) + " 3\n";
    for (int a = 0; a < ngauss; ++a) input += std::to_string(0.2 * (1 << a)) + " 0.3\n";
    input += "0 0 0\n0.5 1 1.5\n-1.5 0.25 2\n";
    const std::string job =
        write("job.yaml", "workload: hartree_fock\ndevice: cpu\nmeasure: false\nset: {input: " +
                              write("atoms", input) + "}\nsweep: {implementation: [tuned, paper]}\n");
    const CliResult result = kiln({"run", job});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
  }
}

TEST_F(HartreeFock, FindsAWrongEnergy) {
  const std::string job = write(
      "job.yaml", "workload: hartree_fock\ndevice: cpu\nmeasure: false\nset: {natoms: 4, energy: 4.05}\n");
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("energy that the job expects"));
}

}  // namespace
}  // namespace kiln::test
