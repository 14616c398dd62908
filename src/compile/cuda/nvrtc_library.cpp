#include "compile/cuda/nvrtc_library.h"

#include <algorithm>

#include "base/text.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstallNvrtc =
    "; install the CUDA toolkit (on Ubuntu: apt-get install nvidia-cuda-toolkit) or its wheel (pip install "
    "nvidia-cuda-nvrtc), or name the library with KILN_NVRTC";

/// The reason why Kiln cannot use the loaded library; empty if it can.
std::string bind(const VendorLibrary& library, NvrtcLibrary& nvrtc) {
  constexpr int kOldestMajor = 11;
  nvrtc.call = nvrtc_abi::Functions(library);
  if (const char* missing = nvrtc.call.missing()) return "has no " + std::string(missing);
  nvrtc.path = library.path;
  if (nvrtc.call.version(&nvrtc.major, &nvrtc.minor) != nvrtc_abi::kSuccess)
    return "does not tell its version";
  if (nvrtc.major < kOldestMajor) return "is NVRTC " + nvrtc.version();
  return "";
}

/// NVRTC opens its builtins by their bare name; a library that is loaded already is found by that name.
void preload_builtins(const std::filesystem::path& library, FileSystem& files) {
  LibrarySearch search;
  search.folders = {library.parent_path()};
  for (const std::string& name : files.list(library.parent_path())) {
    if (name.starts_with("libnvrtc-builtins.so")) search.names.push_back(name);
  }
  if (!search.names.empty()) static_cast<void>(open_library(search, files));
}

/// Whether the path is a folder, or a link to one.
bool is_folder(const std::filesystem::path& path, FileSystem& files) {
  const auto status = files.status(path / ".");
  return status && status->type == FileStatus::Type::kDirectory;
}

/// The library that the setting names; the setting may be the library's folder.
std::string named_library(const CudaPlaces& places, FileSystem& files) {
  if (places.nvrtc.empty() || !is_folder(places.nvrtc, files)) return places.nvrtc;
  for (const std::string& name : nvrtc_names()) {
    const std::filesystem::path file = std::filesystem::path(places.nvrtc) / name;
    if (files.status(file)) return file.string();
  }
  return places.nvrtc;
}

LibrarySearch search_for(const CudaPlaces& places, FileSystem& files) {
  return {named_library(places, files), nvrtc_names(), cuda_library_folders(places, files)};
}

std::vector<int> supported_archs(const NvrtcLibrary& nvrtc) {
  const nvrtc_abi::Functions& call = nvrtc.call;
  if (call.get_arch_count == nullptr || call.get_archs == nullptr) {  // before 11.2: the list in its manual
    std::vector<int> archs = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80};
    if (nvrtc.major > 11 || nvrtc.minor >= 1) archs.push_back(86);
    return archs;
  }
  int count = 0;
  if (call.get_arch_count(&count) != nvrtc_abi::kSuccess || count <= 0) return {};
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (call.get_archs(archs.data()) != nvrtc_abi::kSuccess) return {};
  std::sort(archs.begin(), archs.end());
  return archs;
}

/// The attempts, for the error.
std::string searched(const LibrarySearch& search, const std::vector<std::string>& reasons) {
  std::vector<std::string> folders;
  for (const std::filesystem::path& folder : search.folders) folders.push_back(folder.string());
  folders.emplace_back("the loader's search path");
  return "looked for " + join(search.names, ", ") + " in " + join(folders, ", ") +
         (reasons.empty() ? "" : " (" + join(reasons, "; ") + ")");
}

[[noreturn]] void refuse(const CudaPlaces& places, const LibrarySearch& search,
                         const std::vector<std::string>& reasons, FileSystem& files) {
  const std::string none = "no NVRTC, which compiles for NVIDIA's GPUs: ";
  if (places.nvrtc.empty()) {
    throw environment_error(none + searched(search, reasons) +
                            "; CUDA_HOME, /usr/local/cuda and the NVIDIA wheels of each python3 in PATH have "
                            "none that can be used" +
                            kInstallNvrtc);
  }
  const std::string problem = is_folder(search.explicit_path, files)
                                  ? "a folder with none of " + join(search.names, ", ") + ": " + places.nvrtc
                                  : "a library that cannot be used: " + join(reasons, "; ");
  throw environment_error(none + "the setting 'nvrtc' (KILN_NVRTC) names " + problem +
                          "; name the library's file, or leave the setting out and Kiln searches");
}

}  // namespace

const std::vector<std::string>& nvrtc_names() {
  static const std::vector<std::string> names = {"libnvrtc.so.13",   "libnvrtc.so.12",   "libnvrtc.so.11.2",
                                                 "libnvrtc.so.11.1", "libnvrtc.so.11.0", "libnvrtc.so"};
  return names;
}

std::string nvrtc_candidate(const CudaPlaces& places, FileSystem& files) {
  return library_candidates(search_for(places, files), files).front();
}

NvrtcLibrary open_nvrtc(const CudaPlaces& places, FileSystem& files) {
  const LibrarySearch search = search_for(places, files);
  std::vector<std::string> reasons;
  for (const std::string& candidate : library_candidates(search, files)) {
    const VendorLibrary library = open_library({candidate, {}, {}}, files);
    if (library.handle == nullptr) {
      const bool is_path = candidate.find('/') != std::string::npos;
      if (is_path || !search.explicit_path.empty()) reasons.push_back(library.problem);
      continue;
    }
    NvrtcLibrary nvrtc;
    if (const std::string problem = bind(library, nvrtc); !problem.empty()) {
      const std::string reason = library.path + " " + problem + " (Kiln needs NVRTC 11.0 or later)";
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
      continue;
    }
    preload_builtins(nvrtc.path, files);
    nvrtc.build_id = build_id_of(reinterpret_cast<const void*>(nvrtc.call.version.address));
    nvrtc.archs = supported_archs(nvrtc);
    return nvrtc;
  }
  refuse(places, search, reasons, files);
}

}  // namespace kiln
