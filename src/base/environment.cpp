#include "base/environment.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kiln {

std::optional<std::string> read_environment(const std::string& variable) {
  const char* value =
      std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): set only before threads begin
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

void write_environment(const std::string& variable, const std::string& value) {
  ::setenv(variable.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before threads begin
}

std::filesystem::path this_object() {
  Dl_info info{};
  // dladdr takes a function's address as an object pointer.
  if (::dladdr(reinterpret_cast<const void*>(&read_environment), &info) == 0 || info.dli_fname == nullptr)
    return {};
  return info.dli_fname;
}

}  // namespace kiln
