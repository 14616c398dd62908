// Which statements of a program run as a graph, and that they do what they do without.
#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "trial/program_fixture.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ProgramGraphs : public test::ProgramRunTest {
 protected:
  /// Runs the program three times plainly and three times as graphs: the kernels do the same.
  void expect_same(const std::string& program) {
    bind(program);
    for (int i = 0; i < 3; ++i) run();
    const std::vector<std::string> plain = std::exchange(log_, {});
    const Variables variables = program_->variables();
    const double first = at("u");
    bind(program);
    for (int i = 0; i < 3; ++i) run_graphs();
    EXPECT_EQ(log_, plain) << program;
    EXPECT_EQ(program_->variables(), variables) << program;
    EXPECT_EQ(at("u"), first) << program;
  }
};

TEST_F(ProgramGraphs, AStaticProgramIsCapturedOnceAndReplayed) {
  const std::string program = R"yaml(
  - {fill: {buffer: u, value: 0}}
  - repeat: {index: k, from: 1, to: 6, by: 2}
    do:
      - {kernel: add, args: {amount: "10 * k"}, grid: [k], when: "k != 3"}
      - halve
)yaml";
  expect_same(program);
  EXPECT_EQ(device_->captures(), 1);
  EXPECT_EQ(launched_, 15);  // of the plain runs
  EXPECT_THAT(replayed_, ElementsAre("add, halve", "add, halve", "add, halve"));
  EXPECT_EQ(program_->graphs(), 1U);
  EXPECT_EQ(program_->variables().at("k"), 7);
}

TEST_F(ProgramGraphs, AnOddNumberOfSwapsMakesTwoGraphsThatTakeTurns) {
  const std::string program = "  - {repeat: 3, do: [add, {swap: [u, v]}]}\n";
  expect_same(program);
  EXPECT_EQ(device_->captures(), 2);
  for (int i = 0; i < 4; ++i) run_graphs();
  EXPECT_EQ(device_->captures(), 2);
}

TEST_F(ProgramGraphs, AnEvenNumberOfSwapsMakesOne) {
  expect_same("  - {repeat: 4, do: [add, {swap: [u, v]}]}\n");
  EXPECT_EQ(device_->captures(), 1);
}

TEST_F(ProgramGraphs, StatementsBetweenReadsAreAGraphEach) {
  expect_same(R"yaml(
  - {fill: {buffer: r, value: 3}}
  - halve
  - read: {amount_read: {buffer: r, element: 1}}
  - add
  - {copy: {from: u, to: v}}
  - {kernel: add, args: {amount: amount_read}}
  - add
)yaml");
  EXPECT_THAT(std::vector(replayed_.end() - 3, replayed_.end()), ElementsAre("halve", "add", "add"));
  EXPECT_EQ(program_->graphs(), 3U);
  EXPECT_EQ(device_->captures(), 3);
}

TEST_F(ProgramGraphs, TheBodyOfALoopThatReadsIsCapturedOnce) {
  expect_same(R"yaml(
  - {fill: {buffer: r, value: 1}}
  - repeat: {until: "residual < 0.1", most: 100, index: iteration, read: {residual: r}}
    do: [halve, {repeat: {index: k, count: 2}, do: {kernel: add, args: {amount: k}}}]
)yaml");
  EXPECT_EQ(device_->captures(), 2);
  EXPECT_EQ(program_->graphs(), 5U);
  EXPECT_EQ(program_->waits(), 4U);
}

TEST_F(ProgramGraphs, WhatDependsOnTheCountOfALoopThatReadsRunsPlainly) {
  expect_same(R"yaml(
  - {fill: {buffer: r, value: 1}}
  - repeat: {index: k, count: 3}
    do: [{kernel: add, args: {amount: k}}, {read: {residual: r}}, {set: {dt: "2 * dt"}}, shift, halve]
)yaml");
  EXPECT_THAT(replayed_, testing::Each(testing::AnyOf("", "halve")));
}

TEST_F(ProgramGraphs, VariablesThatAreSetInAGraphAreSetInItsReplay) {
  expect_same("  - {set: {dt: \"2 * dt\"}}\n  - shift\n  - {set: {dt: \"2 * dt\", w: dt}}\n  - shift\n");
  EXPECT_EQ(device_->captures(), 1);
  EXPECT_EQ(program_->variables().at("w"), 2);
}

TEST_F(ProgramGraphs, ValuesOfMoreThanAByteAreFilledFromTheDevice) {
  expect_same(
      "  - {repeat: {index: k, to: 3}, do: [{fill: {buffer: u, value: \"k + 0.25\"}}, add]}\n"
      "  - {fill: {buffer: v, value: 1.5}}\n");
  EXPECT_EQ(device_->captures(), 1);
  EXPECT_EQ(at("u", 3), 3.25);
  EXPECT_EQ(at("v", 3), 1.5);
}

TEST_F(ProgramGraphs, InMoreThanAFewCasesAStretchRunsPlainly) {
  // Five buffers go round, and two beside them: ten cases.
  bind(
      "  - add\n  - swap: [u, v]\n  - swap: [v, w1]\n  - swap: [w1, w2]\n  - swap: [w2, w3]\n"
      "  - swap: [small, r]\n");
  for (int i = 0; i < 10; ++i) run_graphs();
  EXPECT_EQ(device_->captures(), static_cast<int>(ProgramRun::kMostCases));
  EXPECT_EQ(launched_, 2);
  for (const char* name : {"u", "v", "w1", "w2", "w3"}) EXPECT_EQ(at(name), 2) << name;
}

TEST_F(ProgramGraphs, BranchesOnStreamsOfTheirOwnAreInOneGraph) {
  options_.concurrent = true;
  expect_same(R"yaml(
  - repeat: 2
    do:
      - add
      - parallel:
        - {kernel: add, args: {amount: 2}}
        - {repeat: {index: k, count: 2}, do: {kernel: add, args: {u: v, amount: k}}}
        - {fill: {buffer: w1, value: 0.5}}
      - {swap: [u, v]}
)yaml");
  EXPECT_EQ(device_->captures(), 1);
  EXPECT_THAT(replayed_, ElementsAre("add", "add", "add"));
}

TEST_F(ProgramGraphs, NothingToEnqueueIsNoGraph) {
  bind("  - {swap: [u, v]}\n  - {set: {x: 1}}\n  - {read: {y: r}}\n  - {kernel: add, when: \"y > 0\"}\n");
  run_graphs();
  run_graphs();
  EXPECT_THAT(replayed_, IsEmpty());
  EXPECT_EQ(program_->graphs(), 0U);
  EXPECT_EQ(program_->variables().at("x"), 1);
}

TEST_F(ProgramGraphs, TooManyOperationsAreUnfitWithTheirPlace) {
  bind("  - {repeat: 100000, do: [add]}\n  - copy: {from: u, to: v}\n");
  EXPECT_THAT(
      test::message_of(ErrorKind::kUnfit, [&] { run_graphs(); }),
      AllOf(HasSubstr("w.yaml:"), HasSubstr("a graph of more than 100000 launches, copies and fills")));
  EXPECT_EQ(device_->captures(), 0);
}

TEST_F(ProgramGraphs, WhatGoesWrongInACaptureIsUnfitWithItsPlace) {
  bind("  - {repeat: {index: k, count: 2}, do: {kernel: add, grid: [k]}}\n");
  EXPECT_THAT(test::message_of(ErrorKind::kUnfit, [&] { run_graphs(); }),
              HasSubstr("run[0].do.grid[0]: 'k' is 0; expected 1 to"));
}

}  // namespace
}  // namespace kiln
