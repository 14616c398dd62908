#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kiln {

/// The target of generated code. `backend` is "cpu", "cuda" or "hip"; `arch` is the full name that the
/// compiler takes: the host's resolved feature set ("x86-64 avx2 fma ..."), "sm_90a",
/// "gfx90a:sramecc+:xnack-".
struct Target {
  std::string backend;
  std::string arch;
  int warp_size = 32;

  /// "cuda:sm_90"-like text for tables and records.
  [[nodiscard]] std::string to_string() const { return backend + ":" + arch; }
  /// NVIDIA's compute capability from the name: 90 for "sm_90a" and "compute_90"; 0 for other vendors.
  [[nodiscard]] int compute_capability() const;
  /// The generation of AMD's CDNA: 2 for gfx90a, 3 for gfx942; 0 for all other targets.
  [[nodiscard]] int cdna_generation() const;
  /// Whether kernels run on the host.
  [[nodiscard]] bool is_host() const;
  /// Whether a device of this target loads code of the target `code` ("cuda:sm_80"); a larger number is a
  /// better match, `nullopt` means no.
  [[nodiscard]] std::optional<int> suits(const std::string& code) const;
  friend bool operator==(const Target&, const Target&) = default;
};

/// Extents in work-items or blocks, x fastest.
struct Dim3 {
  std::uint64_t x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t volume() const { return x * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// "4 x 1 x 1", for messages.
[[nodiscard]] inline std::string to_string(const Dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

/// Grid in blocks, block in work-items, dynamic shared memory in bytes.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  Dim3 cluster = {};         ///< in blocks that run at the same time and access each other's shared memory
  bool cooperative = false;  ///< every block runs at the same time, so that the grid can synchronise
  /// Blocks may start before the launch before it has ended; its text waits. Ignored where there is no such
  /// launch.
  bool overlap = false;

  [[nodiscard]] bool clustered() const { return cluster.volume() > 1; }
};

}  // namespace kiln
