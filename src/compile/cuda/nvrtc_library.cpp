#include "compile/cuda/nvrtc_library.h"

#include <algorithm>

#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstall =
    "; install the CUDA toolkit (on Ubuntu: apt-get install nvidia-cuda-toolkit) or its wheel (pip install "
    "nvidia-cuda-nvrtc), or name the library with KILN_NVRTC";

/// The name of the first required function that is missing, or null.
const char* bind_all(const VendorLibrary& library, nvrtc_abi::Functions& call) {
  const char* missing = nullptr;
  const auto need = [&](auto& function, const char* name) {
    if (!bind_symbol(library, function, name) && missing == nullptr) missing = name;
  };
  need(call.version, "nvrtcVersion");
  need(call.get_arch_count, "nvrtcGetNumSupportedArchs");
  need(call.get_archs, "nvrtcGetSupportedArchs");
  need(call.get_error_string, "nvrtcGetErrorString");
  need(call.create_program, "nvrtcCreateProgram");
  need(call.destroy_program, "nvrtcDestroyProgram");
  need(call.add_name_expression, "nvrtcAddNameExpression");
  need(call.compile_program, "nvrtcCompileProgram");
  need(call.get_lowered_name, "nvrtcGetLoweredName");
  need(call.get_log_size, "nvrtcGetProgramLogSize");
  need(call.get_log, "nvrtcGetProgramLog");
  need(call.get_cubin_size, "nvrtcGetCUBINSize");
  need(call.get_cubin, "nvrtcGetCUBIN");
  need(call.get_ptx_size, "nvrtcGetPTXSize");
  need(call.get_ptx, "nvrtcGetPTX");
  bind_symbol(library, call.set_flow_callback, "nvrtcSetFlowCallback");
  return missing;
}

/// NVRTC opens its builtins by their bare name; once they are loaded, that name finds them.
void preload_builtins(const std::filesystem::path& library, FileSystem& files) {
  LibrarySearch search;
  search.folders = {library.parent_path()};
  for (const std::string& name : files.list(library.parent_path())) {
    if (name.starts_with("libnvrtc-builtins.so")) search.names.push_back(name);
  }
  if (!search.names.empty()) static_cast<void>(open_library(search, files));
}

LibrarySearch search_for(const CudaPlaces& places, FileSystem& files) {
  return {places.nvrtc, nvrtc_names(), cuda_library_folders(places, files)};
}

std::vector<int> supported_archs(const nvrtc_abi::Functions& call) {
  int count = 0;
  if (call.get_arch_count(&count) != nvrtc_abi::kSuccess || count <= 0) return {};
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (call.get_archs(archs.data()) != nvrtc_abi::kSuccess) return {};
  std::sort(archs.begin(), archs.end());
  return archs;
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
  const VendorLibrary library = open_library(search_for(places, files), files);
  if (library.handle == nullptr && !places.nvrtc.empty()) {
    throw environment_error(
        "no NVRTC, which compiles for NVIDIA's GPUs: the setting 'nvrtc' (KILN_NVRTC) names a "
        "library that cannot be opened: " +
        library.problem + "; correct it, or leave it out and Kiln searches");
  }
  if (library.handle == nullptr) {
    throw environment_error("no NVRTC, which compiles for NVIDIA's GPUs: " + library.problem +
                            "; CUDA_HOME, /usr/local/cuda and the NVIDIA wheels of each python3 in PATH have "
                            "none either" +
                            kInstall);
  }
  NvrtcLibrary nvrtc;
  nvrtc.path = library.path;
  if (const char* missing = bind_all(library, nvrtc.call)) {
    throw environment_error("the NVRTC in " + library.path + " cannot be used: it has no " + missing +
                            "; Kiln needs 11.2 or later");
  }
  preload_builtins(nvrtc.path, files);
  nvrtc.call.version(&nvrtc.major, &nvrtc.minor);
  nvrtc.build_id = build_id_of(reinterpret_cast<const void*>(nvrtc.call.version));
  nvrtc.archs = supported_archs(nvrtc.call);
  return nvrtc;
}

}  // namespace kiln
