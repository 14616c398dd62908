#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// What is known of a back end without its driver or compiler. Each back end states it in its own folder
/// (device/cuda/cuda_kind.cpp); the list is in backend_kind.cpp.
struct BackendKind {
  const char* name;  ///< "cuda": in devices' names, in targets and in the files of workloads and studies

  bool host_memory = false;           ///< kernels work on the host's memory; no copy is needed to look at it
  bool synchronous_launches = false;  ///< a launch returns when the kernel has run
  bool fixes_block_shape = false;     ///< code depends on the block shape where that is known at compile time

  const char* unit_name = "compute units";  ///< what DeviceInfo::compute_units counts
  /// The compiler's option by which products and sums are rounded one by one.
  const char* unfused_option = "-ffp-contract=off";

  const char* architectures = "";  ///< for messages: "sm_90, sm_90a or compute_90 (NVIDIA)"
  /// Whether an architecture's name is one of this back end's.
  bool (*owns_architecture)(const std::string& name);
  /// The architecture that is meant by a text that is no name of one: "sm_90" by "SM-90"; empty: none is
  /// near.
  std::string (*likely_architecture)(const std::string& text);
  /// NVIDIA's compute capability, 90 for "sm_90a"; 0 of other vendors.
  int (*compute_capability)(const std::string& architecture) = [](const std::string&) { return 0; };

  /// Whether a device loads the code of an architecture: the larger the better it suits; `nullopt`: it does
  /// not.
  std::optional<int> (*suits)(const std::string& device, const std::string& code) =
      [](const std::string& device, const std::string& code) {
        return device == code ? std::optional(0) : std::nullopt;
      };

  /// Where the vendor's libraries may lie, besides the loader's own places.
  std::vector<std::filesystem::path> (*library_folders)(FileSystem& files) = [](FileSystem&) {
    return std::vector<std::filesystem::path>();
  };

  /// What `kiln validate` takes for a device that is not asked.
  const char* assumed_architecture = "";
  double assumed_bandwidth = 0;  ///< GB/s; 0: unknown
};

/// "cuda" of a name that means all devices of a back end, "cuda:all"; absent for another name.
[[nodiscard]] std::optional<std::string> backend_of_all(const std::string& name);

/// Every back end, in the order in which `auto` prefers them; the host's is the last.
[[nodiscard]] const std::vector<BackendKind>& backend_kinds();
/// Of the back end with that name; what holds for most GPUs for a name that is not in the list.
[[nodiscard]] const BackendKind& backend_kind(const std::string& name);
[[nodiscard]] bool is_backend(const std::string& name);
/// Of the back end that works on the host's memory, which is always there.
[[nodiscard]] const BackendKind& host_kind();
/// Sorted.
[[nodiscard]] std::vector<std::string> backend_names();

}  // namespace kiln
