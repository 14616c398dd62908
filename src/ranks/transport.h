#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kiln {

/// The place of a process among the processes that a launcher of MPI programs has started.
struct RankPlace {
  int rank = 0, ranks = 1;
  int node_rank = 0, node_ranks = 1;  ///< among the ranks of the same node
  std::string host;
  std::string library;  ///< the library that carries the messages: "Open MPI v4.1.4"
};

/// Messages of bytes between the ranks of a job. Messages of one sender arrive in the order in which they
/// were sent. All calls, the first and the last included, come from one thread.
class RankTransport {
 public:
  struct Message {
    int from = 0;
    std::string bytes;
  };

  virtual ~RankTransport() = default;
  [[nodiscard]] virtual const RankPlace& place() const = 0;
  /// Starts to send and does not wait.
  virtual void send(int to, std::string bytes) = 0;
  /// A message that has arrived; does not wait for one.
  [[nodiscard]] virtual std::optional<Message> receive() = 0;
  /// Whether all messages have left.
  [[nodiscard]] virtual bool all_sent() = 0;
  /// The last call: returns when all ranks have called it.
  virtual void end() = 0;
  /// Ends the processes of all ranks.
  virtual void abort(int exit_code) = 0;
};

using OpenTransport = std::function<std::unique_ptr<RankTransport>()>;

}  // namespace kiln
