// What was found to be fast, on the GPU: a record of it is taken and its results checked, and random points
// of the shipped spaces are right.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GpuWisdom : public CliTest {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
    info_ = backend->open(0)->info();
  }
  DeviceInfo info_;
};

TEST_F(GpuWisdom, ARecordOfTheDeviceIsTaken) {
  const std::string job = write(
      "jobs/job.yaml", "workload: stencil7\ndevice: cuda:0\nset: {nx: 256}\nmeasure: false\nwisdom: true\n");
  write("jobs/stencil7.wisdom.yaml",
        "- key: {workload: stencil7, device: {name: \"" + info_.name + "\", backend: cuda, arch: " +
            info_.target.arch + ", units: " + std::to_string(info_.compute_units) +
            "}, types: {T: double}, size: {nx: 256, ny: 256, nz: 256}}\n"
            "  values: {method: march, rows: 4, tile_z: 7, block_y: 2, resident: 2}\n"
            "  result: {time: 1 ns}\n");
  const CliResult run = kiln({"run", job, "--format", "json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("wisdom: " + info_.name));
  EXPECT_THAT(run.out, HasSubstr(R"("tile_z":{"value":7)"));
  EXPECT_THAT(run.out, Not(HasSubstr(R"("wisdom":null)")));
}

TEST_F(GpuWisdom, RandomPointsOfTheShippedSpacesAreRight) {
  const std::pair<const char*, const char*> jobs[] = {{"stencil7", "{nx: 192, ny: 70, nz: 45}"},
                                                      {"minibude", "{nposes: 1001, natpro: 301, natlig: 7}"},
                                                      {"babelstream", "{n: 1000003, iterations: 5}"},
                                                      {"hartree_fock", "{natoms: 17}"}};
  for (const auto& [workload, sizes] : jobs) {
    const std::string job =
        write("job.yaml", std::string("workload: ") + workload + "\ndevice: cuda:0\nset: " + sizes +
                              "\nmeasure: {min_time: 1 ms, max_time: 10 ms}\n");
    const std::string out = path(std::string("out_") + workload);
    const CliResult tune =
        kiln({"tune", job, "--searcher", "random", "--budget", "24", "--no-wisdom", "--output", out});
    EXPECT_EQ(tune.code, 0) << workload << tune.err;
    const std::string records = files_->read_file(out + "/records.jsonl").value();
    EXPECT_THAT(records, HasSubstr(R"("status":"ok")")) << workload;
    EXPECT_THAT(records, Not(HasSubstr(R"("status":"wrong)"))) << workload;
  }
}

}  // namespace
}  // namespace kiln::test
