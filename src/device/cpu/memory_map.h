#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "base/unique_handle.h"

namespace kiln {

/// Traits of an anonymous private mapping.
struct MemoryMapTraits {
  struct Handle {
    void* address = nullptr;
    std::size_t bytes = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.address != b.address; }
  };
  static Handle null() { return {}; }
  static void close(Handle handle) noexcept { ::munmap(handle.address, handle.bytes); }
};

using MemoryMap = UniqueHandle<MemoryMapTraits>;

/// Null if the system refuses. Pages are zero and take memory when they are first touched.
[[nodiscard]] inline MemoryMap map_memory(std::size_t bytes) {
  void* address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address == MAP_FAILED ? MemoryMap() : MemoryMap({address, bytes});
}

}  // namespace kiln
