#include "tune/candidate_queue.h"

#include <gmock/gmock.h>

#include "trial/trial_fixture.h"

namespace kiln {
namespace {

class CandidateQueueTest : public test::TrialTest {
 protected:
  Candidate candidate(const std::string& block) {
    Candidate made;
    made.label = "block=" + block;
    made.identity = "identity " + block;
    made.variants.push_back(variant({{"block", block}}));
    return made;
  }
  static bool never() { return false; }

  JobContext context_ = context();
};

TEST_F(CandidateQueueTest, CompilesWhileSomethingElseIsDone) {
  CandidateQueue queue(context_, false);
  compiler_.block();
  queue.push(candidate("32"));
  compiler_.wait_for_begun(1);  // it was not requested yet
  int looks = 0;
  EXPECT_FALSE(queue.pop([&] { return ++looks == 2; }));  // and the wait ends
  EXPECT_EQ(queue.size(), 1U);
  compiler_.unblock();
  const auto popped = queue.pop(never);
  ASSERT_TRUE(popped);
  EXPECT_EQ(popped->label, "block=32");
  const int compiles = compiler_.compiles();
  EXPECT_GE(compiles, 1);
  EXPECT_FALSE(queue.pop(never));
}

TEST_F(CandidateQueueTest, GivesTheOneWhoseCodeIsThereFirst) {
  CandidateQueue queue(context_, false);
  queue.push(candidate("32"));
  ASSERT_TRUE(queue.pop(never));  // in memory from now on, if it is kept
  compiler_.block();
  queue.push(candidate("64"));
  compiler_.wait_for_begun(compiler_.compiles());
  Candidate made = candidate("128");
  made.variants.clear();  // nothing to compile
  queue.push(std::move(made));
  EXPECT_FALSE(queue.pop([] { return true; }, true));  // in order, the other is first
  EXPECT_EQ(queue.pop(never)->label, "block=128");
  compiler_.unblock();
  EXPECT_EQ(queue.pop(never)->label, "block=64");
}

TEST_F(CandidateQueueTest, OnTheHostNothingCompilesWhileSomethingIsMeasured) {
  CandidateQueue queue(context_, true);
  EXPECT_TRUE(queue.takes_more(4));
  queue.push(candidate("32"));
  queue.push(candidate("64"));
  EXPECT_TRUE(queue.takes_more(4));
  EXPECT_FALSE(queue.takes_more(2));
  ASSERT_TRUE(queue.pop(never));  // all are compiled by now
  EXPECT_FALSE(queue.takes_more(4));
  ASSERT_TRUE(queue.pop(never));
  EXPECT_TRUE(queue.takes_more(4));
}

TEST_F(CandidateQueueTest, EndsCompilesThatNobodyWaitsFor) {
  compiler_.obey_stops();
  compiler_.block();
  {
    CandidateQueue queue(context_, false);
    queue.push(candidate("32"));
    queue.push(candidate("64"));
    compiler_.wait_for_begun(1);
    queue.clear();  // while its compiles are blocked
    EXPECT_EQ(queue.size(), 0U);
    const int compiles = compiler_.compiles();
    queue.push(candidate("128"));
    compiler_.wait_for_begun(compiles + 1);
  }
  compiler_.unblock();
  EXPECT_EQ(context_.service.counters().failed, 0U);
}

TEST_F(CandidateQueueTest, FindsWhatWaits) {
  CandidateQueue queue(context_, false);
  queue.push(candidate("32"));
  ASSERT_NE(queue.find("identity 32"), nullptr);
  EXPECT_EQ(queue.find("identity 64"), nullptr);
}

}  // namespace
}  // namespace kiln
