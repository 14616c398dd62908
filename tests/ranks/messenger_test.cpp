#include "ranks/messenger.h"

#include <gmock/gmock.h>

#include <future>

#include "kiln/error.h"
#include "ranks/rank_questions.h"

namespace kiln {
namespace {

/// Messages between ranks that are threads of this process.
struct FakeWorld {
  explicit FakeWorld(int ranks) : boxes(static_cast<std::size_t>(ranks)) {}

  std::mutex mutex;
  std::condition_variable all_ended;
  std::vector<std::deque<RankTransport::Message>> boxes;
  std::size_t ended = 0;
  std::size_t largest = 0;  // bytes of a message
};

class FakeTransport final : public RankTransport {
 public:
  FakeTransport(FakeWorld& world, int rank)
      : world_(world), place_{rank, static_cast<int>(world.boxes.size()), rank, 1, "node", "fake"} {}

  const RankPlace& place() const override { return place_; }
  void send(int to, std::string bytes) override {
    const std::lock_guard lock(world_.mutex);
    world_.largest = std::max(world_.largest, bytes.size());
    world_.boxes[static_cast<std::size_t>(to)].push_back({place_.rank, std::move(bytes)});
  }
  std::optional<Message> receive() override {
    const std::lock_guard lock(world_.mutex);
    auto& box = world_.boxes[static_cast<std::size_t>(place_.rank)];
    if (box.empty()) return std::nullopt;
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }
  bool all_sent() override { return true; }
  void end() override {
    std::unique_lock lock(world_.mutex);
    ++world_.ended;
    world_.all_ended.notify_all();
    world_.all_ended.wait(lock, [&] { return world_.ended == world_.boxes.size(); });
  }
  void abort(int) override {}

 private:
  FakeWorld& world_;
  RankPlace place_;
};

OpenTransport rank_of(FakeWorld& world, int rank) {
  return [&world, rank] { return std::make_unique<FakeTransport>(world, rank); };
}

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
