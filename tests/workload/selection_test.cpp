#include "workload/selection.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/implementations_workload.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

std::shared_ptr<const Workload> parse(const std::string& text) {
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

/// The workload with one thing replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = test::kImplementationsYaml;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

Configuration configured(const std::shared_ptr<const Workload>& workload,
                         const std::vector<std::pair<std::string, std::string>>& settings) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  std::vector<std::pair<std::string, RawValue>> assignments;
  for (const auto& [name, text] : settings)
    assignments.emplace_back(name, RawValue{text, false, {"job", 1, 1}});
  return configure(workload, assignments, unknown_device({"cuda", "sm_90"}), files).configuration;
}

std::string run_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  const auto workload = parse(test::kImplementationsYaml);
  std::string text;
  for (const LaunchSpec* launch : selected_run(configured(workload, settings)))
    text += launch->kernel + "/" + launch->timing + " ";
  return text;
}

TEST(Selection, FollowsTheImplementationAndKeepsOrderAndNames) {
  EXPECT_EQ(run_of({}), "scale/scale ");
  EXPECT_EQ(run_of({{"implementation", "paper"}}), "scale_paper/scale extra/extra ");
}

TEST(Selection, ADefaultMayDependOnTheImplementation) {
  const auto workload = parse(test::kImplementationsYaml);
  EXPECT_EQ(configured(workload, {}).value("block").to_string(), "64");
  EXPECT_EQ(configured(workload, {{"implementation", "paper"}}).value("block").to_string(), "128");
}

TEST(Selection, AConditionMayUseMoreThanChoices) {
  const auto workload = parse(with("when: implementation == tuned", "when: n > 10"));
  const std::string message = bad_input_of([&] {
    static_cast<void>(selected_run(configured(workload, {{"n", "5"}})));
  });
  EXPECT_THAT(message, HasSubstr("w.yaml:"));
  EXPECT_THAT(message, HasSubstr("run: no launch is active where implementation = tuned, n = 5"));
}

struct BadRun {
  const char* from;
  const char* to;
  const char* message;
};
class SelectionError : public testing::TestWithParam<BadRun> {};
TEST_P(SelectionError, IsFoundForEachImplementationWhenTheFileIsRead) {
  const std::string message = bad_input_of([] { parse(with(GetParam().from, GetParam().to)); });
  EXPECT_THAT(message, HasSubstr("w.yaml:"));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Bad, SelectionError,
    testing::Values(
        BadRun{"[tuned, paper]", "[tuned, paper, none]",
               "run: no launch is active where implementation = none"},
        BadRun{"as: scale, ", "",
               "metrics.bandwidth.value: 'scale.time' is the time of a launch that is not run where "
               "implementation = "
               "paper; what is run is scale_paper, extra"},
        BadRun{"{kernel: extra,", "{kernel: extra, as: scale,",
               "run: the kernels 'scale_paper' and 'extra' are both launched as 'scale' where implementation "
               "= paper"},
        BadRun{"as: scale, ", "as: 2nd, ", "'2nd' is not a name"},
        BadRun{"{kernel: extra,", "{kernal: extra,", "unknown key 'run[2].kernal'; did you mean 'kernel'?"},
        BadRun{"when: implementation == tuned", "when: implementaton == tuned",
               "unknown name 'implementaton'; did you mean 'implementation'?"},
        BadRun{
            "  implementation: {type", "  variant: {type",
            "parameters.variant: 'variant' means a point of a sweep; name a parameter that chooses kernels "
            "'implementation'"},
        BadRun{"when: implementation == tuned", "when: variant == tuned",
               "unknown name 'variant'; did you mean 'implementation'?"},
        BadRun{"\"implementation == paper ? 128 : 64\"", "\"block_x == paper ? 128 : 64\"",
               "unknown name 'block_x'"}));

TEST(Selection, OneKernelMayBeLaunchedTwice) {
  EXPECT_NO_THROW(parse(with("{kernel: extra,", "{kernel: scale_paper, as: scale,")));
}

}  // namespace
}  // namespace kiln
