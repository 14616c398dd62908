#include "base/environment.h"

#include <cstdlib>

namespace kiln {

std::optional<std::string> read_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): Kiln never sets one
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace kiln
