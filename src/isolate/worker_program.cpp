#include "isolate/worker_program.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr const char* kName = "kiln-worker";

/// The object that this code was loaded from: libkiln.so, or the program itself.
Path this_object() {
  Dl_info info{};
  // A function's address as an object's is what dladdr takes.
  if (::dladdr(reinterpret_cast<const void*>(&find_worker), &info) == 0 || info.dli_fname == nullptr)
    return {};
  return info.dli_fname;
}

std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  for (const Path& object : {Path("/proc/self/exe"), this_object()}) {
    std::error_code failure;
    const Path folder = std::filesystem::canonical(object, failure).parent_path();
    if (failure) continue;
    for (const Path& place : {folder, folder.parent_path() / "libexec" / "kiln"}) {
      std::string path = (place / kName).string();
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

}  // namespace

std::optional<std::string> find_worker(const std::string& stated, ProcessRunner& processes) {
  if (!stated.empty()) return processes.find_program(stated);
  for (const std::string& path : candidates()) {
    if (auto found = processes.find_program(path)) return found;
  }
  return processes.find_program(kName);
}

std::string worker_places(const std::string& stated) {
  return stated.empty() ? join(candidates(), ", ") + " and PATH" : stated;
}

}  // namespace kiln
