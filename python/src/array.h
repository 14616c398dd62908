#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "array_view.h"
#include "handles.h"

namespace kiln::python {

/// kiln.Array's base: memory that host and device share, copied when the other side has changed it. Python
/// threads may use one array at once; Kiln's buffer is for one thread at a time, hence the lock. Nothing
/// under the lock needs the GIL.
class Array {
 public:
  Array(Device device, std::vector<std::int64_t> shape, std::uint8_t code, std::uint8_t bits);
  /// For work on this stream. Not KILN_OK: Kiln's last error says why.
  [[nodiscard]] kiln_status on_device(const kiln_stream* stream, kiln_access access, void** address) {
    const std::lock_guard lock(mutex_);
    return kiln_buffer_on_device(buffer_.get(), stream, effective(access), address);
  }
  [[nodiscard]] std::uintptr_t on_host(int access);
  [[nodiscard]] std::uintptr_t address(const Stream* stream, int access);
  /// For another package, which may write the memory at any time from now on: the host's side is copied anew
  /// each time.
  [[nodiscard]] std::uintptr_t shared_address(const Stream* stream);

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] dl::Device place() const { return place_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] dl::DataType dtype() const { return dtype_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * dtype_.bits / 8; }

 private:
  /// An array that was never written has no content to keep: the first update is a write.
  [[nodiscard]] kiln_access effective(kiln_access access) {
    if (access == KILN_READ) return access;
    const bool is_first = !std::exchange(is_written_, true);
    return is_first ? KILN_WRITE : access;
  }

  Device device_;
  dl::Device place_;
  std::vector<std::int64_t> shape_;
  dl::DataType dtype_;
  std::size_t count_;
  std::mutex mutex_;
  bool is_written_ = false;
  bool is_shared_ = false;
  Handle<kiln_buffer, kiln_buffer_release> buffer_;
};

/// kiln.Array, or a class that was derived from it.
[[nodiscard]] bool is_own_array(PyTypeObject* type);

}  // namespace kiln::python
