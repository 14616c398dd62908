#pragma once

#include <string>

namespace kiln {

/// Names one binary: SHA-256 over every ingredient that can change it, and the readable text that was hashed.
/// Format version, name and text of the kernel's file, params.h, included headers, ordered options, entry
/// names, full target, the compiler's run-time version. No folders, times or device ordinals.
struct CacheKey {
  std::string digest;    ///< 64 hexadecimal digits
  std::string preimage;  ///< "tag length\nvalue\n" fields, see base/hash.h
};

}  // namespace kiln
