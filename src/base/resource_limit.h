#pragma once

#include <sys/resource.h>

namespace kiln {

/// Lowers a limit of this process and its children. A limit that is already lower stays.
void lower_limit(decltype(RLIMIT_AS) resource, rlim_t bytes);

/// Whether this is a build with a sanitizer, which maps far more memory than it uses.
[[nodiscard]] bool maps_all_of_memory();

}  // namespace kiln
