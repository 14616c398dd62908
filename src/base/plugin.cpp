#include "base/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/environment.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {

std::vector<std::string> plugin_candidates(const PluginKind& kind, const std::string& stated) {
  using Path = std::filesystem::path;
  if (!stated.empty()) return {stated};
  std::vector<std::string> paths;
  for (const Path& object : {Path("/proc/self/exe"), this_object()}) {
    std::error_code failure;
    const Path folder = std::filesystem::canonical(object, failure).parent_path();
    if (failure) continue;
    for (const Path& place : {folder, folder.parent_path() / "lib" / "kiln", folder / "kiln"}) {
      std::string path = (place / kind.file).string();
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

OpenedPlugin open_plugin(const PluginKind& kind, const std::string& stated, FileSystem& files) {
  const std::vector<std::string> candidates = plugin_candidates(kind, stated);
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& path) {
    return files.target_status(path).has_value();
  });
  const std::string name = kind.name;
  if (found == candidates.end())
    throw environment_error("the " + name + " " + kind.file +
                            " is not there (looked for: " + join(candidates, ", ") + "); " + kind.built);
  void* handle = ::dlopen(found->c_str(), RTLD_NOW | (kind.shares_symbols ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle == nullptr) {
    const char* why = ::dlerror();
    throw environment_error("the " + name + " cannot be opened: " + (why == nullptr ? "" : why));
  }
  const auto table = reinterpret_cast<const void* (*)()>(::dlsym(handle, kind.symbol));
  if (table == nullptr)
    throw environment_error(*found + " is no " + name + " of Kiln's: it has no " + kind.symbol);
  const void* plugin = table();
  const std::uint32_t version = *static_cast<const std::uint32_t*>(plugin);
  if (version != kind.version)
    throw environment_error(*found + " is a plug-in of version " + std::to_string(version) +
                            "; this Kiln takes version " + std::to_string(kind.version));
  return {*found, plugin};
}

}  // namespace kiln
