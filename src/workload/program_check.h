#pragma once

#include <functional>
#include <set>
#include <string>

#include "workload/workload.h"

namespace kiln {

/// Throws bad_input where `text` has a name that is neither one of the workload nor in `variables`.
using CheckExpression =
    std::function<void(const ExpressionText& text, const std::set<std::string>& variables)>;

/// Checks the statements of `run` and `verify.run`: names of kernels, buffers, arguments and parameters; that
/// a program variable has a value before it is used. Sets LaunchSpec::configured, Workload::variables, and
/// binds parameters that the program changes at run time. The workload's other names are resolved before.
/// Throws bad_input.
void check_programs(Workload& workload, const CheckExpression& check);

}  // namespace kiln
