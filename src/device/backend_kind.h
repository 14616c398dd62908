#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The properties of a back end that are known without its driver or compiler. Each back end states them in
/// its own folder (device/cuda/cuda_kind.cpp); the list is in backend_kind.cpp.
struct BackendKind {
  const char* name;  ///< "cuda": in devices' names, in targets and in the files of workloads and studies

  bool host_memory = false;           ///< kernels use the host's memory, which the host reads without a copy
  bool synchronous_launches = false;  ///< a launch returns when the kernel has run
  bool fixes_block_shape = false;     ///< code depends on the block shape if it is known at compile time

  const char* unit_name = "compute units";  ///< what DeviceInfo::compute_units counts
  /// The compiler's option that makes it round each product and each sum.
  const char* unfused_option = "-ffp-contract=off";

  const char* architectures = "";  ///< for messages: "sm_90, sm_90a or compute_90 (NVIDIA)"
  /// Whether an architecture's name is one of this back end's.
  bool (*owns_architecture)(const std::string& name);
  /// The architecture that a misspelt text probably means: "sm_90" for "SM-90". Empty if no name is near.
  std::string (*likely_architecture)(const std::string& text);
  /// NVIDIA's compute capability, 90 for "sm_90a"; 0 for other vendors.
  int (*compute_capability)(const std::string& architecture) = [](const std::string&) { return 0; };
  /// The generation of AMD's CDNA, 2 for "gfx90a"; 0 for all other architectures.
  int (*cdna_generation)(const std::string& architecture) = [](const std::string&) { return 0; };
  /// The most bytes of shared memory that a block may have on an architecture, with opt-in; 0: unknown.
  std::uint64_t (*shared_limit)(const std::string& architecture) = [](const std::string&) {
    return std::uint64_t{0};
  };

  /// Whether a device loads the code of an architecture: a larger number is a better match, `nullopt` means
  /// no.
  std::optional<int> (*suits)(const std::string& device, const std::string& code) =
      [](const std::string& device, const std::string& code) {
        return device == code ? std::optional(0) : std::nullopt;
      };

  /// Where the vendor's libraries may lie, besides the loader's own places.
  std::vector<std::filesystem::path> (*library_folders)(FileSystem& files) = [](FileSystem&) {
    return std::vector<std::filesystem::path>();
  };

  /// The architecture that `kiln validate` assumes, because it asks no device.
  const char* assumed_architecture = "";
  double assumed_bandwidth = 0;  ///< GB/s; 0: unknown
};

/// "cuda" for "cuda:all", the name of all devices of a back end; absent for other names.
[[nodiscard]] std::optional<std::string> backend_of_all(const std::string& name);

/// All back ends, in the order in which `auto` prefers them; the host's is the last.
[[nodiscard]] const std::vector<BackendKind>& backend_kinds();
/// The back end with this name; for an unknown name the properties of most GPUs.
[[nodiscard]] const BackendKind& backend_kind(const std::string& name);
[[nodiscard]] bool is_backend(const std::string& name);
/// The back end that uses the host's memory, which always exists.
[[nodiscard]] const BackendKind& host_kind();
/// All names, sorted.
[[nodiscard]] std::vector<std::string> backend_names();

}  // namespace kiln
