#pragma once

#include <string>

#include "base/word_table.h"

namespace kiln {

/// Who compiled: part of every key and record. The compiler reports all of it at run time.
struct CompilerIdentity {
  std::string name;     ///< "g++", "NVRTC"
  std::string version;  ///< "12.2.0 (Debian 12.2.0-14+deb12u1)"
  /// Other parts of the compiler that change its output: the shim's digest, default flags.
  std::string fingerprint;
};

/// "NVRTC 12.9", "g++ (Debian 12.2.0-14+deb12u1) 12.2.0": many a compiler begins its version with its name.
[[nodiscard]] inline std::string compiler_text(const CompilerIdentity& compiler) {
  if (compiler.version.starts_with(compiler.name)) return compiler.version;
  return compiler.name + " " + compiler.version;
}

/// Where compiled code came from.
enum class Origin {
  kMemory,    ///< this process had loaded it already
  kDisk,      ///< the cache on disk
  kCompiled,  ///< a compile of this run
  kWaited,    ///< a compile that another thread had begun
  kBundle,    ///< a bundle in the program's memory
};
template <>
inline constexpr auto kWords<Origin> = std::to_array<Word<Origin>>({{Origin::kMemory, "memory"},
                                                                    {Origin::kDisk, "disk"},
                                                                    {Origin::kCompiled, "compiled"},
                                                                    {Origin::kWaited, "waited"},
                                                                    {Origin::kBundle, "bundle"}});

}  // namespace kiln
