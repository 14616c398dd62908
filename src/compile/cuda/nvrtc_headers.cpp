#include "compile/cuda/nvrtc_headers.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "compile/c_headers.h"
#include "kiln_embedded_nvrtc_shim.h"
#include "kiln_embedded_portable.h"
#include "kiln_embedded_shared_shim.h"
#include "specialize/host_libraries.h"
#include "specialize/params_struct.h"

namespace kiln {
namespace {

struct OwnHeader {
  std::string_view name;  ///< in C++'s spelling
  std::string_view text;
  /// The source if libcu++ has a header of this name: libcu++'s alone, libcu++'s and then Kiln's, or Kiln's
  /// alone. libcu++'s own headers include the first two kinds.
  enum class With { kCuda, kBoth, kOwn } with;
};

using With = OwnHeader::With;
constexpr std::string_view kHipVectorsAndGroups =
    "#include <kiln/hip_vectors.h>\n#include <cooperative_groups.h>\n";
constexpr std::array<OwnHeader, 16> kOwnHeaders = {
    {{"algorithm", embedded::kAlgorithm, With::kOwn},
     {"cassert", embedded::kAssert, With::kOwn},
     {"cfloat", embedded::kFloat, With::kBoth},
     {"cinttypes", embedded::kInttypes, With::kOwn},
     {"climits", embedded::kLimits, With::kCuda},
     {"cmath", embedded::kMath, With::kOwn},
     {"cstddef", embedded::kStddef, With::kBoth},
     {"cstdint", embedded::kStdint, With::kCuda},
     {"cstdio", embedded::kStdio, With::kOwn},
     {"cstdlib", embedded::kStdlib, With::kOwn},
     {"cstring", embedded::kString, With::kOwn},
     {"cuda.h", embedded::kCuda, With::kOwn},
     {"kiln/hip_vectors.h", embedded::kHipVectors, With::kOwn},
     {"kiln/hip_vectors_and_groups.h", kHipVectorsAndGroups, With::kOwn},
     {"kiln/helper_math.h", embedded::kHelperMath, With::kOwn},
     {"nvfunctional", embedded::kNvfunctional, With::kOwn}}};

/// Names of std that texts use without their header, since nvcc's own headers include it.
struct StdNames {
  std::string_view header;
  std::array<std::string_view, 24> names;
};
constexpr std::array<StdNames, 14> kImpliedNames = {{
    {"cstdint",
     {"int8_t", "int16_t", "int32_t", "int64_t", "intmax_t", "intptr_t", "uint8_t", "uint16_t", "uint32_t",
      "uint64_t", "uintmax_t", "uintptr_t"}},
    {"limits", {"numeric_limits"}},
    {"type_traits",
     {"common_type",       "common_type_t",       "conditional",        "conditional_t", "decay",
      "decay_t",           "enable_if",           "enable_if_t",        "false_type",    "integral_constant",
      "is_floating_point", "is_floating_point_v", "is_integral",        "is_integral_v", "is_same",
      "is_same_v",         "is_signed",           "is_unsigned",        "make_signed_t", "make_unsigned_t",
      "remove_cv_t",       "remove_reference",    "remove_reference_t", "true_type"}},
    {"type_traits", {"add_const_t",      "add_pointer_t",   "bool_constant",     "is_arithmetic",
                     "is_arithmetic_v",  "is_base_of",      "is_base_of_v",      "is_const",
                     "is_convertible_v", "is_enum",         "is_pointer",        "is_pointer_v",
                     "is_unsigned_v",    "is_void",         "is_void_v",         "make_signed",
                     "make_unsigned",    "remove_const",    "remove_const_t",    "remove_cv",
                     "remove_pointer_t", "underlying_type", "underlying_type_t", "void_t"}},
    {"type_traits",
     {"add_const",
      "add_lvalue_reference",
      "add_lvalue_reference_t",
      "add_pointer",
      "add_rvalue_reference",
      "aligned_storage",
      "aligned_storage_t",
      "alignment_of",
      "conjunction",
      "conjunction_v",
      "disjunction",
      "disjunction_v",
      "extent",
      "extent_v",
      "invoke_result",
      "invoke_result_t",
      "negation",
      "negation_v",
      "remove_cvref_t",
      "remove_extent_t",
      "remove_pointer",
      "remove_volatile_t",
      "type_identity_t",
      "has_virtual_destructor"}},
    {"cstddef", {"byte", "to_integer", "max_align_t"}},
    {"utility",
     {"as_const", "declval", "exchange", "forward", "index_sequence", "integer_sequence",
      "make_index_sequence", "make_pair", "move", "pair", "swap"}},
    {"cstring", {"memcmp", "memcpy", "memmove", "memset"}},
    {"tuple", {"make_tuple", "tie", "tuple", "tuple_size"}},
    {"array", {"array"}},
    {"functional", {"greater", "less", "minus", "multiplies", "plus"}},
    {"algorithm", {"clamp", "max", "min"}},
    {"cmath", {"abs",  "acos", "asin",  "atan",  "atan2", "cbrt", "ceil",  "copysign",
               "cos",  "cosh", "erf",   "exp",   "expm1", "fabs", "floor", "fma",
               "fmod", "log",  "log10", "log1p", "log2",  "pow",  "rint",  "round"}},
    {"cmath",
     {"exp2", "hypot", "isfinite", "isinf", "isnan", "ldexp", "lround", "nearbyint", "remainder", "signbit",
      "sin", "sinh", "sqrt", "tan", "tanh", "trunc"}},
}};

/// The names of streams that <thrust/complex.h> needs.
constexpr std::string_view kStreams =
    "#pragma once\nnamespace std {\ntemplate <class Character>\nstruct char_traits;\n"
    "template <class Character, class Traits>\nclass basic_ostream;\n"
    "template <class Character, class Traits>\nclass basic_istream;\n}\n";

/// What C++17 removed from <functional> and the host's libraries keep; libcu++ does not.
constexpr std::string_view kBasesOfFunctions =
    "#ifndef _LIBCUDACXX_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION\nnamespace std {\n"
    "template <class A, class R>\nstruct unary_function {\n  typedef A argument_type;\n  typedef R "
    "result_type;\n};\n"
    "template <class A, class B, class R>\nstruct binary_function {\n  typedef A first_argument_type;\n"
    "  typedef B second_argument_type;\n  typedef R result_type;\n};\n}\n#endif\n";

/// NVRTC has the declarations of these headers built in.
constexpr std::array<std::string_view, 9> kRuntimeHeaders = {
    "cuda_runtime.h",  "cuda_runtime_api.h", "device_launch_parameters.h",
    "vector_types.h",  "vector_functions.h", "driver_types.h",
    "builtin_types.h", "device_functions.h", "math_functions.h"};

/// "cmath" for "math.h"; any other name unchanged.
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

/// The text of a header that NVRTC gets in memory.
std::optional<std::string> header_text(const std::string& name, const CudaHeaders& cuda, FileSystem& files) {
  const std::string cpp = cpp_name(name);
  const OwnHeader* own = find_own(cpp);
  std::string text;
  if (from_libcu(cpp, cuda, files)) {
    text = "#include <cuda/std/" + cpp +
           ">\nnamespace cuda {\nnamespace std {}\n}\nnamespace std {\nusing namespace cuda::std;\n}\n";
    if (cpp == "functional") text += kBasesOfFunctions;
  }
  if (own != nullptr && (text.empty() || own->with == With::kBoth)) text += own->text;
  // A text may include it inside of `extern "C"`.
  if (own != nullptr || !text.empty()) return "#pragma once\nextern \"C++\" {\n" + text + "\n}\n";
  // What may be thrown: device code throws nothing, but macros that stay may name it.
  if (is_header_of_host(name) || name == "stdexcept" || name == "exception") return "#pragma once\n";
  // Functions of the host, and declarations that NVRTC has or Kiln makes macros of.
  if (name == "driver_functions.h" || name == "cuda_device_runtime_api.h") return "#pragma once\n";
  const bool runtime =
      std::find(kRuntimeHeaders.begin(), kRuntimeHeaders.end(), name) != kRuntimeHeaders.end();
  if (runtime && !cuda.has(name, files)) return "#pragma once\n";
  return std::nullopt;
}

/// "nvidia-cuda-cccl" was named "nvidia-cuda-cccl-cu12" before CUDA 13.
std::string wheel(const std::string& name, int nvrtc_major) {
  return "pip install " + name + (nvrtc_major < 13 ? "-cu" + std::to_string(nvrtc_major) : "");
}

bool starts_with_any(const std::string& name, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return name.starts_with(prefix); });
}

bool is_light(const std::string& name) {
  return std::find(kRuntimeHeaders.begin(), kRuntimeHeaders.end(), name) != kRuntimeHeaders.end() ||
         starts_with_any(name, {"cuda_fp", "cuda_bf16", "mma.h", "math_constants.h", "vector_"});
}

constexpr const char* kThrustSeqHeader = "kiln/thrust_seq.h";

/// Whether an included header uses libcu++, which has its own <cstdint>.
bool uses_libraries(const std::vector<std::string>& unseen, const CudaHeaders& cuda, FileSystem& files) {
  return std::any_of(unseen.begin(), unseen.end(), [&](const std::string& name) {
    const std::string cpp = cpp_name(name);
    if (cpp == "cstdint" || find_own(cpp) != nullptr || is_thrust_header_of_algorithms(name)) return false;
    return from_libcu(cpp, cuda, files) || (!is_light(name) && cuda.has(name, files));
  });
}

/// A header of CUDA's with the 64-bit types that nvcc has on Linux; absent if its text is not as expected.
std::optional<std::pair<std::string, std::string>> with_nvccs_integers(const std::string& name,
                                                                       const CudaHeaders& cuda,
                                                                       FileSystem& files) {
  auto text = cuda.read(name, files);
  constexpr std::string_view kWide = "long long";
  if (!text || text->find(kWide) == std::string::npos) return std::nullopt;
  for (std::size_t at = text->find(kWide); at != std::string::npos; at = text->find(kWide, at))
    text->replace(at, kWide.size(), "long");
  return std::pair{name, *std::move(text)};
}

std::optional<std::pair<std::string, std::string>> nvccs_cstdint(const CudaHeaders& cuda, FileSystem& files) {
  for (const char* name : {"cuda/std/cstdint", "cuda/std/detail/libcxx/include/cstdint"}) {
    if (auto header = with_nvccs_integers(name, cuda, files)) return header;
  }
  return std::nullopt;
}

/// <cub/cub.cuh> includes algorithms of the whole device, which only the host can start; this version omits
/// them, and stands in for the headers of <cub/device/>.
std::string cub_for_devices(const CudaHeaders& cuda, FileSystem& files) {
  std::string text = "#pragma once\n";
  for (const char* folder : {"block", "warp", "thread", "grid", "iterator"}) {
    for (const std::string& name : cuda.list("cub/" + std::string(folder), files)) {
      if (name.ends_with(".cuh")) text += "#include <cub/" + std::string(folder) + "/" + name + ">\n";
    }
  }
  for (const char* name : {"cub/util_type.cuh", "cub/util_ptx.cuh"}) {
    if (cuda.has(name, files)) text += "#include <" + std::string(name) + ">\n";
  }
  return text;
}

/// <thrust/complex.h> has host functions, which NVRTC refuses; in this version they are device functions.
std::string thrust_complex(const std::filesystem::path& path) {
  return "#pragma once\n#include <thrust/detail/config.h>\n#ifdef _CCCL_HOST\n#undef _CCCL_HOST\n"
         "#define _CCCL_HOST __device__\n#endif\n#include \"" +
         path.string() + "\"\n#ifdef _CCCL_HOST\n#undef _CCCL_HOST\n#define _CCCL_HOST __host__\n#endif\n";
}

/// The headers that CUDA's own headers include and that are missing, or exist for nvcc only.
void add_for_libraries(NvrtcHeaders& headers, const CudaHeaders& cuda, FileSystem& files) {
  const auto add = [&](const std::string& name, const std::string& text) {
    headers.in_memory.emplace_back(name, text);
  };
  for (const OwnHeader& own : kOwnHeaders) {
    for (const std::string& name : {std::string(own.name), std::string(own.name.substr(1)) + ".h"}) {
      if (own.name.find('.') != std::string_view::npos || own.name[0] != 'c') continue;
      if (auto text = header_text(name, cuda, files)) add(name, *text);
    }
  }
  for (const char* name : {"complex", "limits", "type_traits", "utility", "tuple", "array", "functional",
                           "iterator", "initializer_list", "new", "numeric"}) {
    if (auto text = header_text(name, cuda, files)) add(name, *text);
  }
  for (const char* name : {"sstream", "iosfwd", "ostream", "istream", "iostream"})
    add(name, std::string(kStreams));
  if (cuda.has("cub/config.cuh", files)) add("cub/cub.cuh", cub_for_devices(cuda, files));
  if (const auto path = cuda.find("thrust/complex.h", files)) add("thrust/complex.h", thrust_complex(*path));
}

}  // namespace

NvrtcHeaders make_nvrtc_headers(const std::vector<std::string>& unseen, bool names_std,
                                const CudaHeaders& cuda, FileSystem& files) {
  NvrtcHeaders headers;
  if (!unseen.empty()) headers.folders = cuda.folders;
  const bool libraries = uses_libraries(unseen, cuda, files);
  std::string integers(embedded::kStdint);
  if (libraries) {
    auto cstdint = nvccs_cstdint(cuda, files);
    integers = cstdint ? "#include <cuda/std/cstdint>\n" : "";
    if (cstdint) headers.in_memory.push_back(*std::move(cstdint));
  }
  std::string nvcc = "#pragma once\n" + std::string(embedded::kNvcc) + integers +
                     std::string(embedded::kMathConstants) + std::string(embedded::kGnuConstants) +
                     std::string(embedded::kWholeMath);
  if (names_std && !libraries) nvcc += std::string(embedded::kMath);
  headers.in_memory.emplace_back(kNvccHeader, std::move(nvcc));
  for (const std::string& name : unseen) {
    if (name == "cub/cub.cuh" || name == "thrust/complex.h") continue;
    if (is_thrust_header_of_algorithms(name)) {
      headers.in_memory.emplace_back(name, "#include <" + std::string(kThrustSeqHeader) + ">\n");
    } else if (name.starts_with("cub/device/") && cuda.has("cub/config.cuh", files)) {
      headers.in_memory.emplace_back(name, "#pragma once\n#include <cub/cub.cuh>\n");
    } else if (cpp_name(name) == "cstdint" && !libraries) {
      headers.in_memory.emplace_back(name, "#pragma once\n");  // kNvccHeader has the whole content
    } else if (auto text = header_text(name, cuda, files)) {
      headers.in_memory.emplace_back(name, *std::move(text));
    }
  }
  if (std::any_of(unseen.begin(), unseen.end(), is_thrust_header_of_algorithms))
    headers.in_memory.emplace_back(kThrustSeqHeader, std::string(embedded::kThrustSeq));
  if (libraries) add_for_libraries(headers, cuda, files);
  for (const char* name : {"cuda_awbarrier_helpers.h", "cuda_pipeline_helpers.h"}) {
    auto helpers = libraries ? with_nvccs_integers(name, cuda, files) : std::nullopt;
    if (helpers) headers.in_memory.push_back(*std::move(helpers));
  }
  return headers;
}

ImpliedHeaders implied_headers(const std::vector<std::string_view>& texts,
                               const std::vector<std::string>& unseen) {
  const auto included = [&](std::string_view header) {
    return std::any_of(unseen.begin(), unseen.end(),
                       [&](const std::string& name) { return cpp_name(name) == header; });
  };
  ImpliedHeaders implied;
  const auto has = [&](std::string_view word) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return text.find(word) != std::string_view::npos; });
  };
  const bool names_limits = has("_MAX") || has("_MIN") || has("_EPSILON") || has("CHAR_BIT");
  const bool all_of_std = has("using namespace std");
  if (!names_limits && !all_of_std && !has("std::"))
    return implied;  // asked for at each look-up in the caches
  std::set<std::string> names;
  for (const std::string_view text : texts) names.merge(identifiers_in(std::string(text)));
  const auto uses = [&](std::initializer_list<const char*> some) {
    return std::any_of(some.begin(), some.end(), [&](const char* name) { return names.contains(name); });
  };
  if (uses({"CHAR_BIT", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "CHAR_MIN", "CHAR_MAX", "SHRT_MIN", "SHRT_MAX",
            "USHRT_MAX", "INT_MIN", "INT_MAX", "UINT_MAX", "LONG_MIN", "LONG_MAX", "ULONG_MAX", "LLONG_MIN",
            "LLONG_MAX", "ULLONG_MAX"}) &&
      !included("climits"))
    implied.macros += "#ifndef INT_MAX\n" + std::string(embedded::kLimits) + "#endif\n";
  if (uses({"FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_MIN", "DBL_EPSILON"}) && !included("cfloat"))
    implied.macros += embedded::kFloat;
  // `std::is_trivially_copyable_v`; algorithms such as `is_sorted` are few.
  const bool asks_for_traits = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with("is_") && has("std::" + name);
  });
  if (asks_for_traits) implied.names.emplace_back("type_traits");
  for (const StdNames& of : kImpliedNames) {
    const bool used = std::any_of(of.names.begin(), of.names.end(), [&](std::string_view name) {
      if (name.empty() || !names.contains(std::string(name))) return false;
      // Other names without `std::` may be the text's own.
      const bool of_types = of.header == "type_traits" && name.find('_') != std::string_view::npos;
      return (all_of_std && of_types) || has("std::" + std::string(name));
    });
    // What kNvccHeader has anyway, unless another header brings libcu++.
    if (of.header == "cmath" && implied.names.empty() && unseen.empty()) continue;
    if (used) implied.names.emplace_back(of.header);  // a header before the one that includes it may use it
  }
  return implied;
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
  if (starts_with_any(name, {"cuda.h",
                             "cuda_runtime",
                             "cuda_device_runtime",
                             "cuda_fp",
                             "cuda_bf16",
                             "cuda_pipeline",
                             "cuda_awbarrier",
                             "cuda_occupancy",
                             "cuda_profiler",
                             "cuda_surface",
                             "cuda_texture",
                             "cuda_gl_",
                             "cuda_egl_",
                             "cuda_vdpau_",
                             "cooperative_groups",
                             "mma",
                             "sm_",
                             "device_",
                             "math_",
                             "vector_",
                             "channel_",
                             "builtin_types",
                             "host_",
                             "driver_",
                             "library_types",
                             "surface_",
                             "texture_"})) {
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
  hasher.field(kNvccHeader, std::string(embedded::kNvcc) + std::string(embedded::kMathConstants) +
                                std::string(embedded::kGnuConstants));
  hasher.field(kThrustSeqHeader, std::string(embedded::kThrustSeq));
  hasher.field("functional", kBasesOfFunctions);
  return hasher.hex();
}

}  // namespace kiln
