#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The places of CUDA that the user and the environment name. A value, so that tests can make one up.
struct CudaPlaces {
  std::string nvrtc;                      ///< the setting: a path; empty: search
  std::vector<std::string> toolkits;      ///< CUDA_HOME, CUDA_PATH
  std::vector<std::string> library_path;  ///< LD_LIBRARY_PATH
  std::vector<std::string> program_path;  ///< PATH: each python3 in it may have NVIDIA's wheels
  std::vector<std::string> environments;  ///< VIRTUAL_ENV, CONDA_PREFIX
  std::string home;
};

/// Reads them from the environment.
[[nodiscard]] CudaPlaces cuda_places(const std::string& nvrtc);

/// Folders that may hold CUDA's libraries, the most explicit first: named toolkits, the loader's path,
/// installed toolkits (newest first), the distribution's, and those in Python wheels (nvidia/*/lib). Only
/// existing ones.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders(const CudaPlaces& places,
                                                                      FileSystem& files);

/// Folders that may hold CUDA's headers: first the folders that belong to the NVRTC at `library`, then the
/// folders of any toolkit or wheel. Only existing ones.
[[nodiscard]] std::vector<std::filesystem::path> cuda_include_folders(const CudaPlaces& places,
                                                                      const std::filesystem::path& library,
                                                                      FileSystem& files);

/// Paths where a program of CUDA's toolkits may lie, the most explicit first: named toolkits, then its name
/// alone, for PATH, then installed toolkits (newest first).
[[nodiscard]] std::vector<std::string> cuda_programs(const std::string& name, const CudaPlaces& places,
                                                     FileSystem& files);

}  // namespace kiln
