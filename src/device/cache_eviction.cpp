#include "device/cache_eviction.h"

#include <algorithm>

namespace kiln {

void CacheEviction::enqueue(Device& device, Stream& stream) {
  constexpr std::size_t kLeast = std::size_t{64} << 20;
  const std::lock_guard lock(mutex_);
  if (buffer_ == nullptr)
    buffer_ = device.allocate(std::max<std::size_t>(2 * device.info().l2_bytes, kLeast));
  device.fill_bytes(stream, buffer_->data(), ++value_, buffer_->bytes());
}

}  // namespace kiln
