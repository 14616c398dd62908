#pragma once

#include <cstddef>
#include <vector>

#include "device/target.h"
#include "specialize/params_struct.h"
#include "workload/configuration.h"

namespace kiln {

/// Evaluates a kernel's grid, block and dynamic shared memory. Throws bad_input at the expression for a grid
/// of zero, one beyond 2^31 - 1, a fraction.
[[nodiscard]] LaunchShape shape_of(const Configuration& configuration, const KernelSpec& kernel);

/// The bytes of an argument that is not a buffer: the params struct, a parameter, an expression, a null
/// pointer.
[[nodiscard]] std::vector<std::byte> argument_bytes(const Configuration& configuration,
                                                    const ArgumentSpec& argument, const ParamsStruct& params);

}  // namespace kiln
