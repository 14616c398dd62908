#pragma once

#include <string>

#include "specialize/specialization.h"
#include "workload/configuration.h"

namespace kiln {

/// The text's name for a name of a kernel's `symbols`: "mask<float>" for "mask<T>"; any other name is itself.
[[nodiscard]] std::string symbol_expression(const Configuration& configuration, const std::string& symbol);

/// The variable that the text of a kernel gets which is passed a pointer to a device function, an expression
/// as above: it holds that pointer.
[[nodiscard]] std::string variable_of_function(const std::string& expression);

/// The entry for a variable, "&mask<float>": by an entry compilers make an instance of a template, and say by
/// which name a variable is found.
[[nodiscard]] std::string entry_of_variable(const std::string& symbol_expression);

/// Whether a variable's name in the code differs from that in the texts: an instance of a template, a
/// variable of a namespace or of a class, and any variable where a text has a namespace without a name.
[[nodiscard]] bool needs_entry(const std::string& symbol_expression, const Specialization& specialization);

/// The name of a variable of a namespace in code whose compiler did not say it: "_ZN2ns5tableE" for
/// "ns::table" (Itanium C++ ABI, 5.1.3); any other name is itself.
[[nodiscard]] std::string mangled_variable(const std::string& symbol_expression);

/// Whether an entry is such a variable, not a kernel.
[[nodiscard]] inline bool names_variable(const std::string& name_expression) {
  return name_expression.starts_with('&');
}

}  // namespace kiln
