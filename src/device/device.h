#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device_info.h"
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
  /// Host-visible view of the same memory; null where the device has memory of its own.
  [[nodiscard]] virtual void* host_view() const = 0;
};

class Event;

/// An ordered queue of work. `native` is the vendor's handle (a CUstream), on the cpu Kiln's own.
/// Thread-safe: what several threads enqueue is in the order of their calls.
class Stream {
 public:
  virtual ~Stream() = default;
  [[nodiscard]] virtual void* native() const = 0;
  /// Waits; throws kDeviceFault or kDeviceLost (device/fault.h) if a kernel failed since the last call.
  virtual void synchronize() = 0;
  /// What is enqueued from now on begins after `event`, which was recorded on a stream of the same device.
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

/// Work that was captured from a stream, ready to be enqueued again as one. What it was captured from (code,
/// buffers) outlives it.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Enqueues all of it, on any stream of the device. A fault of a kernel surfaces at synchronize.
  virtual void launch(Stream& stream) = 0;
};

/// One kernel inside a loaded module. Lives as long as the module.
class DeviceFunction {
 public:
  virtual ~DeviceFunction() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const FunctionAttributes& attributes() const = 0;
  /// Enqueues. `arguments[i]` points at the i-th argument's value; the values are copied before the call
  /// returns. The shape has been checked. Throws Error when the driver refuses; a fault of the kernel
  /// surfaces at synchronize.
  virtual void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) = 0;
  /// The same on the caller's own stream: `native` is the vendor's handle. Neither allocates nor locks. On
  /// the cpu `native` is of a stream of a cpu device, and anything else is refused with bad_input.
  virtual void launch_native(void* native, const LaunchShape& shape, void* const* arguments) = 0;
  /// The driver's own call, for launches without a cluster that are not cooperative, while the device's
  /// context is current. Empty where a launch is more than that call.
  [[nodiscard]] virtual DirectLaunch direct() const { return {}; }
  /// Blocks of this shape that the whole device holds at a time; `nullopt` where the back end cannot tell.
  [[nodiscard]] virtual std::optional<std::uint64_t> resident_blocks(const LaunchShape& /*shape*/) const {
    return std::nullopt;
  }
};

/// Machine code loaded on a device. Thread-safe.
class Module {
 public:
  virtual ~Module() = default;
  /// By lowered (mangled) name; null if the module has none of that name.
  [[nodiscard]] virtual DeviceFunction* function(const std::string& lowered_name) = 0;
  /// How the source calls kernels: by name expression, the lowered name. For messages and traces only.
  virtual void note_names(const std::map<std::string, std::string>& /*lowered_names*/) {}
  /// Address and size of a `__constant__` or `__device__` variable; null if there is none of that name.
  [[nodiscard]] virtual std::optional<std::pair<void*, std::size_t>> symbol(const std::string& name) = 0;
};

/// One device. Thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual std::uint64_t free_memory_bytes() = 0;
  /// Throws bad_input naming both sizes when `bytes` cannot be had.
  [[nodiscard]] virtual std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) = 0;
  /// Ordered after all earlier work on `stream`, complete on return.
  virtual void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) = 0;
  /// Between two places on this device that do not overlap; enqueued.
  virtual void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) = 0;
  /// Sets every byte; enqueued.
  virtual void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) = 0;
  /// Host memory that the asynchronous copies read and write directly; its `data` is its `host_view`.
  [[nodiscard]] virtual std::unique_ptr<DeviceBuffer> allocate_host(std::size_t bytes) = 0;
  /// Enqueued: `host` has to stay as it is until the stream was waited for. Only with memory of
  /// `allocate_host` does the host go on meanwhile.
  virtual void enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) = 0;
  virtual void enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) = 0;
  /// From `peer`, whose work on `from` is complete, to this device. Enqueued between devices of one vendor,
  /// directly where they reach each other; complete on return, through the host, between others.
  virtual void copy_from_peer(Stream& stream, void* to, Device& peer, const void* from, std::size_t bytes);
  /// A graph of what `enqueue` puts on `stream` and on streams that it makes wait for that one; nothing of it
  /// runs meanwhile. Throws what `enqueue` throws, and bad_input, naming the operation, for what waits for
  /// the device: a copy from or to the host that is complete on return, a synchronize.
  [[nodiscard]] virtual std::unique_ptr<Graph> capture(Stream& stream,
                                                       const std::function<void()>& enqueue) = 0;
  /// Of its own: not ordered with the default stream, or with any other.
  [[nodiscard]] virtual std::unique_ptr<Stream> create_stream() = 0;
  /// What a program means by a null stream: on a GPU the vendor's legacy default stream, which waits for the
  /// work of every stream that was not made as non-blocking, and which they wait for. A back end without one
  /// gives a stream of its own.
  [[nodiscard]] virtual std::unique_ptr<Stream> default_stream() { return create_stream(); }
  /// The caller's own stream, which is not given back; `native` is not null. Throws bad_input for what is no
  /// stream, where the back end can tell.
  [[nodiscard]] virtual std::unique_ptr<Stream> borrow_stream(void* native);
  /// Whether the caller's own stream is being captured into a graph; `native` as in launch_native, null: any
  /// stream that can be told of. Throws bad_input for what is no stream, where the back end can tell.
  [[nodiscard]] virtual bool is_capturing(void* native);
  [[nodiscard]] virtual std::unique_ptr<Event> create_event() = 0;
  /// One that streams wait for, and that tells no time.
  [[nodiscard]] virtual std::unique_ptr<Event> create_ordering_event() { return create_event(); }
  /// A descriptor of the tensor at the device address `data`. Throws bad_input for a layout that the hardware
  /// does not take, and on a device without tensor maps.
  [[nodiscard]] virtual TensorMap encode_tensor_map(const TensorMapLayout& layout, const void* data);
  /// What a kernel takes as cudaTextureObject_t for the buffer at the device address `data`. The device keeps
  /// it, and gives the same for the same layout and address. Throws bad_input for a layout that the hardware
  /// does not take, and on a device without textures. Thread-safe.
  [[nodiscard]] virtual std::uint64_t texture(const TextureLayout& layout, const void* data);
  /// `nullopt` where nothing tells.
  [[nodiscard]] virtual std::optional<DeviceClocks> clocks() { return std::nullopt; }
  /// Drawn since some moment of the past; it grows by steps, some 100 ms apart. `nullopt` where nothing
  /// tells.
  [[nodiscard]] virtual std::optional<double> energy_joules() { return std::nullopt; }
  /// Loads `binary` (a shared object, a cubin, a code object). Throws Error if it is not loadable here.
  [[nodiscard]] virtual std::unique_ptr<Module> load(const std::string& binary) = 0;
  /// Evicts cached data of earlier launches from the last-level cache; enqueued.
  virtual void flush_cache(Stream& stream) = 0;
};

/// The devices of one vendor's run time. `problem()` is empty when it works, and otherwise one sentence: what
/// was looked for, where, and what to install.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::string problem() const = 0;
  [[nodiscard]] virtual std::vector<DeviceInfo> devices() const = 0;
  [[nodiscard]] virtual std::shared_ptr<Device> open(int ordinal) = 0;
};

}  // namespace kiln
