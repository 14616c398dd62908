#include "isolate/worker_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/environment.h"
#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr const char* kWorker = "kiln-worker";

/// The places where the build of this code left, or installs, its programs. Such a folder may be gone, and
/// another user may make one of that name.
std::vector<std::string> own_places(const std::string& name) {
  std::vector<std::string> paths;
  for (const char* folder : {KILN_INSTALLED_PROGRAMS, KILN_BUILT_PROGRAMS})
    paths.push_back((Path(folder) / name).string());
  return paths;
}

/// Whether the file and its folder are one's own or root's, and no other user may write to them.
bool is_trusted(const std::string& path) {
  for (const std::string& examined : {path, Path(path).parent_path().string()}) {
    struct stat found {};
    if (::stat(examined.c_str(), &found) != 0) return false;
    if (found.st_uid != 0 && found.st_uid != ::geteuid()) return false;
    if ((found.st_mode & S_IWOTH) != 0) return false;
  }
  return true;
}

std::vector<std::string> candidates(const std::string& name) {
  std::vector<std::string> paths;
  for (const Path& object : {Path("/proc/self/exe"), this_object()}) {
    std::error_code failure;
    const Path folder = std::filesystem::canonical(object, failure).parent_path();
    if (failure) continue;
    for (const Path& place : {folder, folder.parent_path() / "libexec" / "kiln"}) {
      std::string path = (place / name).string();
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

}  // namespace

std::optional<std::string> find_program_of_kiln(const std::string& name, ProcessRunner& processes) {
  for (const std::string& path : candidates(name)) {
    if (auto found = processes.find_program(path)) return found;
  }
  for (const std::string& path : own_places(name)) {
    if (!is_trusted(path)) continue;
    if (auto found = processes.find_program(path)) return found;
  }
  return processes.find_program(name);
}

std::optional<std::string> find_worker(const std::string& stated, ProcessRunner& processes) {
  return stated.empty() ? find_program_of_kiln(kWorker, processes) : processes.find_program(stated);
}

std::string worker_places(const std::string& stated) {
  if (!stated.empty()) return stated;
  return join(candidates(kWorker), ", ") + ", " + join(own_places(kWorker), ", ") + " and PATH";
}

}  // namespace kiln
