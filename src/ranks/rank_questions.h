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

/// Questions to other ranks, each with a ticket that its answer carries. Thread-safe.
class RankQuestions {
 public:
  explicit RankQuestions(Messenger& messenger) : messenger_(messenger) {}

  /// The answer, which becomes ready when it arrives.
  [[nodiscard]] std::future<RankMessage> ask(int rank, RankTopic topic, std::string text);
  /// Returns whether the message was an answer to a pending question.
  bool take(const RankMessage& message);

 private:
  Messenger& messenger_;
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::promise<RankMessage>> asked_;
};

/// Absent if `stopped` returns true before the answer arrives; `stopped` is called at intervals.
[[nodiscard]] std::optional<RankMessage> await_answer(std::future<RankMessage>& answer,
                                                      const std::function<bool()>& stopped);

}  // namespace kiln
