#include "search/history.h"

#include <gmock/gmock.h>

#include <set>

#include "search/budget.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const SearchSpace kSpace({{"a", 10}, {"b", 10}}, {});

TEST(History, KnowsWhatWasAskedAndTold) {
  History history(kSpace);
  history.ask(7);
  EXPECT_TRUE(history.knows(7));
  EXPECT_EQ(history.outcome(7), std::nullopt);
  EXPECT_THAT(history.outstanding(), ElementsAre(7));
  history.tell(7, Outcome::measured(3));
  EXPECT_THAT(history.outstanding(), IsEmpty());
  EXPECT_EQ(history.outcome(7), Outcome::measured(3));
  EXPECT_EQ(history.left(), 99U);
  EXPECT_EQ(history.told().front().point, kSpace.point(7));
}

TEST(History, OnlyMeasuredValuesAreTheBest) {
  History history(kSpace);
  history.tell(0, Outcome::cut(0.5));
  history.tell(1, Outcome::failed(FailureKind::kWrong));
  EXPECT_EQ(history.best(), nullptr);
  history.tell(2, Outcome::measured(4));
  history.tell(3, Outcome::measured(2));
  history.tell(4, Outcome::measured(5));
  EXPECT_EQ(history.best()->rank, 3U);
  EXPECT_EQ(history.since_best(), 1U);
  history.tell(3, Outcome::failed(FailureKind::kWrong));  // measured again
  EXPECT_EQ(history.best()->rank, 2U);
  EXPECT_EQ(history.told().size(), 5U);
}

TEST(History, SamplesOnlyWhatIsUnknown) {
  History history(kSpace);
  std::mt19937_64 random(1);
  for (const std::size_t wanted : {std::size_t{3}, std::size_t{60}, std::size_t{100}}) {
    const auto sample = history.sample_unknown(wanted, random);
    EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), sample.size());
    for (const std::uint64_t rank : sample) {
      EXPECT_FALSE(history.knows(rank));
      history.ask(rank);
    }
  }
  EXPECT_EQ(history.left(), 0U);
  EXPECT_THAT(history.sample_unknown(4, random), IsEmpty());
}

TEST(SearchBudget, EndsAtTheFirstLimit) {
  History history(kSpace);
  for (std::uint64_t rank = 0; rank < 20; ++rank) history.tell(rank, Outcome::measured(rank == 4 ? 1 : 2));
  EXPECT_EQ(search_end({}, history, 1e9), std::nullopt);
  EXPECT_EQ(search_end({.evaluations = 21}, history, 0), std::nullopt);
  EXPECT_EQ(search_end({.evaluations = 20}, history, 0), SearchEnd::kEvaluations);
  EXPECT_EQ(search_end({.seconds = 2}, history, 2), SearchEnd::kSeconds);
  EXPECT_EQ(search_end({.fraction = 0.2}, history, 0), SearchEnd::kFraction);
  EXPECT_EQ(search_end({.fraction = 0.21}, history, 0), std::nullopt);
  EXPECT_EQ(search_end({.target = 1}, history, 0), SearchEnd::kTarget);
  EXPECT_EQ(search_end({.stall = 15}, history, 0), SearchEnd::kStall);
  EXPECT_EQ(search_end({.stall = 16}, history, 0), std::nullopt);
  for (std::uint64_t rank = 20; rank < 100; ++rank) history.tell(rank, Outcome::measured(2));
  EXPECT_EQ(search_end({}, history, 0), SearchEnd::kSpace);
}

}  // namespace
}  // namespace kiln
