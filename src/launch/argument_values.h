#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "device/pointer_table.h"
#include "device/target.h"
#include "device/tensor_map.h"
#include "device/texture.h"
#include "specialize/params_struct.h"
#include "workload/configuration.h"

namespace kiln {

/// Evaluates a kernel's grid, block, cluster and dynamic shared memory. Throws bad_input at the expression
/// for a grid of zero, one beyond 2^31 - 1, a fraction. Here and below `variables` are a program's variables,
/// which override the configuration's values.
[[nodiscard]] LaunchShape shape_of(const Configuration& configuration, const KernelSpec& kernel,
                                   const Variables& variables = {});

/// Whether program variables are in the shape, so that it is known only while the program runs.
[[nodiscard]] bool shape_changes(const Workload& workload, const KernelSpec& kernel);

/// The launch's expressions with the values that they depend on, for a message: "block: [bx, by], bx = 64, by
/// = 32".
[[nodiscard]] std::string explain_shape(const Configuration& configuration, const KernelSpec& kernel,
                                        const Variables& variables = {});

/// How a tensor map or a texture sees its buffer. A launch's own values (`with`) do not change the buffer's
/// shape. Throws bad_input at the argument for what cannot be meant.
[[nodiscard]] TensorMapLayout tensor_map_layout(const Configuration& configuration,
                                                const ArgumentSpec& argument);
[[nodiscard]] TextureLayout texture_layout(const Configuration& configuration, const ArgumentSpec& argument);
/// The rows of a buffer: its parts along the first extent.
[[nodiscard]] PointerTable pointer_table(const Configuration& configuration, const ArgumentSpec& argument);
/// Throws what these two throw, for the arguments that are such.
void require_layouts(const Configuration& configuration, const KernelSpec& kernel);

/// Whether program variables are in the argument's value.
[[nodiscard]] bool argument_changes(const Workload& workload, const ArgumentSpec& argument,
                                    const ParamsStruct& params);
/// The program variables that a launch of the kernel depends on, by its shape and its arguments.
[[nodiscard]] std::set<std::string> variables_of(const Workload& workload, const KernelSpec& kernel,
                                                 const ParamsStruct& params);
/// The size in bytes of an argument that argument_bytes gives.
[[nodiscard]] std::size_t argument_size(const Configuration& configuration, const ArgumentSpec& argument,
                                        const ParamsStruct& params);
/// The bytes of an argument that is neither a buffer nor a tensor map: the params struct, a parameter, an
/// expression, a null pointer.
[[nodiscard]] std::vector<std::byte> argument_bytes(const Configuration& configuration,
                                                    const ArgumentSpec& argument, const ParamsStruct& params,
                                                    const Variables& variables = {});

}  // namespace kiln
