#include "ranks/messenger.h"

#include <gmock/gmock.h>

#include <future>

#include "kiln/error.h"
#include "ranks/fake_transport.h"
#include "ranks/rank_questions.h"

namespace kiln {
namespace {

using test::FakeWorld;
using test::rank_of;

TEST(Messenger, QuestionsAreAnsweredWhateverTheOrder) {
  FakeWorld world(3);
  Messenger zero(rank_of(world, 0)), one(rank_of(world, 1)), two(rank_of(world, 2));
  EXPECT_EQ(two.place().rank, 2);
  RankQuestions questions(zero);
  zero.listen([&](const RankMessage& message) { EXPECT_TRUE(questions.take(message)); });
  auto first = questions.ask(1, RankTopic::kTrial, "a");
  auto second = questions.ask(1, RankTopic::kTrial, "b");
  auto third = questions.ask(2, RankTopic::kCompile, "c");
  std::vector<RankMessage> asked;  // answered backwards
  one.listen([&](RankMessage message) {
    asked.push_back(std::move(message));
    if (asked.size() < 2) return;
    for (auto question = asked.rbegin(); question != asked.rend(); ++question)
      one.send({0, RankTopic::kAnswer, question->ticket, question->text + "!"});
  });
  two.listen([&](const RankMessage& message) {
    EXPECT_EQ(message.topic, RankTopic::kCompile);
    two.send({0, RankTopic::kLost, message.ticket, ""});
  });
  EXPECT_EQ(first.get().text, "a!");
  EXPECT_EQ(second.get().text, "b!");
  EXPECT_EQ(third.get().topic, RankTopic::kLost);
  auto end_zero = std::async(std::launch::async, [&] { zero.end(); });
  auto end_one = std::async(std::launch::async, [&] { one.end(); });
  two.end();
}

TEST(Messenger, LongMessagesTravelInPartsAndInOrder) {
  FakeWorld world(2);
  Messenger zero(rank_of(world, 0)), one(rank_of(world, 1));
  std::string bytes(5'000'001, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 % 251);
  one.send({0, RankTopic::kLog, 0, bytes});
  one.send({0, RankTopic::kLog, 7, ""});
  std::vector<RankMessage> heard;
  std::promise<void> both;
  zero.listen([&](RankMessage message) {
    heard.push_back(std::move(message));
    if (heard.size() == 2) both.set_value();
  });
  both.get_future().wait();
  EXPECT_TRUE(heard[0].text == bytes);
  EXPECT_EQ(heard[1].ticket, 7U);
  EXPECT_EQ(heard[1].rank, 1);
  EXPECT_LE(world.largest, (std::size_t{1} << 20) + 1);
  auto end = std::async(std::launch::async, [&] { zero.end(); });
  one.end();
}

TEST(Messenger, WhatKeepsMpiFromBeginningIsThrownToWhoAsks) {
  EXPECT_THROW(Messenger([]() -> std::unique_ptr<RankTransport> { throw environment_error("no MPI"); }),
               Error);
}

TEST(Messenger, AWaitEndsWhereTheJobIsStopped) {
  std::promise<RankMessage> never;
  auto answer = never.get_future();
  EXPECT_FALSE(await_answer(answer, [] { return true; }));
}

}  // namespace
}  // namespace kiln
