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
  EXPECT_THAT(refused({"tune"}), HasSubstr("compare"));
}

}  // namespace
}  // namespace kiln
