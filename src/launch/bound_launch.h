#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "device/device.h"
#include "device/fault.h"
#include "launch/run_time_scalar.h"

namespace kiln {

/// A kernel's function with its launch shape and its arguments, checked when they are bound, so that an
/// enqueue only passes them on.
///
/// An argument is a slot: bytes; a pointer, which is a place in a table of addresses that each enqueue is
/// given (who swaps two entries of the table swaps the buffers); a tensor map or a texture of such a pointer,
/// or an array of pointers to the rows behind it, which are all called maps here;
/// or a run-time parameter, alone or as a field of `struct Params`, whose value an enqueue may replace.
/// The members of a struct that is passed by value are arguments of their own; an enqueue puts them together.
///
/// A value type that holds no pointer into itself. An enqueue allocates nothing and changes nothing: threads
/// may share a BoundLaunch that none of them changes. Device and function outlive it.
class BoundLaunch {
 public:
  static constexpr std::size_t kMaxArguments = 8448;  ///< members of structs are arguments
  static constexpr std::size_t kMaxTensorMaps = 64;   ///< textures and arrays of pointers included
  /// Of a launch, all structs together: as much as CUDA 12.1 passes from sm_70 on. Earlier ones pass 4096.
  static constexpr std::size_t kMaxStructBytes = 32764;
  /// Limit for arguments with run-time parameters if an enqueue sets values.
  static constexpr std::size_t kMaxRunTimeBytes = 4096;

  /// The place in the table of an argument that names a buffer.
  using PlaceOf = std::function<std::size_t(const ArgumentSpec&)>;

  /// Arguments and shapes that depend on program variables stay open: `set_shape` and `set_bytes` must be
  /// called before a launch. Without `place_of` the table has one entry for each argument that names a
  /// buffer, in their order. Throws bad_input for arguments that the function does not take, and kUnfit, with
  /// the values that the shape depends on, for a shape that does not fit the device or the function.
  BoundLaunch(Device& device, DeviceFunction& function, const Configuration& configuration,
              const KernelSpec& kernel, const ParamsStruct& params, const PlaceOf& place_of = {});

  /// Throws kUnfit where the driver does not take the launch, and bad_input for scalars that are
  /// unknown, of another type or not allowed. `addresses` has at least table_size() entries.
  void enqueue(Stream& stream, LaunchArguments addresses, LaunchScalars scalars = {}) const;
  /// On the caller's own stream: `native` is the vendor's handle.
  void enqueue_native(void* native, LaunchArguments addresses, LaunchScalars scalars = {}) const;

  /// For later launches: another grid, block, cluster or dynamic shared memory. Throws kUnfit, and keeps
  /// the old shape, if this one does not fit. Allocates nothing where only the grid differs and fits.
  void set_shape(const LaunchShape& shape);
  /// For later launches: the value of an argument that names no buffer. It has as many bytes as before.
  void set_bytes(std::size_t argument, std::span<const std::byte> bytes);
  /// For later launches that do not give the scalar. Throws as enqueue does.
  void set(const LaunchScalar& scalar);
  /// Makes the maps for these addresses now and keeps them beside those from earlier
  /// calls; launches with other addresses make their own. Throws kUnfit for one that the device does not
  /// take.
  void keep_maps(LaunchArguments addresses);
  /// Launches may give only those scalars that may be given to the other, too.
  void restrict_scalars(const std::vector<RunTimeScalar>& other);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const LaunchShape& shape() const { return shape_; }
  [[nodiscard]] const FunctionAttributes& attributes() const { return function_->attributes(); }
  /// DeviceFunction::resident_blocks for this shape.
  [[nodiscard]] std::optional<std::uint64_t> resident_blocks() const { return resident_blocks_; }
  /// Entries that the table of addresses has at least.
  [[nodiscard]] std::size_t table_size() const { return table_size_; }
  /// The bytes of an argument; a scalar's have the value that was bound or set. Empty: it names a buffer.
  [[nodiscard]] std::span<const std::byte> bytes_of(std::size_t argument) const;

 private:
  struct Slot {
    enum class Kind : std::uint8_t { kBytes, kPointer, kMap };
    Kind kind = Kind::kBytes;
    std::size_t index = 0;  ///< for kBytes: offset; for kPointer: place in the table; for kMap: in maps_
    std::size_t size = 0;
    std::size_t offset = 0;  ///< of a member in its struct
  };
  /// What the function takes: an argument, or a struct of several.
  struct Parameter {
    std::size_t first = 0, members = 0;  ///< slots; without members it is one argument
    std::size_t size = 0;
  };
  struct MapSlot {
    std::variant<TensorMapLayout, TextureLayout, PointerTable> layout;
    std::size_t place = 0;
    std::string buffer;
    SourceLocation where;
    std::vector<std::pair<const void*, TensorMap>> kept = {};  ///< what is no tensor map: in the first bytes
  };

  void bind(const Configuration& configuration, const KernelSpec& kernel, const ParamsStruct& params,
            const PlaceOf& place_of);
  void add_bytes(std::span<const std::byte> bytes, Slot& slot);
  void add_offsets(const ArgumentSpec& argument, const ParamsStruct& params, std::size_t offset);
  /// `explanation`: what the shape was made of.
  void fit(const LaunchShape& shape, const std::string& explanation);
  /// Lays the members of structs out as C++ does.
  void lay_out(const KernelSpec& kernel);
  /// Inlined: a driver's calls go so deep that a processor has forgotten where to return to before it comes
  /// back here, so that each call level costs 25 ns (measured on Xeons of H200 machines).
  template <class Enqueue>
  [[gnu::always_inline]] void enqueue_with(LaunchArguments addresses, LaunchScalars scalars,
                                           const Enqueue& enqueue) const;
  /// Not inlined: the maps take 8 KiB of stack.
  template <class Enqueue>
  [[gnu::noinline]] void enqueue_with_maps(void** values, LaunchArguments addresses,
                                           const Enqueue& enqueue) const;
  /// Not inlined: the structs take 32 KiB of stack.
  template <class Enqueue>
  [[gnu::noinline]] void enqueue_with_structs(void** values, const Enqueue& enqueue) const;
  [[nodiscard]] const RunTimeScalar& scalar_of(const LaunchScalar& scalar) const;
  [[nodiscard]] TensorMap encode(const MapSlot& map, const void* address) const;
  [[nodiscard]] Error unfit(const std::string& problem, const std::string& explanation) const;
  template <class Call>
  auto ask_driver(const std::string& explanation, const Call& call) const;
  [[noreturn, gnu::noinline]] void refuse(const Error& error, const std::string& explanation) const;

  Device* device_;
  DeviceFunction* function_;
  std::string name_;
  std::string explanation_;  // what the shape was made of, for messages; empty once it was set
  SourceLocation where_;
  LaunchShape shape_;
  std::optional<std::uint64_t> resident_blocks_;
  std::vector<Slot> slots_;
  std::vector<Parameter> parameters_;  // empty: each slot is one
  std::size_t struct_bytes_ = 0;       // of all structs, each at a multiple of 16
  std::vector<std::byte> bytes_;       // run-time parameters first; each value at a multiple of 16
  std::size_t run_time_bytes_ = 0;
  std::vector<MapSlot> maps_;
  std::size_t table_size_ = 0;
  std::vector<RunTimeScalar> scalars_;
};

}  // namespace kiln
