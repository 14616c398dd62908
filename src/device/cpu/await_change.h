#pragma once

#include <atomic>
#include <cstdint>

namespace kiln {

/// Returns once `value` differs from `old`: watches it for some microseconds, then sleeps until it is
/// notified.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old);

}  // namespace kiln
