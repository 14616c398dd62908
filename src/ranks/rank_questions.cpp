#include "ranks/rank_questions.h"

#include <chrono>
#include <utility>

namespace kiln {

std::future<RankMessage> RankQuestions::ask(int rank, RankTopic topic, std::string text) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t ticket = next_++;
  auto answer = asked_[ticket].get_future();
  messenger_.send({rank, topic, ticket, std::move(text)});
  return answer;
}

bool RankQuestions::take(const RankMessage& message) {
  if (message.topic != RankTopic::kAnswer && message.topic != RankTopic::kLost) return false;
  const std::lock_guard lock(mutex_);
  const auto found = asked_.find(message.ticket);
  if (found == asked_.end()) return false;
  found->second.set_value(message);
  asked_.erase(found);
  return true;
}

std::optional<RankMessage> await_answer(std::future<RankMessage>& answer,
                                        const std::function<bool()>& stopped) {
  constexpr std::chrono::milliseconds kAskAgain{50};
  while (answer.wait_for(kAskAgain) != std::future_status::ready) {
    if (stopped()) return std::nullopt;
  }
  return answer.get();
}

}  // namespace kiln
