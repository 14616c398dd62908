#include "device/cuda/cuda_folders.h"

#include "base/environment.h"
#include "device/installed_folders.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// Prefixes of Python installations, whose packages lie in lib/python3*/.
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
    for (const Path& python : entries_starting_with(prefix / "lib", "python3", files)) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const Path& wheel : entries_starting_with(python / packages / "nvidia", "cu", files)) {
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
    for (const Path& toolkit : entries_starting_with(root, "cuda-", files))
      add_existing(toolkits, toolkit, files);
  }
  return toolkits;
}

}  // namespace

CudaPlaces cuda_places(const std::string& nvrtc) {
  CudaPlaces places;
  places.nvrtc = nvrtc;
  places.toolkits = read_variables({"CUDA_HOME", "CUDA_PATH"});
  places.environments = read_variables({"VIRTUAL_ENV", "CONDA_PREFIX"});
  places.library_path = read_list_variable("LD_LIBRARY_PATH");
  places.program_path = read_list_variable("PATH");
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
  add_system_folders(folders, files);
  for (const std::string& environment : places.environments)
    add_existing(folders, Path(environment) / "lib", files);
  for (const Path& wheel : wheels(places, files)) add_existing(folders, wheel / "lib", files);
  return folders;
}

std::vector<Path> cuda_include_folders(const CudaPlaces& places, const Path& library, FileSystem& files) {
  std::vector<Path> folders;
  const auto add = [&](const Path& folder) { add_existing(folders, folder, files); };
  if (library.has_parent_path()) {
    const Path root = library.parent_path().parent_path();  // root of a toolkit, wheel or conda environment
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

std::vector<std::string> cuda_programs(const std::string& name, const CudaPlaces& places, FileSystem& files) {
  std::vector<std::string> programs;
  for (const std::string& toolkit : places.toolkits)
    programs.push_back((Path(toolkit) / "bin" / name).string());
  programs.push_back(name);
  for (const Path& toolkit : installed_toolkits(files)) programs.push_back((toolkit / "bin" / name).string());
  return programs;
}

}  // namespace kiln
