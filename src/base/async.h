#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace kiln {

/// Runs `work` on a separate thread; if the system gives no thread, on the thread that asks for the result.
template <class Work>
[[nodiscard]] auto run_beside(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace kiln
