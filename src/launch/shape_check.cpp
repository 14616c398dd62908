#include "launch/shape_check.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace kiln {
namespace {

struct Axis {
  const char* name;
  std::uint64_t Dim3::*extent;
};

constexpr std::array<Axis, 3> kAxes = {{{"x", &Dim3::x}, {"y", &Dim3::y}, {"z", &Dim3::z}}};

std::string digits(std::uint64_t number) {
  return std::to_string(number);
}

/// `what` is "grid" or "block", `unit` what its extents count.
std::optional<std::string> check_extents(const Dim3& size, const Dim3& limit, const char* what,
                                         const char* unit, const std::string& device) {
  for (const Axis& axis : kAxes) {
    const std::uint64_t extent = size.*axis.extent;
    const std::uint64_t most = limit.*axis.extent;
    if (extent != 0 && extent <= most) continue;
    std::string problem = std::string("its ") + what;
    if (extent == 0) {
      problem.append(" is ").append(to_string(size)).append("; every extent must be at least 1");
      return problem;
    }
    problem.append(" has ").append(digits(extent)).append(" ").append(unit).append(" along ");
    problem.append(axis.name).append(", ").append(device).append(" takes at most ").append(digits(most));
    return problem;
  }
  return std::nullopt;
}

std::optional<std::string> check_block_volume(const Dim3& block, const DeviceInfo& device,
                                              const FunctionAttributes& function) {
  const std::uint64_t most = device.limits.max_threads_per_block;
  if (block.volume() <= std::min(most, function.max_threads_per_block.value_or(most))) return std::nullopt;
  const std::string size =
      "its block of " + to_string(block) + " has " + digits(block.volume()) + " work-items, ";
  if (block.volume() > most) return size + device.id + " takes at most " + digits(most);
  return size + "the kernel as compiled takes at most " + digits(*function.max_threads_per_block) +
         " (launch bounds or registers)";
}

std::optional<std::string> check_shared_memory(const LaunchShape& shape, const DeviceInfo& device,
                                               const FunctionAttributes& function) {
  const std::uint64_t fixed = function.static_shared_bytes.value_or(0);
  const std::uint64_t limit = device.limits.max_shared_bytes_per_block;
  if (fixed <= limit && shape.dynamic_shared_bytes <= limit - fixed) return std::nullopt;
  return "it needs " + digits(fixed) + " bytes of static and " + digits(shape.dynamic_shared_bytes) +
         " bytes of dynamic shared memory, a block on " + device.id + " has " + digits(limit);
}

std::optional<std::string> check_cluster(const LaunchShape& shape, const DeviceInfo& device) {
  if (shape.cooperative && !device.limits.cooperative)
    return "it is cooperative, " + device.id + " has no cooperative launches";
  if (!shape.clustered()) return std::nullopt;
  if (!device.limits.clusters)
    return "it is launched in clusters of " + to_string(shape.cluster) + " blocks, " + device.id + " (" +
           device.target.arch + ") has no clusters";
  for (const Axis& axis : kAxes) {
    const std::uint64_t extent = shape.grid.*axis.extent;
    const std::uint64_t part = shape.cluster.*axis.extent;
    if (extent % part == 0) continue;
    return "its grid has " + digits(extent) + " blocks along " + axis.name +
           ", no multiple of its cluster's " + digits(part);
  }
  return std::nullopt;
}

std::optional<std::string> find_problem(const LaunchShape& shape, const DeviceInfo& device,
                                        const FunctionAttributes& function) {
  if (auto problem = check_extents(shape.grid, device.limits.max_grid, "grid", "blocks", device.id))
    return problem;
  if (auto problem = check_extents(shape.block, device.limits.max_block, "block", "work-items", device.id)) {
    return problem;
  }
  if (auto problem = check_block_volume(shape.block, device, function)) return problem;
  if (auto problem = check_cluster(shape, device)) return problem;
  return check_shared_memory(shape, device, function);
}

}  // namespace

std::optional<std::string> check_shape(const LaunchShape& shape, const DeviceInfo& device,
                                       const FunctionAttributes& function, const std::string& kernel) {
  const auto problem = find_problem(shape, device, function);
  if (!problem) return std::nullopt;
  return "kernel '" + kernel + "' cannot be launched: " + *problem;
}

std::optional<std::string> check_residency(const LaunchShape& shape, const DeviceInfo& device,
                                           std::optional<std::uint64_t> resident_blocks,
                                           const std::string& kernel) {
  const bool fits = !resident_blocks ||
                    (*resident_blocks > 0 && (!shape.cooperative || shape.grid.volume() <= *resident_blocks));
  if (fits) return std::nullopt;
  const std::string start = "kernel '" + kernel + "' cannot be launched: ";
  if (*resident_blocks == 0) {
    const std::string what = shape.clustered()
                                 ? "no cluster of " + to_string(shape.cluster) + " such blocks fits"
                                 : "no such block fits";
    return start + what + " on " + device.id + ": too many registers or too much shared memory";
  }
  return start + "it is cooperative and its grid has " + digits(shape.grid.volume()) + " blocks, " +
         device.id + " holds " + digits(*resident_blocks) + " of them at a time";
}

std::optional<std::string> check_arguments(const std::vector<std::size_t>& sizes,
                                           const FunctionAttributes& function, const std::string& kernel) {
  if (!function.parameter_bytes) return std::nullopt;
  const std::vector<std::size_t>& expected = *function.parameter_bytes;
  if (sizes.size() != expected.size()) {
    return "kernel '" + kernel + "' takes " + digits(expected.size()) +
           (expected.size() == 1 ? " argument, " : " arguments, ") + digits(sizes.size()) +
           (sizes.size() == 1 ? " is given" : " are given");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == expected[i]) continue;
    return "argument " + digits(i + 1) + " of kernel '" + kernel + "' is " + digits(sizes[i]) +
           " bytes, the kernel takes " + digits(expected[i]);
  }
  return std::nullopt;
}

}  // namespace kiln
