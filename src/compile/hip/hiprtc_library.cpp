#include "compile/hip/hiprtc_library.h"

#include "base/text.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstallHipRtc =
    "; install ROCm's HIP SDK (https://rocm.docs.amd.com; on Debian and Ubuntu: apt-get install "
    "libamdhip64-dev "
    "rocm-device-libs), or name the library with KILN_HIPRTC";
constexpr std::string_view kIsaPrefix = "amdgcn-amd-amdhsa--";

LibrarySearch search_for(const HipPlaces& places, FileSystem& files) {
  return {places.hiprtc, hiprtc_names(), hip_library_folders(places, files)};
}

/// AMD links hipRTC with comgr, so hipRTC's own handle finds it; Debian's hipRTC opens it by its bare name.
/// Either way this is the comgr that hipRTC uses. Returns the library that the functions come from.
VendorLibrary open_comgr(const VendorLibrary& hiprtc, HiprtcLibrary& library, FileSystem& files) {
  library.comgr = comgr_abi::Functions(hiprtc);
  if (library.comgr.missing() == nullptr) return hiprtc;
  LibrarySearch by_loader;
  constexpr int kMajorOfComgr3 = 7;
  by_loader.names = {library.major >= kMajorOfComgr3 ? "libamd_comgr.so.3" : "libamd_comgr.so.2"};
  VendorLibrary comgr = open_library(by_loader, files);
  library.comgr = comgr_abi::Functions(comgr);
  if (comgr.handle == nullptr || library.comgr.missing() != nullptr) {
    throw environment_error("the hipRTC in " + library.path + " cannot be used without AMD's comgr: " +
                            (comgr.handle == nullptr ? comgr.problem : comgr.path + " is too old") +
                            kInstallHipRtc);
  }
  return comgr;
}

/// 50221153 is 5.2.21153.
void read_version_number(int number, HiprtcLibrary& library) {
  constexpr int kMajor = 10'000'000;
  constexpr int kMinor = 100'000;
  library.major = number / kMajor;
  library.minor = number % kMajor / kMinor;
  library.version = std::to_string(library.major) + "." + std::to_string(library.minor) + "." +
                    std::to_string(number % kMinor);
}

/// hiprtcVersion says 9.0 in 5.x and most of 6.x, so the run time in the same library is asked first, then
/// the file: "libhiprtc.so.6.2.41134".
void find_version(HiprtcLibrary& library) {
  int number = 0;
  if (library.call.runtime_version != nullptr && library.call.runtime_version(&number) == 0 && number > 0) {
    read_version_number(number, library);
    return;
  }
  std::error_code failure;
  const std::string file = std::filesystem::canonical(library.path, failure).filename().string();
  const std::size_t suffix = file.find(".so.");
  const std::vector<std::string> parts =
      suffix == std::string::npos ? std::vector<std::string>() : split(file.substr(suffix + 4), '.');
  const auto major = parts.size() > 1 ? parse_integer(parts[0]) : std::nullopt;
  const auto minor = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
  if (major && minor) {
    library.major = static_cast<int>(*major);
    library.minor = static_cast<int>(*minor);
    library.version = join(parts, ".");
    return;
  }
  library.call.version(&library.major, &library.minor);
  library.version = std::to_string(library.major) + "." + std::to_string(library.minor);
}

std::vector<std::string> known_isas(const comgr_abi::Functions& comgr) {
  std::size_t count = 0;
  if (comgr.get_isa_count(&count) != comgr_abi::kSuccess) return {};
  std::vector<std::string> isas;
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    if (comgr.get_isa_name(i, &name) != comgr_abi::kSuccess || name == nullptr) continue;
    const std::string_view text(name);
    isas.emplace_back(text.starts_with(kIsaPrefix) ? text.substr(kIsaPrefix.size()) : text);
  }
  return isas;
}

}  // namespace

bool HiprtcLibrary::knows(const std::string& isa) const {
  comgr_abi::MetadataNode node = 0;
  if (comgr.get_isa_metadata((std::string(kIsaPrefix) + isa).c_str(), &node) != comgr_abi::kSuccess)
    return false;
  comgr.destroy_metadata(node);
  return true;
}

const std::vector<std::string>& hiprtc_names() {
  // Until 6.x libamdhip64 contains hipRTC's functions as well; Debian has them only there.
  static const std::vector<std::string> names = {"libhiprtc.so.7",   "libhiprtc.so.6",   "libhiprtc.so.5",
                                                 "libamdhip64.so.6", "libamdhip64.so.5", "libhiprtc.so"};
  return names;
}

std::string hiprtc_candidate(const HipPlaces& places, FileSystem& files) {
  return library_candidates(search_for(places, files), files).front();
}

HiprtcLibrary open_hiprtc(const HipPlaces& places, FileSystem& files) {
  const VendorLibrary opened = open_library(search_for(places, files), files);
  if (opened.handle == nullptr) {
    throw environment_error("no hipRTC, which compiles for AMD's GPUs: " + opened.problem + kInstallHipRtc);
  }
  HiprtcLibrary library;
  library.call = hiprtc_abi::Functions(opened);
  library.path = opened.path;
  if (const char* missing = library.call.missing()) {
    throw environment_error("the hipRTC in " + library.path + " cannot be used: it has no " + missing +
                            "; Kiln needs 5.0 or later");
  }
  find_version(library);
  const VendorLibrary comgr = open_comgr(opened, library, files);
  const void* comgr_address = reinterpret_cast<const void*>(library.comgr.get_isa_count.address);
  library.comgr_path = file_of_address(comgr_address);
  // Debian's comgr is linked with LLVM and does not contain it: this is one of LLVM's functions.
  library.build_id = build_id_of(reinterpret_cast<const void*>(library.call.create_program.address)) + "," +
                     build_id_of(comgr_address) + "," +
                     build_id_of(comgr.symbol("LLVMInitializeAMDGPUDisassembler"));
  library.isas = known_isas(library.comgr);
  return library;
}

}  // namespace kiln
