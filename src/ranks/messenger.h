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

/// What ranks tell each other. Those with a ticket are answered by kAnswer with the same ticket.
enum class RankTopic : char {
  kGreet = 'g',     ///< rank 0 asks what a rank would run: trial_question(); answer: the record so far
  kTrial = 't',     ///< trial_question(); answer: that of a process that runs trials
  kPart = 'p',      ///< the number of a part of the job, and how many there are; answer: what the job says
  kCompile = 'c',   ///< a list of questions whose code is wanted; answer: nothing, when it is there
  kCounters = 's',  ///< answer: what the rank's service has counted
  kCode = 'k',      ///< a rank without the shared folder asks for an entry; answer: a bundle, or nothing
  kLog = 'l',       ///< a line for standard error
  kAnswer = 'a',
  kLost = 'L',  ///< an answer after which nothing more runs on the rank's device
  kEnd = 'e',   ///< rank 0 wants nothing more; answer: kBye
  kBye = 'b',
};

struct RankMessage {
  int rank = 0;  ///< that it came from, or goes to
  RankTopic topic = RankTopic::kAnswer;
  std::uint64_t ticket = 0;
  std::string text;
};

/// A thread that alone talks to the transport, for all others: MPI_THREAD_FUNNELED is enough. It sleeps
/// between its looks for messages, up to a few milliseconds where nothing happens, and burns no core. Long
/// messages travel in parts. Thread-safe.
class Messenger {
 public:
  /// Called by the messenger's thread, for one message at a time; must not wait for another message.
  using Handler = std::function<void(RankMessage message)>;

  /// Throws what `make` throws.
  explicit Messenger(OpenTransport make);
  /// Ends without the other ranks if `end` was not called: that ends all of them.
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  [[nodiscard]] const RankPlace& place() const { return place_; }
  /// Messages that have come before are kept for the handler.
  void listen(Handler handler);
  void send(RankMessage message);
  /// When everything has left and all ranks are here.
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
  std::map<int, std::string> parts_;  // by rank; the messenger's thread alone
  std::thread thread_;
};

}  // namespace kiln
