#pragma once

#include <vector>

#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// The second half of reading a workload: resolves what depends on other sections (an argument's name is a
/// buffer or a parameter; a parameter used in template arguments or macros is bound at compile time) and
/// checks every name that the file uses of itself: kernels, buffers, types, names in expressions, cycles in
/// `let`. Throws bad_input at the place.
void resolve_and_check(Workload& workload, const YamlNode& root);

/// Checks the names of buffers that a program passes to the step. Throws bad_input, with the nearest name,
/// for a name that is no buffer or is there twice, for a view, and for a temporary buffer.
void check_passed_buffers(const Workload& workload, const std::vector<ExpressionText>& names);

}  // namespace kiln
