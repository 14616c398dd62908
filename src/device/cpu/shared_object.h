#pragma once

#include <dlfcn.h>

#include <string>

#include "base/unique_handle.h"

namespace kiln {

/// Traits of what dlopen returns.
struct SharedObjectTraits {
  using Handle = void*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) noexcept { ::dlclose(handle); }
};

using SharedObject = UniqueHandle<SharedObjectTraits>;

/// Loads a shared object from memory: through a file without a name or, where such a file may not be mapped
/// as code, through a private file in `scratch`, which is removed before the return. Throws Error with the
/// loader's reason.
[[nodiscard]] SharedObject load_shared_object(const std::string& binary, const std::string& scratch);

}  // namespace kiln
