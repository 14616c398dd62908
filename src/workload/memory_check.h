#pragma once

#include "workload/workload.h"

namespace kiln {

/// Checks the uses of buffers that share memory: nothing swaps, starts like or references with a view; a
/// temporary buffer is used by `run` alone, and written there before it is read. The names of the workload
/// are resolved. Throws bad_input.
void check_memory_use(const Workload& workload);

}  // namespace kiln
