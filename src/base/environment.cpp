#include "base/environment.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kiln {

namespace {

/// Null where the variable is not set.
const char* find_variable(const std::string& name) {
  return std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): set only before threads begin
}

}  // namespace

std::optional<std::string> read_environment(const std::string& variable) {
  const char* value = find_variable(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool is_set_empty(const std::string& variable) {
  const char* value = find_variable(variable);
  return value != nullptr && *value == '\0';
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
