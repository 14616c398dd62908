// su3 on the CPU against its reference in double: both layouts, lattices that no tile divides, each input;
// and the published values.
#include <gmock/gmock.h>

#include <cstring>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Su3 : public CliTest, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(Su3, AgreesWithItsReference) {
  const std::string job =
      write("job.yaml", std::string("workload: su3\ndevice: cpu\nmeasure: false\n") + GetParam().second);
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Su3,
    ::testing::Values(
        std::pair{"Runs",
                  "sweep: {L: [1, 3, 4], T: [float, double], layout: [published, dense], length: [1, 50]}\n"},
        std::pair{
            "Paper",
            "set: {implementation: paper, L: 3}\nsweep: {T: [float, double], layout: [published, dense], "
            "aligned: [false, true], Index: [int, long]}\n"},
        std::pair{"Staged",
                  "set: {method: staged, block: 12, blocks: 2}\n"
                  "sweep: {L: [1, 3], T: [float, double], ahead: [false, true], rounds: [1, 3]}\n"},
        std::pair{"StagedDense",
                  "set: {method: staged, block: 24, blocks: 3, L: 3, layout: dense}\n"
                  "sweep: {T: [float, double], ahead: [false, true], stores: [plain, streaming]}\n"},
        std::pair{"Constant",
                  "set: {L: 4, input: constant}\nsweep: {T: [float, double], implementation: "
                  "[tuned, paper]}\n"},
        std::pair{"RunTime",
                  "set: {L: 3, bind.all: run}\nsweep: {T: [float, double], implementation: "
                  "[tuned, paper], fast_math: [false, true]}\n"}),
    [](const auto& test) { return std::string(test.param.first); });

TEST_F(Su3, HasThePublishedSitesAndOneInEachElement) {
  const std::string job = write("job.yaml",
                                "workload: su3\ndevice: cpu\nmeasure: false\nset: {L: 3, input: constant, T: "
                                "float, layout: published}\nkeep: {a: " +
                                    path("a.bin") + ", c: " + path("c.bin") + "}\n");
  const CliResult result = kiln({"run", job});
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  struct Site {
    float link[4][3][3][2];
    int x, y, z, t, index;
    char parity;
    int padding[2];
  };
  static_assert(sizeof(Site) == 320);
  const std::string a = files_->read_file(path("a.bin")).value(),
                    c = files_->read_file(path("c.bin")).value();
  ASSERT_EQ(a.size(), 81 * sizeof(Site));
  ASSERT_EQ(c.size(), 81 * sizeof(Site));
  Site site;
  std::memcpy(&site, a.data() + 46 * sizeof(Site), sizeof(Site));  // 46 = 1 + 3 (0 + 3 (2 + 3 * 1))
  EXPECT_EQ(site.x, 1);
  EXPECT_EQ(site.y, 0);
  EXPECT_EQ(site.z, 2);
  EXPECT_EQ(site.t, 1);
  EXPECT_EQ(site.index, 46);
  EXPECT_EQ(site.parity, 2);
  std::memcpy(&site, c.data() + 80 * sizeof(Site), sizeof(Site));
  for (const auto& link : site.link) {
    for (const auto& row : link) {
      for (const auto& element : row) {
        EXPECT_NEAR(element[0], 1, 1e-6);
        EXPECT_EQ(element[1], 0);
      }
    }
  }
}

TEST_F(Su3, RefusesATileOfPartsOfSites) {
  const std::string job = write(
      "job.yaml", "workload: su3\ndevice: cpu\nmeasure: false\nset: {L: 2, method: staged, block: 20}\n");
  const CliResult result = kiln({"run", job});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.out + result.err, HasSubstr("block * rounds % 12 == 0"));
}

}  // namespace
}  // namespace kiln::test
