#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "base/process.h"

namespace kiln {

/// A program's answer.
struct Reply {
  std::string line;   ///< without its newline
  std::string error;  ///< printed to standard error since the question
};

/// A program that stays and answers each line on its standard input with one line on its standard output. One
/// thread at a time. The destructor ends the program with its process group.
class Conversation {
 public:
  virtual ~Conversation() = default;

  /// The answer, or how the program ended, at a limit, at a stop or by itself: then the conversation is over.
  /// `limit` 0: none.
  [[nodiscard]] virtual std::variant<Reply, ProcessResult> ask(std::string_view line,
                                                               std::chrono::milliseconds limit,
                                                               const std::stop_token& stop = {}) = 0;
  /// Ends the program with its process group, without waiting for its end: the conversation is over.
  virtual void kill() {}
  /// The program's process number; 0 if it could not be started.
  [[nodiscard]] virtual std::int64_t process() const { return 0; }
};

/// A conversation with a running program; its output limits hold for each answer, its time limit does not.
[[nodiscard]] std::unique_ptr<Conversation> make_conversation(const std::string& path, const Command& command,
                                                              ProcessGroup group);
/// A conversation with a program that could not be started: `why` is the answer to each question.
[[nodiscard]] std::unique_ptr<Conversation> make_failed_conversation(std::string why);

}  // namespace kiln
