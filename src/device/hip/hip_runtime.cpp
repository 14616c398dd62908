#include "device/hip/hip_runtime.h"

#include <algorithm>

#include "base/text.h"
#include "device/fault.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstall =
    "; install ROCm (https://rocm.docs.amd.com; on Debian and Ubuntu: apt-get install libamdhip64-5), or "
    "name the "
    "library with KILN_HIP";

/// 50221153 is 5.2.21153.
std::string version_text(int version) {
  return std::to_string(version / 10'000'000) + "." + std::to_string(version % 10'000'000 / 100'000) + "." +
         std::to_string(version % 100'000);
}

}  // namespace

std::string HipRuntime::description() const {
  return release.empty() ? "HIP " + version : "amdgpu " + release + ", HIP " + version;
}

OpenedLibrary<HipRuntime> open_hip_runtime(const HipPlaces& places, FileSystem& files) {
  LibrarySearch search;
  search.explicit_path = places.hip;
  search.names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  search.folders = hip_library_folders(places, files);
  const VendorLibrary library = open_library(search, files);
  if (library.handle == nullptr) return {nullptr, "no HIP run time: " + library.problem + kInstall};

  const auto runtime = std::make_shared<HipRuntime>();
  runtime->call = hip_abi::Functions(library);
  runtime->path = library.path;
  if (const char* missing = runtime->call.missing()) {
    return {nullptr, "the HIP run time in " + library.path + " cannot be used: it has no " + missing +
                         "; Kiln needs 5.0 or later"};
  }
  int version = 0;
  runtime->call.runtime_get_version(&version);
  runtime->version = version_text(version);
  runtime->release = std::string(trim(files.read_file("/sys/module/amdgpu/version").value_or("")));
  const hip_abi::Result result = runtime->call.init(0);
  // Some releases refuse to start without a device; the back end reports that there is no device.
  if (result != hip_abi::kSuccess && result != hip_abi::kNoDevice && result != hip_abi::kInvalidDevice) {
    return {nullptr, "the HIP run time in " + library.path + " does not start: " + runtime->describe(result) +
                         "; see what rocminfo says"};
  }
  return {runtime, ""};
}

std::string HipRuntime::describe(hip_abi::Result result) const {
  const char* name = call.get_error_name(result);
  const char* words = call.get_error_string(result);
  std::string text = name != nullptr ? name : "HIP error";
  text += " (" + std::to_string(result) + ")";
  // Old releases return the name for both.
  if (words != nullptr && (name == nullptr || std::string_view(words) != name))
    text += std::string(": ") + words;
  return text;
}

bool HipRuntime::is_sticky(hip_abi::Result result) {
  constexpr hip_abi::Result kSticky[] = {hip_abi::kEccUncorrectable, hip_abi::kIllegalAddress,
                                         hip_abi::kLaunchTimeout, hip_abi::kAssert, hip_abi::kLaunchFailure};
  return std::find(std::begin(kSticky), std::end(kSticky), result) != std::end(kSticky);
}

}  // namespace kiln
