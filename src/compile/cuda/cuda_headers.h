#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "device/cuda/cuda_folders.h"

namespace kiln {

/// The headers of a CUDA toolkit or of NVIDIA's Python wheels.
struct CudaHeaders {
  std::vector<std::filesystem::path> folders;  ///< to search, in order; empty if there are none
  std::string version;                         ///< "13.0", from the headers; empty if they do not state it
  std::string cccl;                            ///< "3.0.1", of libcu++ (cuda/std) and CUB; empty without them

  [[nodiscard]] bool has(const std::string& name, FileSystem& files) const;
  /// The path of a header.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& name, FileSystem& files) const;
  [[nodiscard]] std::optional<std::string> read(const std::string& name, FileSystem& files) const;
  /// Names of the entries of a folder of headers, sorted.
  [[nodiscard]] std::vector<std::string> list(const std::string& folder, FileSystem& files) const;
  /// "CUDA 13.0, CCCL 3.0.1": their part of a cache key.
  [[nodiscard]] std::string to_string() const;
};

/// The headers that belong to the NVRTC at `library`, else other headers of its major version, else any.
[[nodiscard]] CudaHeaders find_cuda_headers(const CudaPlaces& places, const std::filesystem::path& library,
                                            int nvrtc_major, FileSystem& files);

}  // namespace kiln
