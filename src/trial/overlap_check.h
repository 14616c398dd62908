#pragma once

#include "workload/configuration.h"

namespace kiln {

/// Throws bad_input where a `copy` of the program goes to bytes that it comes from, and where a branch of a
/// `parallel` fills or copies to bytes that another branch takes. Kernels do not say which of their buffers
/// they write; that branches do not meet in those is for the author to see to.
void check_overlaps(const Configuration& configuration, const ProgramSpec& program);

}  // namespace kiln
