#pragma once

#include <functional>
#include <memory>

#include "kiln/kernel.h"

// Order of work on a device, for programs that run on every back end. A program that has streams of its own
// needs none of this.
namespace kiln {

class EventHandle;
class GraphHandle;

/// An ordered queue of work on a device. Cheap to copy; all copies mean the same stream.
class StreamHandle {
 public:
  struct Impl;  ///< Kiln's own

  /// What launches take: a CUstream or hipStream_t; on the cpu a handle that only Kiln takes.
  [[nodiscard]] void* native() const;
  [[nodiscard]] const DeviceHandle& device() const;
  /// Waits. Throws Error when a kernel failed.
  void synchronize() const;
  /// A point behind all that was enqueued until now.
  [[nodiscard]] EventHandle record() const;
  /// What is enqueued from now on begins after the event.
  void wait(const EventHandle& event) const;
  /// What `enqueue` puts on this stream, and on streams that it makes wait for it, as a graph; nothing of it
  /// runs meanwhile. Launches keep the values of their arguments. Throws what `enqueue` throws, and Error
  /// (bad input) for what waits for the device.
  [[nodiscard]] GraphHandle capture(const std::function<void()>& enqueue) const;

 private:
  friend class DeviceHandle;
  friend class GraphHandle;
  friend class detail::SharedMemory;
  std::shared_ptr<Impl> impl_;
};

/// A point in a stream's order. Cheap to copy.
class EventHandle {
 public:
  struct Impl;  ///< Kiln's own

  /// Seconds on the device between two events that have completed; synchronize the stream first.
  [[nodiscard]] double seconds_since(const EventHandle& earlier) const;

 private:
  friend class StreamHandle;
  std::shared_ptr<Impl> impl_;
};

/// Captured work, to be enqueued as one. Cheap to copy; it keeps what Kiln has made for it alive, not the
/// program's memory or functions.
class GraphHandle {
 public:
  struct Impl;  ///< Kiln's own

  /// Enqueues all of it, on any stream of its device.
  void launch(const StreamHandle& stream) const;
  /// Captures anew what later launches do, of copies of this handle, too: kernels with other values of their
  /// arguments (a time step's dt, a size, a pointer), or anything else. As StreamHandle::capture; where that
  /// throws, the graph stays as it was. What was launched before keeps its values. Not while another thread
  /// launches it.
  void update(const StreamHandle& stream, const std::function<void()>& enqueue) const;

 private:
  friend class StreamHandle;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kiln
