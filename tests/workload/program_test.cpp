#include "workload/program.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "workload/configuration.h"
#include "workload/selection.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead = R"yaml(workload: w
parameters:
  n: {type: int, default: 8}
  width: {type: int, default: 4}
  dt: {type: double, default: 0.5}
  mode: {type: choice, values: [fast, slow], default: fast}
  fixed: {type: int, default: 1, bind: compile}
let: {halved: "n / 2"}
types: {Pair: {a: float, b: float}}
buffers:
  u: {type: double, shape: [n]}
  v: {type: double, shape: [n]}
  r: {type: double, shape: [1]}
  pairs: {type: Pair, shape: [n]}
kernels:
  step: {source: k.cu, grid: ["ceil_div(n, 32)"], block: [32], args: [v, u, dt, {value: width, type: int, name: w}, params]}
  twice: {source: k.cu, grid: [1], block: [1], args: [u, u]}
  layer: {source: k.cu, grid: [1], block: [1], args: [{name: out}, {name: in}, {name: k, type: int}]}
)yaml";

std::shared_ptr<const Workload> with_run(const std::string& run) {
  const std::string text = std::string(kHead) + "run:\n" + run;
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

std::string refusal_of(const std::string& run) {
  return bad_input_of([&] { static_cast<void>(with_run(run)); });
}

Configuration configured(const std::shared_ptr<const Workload>& workload,
                         const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  std::vector<std::pair<std::string, RawValue>> assignments;
  for (const auto& [name, text] : settings)
    assignments.emplace_back(name, RawValue{text, false, {"job", 1, 1}});
  return configure(workload, assignments, unknown_device({"cuda", "sm_90"}), files).configuration;
}

template <class Action>
const Action& action_of(const StatementSpec& statement) {
  return std::get<Action>(statement.action);
}

TEST(Program, ReadsEachStatement) {
  const auto workload = with_run(R"yaml(
  - repeat: {index: k, from: 1, to: n, by: 2}
    do:
      - {kernel: step, as: first, args: {v: u, u: v, dt: "dt * k", w: k}, grid: ["n - k"], cluster: [2, k], when: "k > 2"}
      - swap: [u, v]
  - repeat: {until: "residual < 1e-3", most: 100, every: 10, read: {residual: r}, index: iteration}
    do: [step]
  - copy: {from: u, to: v}
  - fill: {buffer: r, value: "residual + 1"}
  - read: {dt: {buffer: r, element: "k - 1"}}
  - set: {total: 0, mean: "total / n"}
  - parallel: [[step], [{repeat: 3, do: step}]]
)yaml");
  EXPECT_THAT(workload->variables, ElementsAre("k", "iteration", "residual", "dt", "total", "mean"));
  const auto& loop = action_of<RepeatSpec>(workload->run[0]);
  EXPECT_EQ(loop.index, "k");
  EXPECT_EQ(loop.by->text, "2");
  const auto& launch = action_of<LaunchSpec>(loop.body[0]);
  EXPECT_EQ(launch.timing, "first");
  const KernelSpec& kernel = *launch.configured;
  EXPECT_EQ(kernel.args[0].name, "u");
  EXPECT_EQ(kernel.args[1].name, "v");
  EXPECT_EQ(kernel.args[2].kind, ArgumentSpec::Kind::kValue);
  EXPECT_EQ(kernel.args[2].type, "double");
  EXPECT_EQ(kernel.args[2].value.text, "dt * k");
  EXPECT_EQ(kernel.args[3].value.text, "k");
  EXPECT_EQ(kernel.grid[0].text, "n - k");
  ASSERT_EQ(kernel.cluster.size(), 2U);
  EXPECT_EQ(kernel.cluster[1].text, "k");
  EXPECT_EQ(workload->find_kernel("step")->grid[0].text, "ceil_div(n, 32)");
  EXPECT_TRUE(workload->find_kernel("step")->cluster.empty());
  EXPECT_EQ(action_of<RepeatSpec>(workload->run[1]).read[0].buffer, "r");
  EXPECT_EQ(action_of<SwapSpec>(loop.body[1]).second, "v");
  EXPECT_EQ(action_of<ParallelSpec>(workload->run[6]).branches.size(), 2U);
}

TEST(Program, AVariableThatIsAParameterIsBoundAtRunTime) {
  const auto workload = with_run("  - step\n  - read: {dt: r}\n");
  EXPECT_EQ(configured(workload).value("dt").binding, Binding::kRun);
  EXPECT_EQ(configured(workload).value("n").binding, Binding::kCompile);
}

TEST(Program, TellsWhatIsWrongWithAStatement) {
  EXPECT_THAT(refusal_of("  - {kernle: step}\n"), HasSubstr("did you mean 'kernel'"));
  EXPECT_THAT(refusal_of("  - {kernel: stop}\n"), HasSubstr("unknown kernel 'stop'; did you mean 'step'?"));
  EXPECT_THAT(refusal_of("  - {kernel: step, args: {vv: u}}\n"),
              HasSubstr("run[0].args.vv: kernel 'step' has no argument 'vv'; did you mean 'v'?"));
  EXPECT_THAT(refusal_of("  - {kernel: step, args: {v: x}}\n"), HasSubstr("unknown buffer 'x'"));
  EXPECT_THAT(refusal_of("  - {kernel: step, args: {dt: u}}\n"),
              HasSubstr("argument 'dt' is a number; found the buffer 'u'"));
  EXPECT_THAT(refusal_of("  - {kernel: twice, args: {u: v}}\n"), HasSubstr("two arguments 'u'"));
  EXPECT_THAT(refusal_of("  - {kernel: layer, args: {out: u, in: v}}\n"),
              HasSubstr("has no value for its argument 'k'"));
  EXPECT_THAT(refusal_of("  - {kernel: step, with: {m: 1}}\n"), HasSubstr("unknown parameter 'm'"));
  EXPECT_THAT(refusal_of("  - {repeat: {count: 3, until: \"dt < 1\", most: 3}, do: step}\n"),
              HasSubstr("expected one of `count`, `to`, `until`"));
  EXPECT_THAT(refusal_of("  - {repeat: {until: \"dt < 1\"}, do: step}\n"),
              HasSubstr("goes with `most`, which is missing"));
  EXPECT_THAT(refusal_of("  - {repeat: {count: 2, every: 2}, do: step}\n"),
              HasSubstr("goes with `until`, which is missing"));
  EXPECT_THAT(refusal_of("  - {repeat: 2, do: []}\n"), HasSubstr("at least one statement"));
  EXPECT_THAT(refusal_of("  - {swap: [u, u]}\n"), HasSubstr("two different buffers"));
  EXPECT_THAT(refusal_of("  - {fill: {buffer: pairs, value: 0}}\n"), HasSubstr("holds records"));
  EXPECT_THAT(refusal_of("  - parallel: [[step]]\n"), HasSubstr("at least two branches"));
  EXPECT_THAT(refusal_of("  - parallel: [[step], [{swap: [u, v]}]]\n"),
              HasSubstr("`swap` cannot stand in a branch"));
}

TEST(Program, AVariableHasAValueBeforeItIsUsed) {
  EXPECT_THAT(refusal_of("  - {kernel: step, grid: [k]}\n"), HasSubstr("unknown name 'k'"));
  EXPECT_THAT(refusal_of("  - {set: {total: \"total + 1\"}}\n"), HasSubstr("unknown name 'total'"));
  EXPECT_THAT(refusal_of("  - {kernel: step, when: \"residual > 1\"}\n  - {read: {residual: r}}\n"),
              HasSubstr("unknown name 'residual'"));
}

TEST(Program, AVariableHasANameOfItsOwn) {
  for (const std::string name : {"halved", "u", "fast", "time", "min", "sqrt", "_pi", "inf", "nan"}) {
    EXPECT_THAT(refusal_of("  - {repeat: {count: 2, index: " + name + "}, do: step}\n"),
                HasSubstr("'" + name + "' cannot be a program variable"));
  }
  EXPECT_THAT(refusal_of("  - {read: {mode: r}}\n  - step\n"), HasSubstr("'mode' is no number"));
  EXPECT_THAT(refusal_of("  - {read: {fixed: r}}\n  - step\n"),
              HasSubstr("'fixed' is bound at compile time"));
  EXPECT_THAT(refusal_of("  - {read: {n: r}}\n  - step\n"),
              HasSubstr("let.halved: 'n' changes while the program runs"));
}

TEST(Program, LaunchesWithEqualValuesShareAConfiguration) {
  const auto workload = with_run(R"yaml(
  - {kernel: step, with: {width: 16, mode: slow}}
  - {kernel: step, with: {width: "2 * n"}}
  - {kernel: step, with: {mode: slow, width: "n * 2"}}
  - {kernel: step, with: {width: 16}}
  - step
)yaml");
  const Configuration configuration = configured(workload);
  std::vector<const Configuration*> own;
  for (const LaunchSpec* launch : selected_launches(configuration, workload->run))
    own.push_back(&configuration.of(*launch));
  ASSERT_EQ(own.size(), 5U);
  EXPECT_EQ(own[0]->value("width").to_string(), "16");
  EXPECT_EQ(own[0]->value("mode").to_string(), "slow");
  EXPECT_EQ(own[1], own[3]);
  EXPECT_EQ(own[1]->value("mode").to_string(), "fast");
  EXPECT_EQ(own[4], &configuration);
  EXPECT_EQ(configuration.value("width").to_string(), "4");
  EXPECT_EQ(own[2]->value("width").to_string(), "16");
  EXPECT_EQ(own[2], own[0]);
}

TEST(Program, AJobGivesOneLaunchValues) {
  const auto workload = with_run(R"yaml(
  - {kernel: step, as: first, with: {mode: slow}}
  - {kernel: step, as: second, wisdom: other}
  - {kernel: step, as: third, when: "n > 100"}
)yaml");
  EXPECT_EQ(action_of<LaunchSpec>(workload->run[1]).wisdom->text, "other");
  const Configuration configuration = configured(
      workload, {{"width", "3"}, {"first.width", "16"}, {"second.width", "32"}, {"third.width", "64"}});
  const auto launches = selected_launches(configuration, workload->run);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(configuration.of(*launches[0]).value("width").to_string(), "16");
  EXPECT_EQ(configuration.of(*launches[0]).value("mode").to_string(), "slow");
  EXPECT_EQ(configuration.of(*launches[1]).value("width").to_string(), "32");
  EXPECT_EQ(configuration.value("width").to_string(), "3");
  std::vector<std::string> values;
  for (const auto& [name, value] : configuration.launch_values())
    values.push_back(name + "=" + value.to_string());
  EXPECT_THAT(values, ElementsAre("first.width=16", "second.width=32"));  // the third does not run
  EXPECT_EQ(configuration.find_value("second.width")->to_string(), "32");
  EXPECT_EQ(configuration.find_value("second.n")->to_string(), "8");
  EXPECT_EQ(configuration.find_value("width")->to_string(), "3");
  EXPECT_EQ(configuration.find_value("second.x"), nullptr);
}

TEST(Program, TellsWhatIsWrongWithALaunchsValue) {
  const auto workload = with_run("  - {kernel: step, as: first, with: {width: 16}}\n  - step\n");
  const auto refusal = [&](const std::string& name, const std::string& value) {
    return bad_input_of([&] { static_cast<void>(configured(workload, {{name, value}})); });
  };
  EXPECT_THAT(refusal("frist.n", "4"), HasSubstr("has no launch 'frist'; did you mean 'first'?"));
  EXPECT_THAT(refusal("first.widht", "4"),
              HasSubstr("has no parameter 'widht' for its launch 'first'; did you mean 'width'?"));
  EXPECT_THAT(refusal("first.width", "4"), HasSubstr("the launch 'first' gives 'width' itself, by `with`"));
  EXPECT_THAT(refusal("step.width", "wide"), HasSubstr("expected a whole number"));
  EXPECT_THAT(refusal_of("  - {kernel: step, wisdom: \"\"}\n"), HasSubstr("expected the name of a workload"));
}

TEST(Program, WhatTheJobSetsHoldsInALaunchToo) {
  const auto workload = with_run("  - {kernel: step, with: {width: \"n * 2\"}}\n");
  const Configuration configuration = configured(workload, {{"n", "100"}, {"width", "3"}});
  const auto launches = selected_launches(configuration, workload->run);
  EXPECT_EQ(configuration.of(*launches[0]).value("n").to_string(), "100");
  EXPECT_EQ(configuration.of(*launches[0]).value("width").to_string(), "200");
}

TEST(Program, AConditionOfAVariableIsDecidedLater) {
  const auto workload = with_run(R"yaml(
  - {repeat: {count: 4, index: k}, do: [{kernel: step, when: "k % 2 == 0"}, {kernel: step, as: never, when: "n < 0"}]}
)yaml");
  const Configuration configuration = configured(workload);
  const auto launches = selected_launches(configuration, workload->run);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0]->timing, "step");
}

}  // namespace
}  // namespace kiln
