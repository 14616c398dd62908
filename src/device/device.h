#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "device/pointer_table.h"
#include "device/target.h"
#include "device/tensor_map.h"
#include "device/texture.h"
#include "kiln/geometry.h"

namespace kiln {

/// Device memory, freed with the object. Movable only.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  /// The pointer that a kernel takes.
  [[nodiscard]] virtual void* data() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Address of the same memory on the host; null if the device has its own memory.
  [[nodiscard]] virtual void* host_view() const = 0;
};

class Event;

/// An ordered queue of work. `native` is the vendor's handle (a CUstream), on the cpu a handle of Kiln's.
/// Thread-safe: operations that several threads enqueue are in the order of their calls.
class Stream {
 public:
  virtual ~Stream() = default;
  [[nodiscard]] virtual void* native() const = 0;
  /// Waits; throws kDeviceFault or kDeviceLost (device/fault.h) if a kernel failed since the last call.
  virtual void synchronize() = 0;
  /// Operations that are enqueued from now on begin after `event`, which was recorded on a stream of the same
  /// device.
  virtual void wait(const Event& event) = 0;
};

/// A point in a stream's order, for timing and for other streams to wait for.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  /// Seconds from `earlier` to this one; both must have completed (synchronize first).
  [[nodiscard]] virtual double seconds_since(const Event& earlier) const = 0;
};

/// Captured work of a stream, ready to be enqueued again as one operation. The code and buffers that it uses
/// outlive it.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Enqueues all of the work, on any stream of the device. A fault of a kernel surfaces at synchronize.
  virtual void launch(Stream& stream) = 0;
};

/// One kernel inside a loaded module. Lives as long as the module.
class DeviceFunction {
 public:
  virtual ~DeviceFunction() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const FunctionAttributes& attributes() const = 0;
  /// Enqueues a launch. `arguments[i]` points at the i-th argument's value; the values are copied before the
  /// call returns. The caller has checked the shape. Throws Error if the driver refuses; a fault of the
  /// kernel surfaces at synchronize.
  virtual void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) = 0;
  /// Launches on the caller's own stream: `native` is the vendor's handle. Neither allocates nor locks. On
  /// the cpu `native` belongs to a stream of a cpu device; any other value is refused with bad_input.
  virtual void launch_native(void* native, const LaunchShape& shape, void* const* arguments) = 0;
  /// The driver's own launch call, for launches that have no cluster and are not cooperative, while the
  /// device's context is current. Empty if a launch needs more than that call.
  [[nodiscard]] virtual DirectLaunch direct() const { return {}; }
  /// Number of blocks of this shape that the whole device runs at a time; `nullopt` if the back end does not
  /// know.
  [[nodiscard]] virtual std::optional<std::uint64_t> resident_blocks(const LaunchShape& /*shape*/) const {
    return std::nullopt;
  }
};

/// Machine code loaded on a device. Thread-safe.
class Module {
 public:
  virtual ~Module() = default;
  /// The function with this lowered (mangled) name; null if the module has no such function.
  [[nodiscard]] virtual DeviceFunction* function(const std::string& lowered_name) = 0;
  /// Stores the lowered name of each name expression of the source. For messages and traces only.
  virtual void note_names(const std::map<std::string, std::string>& /*lowered_names*/) {}
  /// Address and size of a `__constant__` or `__device__` variable; absent if there is no such variable.
  [[nodiscard]] virtual std::optional<std::pair<void*, std::size_t>> symbol(const std::string& name) = 0;
};

/// One device. Thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual std::uint64_t free_memory_bytes() = 0;
  /// Throws bad_input with both sizes if `bytes` cannot be allocated.
  [[nodiscard]] virtual std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) = 0;
  /// Runs after all earlier work on `stream`; complete on return.
  virtual void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) = 0;
  /// Copies between two places on this device that do not overlap; enqueued.
  virtual void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) = 0;
  /// Sets every byte; enqueued.
  virtual void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) = 0;
  /// Host memory that the asynchronous copies use directly; its `data` is its `host_view`.
  [[nodiscard]] virtual std::unique_ptr<DeviceBuffer> allocate_host(std::size_t bytes) = 0;
  /// Enqueued: `host` must not change until the stream has been synchronised. Only with memory of
  /// `allocate_host` does the call return before the copy is done.
  virtual void enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) = 0;
  virtual void enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) = 0;
  /// Copies from `peer`, whose work on `from` is complete, to this device. Between devices of one vendor the
  /// copy is enqueued, and direct if they reach each other. Between other devices it goes through the host
  /// and is complete on return.
  virtual void copy_from_peer(Stream& stream, void* to, Device& peer, const void* from, std::size_t bytes);
  /// A graph of the operations that `enqueue` puts on `stream` and on streams that it makes wait for
  /// `stream`; none of them runs meanwhile. Throws what `enqueue` throws. Throws bad_input, with the
  /// operation's name, for an operation that waits for the device: a copy from or to the host that is
  /// complete on return, or synchronize.
  [[nodiscard]] virtual std::unique_ptr<Graph> capture(Stream& stream,
                                                       const std::function<void()>& enqueue) = 0;
  /// A stream that is not ordered with the default stream, or with any other.
  [[nodiscard]] virtual std::unique_ptr<Stream> create_stream() = 0;
  /// The stream that a program means by a null stream. On a GPU it is the vendor's legacy default stream,
  /// which waits for the work of every stream that was not made as non-blocking, and those streams wait for
  /// it. A back end without a default stream returns a new stream.
  [[nodiscard]] virtual std::unique_ptr<Stream> default_stream() { return create_stream(); }
  /// The caller's own stream, which stays the caller's; `native` is not null. Throws bad_input for a value
  /// that is not a stream, if the back end can detect it.
  [[nodiscard]] virtual std::unique_ptr<Stream> borrow_stream(void* native);
  /// Whether the caller's own stream is being captured into a graph. `native` is as in launch_native; null
  /// means any stream that the back end knows. Throws bad_input for a value that is not a stream, if the back
  /// end can detect it.
  [[nodiscard]] virtual bool is_capturing(void* native);
  [[nodiscard]] virtual std::unique_ptr<Event> create_event() = 0;
  /// An event that streams wait for, and that measures no time.
  [[nodiscard]] virtual std::unique_ptr<Event> create_ordering_event() { return create_event(); }
  /// A descriptor of the tensor at the device address `data`. Throws bad_input for a layout that the hardware
  /// does not support, and on a device without tensor maps.
  [[nodiscard]] virtual TensorMap encode_tensor_map(const TensorMapLayout& layout, const void* data);
  /// The cudaTextureObject_t that a kernel takes for the buffer at the device address `data`. The device
  /// keeps it, and returns the same object for the same layout and address. Throws bad_input for a layout
  /// that the hardware does not support, and on a device without textures. Thread-safe.
  [[nodiscard]] virtual std::uint64_t texture(const TextureLayout& layout, const void* data);
  /// The device address of an array of the addresses of the rows of the buffer at `data`, which a kernel
  /// takes for a parameter such as `float**`. The device keeps it, and returns the same array for the same
  /// layout and address; kernels do not write to it. Throws bad_input if it cannot be allocated. Thread-safe.
  [[nodiscard]] std::uint64_t pointer_table(const PointerTable& layout, const void* data);
  /// `nullopt` if unknown.
  [[nodiscard]] virtual std::optional<DeviceClocks> clocks() { return std::nullopt; }
  /// Energy drawn since some moment in the past; the value changes every 100 ms or so. `nullopt` if unknown.
  [[nodiscard]] virtual std::optional<double> energy_joules() { return std::nullopt; }
  /// Loads `binary` (a shared object, a cubin, a code object). Throws Error if it cannot be loaded on this
  /// device.
  [[nodiscard]] virtual std::unique_ptr<Module> load(const std::string& binary) = 0;
  /// Evicts data of earlier launches from the last-level cache; enqueued.
  virtual void flush_cache(Stream& stream) = 0;

 private:
  std::mutex tables_mutex_;  // guards the next member
  std::map<std::pair<PointerTable, const void*>, std::unique_ptr<DeviceBuffer>> pointer_tables_;
};

/// The devices of one vendor's run time. `problem()` is empty if it works; otherwise it is one sentence with
/// the library that was looked for, the places, and the package to install.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::string problem() const = 0;
  [[nodiscard]] virtual std::vector<DeviceInfo> devices() const = 0;
  [[nodiscard]] virtual std::shared_ptr<Device> open(int ordinal) = 0;
};

}  // namespace kiln
