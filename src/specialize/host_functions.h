#pragma once

#include "specialize/program_items.h"

namespace kiln {

/// Marks the items that are for the host only: those that name things of the host, and functions that call
/// them. `specialization` is that of the items.
void find_host_functions(ProgramItems& program, const Specialization& specialization);

}  // namespace kiln
