#include "embed/background_swap.h"

#include <chrono>
#include <utility>

#include "device/stream_capture.h"

namespace kiln {

BackgroundSwap::BackgroundSwap(Task task) : task_(std::move(task)), begin_ns_(task_.clock->steady_ns()) {
  if (!task_.find_mismatch) {
    if (auto found = find(task_.specialised)) {
      use_specialised(*std::move(found));
      return;
    }
  }
  if (!get_generic()) {
    auto result = task_.service->get(task_.specialised.specialization, *task_.compiler, task_.device,
                                     task_.caller_stream);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) throw task_.error_of(*diagnostic);
    use_specialised(std::get<ServiceResult>(std::move(result)));
    return;
  }
  current_.store(generic_.get(), std::memory_order_release);
  ready_seconds_ = seconds();
  worker_ = std::jthread([this](const std::stop_token& stop) { specialise(stop); });
}

std::optional<ServiceResult> BackgroundSwap::find(const Candidate& wanted) {
  return task_.service->find(wanted.specialization, *task_.compiler, task_.device, task_.caller_stream);
}

bool BackgroundSwap::get_generic() {
  const std::vector<Candidate> candidates = task_.generic();
  for (const Candidate& candidate : candidates) {
    if (auto found = find(candidate)) {
      use_generic(candidate, *std::move(found));
      return true;
    }
  }
  for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
    auto result =
        task_.service->get(candidate->specialization, *task_.compiler, task_.device, task_.caller_stream);
    if (auto* made = std::get_if<ServiceResult>(&result)) {
      use_generic(*candidate, std::move(*made));
      return true;
    }
    if (std::get<Diagnostic>(result).environment) throw task_.error_of(std::get<Diagnostic>(result));
  }
  return false;
}

void BackgroundSwap::use_generic(const Candidate& candidate, ServiceResult found) {
  generic_key_ = found.key.digest;
  generic_ = candidate.make(std::move(found));
}

void BackgroundSwap::specialise(const std::stop_token& stop) noexcept {
  try {
    if (!wait_for_capture(stop)) return;
    auto result = task_.service->get_in_background(task_.specialised.specialization, *task_.compiler,
                                                   task_.device, stop);
    if (!result) return;
    if (const auto* diagnostic = std::get_if<Diagnostic>(&*result)) {
      keep_generic(task_.error_of(*diagnostic).what());
      return;
    }
    auto& found = std::get<ServiceResult>(*result);
    const std::string key = found.key.digest;
    Made made = task_.specialised.make(std::move(found));
    if (task_.find_mismatch) {
      if (const auto mismatch = task_.find_mismatch(generic_, made)) {
        keep_generic(*mismatch);
        return;
      }
    }
    use_specialised(std::move(made), key);
  } catch (const std::exception& error) {
    keep_generic(error.what());
  }
}

bool BackgroundSwap::wait_for_capture(const std::stop_token& stop) const {
  constexpr std::chrono::milliseconds kAskAgain{5};
  while (!stop.stop_requested()) {
    if (!is_captured(*task_.device, task_.caller_stream)) return true;
    std::this_thread::sleep_for(kAskAgain);
  }
  return false;
}

void BackgroundSwap::use_specialised(ServiceResult found) {
  const std::string key = found.key.digest;
  use_specialised(task_.specialised.make(std::move(found)), key);
}

/// The swap: one store. A launch that loaded the pointer before finishes with the code that it found.
void BackgroundSwap::use_specialised(Made made, const std::string& key) {
  const std::lock_guard lock(mutex_);
  specialised_ = std::move(made);
  specialised_key_ = key;
  current_.store(specialised_.get(), std::memory_order_release);
  swap_seconds_ = seconds();
  if (!generic_) ready_seconds_ = swap_seconds_;
  state_ = BackgroundState::kSpecialised;
  decided_.notify_all();
}

void BackgroundSwap::keep_generic(const std::string& why) noexcept {
  {
    const std::lock_guard lock(mutex_);
    reason_ = why;
    state_ = BackgroundState::kKeptGeneric;
    decided_.notify_all();
  }
  task_.log->warn(task_.name + " stays generic: " + why);
}

BackgroundStatus BackgroundSwap::status() const {
  BackgroundStatus status;
  const std::lock_guard lock(mutex_);
  status.state = state_;
  status.reason = reason_;
  status.generic_launches = launches_[0].count.load(std::memory_order_relaxed);
  status.specialised_launches = launches_[1].count.load(std::memory_order_relaxed);
  status.ready_seconds = ready_seconds_;
  status.swap_seconds = swap_seconds_;
  status.generic_key = generic_key_;
  status.specialised_key = specialised_key_;
  return status;
}

void BackgroundSwap::wait() const {
  std::unique_lock lock(mutex_);
  decided_.wait(lock, [&] { return state_ != BackgroundState::kGeneric; });
}

}  // namespace kiln
