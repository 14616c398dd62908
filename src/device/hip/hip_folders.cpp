#include "device/hip/hip_folders.h"

#include "device/installed_folders.h"

namespace kiln {

using Path = std::filesystem::path;

HipPlaces hip_places(const std::string& hip, const std::string& hiprtc) {
  HipPlaces places;
  places.hip = hip;
  places.hiprtc = hiprtc;
  places.toolkits = read_variables({"ROCM_PATH", "HIP_PATH"});
  places.library_path = read_list_variable("LD_LIBRARY_PATH");
  return places;
}

std::vector<Path> hip_library_folders(const HipPlaces& places, FileSystem& files) {
  std::vector<Path> folders;
  if (const Path named(places.hip); named.has_parent_path())
    add_existing(folders, named.parent_path(), files);
  for (const std::string& toolkit : places.toolkits) add_existing(folders, Path(toolkit) / "lib", files);
  for (const std::string& folder : places.library_path) {
    if (!folder.empty()) add_existing(folders, folder, files);
  }
  add_existing(folders, "/opt/rocm/lib", files);
  for (const Path& toolkit : entries_starting_with("/opt", "rocm-", files)) {
    add_existing(folders, toolkit / "lib", files);
  }
  add_system_folders(folders, files);
  return folders;
}

std::vector<std::string> hip_programs(const std::string& name, const HipPlaces& places, FileSystem& files) {
  std::vector<std::string> programs;
  for (const std::string& toolkit : places.toolkits)
    programs.push_back((Path(toolkit) / "bin" / name).string());
  programs.push_back(name);
  for (const Path& toolkit : entries_starting_with("/opt", "rocm", files))
    programs.push_back((toolkit / "bin" / name).string());
  return programs;
}

}  // namespace kiln
