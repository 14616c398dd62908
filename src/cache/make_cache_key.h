#pragma once

#include <string>

#include "cache/cache_key.h"
#include "compile/compiler.h"
#include "specialize/specialization.h"

namespace kiln {

/// The key of a specialization that `compiler` compiles in its `surroundings`; CacheKey lists what goes in.
/// cache/key_difference.h reads the preimage back.
[[nodiscard]] CacheKey make_cache_key(const Specialization& specialization, const CompilerIdentity& compiler,
                                      const std::string& surroundings);
[[nodiscard]] CacheKey make_cache_key(const Specialization& specialization, Compiler& compiler);
/// See portable_digest in cache/key_parts.h.
[[nodiscard]] std::string make_portable_digest(const Specialization& specialization);

}  // namespace kiln
