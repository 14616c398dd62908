#include "ranks/rank_crew.h"

#include <gmock/gmock.h>

#include <thread>

#include "kiln/error.h"
#include "ranks/fake_transport.h"
#include "ranks/rank_member.h"
#include "trial/trial_fixture.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Rank 0 and two others, threads of this process, which share a job in parts.
class RankCrewParts : public test::TrialTest {
 protected:
  ~RankCrewParts() override {
    for (std::thread& other : others_) other.join();
  }

  /// What the second of the other ranks has.
  struct Second {
    std::string digest = "digest", pci_address = "0000:02:00.0", answer = "2 is done";
  };

  std::optional<std::vector<std::string>> run_parts(const Second& second) {
    start(1, "digest", "0000:01:00.0", "1 is done");
    start(2, second.digest, second.pci_address, second.answer);
    RankCrew crew(zero_, cache_, disk_.files, [](const std::string&) {});
    const auto prepare = [this] { was_prepared_first_ = parts_.empty(); };
    const auto own = [this](const JobPart& part) { add(0, part); };
    try {
      auto answers = crew.run_parts({"digest", "0000:00:00.0", prepare, own}, context_);
      crew.end(1);
      return answers;
    } catch (...) {
      crew.end(1);
      throw;
    }
  }

  std::string refusal(const Second& second) {
    try {
      static_cast<void>(run_parts(second));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  JobContext context_ = context();
  DiskCache cache_{disk_.files, disk_.clock, log_, "/cache"};
  bool was_prepared_first_ = false;
  std::map<int, std::string> parts_;  // by rank

 private:
  void start(int rank, const std::string& digest, const std::string& pci_address, const std::string& answer) {
    others_.emplace_back([this, rank, digest, pci_address, answer] {
      Messenger messenger(test::rank_of(world_, rank));
      RankMember member(messenger);
      member.serve({context_, cache_, digest, pci_address, [&](const JobPart& part) {
                      if (answer.empty()) throw bad_input("planted");
                      add(rank, part);
                      return answer;
                    }});
      member.end();
    });
  }
  void add(int rank, const JobPart& part) {
    const std::lock_guard lock(mutex_);
    parts_[rank] = std::to_string(part.part) + "/" + std::to_string(part.parts);
  }

  std::mutex mutex_;  // of parts_
  test::FakeWorld world_{3};
  Messenger zero_{test::rank_of(world_, 0)};
  std::vector<std::thread> others_;
};

TEST_F(RankCrewParts, EachRankRunsAPartOfItsOwn) {
  const auto answers = run_parts({});
  ASSERT_TRUE(answers);
  EXPECT_THAT(*answers, ElementsAre("1 is done", "2 is done"));
  EXPECT_EQ(parts_, (std::map<int, std::string>{{0, "0/3"}, {1, "1/3"}, {2, "2/3"}}));
  EXPECT_TRUE(was_prepared_first_);
}

TEST_F(RankCrewParts, ARankWithAnotherJobIsRefusedBeforeAnyBegins) {
  EXPECT_THAT(refusal({.digest = "other"}), AllOf(HasSubstr("rank 2 (node)"), HasSubstr("another job")));
  EXPECT_TRUE(parts_.empty());
}

TEST_F(RankCrewParts, TwoRanksOnOneDeviceAreRefused) {
  EXPECT_THAT(refusal({.pci_address = "0000:01:00.0"}),
              AllOf(HasSubstr("rank 1"), HasSubstr("rank 2"), HasSubstr("at 0000:01:00.0")));
  EXPECT_TRUE(parts_.empty());
}

TEST_F(RankCrewParts, ARankOnTheDeviceOfRankZeroIsRefused) {
  EXPECT_THAT(refusal({.pci_address = "0000:00:00.0"}), AllOf(HasSubstr("rank 0"), HasSubstr("rank 2")));
}

TEST_F(RankCrewParts, RanksOnACpuShareIt) {
  EXPECT_TRUE(run_parts({.pci_address = ""}));
}

TEST_F(RankCrewParts, WhatARankThrowsIsThrown) {
  EXPECT_THAT(refusal({.answer = ""}), HasSubstr("planted"));
}

}  // namespace
}  // namespace kiln
