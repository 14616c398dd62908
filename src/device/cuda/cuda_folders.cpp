#include "device/cuda/cuda_folders.h"

#include <algorithm>

#include "base/environment.h"
#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

void add_existing(std::vector<Path>& folders, const Path& folder, FileSystem& files) {
  if (std::find(folders.begin(), folders.end(), folder) != folders.end()) return;
  if (files.status(folder)) folders.push_back(folder);
}

/// Entries of `folder` that start with `prefix`, the last in order of names first.
std::vector<Path> entries(const Path& folder, const std::string& prefix, FileSystem& files) {
  std::vector<Path> found;
  for (const std::string& name : files.list(folder)) {
    if (name.starts_with(prefix)) found.push_back(folder / name);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

/// Prefixes of Python installations: their packages lie in lib/python3*/.
std::vector<Path> python_prefixes(const CudaPlaces& places, FileSystem& files) {
  std::vector<Path> prefixes(places.environments.begin(), places.environments.end());
  for (const std::string& folder : places.program_path) {
    if (!folder.empty() && files.status(Path(folder) / "python3"))
      prefixes.push_back(Path(folder).parent_path());
  }
  if (!places.home.empty()) prefixes.push_back(Path(places.home) / ".local");
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  return prefixes;
}

/// The folders nvidia/* of wheels: nvidia/cu13, nvidia/cuda_nvrtc.
std::vector<Path> wheels(const CudaPlaces& places, FileSystem& files) {
  std::vector<Path> found;
  for (const Path& prefix : python_prefixes(places, files)) {
    for (const Path& python : entries(prefix / "lib", "python3", files)) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const Path& wheel : entries(python / packages / "nvidia", "cu", files)) {
          add_existing(found, wheel, files);
        }
      }
    }
  }
  return found;
}

std::vector<Path> installed_toolkits(FileSystem& files) {
  std::vector<Path> toolkits;
  for (const char* root : {"/usr/local", "/opt"}) {
    add_existing(toolkits, Path(root) / "cuda", files);
    for (const Path& toolkit : entries(root, "cuda-", files)) add_existing(toolkits, toolkit, files);
  }
  return toolkits;
}

std::vector<std::string> read_list(const char* variable) {
  const auto text = read_environment(variable);
  return text ? split(*text, ':') : std::vector<std::string>();
}

void add_variable(std::vector<std::string>& list, const char* variable) {
  if (auto value = read_environment(variable)) list.push_back(*std::move(value));
}

}  // namespace

CudaPlaces cuda_places(const std::string& nvrtc) {
  CudaPlaces places;
  places.nvrtc = nvrtc;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) add_variable(places.toolkits, variable);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) add_variable(places.environments, variable);
  places.library_path = read_list("LD_LIBRARY_PATH");
  places.program_path = read_list("PATH");
  places.home = read_environment("HOME").value_or("");
  return places;
}

std::vector<Path> cuda_library_folders(const CudaPlaces& places, FileSystem& files) {
  std::vector<Path> folders;
  const auto add_toolkit = [&](const Path& toolkit) {
    add_existing(folders, toolkit / "lib64", files);
    add_existing(folders, toolkit / "targets/x86_64-linux/lib", files);
    add_existing(folders, toolkit / "lib", files);
  };
  for (const std::string& toolkit : places.toolkits) add_toolkit(toolkit);
  for (const std::string& folder : places.library_path) {
    if (!folder.empty()) add_existing(folders, folder, files);
  }
  for (const Path& toolkit : installed_toolkits(files)) add_toolkit(toolkit);
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"}) {
    add_existing(folders, folder, files);
  }
  for (const std::string& environment : places.environments)
    add_existing(folders, Path(environment) / "lib", files);
  for (const Path& wheel : wheels(places, files)) add_existing(folders, wheel / "lib", files);
  return folders;
}

std::vector<Path> cuda_include_folders(const CudaPlaces& places, const Path& library, FileSystem& files) {
  std::vector<Path> folders;
  const auto add = [&](const Path& folder) { add_existing(folders, folder, files); };
  if (library.has_parent_path()) {
    const Path root = library.parent_path().parent_path();  // of a toolkit, wheel or conda environment
    add(root / "include");
    add(root.parent_path() / "cuda_runtime" / "include");
    add(root / "targets/x86_64-linux/include");
    add(root.parent_path().parent_path() / "include");  // the library is in targets/x86_64-linux/lib
  }
  for (const std::string& toolkit : places.toolkits) add(Path(toolkit) / "include");
  for (const Path& toolkit : installed_toolkits(files)) add(toolkit / "include");
  for (const std::string& environment : places.environments) {
    add(Path(environment) / "targets/x86_64-linux/include");
  }
  for (const Path& wheel : wheels(places, files)) add(wheel / "include");
  add("/usr/include");
  return folders;
}

}  // namespace kiln
