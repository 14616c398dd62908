#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "kiln/stream.h"

// Arrays that host and device share. A program that allocates its own device memory needs none of this.
namespace kiln {

namespace detail {

enum class Access { kRead, kWrite, kUpdate };

/// The bytes of a Buffer, on both sides.
class SharedMemory {
 public:
  SharedMemory(const DeviceHandle& device, std::size_t count, std::size_t element_bytes);
  SharedMemory(SharedMemory&&) noexcept;
  SharedMemory& operator=(SharedMemory&&) noexcept;
  ~SharedMemory();

  [[nodiscard]] void* on_device(const StreamHandle& stream, Access access);
  [[nodiscard]] void* on_host(Access access);
  [[nodiscard]] const DeviceHandle& device() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace detail

/// An array of plain values on a device, and its copy on the host. Each access states its purpose; only an
/// access copies, and only what the other side has changed. On a device that works on the host's memory
/// nothing is ever copied. Accesses on different streams wait for each other. Movable; not for several
/// threads at once.
///
///   kiln::Buffer<double> x(device, n), y(device, n);
///   std::fill(x.host_write().begin(), x.host_write().end(), 1.0);
///   axpy(stream.native(), n, 0.5, x.read(stream), y.write(stream));
///   double first = y.host_read()[0];
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "a buffer holds plain values");

 public:
  /// `size` elements, at least one. Throws Error (bad input) when the device has no room.
  Buffer(const DeviceHandle& device, std::size_t size) : memory_(device, size, sizeof(T)), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const DeviceHandle& device() const { return memory_.device(); }

  /// A pointer on the device for work on that stream: to read all, to write all of it (nothing is copied), or
  /// to update a part. Throws Error (bad input) for a read or an update of a buffer that was never written.
  [[nodiscard]] const T* read(const StreamHandle& stream) { return on_device(stream, detail::Access::kRead); }
  [[nodiscard]] T* write(const StreamHandle& stream) { return on_device(stream, detail::Access::kWrite); }
  [[nodiscard]] T* update(const StreamHandle& stream) { return on_device(stream, detail::Access::kUpdate); }

  /// The elements on the host, after the work on the stream of the last access; read, write or update as
  /// above.
  [[nodiscard]] std::span<const T> host_read() { return on_host(detail::Access::kRead); }
  [[nodiscard]] std::span<T> host_write() { return on_host(detail::Access::kWrite); }
  [[nodiscard]] std::span<T> host_update() { return on_host(detail::Access::kUpdate); }

 private:
  [[nodiscard]] T* on_device(const StreamHandle& stream, detail::Access access) {
    return static_cast<T*>(memory_.on_device(stream, access));
  }
  [[nodiscard]] std::span<T> on_host(detail::Access access) {
    return {static_cast<T*>(memory_.on_host(access)), size_};
  }

  detail::SharedMemory memory_;
  std::size_t size_;
};

}  // namespace kiln
