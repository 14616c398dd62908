#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace kiln {

/// Idle connections. Each is used by one thread at a time; a connection that failed is not returned.
/// Thread-safe.
template <class Connection>
class IdlePool {
 public:
  [[nodiscard]] std::optional<Connection> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::nullopt;
    std::optional<Connection> taken(std::move(idle_.back()));
    idle_.pop_back();
    return taken;
  }
  void give(Connection connection) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }

 private:
  std::mutex mutex_;
  std::vector<Connection> idle_;
};

}  // namespace kiln
