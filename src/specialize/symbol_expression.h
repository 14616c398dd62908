#pragma once

#include <string>

#include "workload/configuration.h"

namespace kiln {

/// The text's name for a name of a kernel's `symbols`: "mask<float>" for "mask<T>"; any other name is itself.
[[nodiscard]] std::string symbol_expression(const Configuration& configuration, const std::string& symbol);

/// An instance of a template of variables is an entry of its unit, "&mask<float>": so compilers make it, and
/// say by which name it is found. Other variables are found by their names.
[[nodiscard]] std::string entry_of_variable(const std::string& symbol_expression);

/// Whether an entry is such a variable, not a kernel.
[[nodiscard]] inline bool names_variable(const std::string& name_expression) {
  return name_expression.starts_with('&');
}

}  // namespace kiln
