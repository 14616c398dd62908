#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace kiln::test {

/// A server on 127.0.0.1 that does to each connection what a test says, in a thread of its own. Its end shuts
/// all connections and waits for their threads.
class LoopbackServer {
 public:
  using Serve = std::function<void(int socket)>;
  explicit LoopbackServer(Serve serve);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  [[nodiscard]] int port() const { return port_; }
  /// So far.
  [[nodiscard]] int connections() const;

 private:
  void accept_all();

  Serve serve_;
  UniqueFd listening_;
  int port_ = 0;
  mutable std::mutex mutex_;  // protects the next two members
  std::vector<UniqueFd> sockets_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

/// Reads until the text holds `end` or the other side closes.
std::string read_until(int socket, std::string_view end);
void write_all(int socket, std::string_view bytes);
/// Until the other side closes.
void wait_for_end(int socket);
/// A port of 127.0.0.1 without a listener.
int free_port();
/// Whether the port has a listener.
bool can_connect(int port);

}  // namespace kiln::test
