#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.h"

namespace kiln {

/// Why `kernel` cannot be launched in this shape, in one sentence that names the values and the limit: a grid
/// or block extent of zero or over the device's, too many work-items for the device or for the compiled
/// function, too much static + dynamic shared memory. `nullopt`, without an allocation, when it fits.
[[nodiscard]] std::optional<std::string> check_shape(const LaunchShape& shape, const DeviceInfo& device,
                                                     const FunctionAttributes& function,
                                                     const std::string& kernel);

/// Why blocks of this shape cannot be resident: registers or shared memory that no compute unit has
/// (`resident_blocks` is 0, of DeviceFunction::resident_blocks), a cooperative grid of more blocks than the
/// device holds. `nullopt` when they fit or the back end does not report it.
[[nodiscard]] std::optional<std::string> check_residency(const LaunchShape& shape, const DeviceInfo& device,
                                                         std::optional<std::uint64_t> resident_blocks,
                                                         const std::string& kernel);

/// "kernel 'axpy' takes 4 arguments, 3 are given"; "argument 2 of kernel 'axpy' is 4 bytes, the kernel takes
/// 8". `nullopt` when they fit or the back end cannot tell.
[[nodiscard]] std::optional<std::string> check_arguments(const std::vector<std::size_t>& sizes,
                                                         const FunctionAttributes& function,
                                                         const std::string& kernel);

}  // namespace kiln
