#pragma once

#include <sys/resource.h>

namespace kiln {

/// Of this process and those that it starts. A limit that is lower already stays.
void lower_limit(decltype(RLIMIT_AS) resource, rlim_t bytes);

/// Whether this is a build with a sanitizer, which maps far more memory than it uses.
[[nodiscard]] bool maps_all_of_memory();

}  // namespace kiln
