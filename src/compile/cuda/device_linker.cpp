#include "compile/cuda/device_linker.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace kiln {
namespace {

std::vector<std::filesystem::path> folders_beside(const CudaPlaces& places,
                                                  const std::filesystem::path& nvrtc, FileSystem& files) {
  std::vector<std::filesystem::path> folders = {nvrtc.parent_path()};
  for (std::filesystem::path& folder : cuda_library_folders(places, files))
    folders.push_back(std::move(folder));
  return folders;
}

}  // namespace

std::filesystem::path find_device_runtime(const CudaPlaces& places, const std::filesystem::path& nvrtc,
                                          FileSystem& files) {
  for (const std::filesystem::path& folder : folders_beside(places, nvrtc, files)) {
    if (files.status(folder / "libcudadevrt.a")) return folder / "libcudadevrt.a";
  }
  return {};
}

DeviceLinker open_device_linker(const CudaPlaces& places, const std::filesystem::path& nvrtc, int nvrtc_major,
                                FileSystem& files) {
  DeviceLinker linker;
  const std::string name = "libnvJitLink.so." + std::to_string(nvrtc_major);
  const VendorLibrary library = open_library({"", {name}, folders_beside(places, nvrtc, files)}, files);
  linker.call = nvjitlink_abi::Functions(library);
  linker.library = library.path;
  linker.runtime = find_device_runtime(places, nvrtc, files);
  const std::string purpose = "a kernel that launches a kernel is linked with the device's runtime, but ";
  if (library.handle == nullptr)
    linker.problem =
        purpose + name + " is not found: install the CUDA toolkit, or pip install nvidia-nvjitlink";
  else if (const char* missing = linker.call.missing())
    linker.problem = purpose + linker.library + " has no " + missing;
  else if (linker.runtime.empty())
    linker.problem =
        purpose + "libcudadevrt.a is not found: install the CUDA toolkit, or pip install nvidia-cuda-runtime";
  return linker;
}

std::string DeviceLinker::link(const std::string& cubin, const std::string& arch_option,
                               std::string& error) const {
  std::array<const char*, 1> options = {arch_option.c_str()};
  nvjitlink_abi::Handle handle = nullptr;
  nvjitlink_abi::Result result = call.create(&handle, 1, options.data());
  std::string linked;
  if (result == nvjitlink_abi::kSuccess)
    result = call.add_data(handle, nvjitlink_abi::kCubin, cubin.data(), cubin.size(), "kernels");
  if (result == nvjitlink_abi::kSuccess)
    result = call.add_file(handle, nvjitlink_abi::kLibrary, runtime.c_str());
  if (result == nvjitlink_abi::kSuccess) result = call.complete(handle);
  std::size_t bytes = 0;
  if (result == nvjitlink_abi::kSuccess) result = call.get_cubin_size(handle, &bytes);
  if (result == nvjitlink_abi::kSuccess) {
    linked.resize(bytes);
    result = call.get_cubin(handle, linked.data());
  }
  if (result != nvjitlink_abi::kSuccess) {
    error = "nvJitLink failed with code " + std::to_string(result);
    if (handle != nullptr && call.get_log_size(handle, &bytes) == nvjitlink_abi::kSuccess && bytes > 0) {
      std::string log(bytes, '\0');
      if (call.get_log(handle, log.data()) == nvjitlink_abi::kSuccess)
        error += ": " + std::string(trim(log.c_str()));
    }
    linked.clear();
  }
  if (handle != nullptr) call.destroy(&handle);
  return linked;
}

}  // namespace kiln
