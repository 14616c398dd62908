#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::AllOf;
using testing::HasSubstr;

class TuneCommand : public test::CliTest {
 protected:
  /// A cache of Kernel Tuner with 12 * 6 points and one valley.
  std::string space(const std::string& name) {
    std::string text = R"({"device_name": "", "tune_params_keys": ["x", "y"], "tune_params": {"x": [)";
    for (int x = 0; x < 12; ++x) text += (x > 0 ? "," : "") + std::to_string(x);
    text += R"(], "y": [0,1,2,3,4,5]}, "objective": "time", "cache": {)";
    for (int x = 0; x < 12; ++x) {
      for (int y = 0; y < 6; ++y) {
        const int time = 1 + (x - 7) * (x - 7) + (y - 2) * (y - 2);
        text += "\n\"" + std::to_string(x) + "," + std::to_string(y) + "\": {\"x\": " + std::to_string(x) +
                ", \"y\": " + std::to_string(y) + ", \"time\": " + std::to_string(time) +
                ", \"compile_time\": 10, \"benchmark_time\": 5},";
      }
    }
    return write(name, text);  // without its end, as while it is written
  }
};

TEST_F(TuneCommand, ComparesSearchersOverRecordedSpaces) {
  const std::vector<std::string> words = {"tune",
                                          "compare",
                                          space("one.json"),
                                          space("two.json"),
                                          "--searchers",
                                          "default,random",
                                          "--seeds",
                                          "5",
                                          "--evaluations",
                                          "60"};
  const CliResult table = kiln(words);
  ASSERT_EQ(table.code, kExitDone) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("one"), HasSubstr("two"), HasSubstr("mean"), HasSubstr("default")));
  std::vector<std::string> csv = words;
  csv.insert(csv.end(),
             {"--format", "csv", "--curves", path("curves.csv"), "-o", path("scores.csv"), "--batch", "4"});
  ASSERT_EQ(kiln(csv).code, kExitDone);
  EXPECT_THAT(*files_->read_file(path("scores.csv")),
              AllOf(HasSubstr("\r\none,random,"), HasSubstr("\r\nmean,default,")));
  EXPECT_THAT(*files_->read_file(path("curves.csv")), HasSubstr("\r\ntwo,default,60,1,"));
}

TEST_F(TuneCommand, RefusesWhatItCannotDo) {
  const std::string file = space("one.json");
  const auto refused = [&](std::vector<std::string> words) {
    const CliResult result = kiln(std::move(words));
    EXPECT_EQ(result.code, kExitBadInput);
    return result.err;
  };
  EXPECT_THAT(refused({"tune", "compare", file, "--searchers", "defalt"}),
              HasSubstr("did you mean 'default'?"));
  EXPECT_THAT(refused({"tune", "compare", file, "--format", "xml"}), HasSubstr("--format"));
  EXPECT_THAT(refused({"tune", "compare", path("none.json")}), HasSubstr("no such file"));
  EXPECT_THAT(refused({"tune", "compare", file, "--seeds", "0"}), HasSubstr("--seeds"));
  EXPECT_THAT(refused({"tune", "compare", write("bad.json", "{\"cache\": {}}")}), HasSubstr("no points"));
  EXPECT_THAT(refused({"tune"}), HasSubstr("a job file is missing"));
}

constexpr const char* kTunedJob = R"(workload: stencil7
device: cpu
set: {nx: 16, ny: 12, nz: 10, method: single}
measure: {min_time: 0, max_samples: 5}
tune:
  space: {block_x: [16, 32], bind.nx: [compile, run]}
)";

TEST_F(TuneCommand, TunesAJobKeepsAJournalAndWritesTheBestAsAJob) {
  const std::string job = write("job.yaml", kTunedJob);
  const CliResult result = kiln({"tune", job, "--output", path("out"), "--wisdom", path("wisdom")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("best: "), HasSubstr("default: "), HasSubstr("4 points, 4 valid"),
                                HasSubstr("ended: every point is known"), HasSubstr("best.yaml")));
  EXPECT_THAT(result.err, HasSubstr("; best "));
  EXPECT_TRUE(exists("out/tune.jsonl"));
  EXPECT_TRUE(exists("out/records.jsonl"));
  EXPECT_EQ(kiln({"run", path("out/best.yaml")}).code, kExitDone);
  EXPECT_THAT(result.out, HasSubstr("wisdom: " + path("wisdom/stencil7.wisdom.yaml")));
  const CliResult advised = kiln({"run", job, "--wisdom=" + path("wisdom")});
  EXPECT_THAT(advised.err, HasSubstr("measured today"));
  const CliResult again =
      kiln({"tune", job, "--output", path("out"), "--resume", "--searcher", "random", "--no-wisdom"});
  ASSERT_EQ(again.code, kExitDone) << again.err;
  EXPECT_THAT(again.err, HasSubstr("points are known from"));
  EXPECT_THAT(again.out, HasSubstr("known)"));
  const CliResult compared =
      kiln({"tune", "compare", path("out/tune.jsonl"), "--searchers", "random", "--seeds", "2"});
  EXPECT_EQ(compared.code, kExitDone) << compared.err;
}

TEST_F(TuneCommand, TheCommandLineChangesTheJob) {
  const std::string job = write("job.yaml", kTunedJob);
  const CliResult result =
      kiln({"tune", job, "--dry-run", "--space", "block_x=16,32,64", "--set", "T=float"});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("block_x: 16, 32, 64\n"), HasSubstr("bind.nx: compile, run\n"),
                                HasSubstr("6 points, 6 valid")));
  const CliResult json =
      kiln({"tune", job, "--budget", "1", "--format", "json", "-q", "--no-wisdom", "--output", path("out")});
  ASSERT_EQ(json.code, kExitDone) << json.err;
  EXPECT_THAT(json.out, testing::StartsWith("{\"format\":"));
}

TEST_F(TuneCommand, RefusesJobsThatItCannotTune) {
  const std::string job = write("job.yaml", kTunedJob);
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"tune", job});
    const CliResult result = kiln(std::move(words));
    EXPECT_EQ(result.code, kExitBadInput);
    return result.err;
  };
  EXPECT_THAT(refused({"--objective", "energy"}), HasSubstr("NVML"));
  EXPECT_THAT(refused({"--searcher", "genetics"}), HasSubstr("did you mean 'genetic'"));
  EXPECT_THAT(refused({"--budget", "soon"}), HasSubstr("expected a time"));
  EXPECT_THAT(refused({"--wisdom", path("w"), "--no-wisdom"}), HasSubstr("give one of them"));
  EXPECT_THAT(refused({"--space", "block=1,2"}), HasSubstr("block"));
  EXPECT_EQ(kiln({"tune"}).code, kExitBadInput);
}

TEST_F(TuneCommand, AFolderWithAnotherFileOfThatNameIsLeftAsItIs) {
  const std::string job = write("job.yaml", kTunedJob);
  write("out/tune.jsonl", "{\"mine\": 1}\n");
  const CliResult result = kiln({"tune", job, "--output", path("out")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("a journal of kiln tune"));
  EXPECT_EQ(*files_->read_file(path("out/tune.jsonl")), "{\"mine\": 1}\n");
}

}  // namespace
}  // namespace kiln
