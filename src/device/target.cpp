#include "device/target.h"

#include "device/backend_kind.h"

namespace kiln {

int Target::compute_capability() const {
  return backend_kind(backend).compute_capability(arch);
}

int Target::cdna_generation() const {
  return backend_kind(backend).cdna_generation(arch);
}

bool Target::is_host() const {
  return backend_kind(backend).host_memory;
}

std::optional<int> Target::suits(const std::string& code) const {
  const std::string prefix = backend + ":";
  if (!code.starts_with(prefix)) return std::nullopt;
  return backend_kind(backend).suits(arch, code.substr(prefix.size()));
}

}  // namespace kiln
