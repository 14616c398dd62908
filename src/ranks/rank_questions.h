#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "ranks/messenger.h"

namespace kiln {

/// Questions to other ranks, each with a ticket by which its answer is found. Thread-safe.
class RankQuestions {
 public:
  explicit RankQuestions(Messenger& messenger) : messenger_(messenger) {}

  /// The answer, as soon as it comes.
  [[nodiscard]] std::future<RankMessage> ask(int rank, RankTopic topic, std::string text);
  /// Whether the message was an answer that somebody waited for.
  bool take(const RankMessage& message);

 private:
  Messenger& messenger_;
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::promise<RankMessage>> asked_;
};

/// Absent where `stopped` says so before the answer is there; it is asked now and then.
[[nodiscard]] std::optional<RankMessage> await_answer(std::future<RankMessage>& answer,
                                                      const std::function<bool()>& stopped);

}  // namespace kiln
