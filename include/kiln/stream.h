#pragma once

#include <functional>
#include <memory>

#include "kiln/kernel.h"

// Order of work on a device, for programs that run on every back end. A program with its own streams needs
// none of this.
namespace kiln {

class EventHandle;
class GraphHandle;

/// An ordered queue of work on a device. Cheap to copy; all copies mean the same stream.
class StreamHandle {
 public:
  struct Impl;  ///< Kiln's own

  /// The stream for launches: a CUstream or hipStream_t; on the cpu a handle that only Kiln takes.
  [[nodiscard]] void* native() const;
  [[nodiscard]] const DeviceHandle& device() const;
  /// Waits for the stream's work. Throws Error when a kernel failed.
  void synchronize() const;
  /// An event after all work that was enqueued until now.
  [[nodiscard]] EventHandle record() const;
  /// Later work on this stream begins after the event.
  void wait(const EventHandle& event) const;
  /// Records the work that `enqueue` puts on this stream, and on streams that wait for it, as a graph; none
  /// of it runs meanwhile. Launches keep the values of their arguments. Throws exceptions of `enqueue`, and
  /// Error (bad input) for calls that wait for the device.
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

/// Captured work, to be enqueued as one. Cheap to copy; it keeps Kiln's objects for it alive, but not the
/// program's memory or functions.
class GraphHandle {
 public:
  struct Impl;  ///< Kiln's own

  /// Enqueues all of it, on any stream of its device.
  void launch(const StreamHandle& stream) const;
  /// Captures again what later launches do, also for copies of this handle: kernels with other values of
  /// their arguments (a time step's dt, a size, a pointer), or other work. Works as StreamHandle::capture; if
  /// that throws, the graph stays unchanged. Earlier launches keep their values. Must not run while another
  /// thread launches the graph.
  void update(const StreamHandle& stream, const std::function<void()>& enqueue) const;

 private:
  friend class StreamHandle;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kiln
