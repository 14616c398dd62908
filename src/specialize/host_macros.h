#pragma once

#include <vector>

#include "specialize/program_items.h"

namespace kiln {

/// The edits that take functions of the host out of the macros of a text that stand for declarations, such as
/// the operators for streams of `#define ARRAY(n) struct array##n {...}; std::ostream& operator<<(...)
/// {...}`. A function stays if it has a mark of the device, or if a parameter of the macro stands in front of
/// it, which may be such a mark.
[[nodiscard]] std::vector<TextEdit> without_host_functions_of_macros(const ProgramItems& program,
                                                                     std::size_t text);

}  // namespace kiln
