#include "service/compile_slots.h"

#include <algorithm>

namespace kiln {

void CompileSlotTraits::close(Handle slots) noexcept {
  slots->give_back();
}

CompileSlot CompileSlots::take(const std::string& key, Urgency urgency, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const Position self = waiting_.insert(waiting_.end(), Waiter{key, urgency});
  const auto is_ready = [&] { return free_ > 0 && is_next(self); };
  const bool ready = changed_.wait(lock, stop, is_ready) && !stop.stop_requested();
  waiting_.erase(self);
  if (ready) --free_;
  changed_.notify_all();
  return ready ? CompileSlot(this) : CompileSlot();
}

void CompileSlots::raise(const std::string& key) {
  const std::lock_guard lock(mutex_);
  for (Waiter& waiter : waiting_) {
    if (waiter.key == key) waiter.urgency = Urgency::kWanted;
  }
  changed_.notify_all();
}

bool CompileSlots::is_next(Position waiter) {
  const auto first_wanted = std::find_if(waiting_.begin(), waiting_.end(), [](const Waiter& other) {
    return other.urgency == Urgency::kWanted;
  });
  return waiter == (first_wanted == waiting_.end() ? waiting_.begin() : first_wanted);
}

void CompileSlots::give_back() noexcept {
  const std::lock_guard lock(mutex_);
  ++free_;
  changed_.notify_all();
}

}  // namespace kiln
