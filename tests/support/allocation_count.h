#pragma once

#include <cstddef>

namespace kiln::test {

/// How often this thread has asked operator new for memory. A program that calls it has an operator new that
/// counts (allocation_count.cpp); shared libraries that it opens use the same one. Under a sanitizer, which
/// has its own, calls of malloc are counted, too.
[[nodiscard]] std::size_t allocation_count();

}  // namespace kiln::test
