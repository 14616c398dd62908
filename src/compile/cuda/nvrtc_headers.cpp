#include "compile/cuda/nvrtc_headers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/hash.h"
#include "kiln_embedded_nvrtc_shim.h"

namespace kiln {
namespace {

struct OwnHeader {
  std::string_view name;  ///< as in C++
  std::string_view text;
  /// Where libcu++ has a header of this name: it alone, it and then Kiln's own, or Kiln's own alone. Its own
  /// headers include the first two kinds.
  enum class With { kCuda, kBoth, kOwn } with;
};

using With = OwnHeader::With;
constexpr std::array<OwnHeader, 11> kOwnHeaders = {{{"algorithm", embedded::kAlgorithm, With::kOwn},
                                                    {"cassert", embedded::kAssert, With::kOwn},
                                                    {"cfloat", embedded::kFloat, With::kBoth},
                                                    {"climits", embedded::kLimits, With::kCuda},
                                                    {"cmath", embedded::kMath, With::kOwn},
                                                    {"cstddef", embedded::kStddef, With::kBoth},
                                                    {"cstdint", embedded::kStdint, With::kCuda},
                                                    {"cstdio", embedded::kStdio, With::kOwn},
                                                    {"cstdlib", embedded::kStdlib, With::kOwn},
                                                    {"cstring", embedded::kString, With::kOwn},
                                                    {"cuda.h", embedded::kCuda, With::kOwn}}};

/// NVRTC knows what these declare.
constexpr std::array<std::string_view, 5> kRuntimeHeaders = {"cuda_runtime.h", "cuda_runtime_api.h",
                                                             "device_launch_parameters.h", "vector_types.h",
                                                             "vector_functions.h"};

/// "cmath" of "math.h", any other name as it is.
std::string cpp_name(const std::string& name) {
  const std::string stem = name.ends_with(".h") ? name.substr(0, name.size() - 2) : "";
  const bool known =
      !stem.empty() && std::any_of(kOwnHeaders.begin(), kOwnHeaders.end(), [&](const auto& own) {
        return own.name.substr(0, 1) == "c" && own.name.substr(1) == stem;
      });
  return known ? "c" + stem : name;
}

const OwnHeader* find_own(const std::string& name) {
  const auto* found = std::find_if(kOwnHeaders.begin(), kOwnHeaders.end(),
                                   [&](const OwnHeader& own) { return own.name == name; });
  return found == kOwnHeaders.end() ? nullptr : found;
}

bool from_libcu(const std::string& name, const CudaHeaders& cuda, FileSystem& files) {
  const OwnHeader* own = find_own(name);
  if (own != nullptr && own->with == With::kOwn) return false;
  return name.find_first_of("./") == std::string::npos && cuda.has("cuda/std/" + name, files);
}

/// The text of a header that NVRTC is given in memory.
std::optional<std::string> header_text(const std::string& name, const CudaHeaders& cuda, FileSystem& files) {
  const std::string cpp = cpp_name(name);
  const OwnHeader* own = find_own(cpp);
  std::string text;
  if (from_libcu(cpp, cuda, files)) {
    text = "#include <cuda/std/" + cpp +
           ">\nnamespace cuda {\nnamespace std {}\n}\nnamespace std {\nusing namespace cuda::std;\n}\n";
  }
  if (own != nullptr && (text.empty() || own->with == With::kBoth)) text += own->text;
  if (own != nullptr || !text.empty()) return "#pragma once\n" + text;
  const bool runtime =
      std::find(kRuntimeHeaders.begin(), kRuntimeHeaders.end(), name) != kRuntimeHeaders.end();
  if (runtime && !cuda.has(name, files)) return "#pragma once\n";
  return std::nullopt;
}

/// "nvidia-cuda-cccl" is "nvidia-cuda-cccl-cu12" before CUDA 13.
std::string wheel(const std::string& name, int nvrtc_major) {
  return "pip install " + name + (nvrtc_major < 13 ? "-cu" + std::to_string(nvrtc_major) : "");
}

bool starts_with_any(const std::string& name, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return name.starts_with(prefix); });
}

}  // namespace

NvrtcHeaders make_nvrtc_headers(const std::vector<std::string>& unseen, const CudaHeaders& cuda,
                                FileSystem& files) {
  NvrtcHeaders headers;
  if (unseen.empty()) return headers;
  headers.folders = cuda.folders;
  for (const std::string& name : unseen) {
    if (auto text = header_text(name, cuda, files)) headers.in_memory.emplace_back(name, *std::move(text));
  }
  return headers;
}

std::string header_versions(const std::vector<std::string>& unseen, const CudaHeaders& cuda,
                            FileSystem& files) {
  const bool used = std::any_of(unseen.begin(), unseen.end(), [&](const std::string& name) {
    const std::string cpp = cpp_name(name);
    return from_libcu(cpp, cuda, files) || (find_own(cpp) == nullptr && cuda.has(name, files));
  });
  return used ? cuda.to_string() : "";
}

std::string missing_header_advice(const std::string& name, const CudaHeaders& cuda, int nvrtc_major) {
  const std::string searched =
      cuda.folders.empty()
          ? "not beside NVRTC, in CUDA_HOME, in /usr/local/cuda nor in a Python wheel"
          : "not among the headers of " + cuda.to_string() + " in " + cuda.folders.front().string();
  const auto advice = [&](const std::string& whose, const std::string& package) {
    return "<" + name + "> is " + whose + " and " + searched + ": install the CUDA toolkit, or " +
           wheel(package, nvrtc_major);
  };
  if (starts_with_any(name, {"cuda/", "cub/", "thrust/", "nv/"})) {
    return advice("a header of CUDA's core libraries (CCCL)", "nvidia-cuda-cccl");
  }
  if (starts_with_any(name, {"curand"})) return advice("a header of cuRAND", "nvidia-curand");
  if (starts_with_any(name, {"crt/", "nvvm"}))
    return advice("a header of nvcc", nvrtc_major < 13 ? "nvidia-cuda-nvcc" : "nvidia-cuda-crt");
  if (starts_with_any(name,
                      {"cuda", "cooperative_groups", "mma", "sm_", "device_", "math_", "vector_", "channel_",
                       "builtin_types", "host_", "driver_", "library_types", "surface_", "texture_"})) {
    return advice("a header of CUDA", "nvidia-cuda-runtime");
  }
  if (name.find_first_of("./") == std::string::npos) {
    if (cuda.cccl.empty()) {
      return "device code gets <" + name + "> from CUDA's libcu++ (cuda/std), which is " + searched +
             ": install the CUDA toolkit, or " + wheel("nvidia-cuda-cccl", nvrtc_major);
    }
    return "<" + name + "> is a header for host code, which NVRTC does not compile: CUDA's libcu++ (CCCL " +
           cuda.cccl + ") has no cuda/std/" + name;
  }
  return "'" + name +
         "' is neither beside the kernel text, nor in a folder of its '-I' options, nor among CUDA's headers";
}

std::string nvrtc_headers_fingerprint() {
  FieldHasher hasher;
  for (const OwnHeader& own : kOwnHeaders) hasher.field(std::string(own.name), std::string(own.text));
  return hasher.hex();
}

}  // namespace kiln
