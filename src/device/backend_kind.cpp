#include "device/backend_kind.h"

#include <algorithm>

#include "device/cpu/cpu_kind.h"
#include "device/cuda/cuda_kind.h"
#include "device/hip/hip_kind.h"

namespace kiln {

const std::vector<BackendKind>& backend_kinds() {
  static const std::vector<BackendKind> kinds = {cuda_kind(), hip_kind(), cpu_kind()};
  return kinds;
}

const BackendKind& backend_kind(const std::string& name) {
  static const BackendKind unknown = {
      .name = "",
      .owns_architecture = [](const std::string&) { return false; },
      .likely_architecture = [](const std::string&) { return std::string(); }};
  const auto& kinds = backend_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const BackendKind& kind) { return kind.name == name; });
  return found == kinds.end() ? unknown : *found;
}

const BackendKind& host_kind() {
  return backend_kinds().back();
}

bool is_backend(const std::string& name) {
  return !name.empty() && backend_kind(name).name == name;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendKind& kind : backend_kinds()) names.emplace_back(kind.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> backend_of_all(const std::string& name) {
  constexpr std::string_view kAll = ":all";
  if (!name.ends_with(kAll) || name == "auto:all") return std::nullopt;  // auto is one device
  return name.substr(0, name.size() - kAll.size());
}

}  // namespace kiln
