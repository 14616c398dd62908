#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ranks/transport.h"

namespace kiln::test {

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

inline OpenTransport rank_of(FakeWorld& world, int rank) {
  return [&world, rank] { return std::make_unique<FakeTransport>(world, rank); };
}

}  // namespace kiln::test
