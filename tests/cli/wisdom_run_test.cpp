#include <gmock/gmock.h>

#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using test::CliTest;
using testing::HasSubstr;
using testing::Not;

class WisdomRunTest : public CliTest {
 protected:
  void SetUp() override {
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    const CliResult plain = kiln({"run", job(), "--format", "json", "-q"});
    ASSERT_EQ(plain.code, 0) << plain.err;
    device_ = text_of(plain.out, "\"name\":\"");
    units_ = number_of(plain.out, "\"compute_units\":");
  }
  static std::string text_of(const std::string& json, const std::string& key) {
    const std::size_t begin = json.find(key) + key.size();
    return json.substr(begin, json.find('"', begin) - begin);
  }
  static std::string number_of(const std::string& json, const std::string& key) {
    const std::size_t begin = json.find(key) + key.size();
    return json.substr(begin, json.find(',', begin) - begin);
  }
  std::string job() {
    return write("jobs/job.yaml", "workload: stencil7\ndevice: cpu\nset: {nx: 20}\nmeasure: false\n");
  }
  /// A record of this machine's.
  std::string wisdom(const std::string& values) {
    return "- key: {workload: stencil7, device: {name: \"" + device_ +
           "\", backend: cpu, arch: x86-64, units: " + units_ +
           "}, types: {T: double}, size: {nx: 20, ny: 20, nz: 30}}\n  values: " + values +
           "\n  result: {time: 1 ms}\n  made: {date: 2026-11-20}\n";
  }
  std::string device_, units_;
};

TEST_F(WisdomRunTest, TheFileBesideTheJobGivesValuesAndSaysSo) {
  write("jobs/stencil7.wisdom.yaml", wisdom("{method: march, rows: 2, block_x: 10}"));
  const CliResult run = kiln({"run", path("jobs/job.yaml"), "--wisdom", "--format", "json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("nz 30 -> 20 (d 0.41)"));
  EXPECT_THAT(run.out, HasSubstr(R"("method":{"value":"march")"));
  EXPECT_THAT(run.out, HasSubstr(R"("wisdom":{"file":")" + path("jobs/stencil7.wisdom.yaml")));
  EXPECT_THAT(kiln({"run", path("jobs/job.yaml"), "--format", "json"}).out, HasSubstr(R"("wisdom":null)"));
}

TEST_F(WisdomRunTest, APointWhoseKernelDoesNotFitFallsBackToTheDefaults) {
  write("jobs/job.yaml", "workload: stencil7\ndevice: cpu\nset: {nx: 20}\nmeasure: false\nwisdom: w\n");
  write("jobs/w/stencil7.wisdom.yaml", wisdom("{method: single, block_x: 1, block_y: 1, block_z: 1000}"));
  const CliResult run = kiln({"run", path("jobs/job.yaml"), "--format", "json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("wisdom: none for stencil7 on " + device_ + "; the defaults run"));
  EXPECT_EQ(kiln({"run", path("jobs/job.yaml"), "--strict-wisdom"}).code, 2);
}

TEST_F(WisdomRunTest, AnUnknownWorkloadOfALaunchIsNamedByItsKey) {
  write("w/two.cu", "extern \"C\" __global__ void two(int* x) { x[0] = 2; }\n");
  write("w/two.yaml",
        "workload: two\nbuffers: {x: {type: int, shape: [1]}}\n"
        "kernels: {two: {source: two.cu, grid: [1], block: [1], args: [x]}}\n"
        "run:\n  - {kernel: two, wisdom: stencil8}\n");
  write("jobs/job.yaml", "workload: ../w/two.yaml\ndevice: cpu\nmeasure: false\nwisdom: true\n");
  const CliResult run = kiln({"run", path("jobs/job.yaml")});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err,
              HasSubstr("two.yaml:5:27: wisdom: unknown workload 'stencil8'; did you mean 'stencil7'?"));
}

TEST_F(WisdomRunTest, ADamagedFileIsLeftOutOrRefusedWhereItWasNamed) {
  write("jobs/stencil7.wisdom.yaml", "- {key: 3}\n");
  const CliResult found = kiln({"run", path("jobs/job.yaml"), "--wisdom"});
  EXPECT_EQ(found.code, 0);
  EXPECT_THAT(found.err, HasSubstr("stencil7.wisdom.yaml:1:9: [0].key: expected a map"));
  const CliResult named =
      kiln({"run", path("jobs/job.yaml"), "--wisdom=" + path("jobs/stencil7.wisdom.yaml")});
  EXPECT_EQ(named.code, 2);
  EXPECT_THAT(named.out, Not(HasSubstr("variant")));
}

}  // namespace
}  // namespace kiln
