#include <limits>

#include "capi/guard.h"
#include "capi/handles.h"

using kiln::capi::deref;
using kiln::capi::guarded;

namespace {

/// The drivers' interfaces take pointers to non-const; they only read.
void** unchecked_values(void* const* values) {
  return const_cast<void**>(values);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Refuses NULL where the function has arguments.
void** values_of(const kiln_function& function, void* const* values) {
  if (values == nullptr && !function.sizes.empty()) static_cast<void>(deref(values, "values"));
  return unchecked_values(values);
}

/// Throws the reason why the values of a launch are wrong.
[[noreturn]] void refuse_values(const kiln_function& function, size_t count, void* const* values,
                                const size_t* sizes) {
  const std::string kernel = "kernel '" + kiln::detail::info_of(*function.state).name + "'";
  if (count != function.sizes.size())
    throw kiln::bad_input(kernel + " takes " + std::to_string(function.sizes.size()) +
                          " arguments; the launch passes " + std::to_string(count));
  static_cast<void>(deref(values, "values"));
  static_cast<void>(deref(sizes, "sizes"));
  for (size_t i = 0; i < count; ++i) {
    if (sizes[i] != function.sizes[i])
      throw kiln::bad_input(kernel + ": argument " + std::to_string(i) + " (" + function.arguments[i].name +
                            ") has " + std::to_string(function.sizes[i]) + " bytes; the launch passes " +
                            std::to_string(sizes[i]));
    if (values[i] == nullptr)
      throw kiln::bad_input("values[" + std::to_string(i) + "] is NULL; expected the address of the value");
  }
  throw kiln::internal_error(kernel + ": nothing is wrong with these values");
}

bool are_as_declared(const kiln_function& function, size_t count, void* const* values, const size_t* sizes) {
  if (count != function.sizes.size() || (count > 0 && (values == nullptr || sizes == nullptr))) return false;
  bool good = true;
  for (size_t i = 0; i < count; ++i) good = good && sizes[i] == function.sizes[i] && values[i] != nullptr;
  return good;
}

kiln::Geometry geometry_of(const kiln_shape& shape) {
  kiln::Geometry geometry{{shape.grid[0], shape.grid[1], shape.grid[2]}, std::nullopt, std::nullopt};
  if (shape.block[0] != 0 || shape.block[1] != 0 || shape.block[2] != 0)
    geometry.block = kiln::Extent{shape.block[0], shape.block[1], shape.block[2]};
  if (shape.shared_bytes == UINT64_MAX) return geometry;
  if (shape.shared_bytes > std::numeric_limits<std::uint32_t>::max())
    throw kiln::bad_input("shape: shared_bytes of " + std::to_string(shape.shared_bytes) +
                          "; no device has as many");
  geometry.shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes);
  return geometry;
}

}  // namespace

void kiln_function_release(kiln_function* function) {
  delete function;
}

kiln_status kiln_function_get_info(const kiln_function* function, kiln_function_info* info) {
  return guarded([&] {
    const kiln::FunctionInfo& own = kiln::detail::info_of(*deref(function, "function").state);
    kiln::capi::write_struct(
        kiln_function_info{0, own.name.c_str(), own.origin.c_str(), own.key.c_str(), own.compile_seconds,
                           own.registers.value_or(-1), own.static_shared_bytes, own.local_bytes,
                           own.max_threads_per_block,
                           own.resident_blocks ? static_cast<int64_t>(*own.resident_blocks) : -1},
        info, "info");
  });
}

kiln_status kiln_launch(const kiln_function* function, void* stream, void* const* values) {
  return guarded([&] {
    const kiln_function& own = deref(function, "function");
    kiln::detail::enqueue(*own.state, stream, values_of(own, values));
  });
}

kiln_status kiln_launch_checked(const kiln_function* function, void* stream, const kiln_shape* shape,
                                size_t count, void* const* values, const size_t* sizes) {
  return guarded([&] {
    const kiln_function& own = deref(function, "function");
    if (!are_as_declared(own, count, values, sizes)) refuse_values(own, count, values, sizes);
    void** arguments = unchecked_values(values);
    if (shape == nullptr) return kiln::detail::enqueue(*own.state, stream, arguments);
    const kiln_shape defaults{0, {}, {}, UINT64_MAX};
    const kiln::Geometry geometry = geometry_of(kiln::capi::read_struct(shape, "shape", defaults));
    kiln::detail::check_constants(*own.state, arguments);
    kiln::detail::launch_checked(*own.state, stream, geometry, arguments);
  });
}

kiln_status kiln_run(const kiln_function* function, void* const* values) {
  return guarded([&] {
    const kiln_function& own = deref(function, "function");
    kiln::detail::enqueue(*own.state, nullptr, values_of(own, values));
    kiln::detail::synchronize(*own.state);
  });
}

kiln_status kiln_time(const kiln_function* function, int repeats, void* const* values, double* seconds) {
  return guarded([&] {
    const kiln_function& own = deref(function, "function");
    void** arguments = values_of(own, values);
    kiln::detail::check_constants(*own.state, arguments);
    deref(seconds, "seconds") = kiln::detail::time_launches(*own.state, repeats, arguments);
  });
}

void kiln_family_release(kiln_family* family) {
  delete family;
}

kiln_status kiln_family_launch(const kiln_family* family, void* stream, void* const* values) {
  return guarded([&] {
    static_cast<void>(deref(values, "values"));  // a family has at least one argument
    void** arguments = unchecked_values(values);
    kiln::detail::FamilyState& state = *deref(family, "family").state;
    kiln::detail::enqueue(kiln::detail::member_of(state, arguments), stream, arguments);
  });
}
