#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ranks/transport.h"

namespace kiln {

/// Kinds of messages between ranks. A message with a ticket is answered by kAnswer with the same ticket.
enum class RankTopic : char {
  kGreet = 'g',    ///< rank 0 asks what a rank would run: trial_question(); answer: the record before the run
  kTrial = 't',    ///< trial_question(); answer: as a process that runs trials answers it
  kPart = 'p',     ///< the number of a part of the job, and the number of parts; answer: the job's text
  kCompile = 'c',  ///< a list of questions whose code is wanted; answer: empty, sent when the code is there
  kCounters = 's',  ///< answer: the counters of the rank's service
  kCode = 'k',      ///< a rank without the shared folder asks for an entry; answer: a bundle, or nothing
  kLog = 'l',       ///< a line for standard error
  kAnswer = 'a',
  kLost = 'L',  ///< an answer after which the rank's device can run nothing more
  kEnd = 'e',   ///< rank 0 has no more work; answer: kBye
  kBye = 'b',
};

struct RankMessage {
  int rank = 0;  ///< the sender of a received message, the receiver of a sent one
  RankTopic topic = RankTopic::kAnswer;
  std::uint64_t ticket = 0;
  std::string text;
};

/// The one thread that calls the transport, for all other threads: MPI_THREAD_FUNNELED is enough. It sleeps
/// between two looks for messages, up to a few milliseconds when no messages come, and uses little processor
/// time. Long messages travel in parts. Thread-safe.
class Messenger {
 public:
  /// Called by the messenger's thread, for one message at a time; must not wait for another message.
  using Handler = std::function<void(RankMessage message)>;

  /// Throws what `make` throws.
  explicit Messenger(OpenTransport make);
  /// If `end` was not called, this ends all ranks.
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  [[nodiscard]] const RankPlace& place() const { return place_; }
  /// Messages that came earlier are kept for the handler.
  void listen(Handler handler);
  void send(RankMessage message);
  /// Returns when all messages have left and all ranks have called it.
  void end();
  /// Ends all ranks.
  [[noreturn]] void abort(int exit_code);

 private:
  void run(const OpenTransport& make, std::promise<RankPlace>& began);
  [[nodiscard]] bool work(RankTransport& transport);
  void take(RankTransport::Message message);
  void deliver();

  RankPlace place_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<RankMessage> outgoing_, incoming_;
  Handler handler_;
  bool ending_ = false;
  std::optional<int> abort_code_;
  std::map<int, std::string> parts_;  // by rank; used by the messenger's thread alone
  std::thread thread_;
};

}  // namespace kiln
