#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/arguments.h"
#include "kiln/geometry.h"
#include "kiln/kernel.h"
#include "kiln/type_name.h"

// Kernels of a source text as typed functions.
namespace kiln {

/// Properties of a function, and the origin of its code.
struct FunctionInfo {
  std::string name;                   ///< "axpy<double>"
  std::string origin;                 ///< as Kernel::origin
  std::string key;                    ///< the digest that names the code in the cache
  double compile_seconds = 0;         ///< time spent on this request; 0 for a hit
  std::optional<int> registers = {};  ///< registers of a work-item; absent if the back end has no such number
  std::uint64_t static_shared_bytes = 0;    ///< of a block
  std::uint64_t local_bytes = 0;            ///< local memory of a work-item: spills and arrays
  std::uint64_t max_threads_per_block = 0;  ///< largest block with which the code can be launched
  /// Blocks of the request's shape that the whole device holds at a time.
  std::optional<std::uint64_t> resident_blocks = {};
};

namespace detail {

enum class ArgumentKind : std::uint8_t { kPointer, kBool, kSigned, kUnsigned, kFloating, kOther };

/// An argument in the program's types.
struct ArgumentType {
  std::string name;  ///< the type's name in the kernel's text
  std::size_t bytes = 0;
  ArgumentKind kind = ArgumentKind::kOther;
};

template <class T>
[[nodiscard]] ArgumentType argument_type() {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel takes plain values and pointers");
  static_assert(!std::is_reference_v<T>, "a kernel takes values and pointers, no references");
  ArgumentKind kind = ArgumentKind::kOther;
  if constexpr (std::is_pointer_v<T>)
    kind = ArgumentKind::kPointer;
  else if constexpr (std::is_same_v<T, bool>)
    kind = ArgumentKind::kBool;
  else if constexpr (std::is_floating_point_v<T>)
    kind = ArgumentKind::kFloating;
  else if constexpr (std::is_integral_v<T>)
    kind = std::is_signed_v<T> ? ArgumentKind::kSigned : ArgumentKind::kUnsigned;
  return {type_name<T>(), sizeof(T), kind};
}

/// The arguments of void(A...).
template <class Signature>
struct SignatureOf {
  static_assert(sizeof(Signature) == 0, "a function's type is void(arguments...)");
};
template <class... A>
struct SignatureOf<void(A...)> {
  static_assert((sizeof(A) + ... + 0) <= 4096, "a launch takes at most 4096 bytes of arguments");
  [[nodiscard]] static std::vector<ArgumentType> arguments() { return {argument_type<A>()...}; }
};

/// An integer among a launch's arguments.
struct IntegerArgument {
  int index = -1;  ///< below 0: none
  std::uint8_t bytes = 0;
  bool is_signed = false;

  [[nodiscard]] std::int64_t read(void* const* arguments) const {
    const void* value = arguments[index];
    const auto as = [value]<class T>(T number) {
      std::memcpy(&number, value, sizeof number);
      return static_cast<std::int64_t>(number);
    };
    switch (bytes) {
      case 4:
        return is_signed ? as(std::int32_t()) : as(std::uint32_t());
      case 8:
        return as(std::int64_t());
      case 2:
        return is_signed ? as(std::int16_t()) : as(std::uint16_t());
      default:
        return is_signed ? as(std::int8_t()) : as(std::uint8_t());
    }
  }
};

/// An argument whose value is compiled in.
struct ConstantArgument {
  int index = 0;
  std::size_t bytes = 0;
  std::array<std::byte, 8> value{};
};

/// An argument of the kernel that the workload provides and the program does not pass, such as `struct
/// Params`.
struct OwnArgument {
  std::size_t place = 0;  ///< position among all arguments of the kernel; ascending in a list of them
  std::vector<std::byte> bytes = {};
};

/// The data that a launch reads. Immutable; Kiln's own type derives from it.
struct FunctionState {
  DirectLaunch direct;
  void* default_stream = nullptr;  ///< the driver's handle of the null stream
  Extent grid{0, 0, 0};            ///< with 0: `covers`, or given by each launch
  Extent block{0, 0, 0};           ///< with 0: given by each launch
  std::uint32_t shared_bytes = 0;
  bool covers = false;
  std::array<IntegerArgument, 3> cover;  ///< by axis: the argument that the grid covers
  std::vector<ConstantArgument> constants;
  std::vector<OwnArgument> own;  ///< if the kernel is from a workload
};

/// Launches with all checks and with the context that the device needs; its Error names the cause.
void launch_checked(const FunctionState& function, void* stream, const Geometry& geometry, void** arguments);
/// Launches a function that has OwnArguments.
void launch_with_own(const FunctionState& function, void* stream, void** arguments);
[[noreturn]] void refuse_constant(const FunctionState& function, const ConstantArgument& constant,
                                  void* const* arguments);
[[noreturn]] void refuse_cover(const FunctionState& function, int axis, std::int64_t size);
void synchronize(const FunctionState& function);
[[nodiscard]] const FunctionInfo& info_of(const FunctionState& function);
[[nodiscard]] double time_launches(const FunctionState& function, int repeats, void** arguments);

/// False: there is nothing to do, because an argument that the grid covers is 0.
inline bool cover_grid(const FunctionState& function, void* const* arguments, Extent& grid) {
  const std::array<std::uint32_t, 3> block{function.block.x, function.block.y, function.block.z};
  std::array<std::uint32_t, 3> blocks{1, 1, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (function.cover[i].index < 0) continue;
    const std::int64_t size = function.cover[i].read(arguments);
    if (size == 0) return false;
    if (size < 0) refuse_cover(function, axis, size);
    const std::uint64_t count = (static_cast<std::uint64_t>(size) - 1) / block[i] + 1;
    if (count > 0x7fffffff) refuse_cover(function, axis, size);
    blocks[i] = static_cast<std::uint32_t>(count);
  }
  grid = {blocks[0], blocks[1], blocks[2]};
  return true;
}

inline void check_constants(const FunctionState& function, void* const* arguments) {
  for (const ConstantArgument& constant : function.constants) {
    if (std::memcmp(constant.value.data(), arguments[constant.index], constant.bytes) != 0)
      refuse_constant(function, constant, arguments);
  }
}

/// Inline here, because each call level above the driver's costs some 25 ns.
inline void enqueue(const FunctionState& function, void* stream, void** arguments) {
  if (!function.constants.empty()) check_constants(function, arguments);
  if (!function.own.empty()) return launch_with_own(function, stream, arguments);
  Extent grid = function.grid;
  if (function.covers && !cover_grid(function, arguments, grid)) return;
  if (function.direct.call != nullptr &&
      function.direct.call(function.direct.function, grid.x, grid.y, grid.z, function.block.x,
                           function.block.y, function.block.z, function.shared_bytes,
                           stream != nullptr ? stream : function.default_stream, arguments, nullptr) == 0)
    return;
  launch_checked(function, stream, {grid, std::nullopt, std::nullopt}, arguments);
}

}  // namespace detail

/// A kernel that is loaded on a device, as a typed function of the program: `axpy(stream, n, a, x, y)`. The
/// types were compared with the kernel's own when it was compiled; calls with other types do not compile,
/// except for C++ conversions. Cheap to copy, immutable, usable from any thread; it keeps its code loaded.
template <class... A>
class Function<void(A...)> {
 public:
  /// An empty function, which cannot be launched.
  Function() = default;

  /// Enqueues on the caller's stream, as Kernel::launch, with the request's shape. On a GPU it neither
  /// allocates nor takes a lock of Kiln's. If an argument that the grid covers is 0, it launches nothing.
  /// Throws Error: bad input for a constant with another value than was compiled in, and for a negative size;
  /// kUnfit for a shape that does not fit; otherwise the driver's error.
  void operator()(void* stream, std::type_identity_t<A>... arguments) const {
    std::array<void*, sizeof...(A) + 1> values{address_of(arguments)..., nullptr};
    detail::enqueue(*state_, stream, values.data());
  }
  /// operator() with another shape for this launch.
  void launch(void* stream, const Geometry& geometry, std::type_identity_t<A>... arguments) const {
    std::array<void*, sizeof...(A) + 1> values{address_of(arguments)..., nullptr};
    detail::check_constants(*state_, values.data());
    detail::launch_checked(*state_, stream, geometry, values.data());
  }
  /// A launch with a null stream, and the wait for it. Throws Error when the kernel failed.
  void run(std::type_identity_t<A>... arguments) const {
    (*this)(nullptr, arguments...);
    detail::synchronize(*state_);
  }
  /// Median seconds of a launch on the device, by its events: one launch to warm up, then `repeats`, on the
  /// null stream. Waits.
  [[nodiscard]] double time(int repeats, std::type_identity_t<A>... arguments) const {
    std::array<void*, sizeof...(A) + 1> values{address_of(arguments)..., nullptr};
    detail::check_constants(*state_, values.data());
    return detail::time_launches(*state_, repeats, values.data());
  }

  [[nodiscard]] const FunctionInfo& info() const { return detail::info_of(*state_); }
  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }

 private:
  friend class FunctionRequest;
  friend class KernelRequest;
  template <class>
  friend class FunctionFamily;
  explicit Function(std::shared_ptr<const detail::FunctionState> state) : state_(std::move(state)) {}

  /// The drivers' interfaces take pointers to non-const, but only read.
  template <class T>
  [[nodiscard]] static void* address_of(const T& value) {
    return const_cast<void*>(static_cast<const void*>(&value));
  }

  std::shared_ptr<const detail::FunctionState> state_;
};

namespace detail {

/// The functions of a family, by the values of the arguments that are constants in each function.
class FamilyState;
class BackgroundFunctionState;
struct FunctionAccess;  ///< for interfaces above this one, such as C
[[nodiscard]] const FunctionState& member_of(FamilyState& family, void* const* arguments);

}  // namespace detail

/// Functions that differ in the values of some arguments, which are constants in the code of each function. A
/// launch selects the function for its values. The first launch with some values compiles it, each later one
/// is a look-up without lock or allocation. Cheap to copy; all copies share the functions. Thread-safe.
template <class Signature>
class FunctionFamily;
template <class... A>
class FunctionFamily<void(A...)> {
 public:
  FunctionFamily() = default;

  /// Function::operator(); a first launch with some values throws the Errors of FunctionRequest::get.
  void operator()(void* stream, std::type_identity_t<A>... arguments) const {
    std::array<void*, sizeof...(A) + 1> values{const_cast<void*>(static_cast<const void*>(&arguments))...,
                                               nullptr};
    detail::enqueue(detail::member_of(*state_, values.data()), stream, values.data());
  }

 private:
  friend class FunctionRequest;
  explicit FunctionFamily(std::shared_ptr<detail::FamilyState> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::FamilyState> state_;
};

template <class Signature>
class BackgroundFunction;

/// Builds up a request for a kernel of a Program. A value: copies are independent. A repeated call replaces
/// the earlier value.
class FunctionRequest {
 public:
  struct Impl;  ///< Kiln's own

  /// "double", "4": in the order of the kernel's template parameters; type_name<T>() names a type.
  FunctionRequest& template_args(const std::vector<std::string>& arguments);
  FunctionRequest& template_args(std::initializer_list<std::string> arguments) {
    return template_args(std::vector<std::string>(arguments));
  }
  /// A macro of the text.
  FunctionRequest& define(const std::string& name, const std::string& value = "");
  template <class T>
  requires(std::is_integral_v<T>) FunctionRequest& define(const std::string& name, T value) {
    return define(name, std::to_string(value));
  }
  /// Compiles the value of that argument (from 0) in; launches still pass it, and must pass this value. The
  /// kernel has to be defined in the program's text itself.
  template <class T>
  requires(std::is_arithmetic_v<T>) FunctionRequest& constant(int argument, T value) {
    return constant(argument, LaunchScalar("", value).value());
  }
  /// Work-items of a block; compiled in where that helps, so launches cannot change it.
  FunctionRequest& block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);
  /// Blocks of every launch.
  FunctionRequest& grid(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);
  /// The grid of each launch is as many blocks as cover the value of an integer argument (from 0): ceil(value
  /// / block). A negative index: that axis has one block.
  FunctionRequest& cover(int x, int y = -1, int z = -1);
  /// Dynamic shared memory of a block, in bytes.
  FunctionRequest& shared_bytes(std::uint32_t bytes);
  /// __launch_bounds__ of the kernel, whose text must not have them.
  FunctionRequest& launch_bounds(std::uint32_t threads, std::uint32_t blocks = 0);
  /// Options for the compiler of that back end ("cuda", "hip", "cpu"), or with "" for all compilers.
  FunctionRequest& options(const std::string& backend, const std::vector<std::string>& options);
  FunctionRequest& fast_math(bool on = true);
  FunctionRequest& lineinfo(bool on = true);

  /// Finds or compiles the code, compares the kernel's arguments with the signature's, and loads it. Types
  /// agree if they are identical, or integers of the same size and sign; a pointer may gain const. Throws
  /// Error: bad input for an invalid request, kCompile, with the compiler's log, for a text that does not
  /// compile or a kernel that takes other arguments, kUnfit for a shape that does not fit.
  template <class Signature>
  [[nodiscard]] Function<Signature> get() const {
    return Function<Signature>(make(detail::SignatureOf<Signature>::arguments()));
  }
  /// get() on another thread: std::future<Function<Signature>>, which carries the Error. Include
  /// kiln/async.h, which defines it.
  template <class Signature>
  [[nodiscard]] auto get_async() const;
  /// Returns as soon as the code without the request's constants is ready, and compiles the specialised code
  /// meanwhile: include kiln/background.h, which defines these. Throws Error if that first code cannot be had
  /// either.
  template <class Signature>
  [[nodiscard]] BackgroundFunction<Signature> background() const;
  template <class Signature>
  [[nodiscard]] BackgroundFunction<Signature> background(const BackgroundOptions& options) const;
  /// Compiles into the service's cache, for other machines: "sm_80,sm_90", "gfx90a", "native". Loads nothing
  /// and needs no device. Service::add_bundle takes a bundle of that cache (`kiln cache pack`) there. Throws
  /// as get(), and Error (bad input) for names that no compiler knows.
  template <class Signature>
  void compile_for(const std::string& architectures) const {
    make_for(detail::SignatureOf<Signature>::arguments(), architectures);
  }
  /// Functions for all values of these arguments (from 0), which are integers or bool; 1 to 8 of them.
  template <class Signature>
  [[nodiscard]] FunctionFamily<Signature> family(const std::vector<int>& arguments) const {
    return FunctionFamily<Signature>(make_family(detail::SignatureOf<Signature>::arguments(), arguments));
  }

 private:
  friend class Program;
  friend class detail::FamilyState;
  friend class detail::BackgroundFunctionState;
  friend struct detail::FunctionAccess;
  FunctionRequest& constant(int argument, const LaunchScalar::Value& value);
  [[nodiscard]] std::shared_ptr<const detail::FunctionState> make(
      const std::vector<detail::ArgumentType>& arguments) const;
  void make_for(const std::vector<detail::ArgumentType>& arguments, const std::string& architectures) const;
  [[nodiscard]] std::shared_ptr<detail::BackgroundFunctionState> make_background(
      const std::vector<detail::ArgumentType>& arguments, const BackgroundOptions& options) const;
  [[nodiscard]] std::shared_ptr<detail::FamilyState> make_family(
      const std::vector<detail::ArgumentType>& arguments, const std::vector<int>& keyed) const;
  /// Announces one more compile to the compiler, as long as the result lives.
  [[nodiscard]] std::shared_ptr<void> announce() const;

  std::shared_ptr<const Impl> impl_;
};

/// A kernel text in memory: `service.program("cg.cu", text).function("axpy", device)`. Cheap to copy, and a
/// value: changes of a copy do not affect the original.
class Program {
 public:
  struct Impl;  ///< Kiln's own

  /// An `#include` of this name finds this text before any file.
  Program& header(const std::string& name, const std::string& text);
  /// The content of a __constant__ or __device__ variable of the text when a function is got; `bytes` has the
  /// variable's size. Each function has its own variables.
  Program& symbol(const std::string& name, std::span<const std::byte> content);
  /// A kernel, by its name in the text (`ns::axpy`), on a device.
  [[nodiscard]] FunctionRequest function(const std::string& kernel, const DeviceHandle& device) const;
  /// A kernel for a caller with its own stream, see KernelRequest::on.
  [[nodiscard]] FunctionRequest function(const std::string& kernel, const DeviceHandle& device,
                                         void* stream) const;
  /// A kernel for compile_for() alone, which needs no device.
  [[nodiscard]] FunctionRequest function(const std::string& kernel) const;
  /// The __global__ functions that the text itself defines.
  [[nodiscard]] std::vector<std::string> kernels() const;

 private:
  friend class Service;
  std::shared_ptr<const Impl> impl_;
};

template <class Signature>
Function<Signature> KernelRequest::function() const {
  return Function<Signature>(make_function(detail::SignatureOf<Signature>::arguments()));
}

}  // namespace kiln
