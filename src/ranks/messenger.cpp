#include "ranks/messenger.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace kiln {
namespace {

using std::chrono::microseconds;

constexpr microseconds kShortestPause{50};
constexpr microseconds kLongestPause{4000};  // hidden by the variant that each rank has queued
constexpr std::size_t kPart = std::size_t{1} << 20;
constexpr char kMore = '+';
constexpr char kLast = '.';
constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);

std::string encode(const RankMessage& message) {
  std::string bytes(kHead, static_cast<char>(message.topic));
  std::memcpy(&bytes[1], &message.ticket, sizeof message.ticket);
  return bytes + message.text;
}

RankMessage decode(int rank, const std::string& bytes) {
  RankMessage message{rank, static_cast<RankTopic>(bytes.front()), 0, bytes.substr(kHead)};
  std::memcpy(&message.ticket, &bytes[1], sizeof message.ticket);
  return message;
}

}  // namespace

Messenger::Messenger(OpenTransport make) {
  std::promise<RankPlace> began;
  auto place = began.get_future();
  thread_ = std::thread([this, &make, &began] { run(make, began); });
  try {
    place_ = place.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

Messenger::~Messenger() {
  if (thread_.joinable()) abort(EXIT_FAILURE);
}

void Messenger::listen(Handler handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
  wake_.notify_one();
}

void Messenger::send(RankMessage message) {
  const std::lock_guard lock(mutex_);
  outgoing_.push_back(std::move(message));
  wake_.notify_one();
}

void Messenger::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void Messenger::abort(int exit_code) {
  {
    const std::lock_guard lock(mutex_);
    abort_code_ = exit_code;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  std::_Exit(exit_code);
}

void Messenger::run(const OpenTransport& make, std::promise<RankPlace>& began) {
  std::unique_ptr<RankTransport> transport;
  try {
    transport = make();
    began.set_value(transport->place());
  } catch (...) {
    began.set_exception(std::current_exception());
    return;
  }
  microseconds pause = kShortestPause;
  for (;;) {
    pause = work(*transport) ? kShortestPause : std::min(2 * pause, kLongestPause);
    const bool sent = transport->all_sent();
    std::unique_lock lock(mutex_);
    if (abort_code_) return transport->abort(*abort_code_);
    if (ending_ && outgoing_.empty() && sent) break;
    wake_.wait_for(lock, pause, [&] {
      return !outgoing_.empty() || abort_code_ || (ending_ && sent) || (handler_ && !incoming_.empty());
    });
  }
  transport->end();
}

/// Returns whether there was something to do.
bool Messenger::work(RankTransport& transport) {
  std::deque<RankMessage> outgoing;
  {
    const std::lock_guard lock(mutex_);
    outgoing.swap(outgoing_);
  }
  bool busy = !outgoing.empty();
  for (const RankMessage& message : outgoing) {
    const std::string bytes = encode(message);
    for (std::size_t at = 0; at < bytes.size(); at += kPart) {
      const bool last = at + kPart >= bytes.size();
      transport.send(message.rank, (last ? kLast : kMore) + bytes.substr(at, kPart));
    }
  }
  while (auto message = transport.receive()) {
    busy = true;
    take(*std::move(message));
  }
  deliver();
  return busy;
}

void Messenger::take(RankTransport::Message message) {
  std::string& bytes = parts_[message.from];
  bytes.append(message.bytes, 1);
  if (message.bytes.front() == kMore) return;
  const std::lock_guard lock(mutex_);
  incoming_.push_back(decode(message.from, bytes));
  bytes.clear();
}

void Messenger::deliver() {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!handler_ || incoming_.empty()) return;
    RankMessage message = std::move(incoming_.front());
    incoming_.pop_front();
    lock.unlock();  // the handler may send
    handler_(std::move(message));
  }
}

}  // namespace kiln
