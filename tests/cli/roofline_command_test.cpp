#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class RooflineCommand : public test::CliTest {
 protected:
  /// Sizes at which a rate means little, and every kernel is checked.
  CliResult small(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"roofline",  "--device",  "cpu",      "--set",       "n=5003",
                                          "items=130", "rounds=64", "chains=4", "stores=plain"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kiln(arguments);
  }
};

TEST_F(RooflineCommand, MeasuresBothPrecisionsAndTheReportDrawsThem) {
  const CliResult result = small({"-o", path("ceilings.json")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  const auto ceilings = nlohmann::json::parse(*files_->read_file(path("ceilings.json")));
  EXPECT_EQ(ceilings["device"]["id"], "cpu");
  std::set<std::string> names;
  for (const auto& ceiling : ceilings["ceilings"]) {
    names.insert(ceiling["name"].get<std::string>());
    EXPECT_GT(ceiling["value"].get<double>(), 0);
    EXPECT_LE(ceiling["interval"][0].get<double>(), ceiling["value"].get<double>());
    EXPECT_GE(ceiling["interval"][1].get<double>(), ceiling["value"].get<double>());
  }
  EXPECT_THAT(names, UnorderedElementsAre("copy", "triad", "fma float", "fma double"));

  const std::string job = write("job.yaml",
                                "workload: stencil7\ndevice: cpu\nset: {nx: 24, ny: 20, nz: 16}\n"
                                "measure: {min_time: 1 ms, max_time: 20 ms, min_samples: 3}\n");
  ASSERT_EQ(kiln({"run", job, "--output", path("results"), "-q"}).code, kExitDone);
  const CliResult page =
      kiln({"report", path("results"), "--format", "html", "--ceilings", path("ceilings.json")});
  EXPECT_EQ(page.code, kExitDone) << page.err;
  EXPECT_THAT(page.out, HasSubstr("\"name\":\"fma double\""));
  EXPECT_THAT(page.out, HasSubstr("\"name\":\"triad\""));
}

TEST_F(RooflineCommand, WhatDoesNotFitIsBadInput) {
  CliResult result = kiln({"roofline", "--device", "cpu,cuda:0"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("one device at a time"));
  result = kiln({"roofline", "--device", "cpu", "--set", "chain=4"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'chains'?"));
  result = kiln({"report", path("absent"), "--ceilings", path("c.json")});
  EXPECT_EQ(result.code, kExitBadInput);
}

TEST_F(RooflineCommand, APlaceThatCannotBeWrittenIsToldBeforeAnythingIsCompiled) {
  write("file", "as it was");
  for (const std::string& place : {path("absent/c.json"), path("file/c.json"), path("")}) {
    const CliResult result = small({"-q", "-o", place});
    EXPECT_EQ(result.code, kExitBadInput) << place;
    EXPECT_THAT(result.err, HasSubstr("--output: '" + place + "' cannot be written: ")) << place;
    EXPECT_FALSE(exists("cache")) << place;
  }
  EXPECT_EQ(*files_->read_file(path("file")), "as it was");
}

TEST_F(RooflineCommand, WhatIsRefusedLeavesTheOutputAsItWas) {
  const std::string file = write("c.json", "earlier");
  EXPECT_EQ(small({"-o", file, "--set", "chains=1000"}).code, kExitBadInput);
  EXPECT_EQ(*files_->read_file(file), "earlier");
  EXPECT_EQ(small({"-q", "-o", file}).code, kExitDone);
  EXPECT_THAT(*files_->read_file(file), HasSubstr("\"ceilings\""));
}

/// The check of fma sees a round more or less: it would pass a rate that was made up otherwise.
TEST_F(RooflineCommand, TheCheckOfFmaCountsTheRounds) {
  const std::string source =
      *files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/roofline/roofline.cu");
  const std::string loop = "r < Params::rounds";
  std::string fewer = source;
  ASSERT_NE(fewer.find(loop), std::string::npos);
  fewer.replace(fewer.find(loop), loop.size(), "r < Params::rounds - 1");
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/roofline/";
  write("broken/roofline.yaml", *files_->read_file(folder + "roofline.yaml"));
  write("broken/roofline_reference.cu", *files_->read_file(folder + "roofline_reference.cu"));
  write("broken/roofline.cu", fewer);
  const std::string job = write("broken_job.yaml",
                                "workload: broken/roofline.yaml\ndevice: cpu\nset: {n: 1000, items: 100}\n"
                                "sweep: {T: [float, double]}\nmeasure: false\n");
  const CliResult result = kiln({"run", job, "--format", "csv"});
  EXPECT_EQ(result.code, kExitFailed);
  std::size_t wrong = 0;
  for (std::size_t at = result.out.find(",wrong,"); at != std::string::npos;
       at = result.out.find(",wrong,", at + 1)) {
    ++wrong;
  }
  EXPECT_EQ(wrong, 2U) << result.out;
}

}  // namespace
}  // namespace kiln
