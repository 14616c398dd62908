#include "device/cuda/driver.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "device/fault.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstall =
    "; install NVIDIA's driver (https://www.nvidia.com/drivers, on Ubuntu: ubuntu-drivers install)";

/// "580.159.04" from "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue ...": the first word
/// with two dots or one that starts with a digit.
std::string kernel_module_release(FileSystem& files) {
  const std::string text = files.read_file("/proc/driver/nvidia/version").value_or("");
  const std::string line = split(text, '\n').front();
  for (const std::string& word : split(line, ' ')) {
    const bool number = !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (number && word.find('.') != std::string::npos) return word;
  }
  return "";
}

VendorLibrary open_driver_library(const CudaPlaces& places, FileSystem& files) {
  LibrarySearch search;
  search.names = {"libcuda.so.1"};
  for (const std::string& folder : places.library_path) search.folders.emplace_back(folder);
  search.folders.emplace_back(
      "/usr/lib/wsl/lib");  // the driver that Windows provides: it is not in the loader's path
  return open_library(search, files);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string CudaDriver::description() const {
  const std::string cuda = "CUDA " + version_text(cuda_version);
  return release.empty() ? cuda : release + ", " + cuda;
}

void start_cuda_driver(const CudaPlaces& places, FileSystem& files, int ordinal) {
  const VendorLibrary library = open_driver_library(places, files);
  const cuda_abi::Functions call(library);
  if (library.handle == nullptr || call.missing() != nullptr) return;
  cuda_abi::DeviceNumber device = 0;
  cuda_abi::Context context = nullptr;
  if (call.init(0) != cuda_abi::kSuccess || call.device_get(&device, ordinal) != cuda_abi::kSuccess) return;
  static_cast<void>(call.primary_context_retain(&context, device));
}

OpenedLibrary<CudaDriver> open_cuda_driver(const CudaPlaces& places, FileSystem& files) {
  const VendorLibrary library = open_driver_library(places, files);
  if (library.handle == nullptr) return {nullptr, "no NVIDIA driver: " + library.problem + kInstall};

  const auto driver = std::make_shared<CudaDriver>();
  driver->call = cuda_abi::Functions(library);
  driver->path = library.path;
  if (const char* missing = driver->call.missing()) {
    return {nullptr, "the NVIDIA driver in " + library.path + " is too old: it has no " + missing +
                         "; Kiln needs the driver of CUDA 11 or later"};
  }
  if (const cuda_abi::Result result = driver->call.init(0); result != cuda_abi::kSuccess) {
    return {nullptr, "the NVIDIA driver in " + library.path + " does not start: " + driver->describe(result) +
                         "; see what nvidia-smi says"};
  }
  driver->call.driver_get_version(&driver->cuda_version);
  driver->release = kernel_module_release(files);
  return {driver, ""};
}

std::string CudaDriver::describe(cuda_abi::Result result) const {
  const char* name = nullptr;
  const char* words = nullptr;
  call.get_error_name(result, &name);
  call.get_error_string(result, &words);
  std::string text = name != nullptr ? name : "CUDA error";
  text += " (" + std::to_string(result) + ")";
  if (words != nullptr) text += std::string(": ") + words;
  return text;
}

bool CudaDriver::is_sticky(cuda_abi::Result result) {
  constexpr cuda_abi::Result kSticky[] = {cuda_abi::kEccUncorrectable,    cuda_abi::kIllegalAddress,
                                          cuda_abi::kLaunchTimeout,       cuda_abi::kAssert,
                                          cuda_abi::kHardwareStackError,  cuda_abi::kIllegalInstruction,
                                          cuda_abi::kMisalignedAddress,   cuda_abi::kInvalidAddressSpace,
                                          cuda_abi::kInvalidPc,           cuda_abi::kLaunchFailed,
                                          cuda_abi::kContained,           cuda_abi::kTensorMemoryLeak,
                                          cuda_abi::kMpsClientTerminated, cuda_abi::kExternalDevice};
  return std::find(std::begin(kSticky), std::end(kSticky), result) != std::end(kSticky);
}

}  // namespace kiln
