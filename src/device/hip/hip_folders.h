#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The places of ROCm that the user and the environment name. A value, so that tests can make one up.
struct HipPlaces {
  std::string hip;                        ///< the setting: path of libamdhip64; empty: search
  std::string hiprtc;                     ///< the setting: path of libhiprtc; empty: search
  std::vector<std::string> toolkits;      ///< ROCM_PATH, HIP_PATH
  std::vector<std::string> library_path;  ///< LD_LIBRARY_PATH
};

/// Reads them from the environment.
[[nodiscard]] HipPlaces hip_places(const std::string& hip, const std::string& hiprtc);

/// Folders that may hold ROCm's libraries, the most explicit first: the folder of the library that the
/// setting `hip` names, named installations, the loader's path, installed ones (newest first), the
/// distribution's. Only existing ones.
[[nodiscard]] std::vector<std::filesystem::path> hip_library_folders(const HipPlaces& places,
                                                                     FileSystem& files);

/// Paths where a program of ROCm may lie, the most explicit first: named installations, then its name alone,
/// for PATH, then installed ones (newest first).
[[nodiscard]] std::vector<std::string> hip_programs(const std::string& name, const HipPlaces& places,
                                                    FileSystem& files);

}  // namespace kiln
