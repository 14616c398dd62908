#pragma once

#include <memory>
#include <mutex>

#include "device/device.h"

namespace kiln {

/// Evicts a GPU's last-level cache by writing a buffer of twice its size, which is allocated at the first
/// call. Thread-safe.
class CacheEviction {
 public:
  void enqueue(Device& device, Stream& stream);

 private:
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<DeviceBuffer> buffer_;
  unsigned char value_ = 0;
};

}  // namespace kiln
