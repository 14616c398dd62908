#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "kiln/arguments.h"
#include "kiln/error.h"

namespace kiln {

class BackgroundKernel;
struct BackgroundOptions;
class Service;
class Step;
struct StepOptions;
class StreamHandle;
template <class Signature>
class Function;
namespace detail {
class SharedMemory;
struct ArgumentType;
struct FunctionState;
}  // namespace detail

/// A device of this machine. Cheap to copy; all copies mean the same device.
class DeviceHandle {
 public:
  struct Impl;  ///< Kiln's own

  [[nodiscard]] const std::string& id() const;    ///< "cpu", "cuda:0"
  [[nodiscard]] const std::string& name() const;  ///< the product's name
  [[nodiscard]] const std::string& arch() const;  ///< the architecture for which code is generated
  /// Bytes that can be allocated now.
  [[nodiscard]] std::uint64_t free_memory_bytes() const;
  /// Waits for all work that was launched with a null stream. On a GPU this waits for the legacy default
  /// stream and for all work that is ordered with it. Throws Error when a kernel failed.
  void synchronize() const;
  /// A new stream, which on a GPU is not ordered with the legacy default stream (kiln/stream.h).
  [[nodiscard]] StreamHandle create_stream() const;
  /// The program's own stream, which has to live as long as the handle; null: the null stream of launches.
  [[nodiscard]] StreamHandle stream(void* native = nullptr) const;

 private:
  friend class Service;
  friend class detail::SharedMemory;
  friend class KernelRequest;
  friend class Kernel;
  friend Step make_step(const Service& service, const DeviceHandle& device, const std::string& job,
                        const StepOptions& options);
  friend class BackgroundKernel;
  friend class Program;
  std::shared_ptr<Impl> impl_;
};

/// A specialised kernel, loaded on a device. Cheap to copy, immutable, usable from any thread; it keeps its
/// code loaded for as long as it lives.
class Kernel {
 public:
  struct Impl;  ///< Kiln's own

  /// Enqueues on the caller's stream (a CUstream or hipStream_t). Null on a GPU is the legacy default stream:
  /// the kernel runs after the work that was enqueued there before (cuMemsetD8, cuMemcpyHtoD, kernels of the
  /// run time's stream 0) and in every blocking stream, including per-thread default streams. Null on the cpu
  /// is a queue of the device handle. On a GPU it neither allocates nor takes a lock of Kiln's.
  ///
  /// `scalars` are values of run-time parameters for this launch alone: `launch(stream, args(f, u), {{"dt",
  /// dt}})`; threads may launch one kernel with different values. A launch can set parameters that are bound
  /// at run time (`bind: run` in the workload, `set("bind.dt", "run")`), unless the grid, another parameter's
  /// default or a constraint depends on them.
  ///
  /// Throws Error: bad input for a wrong number of pointers and, with their name, for scalars that are
  /// unknown, cannot be set, are of another type or not allowed; otherwise the driver's error.
  void launch(void* stream, LaunchArguments arguments, LaunchScalars scalars = {}) const;
  void launch(void* stream, LaunchArguments arguments, std::initializer_list<LaunchScalar> scalars) const {
    launch(stream, arguments, LaunchScalars(scalars.begin(), scalars.size()));
  }
  /// launch() with a null stream, and DeviceHandle::synchronize(). Throws Error when the kernel failed.
  void run(LaunchArguments arguments, LaunchScalars scalars = {}) const;
  void run(LaunchArguments arguments, std::initializer_list<LaunchScalar> scalars) const {
    run(arguments, LaunchScalars(scalars.begin(), scalars.size()));
  }

  [[nodiscard]] const std::string& name() const;
  /// "memory", "disk", "compiled" or "waited" (for another thread that compiled it).
  [[nodiscard]] const std::string& origin() const;
  /// Seconds spent compiling for this request; 0 for a hit.
  [[nodiscard]] double compile_seconds() const;
  /// The digest that names the code in the cache.
  [[nodiscard]] const std::string& key() const;
  /// "wisdom: NVIDIA H200, nx 512 -> 640 (d 0.22), measured 12 days ago, driver differs": the point that gave
  /// the kernel its values; empty if there was none.
  [[nodiscard]] const std::string& wisdom() const;

 private:
  friend class KernelRequest;
  friend class KernelFamily;
  std::shared_ptr<const Impl> impl_;
};

/// Kernels of one request that differ in the values of some parameters: a table from values to kernels for
/// hot paths with new values at each launch. Cheap to copy; all copies share the kernels. Thread-safe.
class KernelFamily {
 public:
  struct Impl;  ///< Kiln's own

  /// The kernel for these values, in the order of the family's names. The first call for some values is
  /// KernelRequest::get with all its Errors; every later one is a look-up without allocation or lock. The
  /// reference is valid as long as the family.
  [[nodiscard]] const Kernel& at(std::span<const std::int64_t> values) const;
  [[nodiscard]] const Kernel& at(std::initializer_list<std::int64_t> values) const {
    return at(std::span(values.begin(), values.size()));
  }

 private:
  friend class KernelRequest;
  std::shared_ptr<Impl> impl_;
};

/// Builds up a request for a specialised kernel: `workload.kernel("laplacian").on(device).set("nx",
/// nx).get()`.
class KernelRequest {
 public:
  struct Impl;  ///< Kiln's own

  using Value = std::variant<bool, std::int64_t, double, std::string>;

  KernelRequest& on(const DeviceHandle& device);
  /// on() for a caller with its own stream: while that is captured into a graph, get() neither compiles nor
  /// loads, but throws Error. (Without it, only captures on streams that wait for the legacy default stream
  /// are detected.)
  KernelRequest& on(const DeviceHandle& device, void* stream);
  /// A parameter's value, "bind.nx" ("compile", "run"), "fast_math", "launch_bounds" or "lineinfo".
  /// Replaces what was set before.
  KernelRequest& set(const std::string& parameter, const Value& value);
  template <class Integer>
  requires(std::is_integral_v<Integer> &&
           !std::is_same_v<Integer, bool>) KernelRequest& set(const std::string& parameter, Integer value) {
    return set(parameter, Value(static_cast<std::int64_t>(value)));
  }
  KernelRequest& set(const std::string& parameter, const char* value) {
    return set(parameter, Value(std::string(value)));
  }

  /// Parameters that are not set take the values of the nearest point that was found to be fast, by device,
  /// sizes and types (docs/wisdom.md): from the settings' folders and beside the workload, or from a file or
  /// folder. If its code does not compile or fit, the defaults are taken. Kernel::wisdom() returns the point.
  KernelRequest& wisdom(const std::string& file_or_folder = "");

  /// A header in memory: an `#include` of this name finds it before any file. Its content is part of the key.
  KernelRequest& header(const std::string& name, const std::string& text);

  /// Finds or compiles the code and loads it; for values that this workload handle has had before, a look-up
  /// without files. The cache's entry is written after it returns. Throws Error: bad input for unknown
  /// parameters and values that are not allowed; ErrorKind::kUnfit for a shape that does not fit;
  /// ErrorKind::kCompile, with the compiler's log, for a kernel that does not compile.
  [[nodiscard]] Kernel get() const;
  /// get() on another thread: std::future<Kernel>, which carries the Error. Include kiln/async.h, which
  /// defines it.
  [[nodiscard]] auto get_async() const;
  /// The kernel as a typed function: `request.function<void(double*, const double*)>()`; include
  /// kiln/function.h, which defines it. A launch passes a pointer for each buffer and a number for each
  /// parameter that the kernel's `args:` name, in that order; `params`, expressions and null pointers come
  /// from the request. Types are compared with the kernel's as in FunctionRequest::get. The shape is the
  /// workload's for the request's values; a number from which the shape, another parameter or the code was
  /// made must equal the request's. Throws Error as get(), and bad input for another number of arguments and
  /// for kernels that take tensor maps.
  template <class Signature>
  [[nodiscard]] Function<Signature> function() const;
  /// Returns as soon as generic code is ready, and compiles the specialised kernel meanwhile
  /// (kiln/background.h). Throws the Errors of get(), except for a specialised kernel that does not compile,
  /// if generic code cannot be had either.
  [[nodiscard]] BackgroundKernel background() const;
  [[nodiscard]] BackgroundKernel background(const BackgroundOptions& options) const;
  /// Kernels that differ in `parameters`: names of integer or bool parameters (a bool's values are 0 and 1),
  /// at most 8. Throws Error for other names.
  [[nodiscard]] KernelFamily family(const std::vector<std::string>& parameters) const;

 private:
  friend class WorkloadHandle;
  /// The kernel that an earlier get() returned for equal values; an empty one if there was none.
  [[nodiscard]] Kernel find() const;
  /// Announces one more compile to the compiler, as long as the result lives.
  [[nodiscard]] std::shared_ptr<void> announce() const;
  [[nodiscard]] std::shared_ptr<const detail::FunctionState> make_function(
      const std::vector<detail::ArgumentType>& arguments) const;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kiln
