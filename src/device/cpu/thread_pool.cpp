#include "device/cpu/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/alternate_stack.h"
#include "device/cpu/await_change.h"

namespace kiln {
namespace {

constexpr std::chrono::microseconds kWatch{30};
/// Number of pieces of each thread's part: few enough to cost little, many enough to balance the load.
constexpr std::uint64_t kPieces = 16;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace

void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  const auto deadline = std::chrono::steady_clock::now() + kWatch;
  do {
    for (int i = 0; i < 64; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      relax();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  value.wait(old, std::memory_order_acquire);
}

ThreadPool::ThreadPool(int threads) : shared_(std::make_unique<Shared>(std::max(threads, 1))) {
  stopper_.reset(shared_.get());
  try {
    for (int thread = 1; thread < threads; ++thread) {
      workers_.emplace_back([shared = shared_.get(), thread] {
        const AlternateStack stack;
        shared->serve(thread);
      });
    }
  } catch (const std::system_error&) {
    return;  // the system refuses more threads: the existing threads do all of the work
  }
}

void ThreadPool::run(std::uint64_t total, bool alone, const Body& body) {
  const std::lock_guard lock(mutex_);
  if (alone || workers_.empty() || total < 2) {
    if (total > 0) body(0, 0, total);
    return;
  }
  Shared& shared = *shared_;
  const std::uint64_t count = shared.parts.size();
  for (std::uint64_t t = 0; t < count; ++t) {
    Part& part = shared.parts[t];
    const std::uint64_t first = total / count * t + std::min(t, total % count);
    part.last = first + total / count + (t < total % count ? 1 : 0);
    part.piece = std::max<std::uint64_t>((part.last - first) / kPieces, 1);
    part.next.store(first, std::memory_order_relaxed);
  }
  start(body, false);
}

void ThreadPool::run_on_each(int threads, const Body& body) {
  const std::lock_guard lock(mutex_);
  if (threads <= 1 || workers_.empty()) {
    body(0, 0, 1);
    return;
  }
  Shared& shared = *shared_;
  for (std::size_t t = 0; t < shared.parts.size(); ++t) {
    Part& part = shared.parts[t];
    part.next.store(t, std::memory_order_relaxed);
    part.last = t < static_cast<std::size_t>(threads) ? t + 1 : t;
    part.piece = 1;
  }
  start(body, true);
}

/// Runs the parts, in which the caller takes part.
void ThreadPool::start(const Body& body, bool own_parts_only) {
  Shared& shared = *shared_;
  shared.body = &body;
  shared.own_parts_only = own_parts_only;
  shared.at_work.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  shared.loop.fetch_add(1, std::memory_order_release);
  shared.loop.notify_all();
  shared.work(0);
  for (std::uint32_t left = shared.at_work.load(std::memory_order_acquire); left != 0;
       left = shared.at_work.load(std::memory_order_acquire)) {
    await_change(shared.at_work, left);
  }
}

void ThreadPool::Shared::work(int thread) {
  const std::size_t count = parts.size();
  for (std::size_t i = 0; i < (own_parts_only ? 1 : count); ++i) {
    Part& part = parts[(static_cast<std::size_t>(thread) + i) % count];
    while (part.next.load(std::memory_order_relaxed) < part.last) {
      const std::uint64_t first = part.next.fetch_add(part.piece, std::memory_order_relaxed);
      if (first >= part.last) break;
      (*body)(thread, first, std::min(first + part.piece, part.last));
    }
  }
}

void ThreadPool::Shared::serve(int thread) {
  for (std::uint32_t seen = 0;;) {
    await_change(loop, seen);
    if (stop.load(std::memory_order_acquire)) return;
    ++seen;  // a loop cannot begin before every thread has finished the previous one
    work(thread);
    if (at_work.fetch_sub(1, std::memory_order_acq_rel) == 1) at_work.notify_one();
  }
}

void ThreadPool::StopTraits::close(Handle shared) noexcept {
  shared->stop.store(true, std::memory_order_release);
  shared->loop.fetch_add(1, std::memory_order_release);
  shared->loop.notify_all();
}

}  // namespace kiln
