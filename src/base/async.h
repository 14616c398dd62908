#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace kiln {

/// `work` on a thread of its own; where the system gives none, on the thread that asks for the result.
template <class Work>
[[nodiscard]] auto run_beside(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace kiln
