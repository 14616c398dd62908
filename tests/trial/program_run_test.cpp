#include "trial/program_run.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "trial/program_fixture.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

using ProgramRunTest = test::ProgramRunTest;

TEST_F(ProgramRunTest, AnIndexStandsInArgumentsGridsAndConditions) {
  bind(R"yaml(
  - repeat: {index: k, from: 1, to: 6, by: 2}
    do:
      - {kernel: add, args: {amount: "10 * k"}, grid: [k], when: "k != 3"}
)yaml");
  run();
  EXPECT_THAT(log_, ElementsAre("add 10 x1 u", "add 50 x5 u"));
  EXPECT_EQ(program_->variables().at("k"), 7);
}

TEST_F(ProgramRunTest, ARangeMayRunDownwards) {
  bind("  - {repeat: {index: k, from: 2, to: -1, by: -1}, do: {kernel: add, args: {amount: k}}}\n");
  run();
  EXPECT_THAT(log_, ElementsAre("add 2 x2 u", "add 1 x2 u", "add 0 x2 u"));
}

TEST_F(ProgramRunTest, LoopsNest) {
  bind(R"yaml(
  - repeat: {index: i, count: 2}
    do:
      - repeat: {index: j, from: "i + 1", to: 3}
        do: {kernel: add, args: {amount: "10 * i + j"}}
)yaml");
  run();
  EXPECT_THAT(log_, ElementsAre("add 1 x2 u", "add 2 x2 u", "add 12 x2 u"));
}

TEST_F(ProgramRunTest, SwappedBuffersStaySwappedFromStepToStep) {
  bind("  - add\n  - swap: [u, v]\n");
  run();
  EXPECT_EQ(at("v"), 1);
  EXPECT_EQ(at("u"), 0);
  run();
  run();
  EXPECT_THAT(log_, ElementsAre("add 1 x2 u", "add 1 x2 v", "add 1 x2 u"));
  EXPECT_EQ(at("v"), 2);
  EXPECT_EQ(at("u"), 1);
}

TEST_F(ProgramRunTest, CopiesAndFills) {
  bind(
      "  - {fill: {buffer: u, value: 2.5}}\n  - copy: {from: u, to: v}\n  - {fill: {buffer: u, value: 0}}\n  "
      "- halve\n");
  run();
  EXPECT_EQ(at("u", 3), 0);
  EXPECT_EQ(at("v", 0), 2.5);
  EXPECT_EQ(at("v", 3), 2.5);
}

TEST_F(ProgramRunTest, AViewIsAPartOfItsBuffer) {
  bind(R"yaml(
  - {fill: {buffer: tail, value: 6}}
  - {kernel: halve, args: {r: tail}}
  - read: {third: {buffer: u, element: 2}}
  - copy: {from: tail, to: small}
  - {kernel: add, args: {u: u}}
)yaml");
  run();
  EXPECT_EQ(program_->variables().at("third"), 3);
  EXPECT_EQ(at("small", 0), 3);
  EXPECT_EQ(at("small", 1), 6);
  EXPECT_EQ(at("u", 1), 1);
  EXPECT_EQ(at("tail", 0), 4);
  EXPECT_EQ(at("tail", 1), 7);
  EXPECT_EQ(program_->buffers(), (std::set<std::string>{"small", "u"}));
}

TEST_F(ProgramRunTest, AViewFollowsItsBufferThroughASwap) {
  const std::string program =
      "  - {kernel: halve, args: {r: tail}}\n  - swap: [u, v]\n  - {kernel: add, args: {u: u}}\n"
      "  - {kernel: halve, args: {r: tail}}\n";
  bind(program);
  for (int i = 0; i < 3; ++i) run();
  const std::vector<double> plain = {at("u", 0), at("u", 2), at("v", 0), at("v", 2), at("tail")};
  EXPECT_EQ(plain, (std::vector<double>{2, 0.625, 1, 0.25, 0.625}));
  bind(program);
  for (int i = 0; i < 3; ++i) run_graphs();
  EXPECT_EQ(replayed_.size(), 3U);
  EXPECT_EQ((std::vector<double>{at("u", 0), at("u", 2), at("v", 0), at("v", 2), at("tail")}), plain);
}

TEST_F(ProgramRunTest, WhatIsReadIsAVariableOfLaterStatements) {
  bind(R"yaml(
  - {fill: {buffer: r, value: 3}}
  - read: {amount_read: {buffer: r, element: 1}}
  - {kernel: add, args: {amount: amount_read}, when: "amount_read > 2"}
  - {set: {twice: "2 * amount_read"}}
  - {kernel: add, args: {amount: twice}, when: "amount_read > 4"}
)yaml");
  run();
  EXPECT_THAT(log_, ElementsAre("add 3 x2 u"));
  EXPECT_EQ(program_->variables().at("twice"), 6);
  EXPECT_EQ(program_->waits(), 1U);
}

TEST_F(ProgramRunTest, AParameterThatChangesIsAMemberOfParams) {
  bind("  - shift\n  - {set: {dt: \"2 * dt\"}}\n  - shift\n");
  run();
  EXPECT_EQ(at("u"), 1.5);
  run();  // each run begins with the configuration's value
  EXPECT_EQ(at("u"), 3);
}

TEST_F(ProgramRunTest, UntilEndsWhenTheConditionHolds) {
  bind(R"yaml(
  - {fill: {buffer: r, value: 1}}
  - repeat: {until: "residual < 0.1", most: 100, index: iteration, read: {residual: r}}
    do: [halve]
)yaml");
  run();
  EXPECT_EQ(program_->variables().at("iteration"), 4);
  EXPECT_EQ(program_->waits(), 4U);
  EXPECT_EQ(launched_, 4);
}

TEST_F(ProgramRunTest, UntilLooksOnlyNowAndThen) {
  bind(R"yaml(
  - {fill: {buffer: r, value: 1}}
  - repeat: {until: "residual < 0.1", most: 100, every: 3, index: iteration, read: {residual: r}}
    do: [halve]
)yaml");
  run();
  EXPECT_EQ(program_->variables().at("iteration"), 6);
  EXPECT_EQ(program_->waits(), 2U);
}

TEST_F(ProgramRunTest, UntilEndsAfterItsLimit) {
  bind("  - {repeat: {until: \"residual < 0\", most: 5, every: 3, read: {residual: r}}, do: [halve]}\n");
  run();
  EXPECT_EQ(launched_, 5);
  EXPECT_EQ(program_->waits(), 2U);
}

TEST_F(ProgramRunTest, BranchesHaveStreamsOfTheirOwnThatForkAndJoin) {
  bind(R"yaml(
  - halve
  - parallel:
    - [{kernel: add, args: {amount: 1}}, {kernel: add, args: {amount: 2}}]
    - {kernel: add, args: {u: v, amount: 3}}
    - [{copy: {from: v, to: w1}}, {fill: {buffer: w2, value: 0.5}}]
  - halve
)yaml");
  options_.concurrent = true;
  run();
  const auto launches = device_->launches();
  ASSERT_EQ(launches.size(), 5U);
  for (const std::size_t on_first : {0U, 1U, 2U, 4U})
    EXPECT_EQ(launches[on_first].stream, stream_.get()) << on_first;
  EXPECT_NE(launches[3].stream, stream_.get());
  EXPECT_EQ(at("w1"), 3);
  EXPECT_EQ(at("w2", 3), 0.5);
  program_->wait_beside();

  options_.concurrent = false;
  run();
  const auto all = device_->launches();
  for (std::size_t i = launches.size(); i < all.size(); ++i) EXPECT_EQ(all[i].stream, stream_.get()) << i;
}

TEST_F(ProgramRunTest, EqualValuesOfWithShareCode) {
  bind(R"yaml(
  - {kernel: layer, with: {width: 8}}
  - {kernel: layer, with: {width: "4 + 4"}}
  - {kernel: layer, with: {width: 2}}
  - {kernel: layer, with: {dt: 7}}    # the text does not look at it
  - layer
)yaml");
  run();
  EXPECT_EQ(log_.size(), 5U);
  EXPECT_EQ(compiler_.compiles(), 3);
}

TEST_F(ProgramRunTest, BuffersOfSwapAndCopyAreAlike) {
  EXPECT_THAT(
      bad_input_of([&] { bind("  - add\n  - swap: [u, small]\n"); }),
      HasSubstr(
          "swap: expected two buffers of one type and size; 'u' has 4 elements of 8 bytes, 'small' has 2"));
  EXPECT_THAT(bad_input_of([&] { bind("  - add\n  - copy: {from: count, to: u}\n"); }),
              HasSubstr("copy: expected"));
}

/// Before the launch that would write beyond the buffer's end.
TEST_F(ProgramRunTest, MoreThanABufferHoldsIsNotUsed) {
  const std::string used = "buffers:\n  part: {type: double, shape: [n], used: \"2 * found\"}\n";
  const auto launches_with = [&](int found) {
    log_.clear();
    bind("  - {fill: {buffer: r, value: " + std::to_string(found) +
             "}}\n  - {read: {found: r}}\n  - {kernel: add, args: {u: part}}\n",
         used);
    run();
    return log_.size();
  };
  EXPECT_EQ(launches_with(2), 1U);
  EXPECT_THAT(test::message_of(ErrorKind::kUnfit, [&] { launches_with(3); }),
              HasSubstr("buffers.part.used: '2 * found' is 6; expected 0 to 4"));
  EXPECT_TRUE(log_.empty());
}

TEST_F(ProgramRunTest, WhatGoesWrongInARunIsUnfitWithItsPlace) {
  const auto unfit = [&](const std::string& program) {
    bind(program);
    return test::message_of(ErrorKind::kUnfit, [&] { run(); });
  };
  EXPECT_THAT(unfit("  - {repeat: {index: k, count: 2}, do: {kernel: add, grid: [k]}}\n"),
              HasSubstr("run[0].do.grid[0]: 'k' is 0; expected 1 to"));
  EXPECT_THAT(unfit("  - {repeat: {index: k, count: 2}, do: {kernel: add, args: {amount: \"k / 2\"}}}\n"),
              HasSubstr("'k / 2' is 0.5; a whole number is needed"));
  EXPECT_THAT(unfit("  - {read: {x: {buffer: r, element: n}}}\n  - add\n"), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(unfit("  - {repeat: {index: k, to: 2, by: \"n - 4\"}, do: add}\n"), HasSubstr("would not end"));
  EXPECT_THAT(unfit("  - {fill: {buffer: count, value: \"n / 8\"}}\n  - add\n"),
              HasSubstr("'n / 8' is 0.5, which is no element of buffer 'count'"));
}

}  // namespace
}  // namespace kiln
