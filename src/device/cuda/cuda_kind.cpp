#include "device/cuda/cuda_kind.h"

#include <map>

#include "device/cuda/arch_name.h"
#include "device/cuda/cuda_folders.h"

namespace kiln {
namespace {

bool owns(const std::string& name) {
  return name.starts_with("sm_") || name.starts_with("compute_");
}

int compute_capability(const std::string& architecture) {
  const auto name = parse_arch_name(architecture);
  return name ? static_cast<int>(name->number) : 0;
}

/// CUDA Programming Guide, "Compute capabilities". A later architecture has at least what all since sm_80
/// have; one without a name has what all have.
std::uint64_t shared_limit(const std::string& architecture) {
  constexpr std::uint64_t kKilobyte = 1024;
  static const std::map<int, std::uint64_t> kilobytes = {
      {70, 96},  {72, 96},   {75, 64},   {80, 163},  {86, 99},   {87, 163}, {89, 99},
      {90, 227}, {100, 227}, {101, 227}, {103, 227}, {110, 227}, {120, 99}, {121, 99}};
  const int capability = compute_capability(architecture);
  const auto found = kilobytes.find(capability);
  return kKilobyte * (found != kilobytes.end() ? found->second : capability > 80 ? 99 : 48);
}

/// Machine code runs on its own generation from its own version on, PTX on all later ones. Code for a name
/// with a suffix runs on that architecture alone (CUDA Programming Guide, "Compute capability", "Application
/// compatibility").
std::optional<int> suits(const std::string& device, const std::string& code) {
  constexpr int kExact = 1'000'000;
  constexpr int kMachineCode = 10'000;
  constexpr int kGeneration = 10;
  if (device == code) return kExact;
  const auto to = parse_arch_name(device);
  const auto from = parse_arch_name(code);
  if (!to || !from || !from->suffix.empty() || from->number > to->number) return std::nullopt;
  const int number = static_cast<int>(from->number);
  if (from->prefix == "compute_") return number;
  if (from->number / kGeneration != to->number / kGeneration) return std::nullopt;
  return kMachineCode + number;
}

}  // namespace

BackendKind cuda_kind() {
  return {.name = "cuda",
          .unfused_option = "--fmad=false",
          .architectures = "sm_90, sm_90a or compute_90 (NVIDIA)",
          .owns_architecture = owns,
          .likely_architecture = likely_arch_name,
          .compute_capability = compute_capability,
          .shared_limit = shared_limit,
          .suits = suits,
          .library_folders = [](FileSystem& files) { return cuda_library_folders(cuda_places(""), files); },
          .assumed_architecture = "sm_120",
          .assumed_bandwidth = 5000};
}

}  // namespace kiln
