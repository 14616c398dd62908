#include "base/resource_limit.h"

#include <algorithm>

namespace kiln {

void lower_limit(decltype(RLIMIT_AS) resource, rlim_t bytes) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, bytes);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  ::setrlimit(resource, &limit);
}

bool maps_all_of_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  return false;
#endif
}

}  // namespace kiln
