#include "kiln/function.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/statistics.h"
#include "base/text.h"
#include "device/fault.h"
#include "embed/made_function.h"
#include "launch/bound_launch.h"
#include "launch/shape_check.h"

namespace kiln::detail {
namespace {

const MadeFunction& made_of(const FunctionState& function) {
  return static_cast<const MadeFunction&>(function);  // NOLINT(*-static-cast-downcast): there are no others
}

Dim3 dim_of(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

std::string place(const FunctionState& function) {
  return "kernel '" + made_of(function).info.name + "'";
}

std::string argument_text(const FunctionState& function, int index) {
  const ArgumentType& type = made_of(function).arguments.at(static_cast<std::size_t>(index));
  return "argument " + std::to_string(index) + " (" + type.name + ")";
}

std::string value_text(const FunctionState& function, int index, const void* value) {
  const ArgumentType& type = made_of(function).arguments.at(static_cast<std::size_t>(index));
  if (type.kind == ArgumentKind::kFloating) {
    float single = 0;
    double number = 0;
    if (type.bytes == sizeof single)
      std::memcpy(&single, value, sizeof single);
    else
      std::memcpy(&number, value, sizeof number);
    return format_number(type.bytes == sizeof single ? static_cast<double>(single) : number);
  }
  const IntegerArgument integer{0, static_cast<std::uint8_t>(type.bytes), type.kind == ArgumentKind::kSigned};
  void* const address = const_cast<void*>(value);  // NOLINT(cppcoreguidelines-pro-type-const-cast): only read
  return std::to_string(integer.read(&address));
}

/// The shape of a launch. Throws bad_input where none says it.
LaunchShape shape_of(const FunctionState& function, const Geometry& geometry) {
  const bool has_block = function.block.x != 0;
  if (geometry.block && has_block && *geometry.block != function.block)
    throw bad_input(place(function) + ": the launch gives blocks of " + to_string(dim_of(*geometry.block)) +
                    "; the request's block() of " + to_string(dim_of(function.block)) + " is compiled in");
  if (!geometry.block && !has_block)
    throw bad_input(place(function) + ": neither the request, by block(), nor the launch says the block");
  if (geometry.grid.x == 0 && geometry.grid == function.grid)
    throw bad_input(place(function) +
                    ": neither the request, by grid() or cover(), nor the launch says the grid");
  return {dim_of(geometry.grid), dim_of(geometry.block.value_or(function.block)),
          geometry.shared_bytes.value_or(function.shared_bytes), made_of(function).cluster,
          made_of(function).cooperative};
}

LaunchShape checked_shape(const FunctionState& function, const Geometry& geometry) {
  const MadeFunction& made = made_of(function);
  const LaunchShape shape = shape_of(function, geometry);
  const DeviceInfo& device = made.device_handle->device->info();
  if (const auto problem = check_shape(shape, device, made.function->attributes(), made.info.name))
    throw unfit_kernel(*problem);
  return shape;
}

/// The kernel's arguments: those that the program passes, and the function's own at their places.
class AllArguments {
 public:
  AllArguments(const FunctionState& function, void** passed) {
    auto own = function.own.begin();
    const std::size_t count = made_of(function).arguments.size() + function.own.size();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_own = own != function.own.end() && own->place == i;
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the drivers only read
      values_.at(i) = is_own ? const_cast<std::byte*>(own->bytes.data()) : *passed++;
      if (is_own) ++own;
    }
  }
  [[nodiscard]] void** data() { return values_.data(); }

 private:
  std::array<void*, BoundLaunch::kMaxArguments> values_;  // NOLINT(*-member-init): what is used is assigned
};

void launch(const MadeFunction& made, void* stream, const LaunchShape& shape, void** passed) {
  std::optional<AllArguments> all;
  void** arguments = made.own.empty() ? passed : all.emplace(made, passed).data();
  if (stream != nullptr)
    made.function->launch_native(stream, shape, arguments);
  else
    made.function->launch(*made.device_handle->stream, shape, arguments);
}

}  // namespace

void launch_checked(const FunctionState& function, void* stream, const Geometry& geometry, void** arguments) {
  launch(made_of(function), stream, checked_shape(function, geometry), arguments);
}

void launch_with_own(const FunctionState& function, void* stream, void** arguments) {
  const MadeFunction& made = made_of(function);
  AllArguments all(function, arguments);
  const DirectLaunch& direct = function.direct;
  if (direct.call != nullptr &&
      direct.call(direct.function, function.grid.x, function.grid.y, function.grid.z, function.block.x,
                  function.block.y, function.block.z, function.shared_bytes,
                  stream != nullptr ? stream : function.default_stream, all.data(), nullptr) == 0)
    return;
  launch(made, stream, checked_shape(function, {function.grid, std::nullopt, std::nullopt}), arguments);
}

void refuse_constant(const FunctionState& function, const ConstantArgument& constant,
                     void* const* arguments) {
  throw bad_input(place(function) + ": " + argument_text(function, constant.index) + " is " +
                  value_text(function, constant.index, constant.value.data()) +
                  " in this function; the launch passes " +
                  value_text(function, constant.index, arguments[constant.index]));
}

void refuse_cover(const FunctionState& function, int axis, std::int64_t size) {
  const int index = function.cover.at(static_cast<std::size_t>(axis)).index;
  throw bad_input(place(function) + ": the grid cannot cover " + argument_text(function, index) + " of " +
                  std::to_string(size));
}

void synchronize(const FunctionState& function) {
  made_of(function).device_handle->stream->synchronize();
}

const FunctionInfo& info_of(const FunctionState& function) {
  return made_of(function).info;
}

double time_launches(const FunctionState& function, int repeats, void** arguments) {
  if (repeats < 1) throw bad_input(place(function) + ": time() of " + std::to_string(repeats) + " launches");
  Extent grid = function.grid;
  if (function.covers && !cover_grid(function, arguments, grid)) return 0;
  const MadeFunction& made = made_of(function);
  const LaunchShape shape = checked_shape(function, {grid, std::nullopt, std::nullopt});
  Stream& stream = *made.device_handle->stream;
  const std::unique_ptr<Event> begin = made.device_handle->device->create_event();
  const std::unique_ptr<Event> end = made.device_handle->device->create_event();
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    begin->record(stream);
    launch(made, nullptr, shape, arguments);
    end->record(stream);
    stream.synchronize();
    if (i > 0) seconds.push_back(end->seconds_since(*begin));
  }
  return summarize(seconds).median;
}

}  // namespace kiln::detail
