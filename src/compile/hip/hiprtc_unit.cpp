#include "compile/hip/hiprtc_unit.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "compile/c_headers.h"
#include "compile/cpu/embedded_shim.h"
#include "compile/language_version.h"
#include "kiln/error.h"
#include "kiln_embedded_hiprtc_shim.h"
#include "kiln_embedded_nvrtc_shim.h"
#include "kiln_embedded_portable.h"
#include "kiln_embedded_shared_shim.h"
#include "specialize/any_text.h"
#include "specialize/cuda_for_hip.h"
#include "specialize/host_libraries.h"
#include "specialize/params_struct.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

/// hipRTC's own text has the definitions of these headers; with the files it would have them twice.
const std::set<std::string> kBuiltIn = {"hip/hip_runtime.h",
                                        "hip/hip_runtime_api.h",
                                        "hip/hip_vector_types.h",
                                        "hip/hip_common.h",
                                        "hip/device_functions.h",
                                        "hip/math_functions.h",
                                        "hip/hip_fp16.h",
                                        "cuda_runtime.h",
                                        "cuda_runtime_api.h",
                                        "device_launch_parameters.h",
                                        "vector_types.h",
                                        "vector_functions.h",
                                        "driver_types.h",
                                        "builtin_types.h",
                                        "device_functions.h",
                                        "math_functions.h",
                                        "cuda.h",
                                        "cuda_fp16.h"};

/// hipRTC of ROCm 7 has bfloat16 built in; for others it is Kiln's text for kernels of the CPU.
const std::string kBfloat16 =
    "#pragma once\n#ifdef _HIP_INCLUDE_HIP_AMD_DETAIL_HIP_BF16_H_\n"
    "using __nv_bfloat16 = __hip_bfloat16;\nusing __nv_bfloat162 = __hip_bfloat162;\n"
    "using __nv_bfloat16_raw = __hip_bfloat16_raw;\n"
    "using __nv_bfloat162_raw = __hip_bfloat162_raw;\n#else\n" +
    std::string(embedded::kBf16) + "#endif\n";
/// Of texts that the CPU's shim shares.
const std::string kShimWord = "#ifndef KILN_SHIM\n#define KILN_SHIM static __device__ inline\n#endif\n";
const std::string kSmallFloats =
    "#pragma once\n" + std::string(embedded::kHipSmallFloat) + std::string(embedded::kSmallFloat);

const std::string kMma = "#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + kShimWord +
                         std::string(embedded::kWmmaFragments) + std::string(embedded::kHipWmma);
const std::string kPipeline = "#pragma once\n#pragma clang force_cuda_host_device begin\n" + kShimWord +
                              std::string(embedded::kPipelinePrimitives) +
                              "#pragma clang force_cuda_host_device end\n";

/// Headers that replace CUDA's and C++'s where hipRTC has none.
const std::map<std::string, std::string> kStandIns = {
    {"cuda_bf16.h", kBfloat16},
    {"cuda_fp8.h", "#include \"kiln/small_float.h\"\n" + std::string(embedded::kFp8)},
    {"math_constants.h",
     "#pragma once\n" + std::string(embedded::kHipConstants) + std::string(embedded::kConstants)},
    {"cuComplex.h", "#pragma once\n" + std::string(embedded::kCuComplex)},
    {"mma.h", kMma},
    {"cuda_pipeline.h", kPipeline},
    {"cuda_pipeline_primitives.h", kPipeline},
    {"endian.h", "#pragma once\n" + std::string(embedded::kEndian)},
    {"cooperative_groups.h", "#pragma once\n" + std::string(embedded::kHipGroups)},
    {"cooperative_groups/reduce.h", "#pragma once\n"},
    {"type_traits", std::string(embedded::kStdTypes)},
    {"limits", std::string(embedded::kStdTypes)},
    {"utility", std::string(embedded::kStdTypes)},
    {"array", std::string(embedded::kStdTypes)}};

/// CUDA itself, under the tests' stand-in for hipRTC, has these functions.
const std::string kForGpus =
    "#pragma once\n#if defined(__AMDGCN__) || defined(KILN_CUDA_FUNCTIONS_FOR_CPU)\n";

/// The header of what translated PTX needs, and of CUDA's functions that HIP lacks.
constexpr const char* kCudaFunctions = "kiln/cuda_functions.h";

/// Of CUDA's functions, those that HIP lacks or rounds otherwise, and namespace kiln_cuda has.
bool is_missing_in_hip(std::string_view name) {
  static const std::set<std::string_view> names = {"__dp4a",
                                                   "__dp2a_lo",
                                                   "__dp2a_hi",
                                                   "__fns",
                                                   "__nanosleep",
                                                   "umin",
                                                   "umax",
                                                   "llmin",
                                                   "llmax",
                                                   "ullmin",
                                                   "ullmax",
                                                   "__isShared",
                                                   "__isGlobal",
                                                   "__isLocal",
                                                   "__cvta_generic_to_shared",
                                                   "__cvta_shared_to_generic",
                                                   "__cvta_generic_to_global",
                                                   "__cvta_global_to_generic"};
  if (names.contains(name)) return true;
  if (!name.starts_with("__")) return false;
  const auto ends_with = [&](std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* one) { return name.ends_with(one); });
  };
  const auto begins_with = [&](std::initializer_list<const char*> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](const char* one) { return name.starts_with(one); });
  };
  const bool directed = ends_with({"_rd", "_ru", "_rz"}) &&
                        begins_with({"__fadd_", "__fsub_", "__fmul_", "__fdiv_", "__frcp_", "__fsqrt_",
                                     "__fmaf_", "__int2float_", "__uint2float_", "__double2float_"});
  const bool of_words = begins_with({"__vabs", "__vneg", "__vadd", "__vsub", "__vavg", "__vhadd", "__vmax",
                                     "__vmin", "__vsad", "__vcmp", "__vset"}) &&
                        ends_with({"2", "4"});
  return directed || of_words || begins_with({"__vimax", "__vimin", "__viadd", "__vibm"});
}

/// Whether the text declares a function of the name: "int __dp4a(" and no call of it.
bool is_declared_at(const std::vector<Token>& tokens, std::size_t i) {
  static const std::set<std::string_view> before_calls = {"return", "else", "do", "case"};
  return i > 0 && i + 1 < tokens.size() && tokens[i + 1].is("(") && tokens[i - 1].identifier() &&
         !before_calls.contains(tokens[i - 1].text);
}

/// CUDA's functions that the texts use and neither HIP nor the texts have.
std::set<std::string> functions_of_cuda(const Specialization& specialization) {
  std::set<std::string> used, own;
  const auto read = [&](const std::string& text) {
    const TokenizedText source = tokenize(text);
    for (std::size_t i = 0; i < source.tokens.size(); ++i) {
      if (!is_missing_in_hip(source.tokens[i].text)) continue;
      const std::string name(source.tokens[i].text);
      (is_declared_at(source.tokens, i) ? own : used).insert(name);
    }
    for (const Directive& directive : source.directives) {
      for (std::size_t i = 0; i < directive.tokens.size(); ++i) {
        if (!is_missing_in_hip(directive.tokens[i].text)) continue;
        const bool defined = i == 1 && directive.tokens[0].is("define");
        (defined ? own : used).insert(std::string(directive.tokens[i].text));
      }
    }
  };
  read(specialization.source_text);
  for (const IncludedHeader& header : specialization.headers) read(header.text);
  for (const std::string& name : own) used.erase(name);
  return used;
}

/// Text of the header kCudaFunctions, or empty where nothing of it is used.
std::string cuda_functions(const Specialization& specialization) {
  const std::set<std::string> named = functions_of_cuda(specialization);
  const auto has = [&](const char* word) {
    return any_text(specialization,
                    [&](const std::string& text) { return text.find(word) != std::string::npos; });
  };
  if (named.empty() && !has("kiln_cuda::") && !has("KILN_REFUSED_PTX")) return "";
  const bool matrices = has("kiln_ptx_c<") || has("kiln_ptx_tiles<");
  const bool words = has("__v"), rounds = has("_rd") || has("_ru") || has("_rz");
  std::string text =
      kForGpus + std::string(embedded::kHipCuda) + std::string(embedded::kIntegers) +
      std::string(rounds ? embedded::kRounding : "") + std::string(words ? embedded::kWords : "") +
      std::string(matrices ? embedded::kHipMatrix : "") + "}\n#pragma pop_macro(\"KILN_AS_WRITTEN\")\n";
  for (const std::string& name : named) text += "#define " + name + " kiln_cuda::" + name + "\n";
  return text + "#else\n#define KILN_REFUSED_PTX(tag, message) static_assert(false, message)\n#endif\n";
}

/// The CPU's stand-in of that name, or null.
const EmbeddedFile* cpu_stand_in(std::string_view name) {
  const auto& files = cpu_stand_in_headers();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

/// Types of numbers and handles that device code has of CUDA's libraries; headers of these libraries include
/// one of the two.
constexpr std::array<const char*, 2> kTypesOfLibraries = {"kiln/fft_types.h", "kiln/blas_types.h"};

/// A header of CUDA for the host alone, or of a library of which device code has types at most; else null.
const EmbeddedFile* header_of_host_side(const std::string& name) {
  const EmbeddedFile* header = cpu_stand_in(name);
  if (header == nullptr || header->text.empty()) return header;
  const bool has_types =
      std::any_of(kTypesOfLibraries.begin(), kTypesOfLibraries.end(),
                  [&](const char* types) { return header->text.find(types) != std::string_view::npos; });
  return has_types ? header : nullptr;
}

/// Whether the texts ask for CUDA's compiler and know nothing of HIP's, or of Kiln's words for each: `#ifdef
/// __CUDA_ARCH__` then has the code of the device in it, and what stands beside it is for the host.
bool is_of_cuda_alone(const Specialization& specialization) {
  const auto has = [&](std::initializer_list<const char*> words) {
    return any_text(specialization, [&](const std::string& text) {
      return std::any_of(words.begin(), words.end(),
                         [&](const char* word) { return text.find(word) != std::string::npos; });
    });
  };
  return has({"__CUDACC__", "__CUDA_ARCH__", "CUDART_VERSION"}) &&
         !has({"__HIP", "KILN_BACKEND_", "USE_HIP", "hipLaunchKernelGGL", "hip/hip_", "kiln/params.h",
               "kiln/portable.h"});
}

/// "const int warpSize = 32;" of a text, which a macro of that name would spoil.
bool declares_warp_size(const std::string& text) {
  constexpr std::string_view kName = "warpSize";
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at)) {
    const bool whole = at == 0 || !continues_identifier(text[at - 1]);
    at = text.find_first_not_of(" \t\r\n", at + kName.size());
    if (whole && at != std::string::npos && text[at] == '=' && text.compare(at, 2, "==") != 0) return true;
  }
  return false;
}

/// CUDA's functions of a warp; those that the texts define as templates, too, get names that nothing uses.
std::string cuda_warp(const Specialization& specialization) {
  std::string before, behind;
  for (const std::string name : {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
                                 "__match_any_sync", "__match_all_sync"}) {
    if (!declares_template(specialization, name)) continue;
    before += "#define " + name + " kiln_unused" + name + "\n";
    behind += "#undef " + name + "\n";
  }
  return before + std::string(embedded::kCudaWarp) + behind;
}

/// A text's own `float atomicMin(float*, float)`, which HIP has, and CUDA has not: under another name, with
/// HIP's functions beside it.
std::string overloads_of_atomics(const Specialization& specialization) {
  std::string text;
  for (const std::string name : {"atomicAdd", "atomicMin", "atomicMax"}) {
    if (!declares_for_reals(specialization, name)) continue;
    if (text.empty()) text = "template <class T>\nstruct kiln_same {\n  typedef T type;\n};\n";
    text += "template <class T>\n__device__ inline T kiln_own_" + name +
            "(T* address, typename kiln_same<T>::type value) {\n  return " + name +
            "(address, value);\n}\n#define " + name + " kiln_own_" + name + "\n";
  }
  return text;
}

/// Whether the text has the form of an ISA's name. Some release may know it, so the nearest other name would
/// mislead.
bool is_isa_name(const std::string& text) {
  constexpr std::string_view kName = "gfx";
  constexpr std::size_t kLeast = 3;
  constexpr std::size_t kMost = 4;
  if (!text.starts_with(kName)) return false;
  const std::string number = text.substr(kName.size());
  return number.size() >= kLeast && number.size() <= kMost &&
         number.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void require_known_isa(const HiprtcLibrary& hiprtc, const std::string& isa) {
  if (hiprtc.knows(isa)) return;
  const std::string release = "hipRTC " + std::to_string(hiprtc.major) + "." + std::to_string(hiprtc.minor);
  const std::size_t colon = isa.find(':');
  const std::string processor = isa.substr(0, colon);
  if (colon != std::string::npos && hiprtc.knows(processor)) {
    throw bad_input("'" + isa.substr(colon + 1) + "' is no feature of " + processor + " to this " + release +
                    ": expected a name like " + processor + " or gfx90a:sramecc+:xnack-");
  }
  throw bad_input(isa + " is not known to this " + release + " (knows " + join(hiprtc.isas, ", ") + ")" +
                  (is_isa_name(processor) ? "; a newer ROCm's can be named with KILN_HIPRTC"
                                          : suggestion(processor, hiprtc.isas)));
}

int compiled_wavefront_size(const Specialization& specialization) {
  int size = specialization.target.warp_size;
  for (const std::string& option : specialization.options) {
    if (option == "-mwavefrontsize64") size = 64;
    if (option == "-mno-wavefrontsize64") size = 32;
  }
  return size;
}

std::string hip_launch_bounds(const std::string& bounds, int wavefront) {
  const std::vector<std::string> parts = split(bounds, ',');
  const auto threads = parse_integer(trim(parts.front()));
  const auto blocks = parts.size() > 1 ? parse_integer(trim(parts[1])) : std::nullopt;
  if (!threads || !blocks) return "__launch_bounds__(" + bounds + ")";
  const std::int64_t units = wavefront == 64 ? 4 : 2;
  const std::int64_t wavefronts = *blocks * ((*threads + wavefront - 1) / wavefront);
  return "__launch_bounds__(" + std::to_string(*threads) + ", " +
         std::to_string((wavefronts + units - 1) / units) + ")";
}

bool uses_cuda_warp(const Specialization& specialization) {
  const auto names = [](const std::string& text) {
    if (text.find("__") == std::string::npos) return false;
    const std::set<std::string> found = identifiers_in(text);
    return std::any_of(found.begin(), found.end(), [](const std::string& name) {
      const bool joins = name.starts_with("__shfl_") || name.starts_with("__ballot_") ||
                         name.starts_with("__any_") || name.starts_with("__all_") ||
                         name.starts_with("__match_") || name.starts_with("__reduce_");
      return (joins && name.ends_with("_sync")) || name == "__syncwarp" || name == "__activemask" ||
             name == "__trap" || name == "kiln_ptx_tiles" || name == "kiln_ptx_c";
    });
  };
  const auto& unseen = specialization.unseen_headers;
  const bool of_header = std::any_of(unseen.begin(), unseen.end(), [](const std::string& name) {
    return name == "cooperative_groups.h" || name == "mma.h";
  });
  return of_header || any_text(specialization, names);
}

namespace {

/// <cuda_fp16.h>, <cuda_bf16.h> and what the second needs.
void add_small_floats(RtcUnit& unit) {
  unit.add_header("kiln/small_float.h", kSmallFloats);
  unit.add_header("kiln/small_float_operators.h", std::string(embedded::kSmallFloatOperators));
  unit.add_header("cuda_fp16.h", "#pragma once\n");
  unit.add_header("cuda_bf16.h", kBfloat16);
}

/// What the headers of CUDA's libraries include.
void add_types_of_libraries(RtcUnit& unit) {
  for (const char* types : kTypesOfLibraries)
    unit.add_header(types, "#pragma once\n" + std::string(cpu_stand_in(types)->text));
  unit.add_header("cuComplex.h", kStandIns.at("cuComplex.h"));
  add_small_floats(unit);
}

}  // namespace

void add_language_headers(RtcUnit& unit, const Specialization& specialization) {
  std::string text = "#pragma once\n" + std::string(embedded::kNames) + std::string(embedded::kFloat) +
                     std::string(embedded::kMathConstants) + std::string(embedded::kGnuConstants) +
                     std::string(embedded::kInttypes) + std::string(embedded::kMath);
  // nvcc has these names of std without a header.
  if (any_text(specialization, [](const std::string& one) {
        return one.find("std::") != std::string::npos || one.find("using namespace std") != std::string::npos;
      }))
    text += embedded::kStdTypes;
  if (uses_cuda_warp(specialization)) {
    if (any_text(specialization, declares_warp_size)) text += "#define KILN_OWN_WARP_SIZE\n";
    text += cuda_warp(specialization);
  }
  text += overloads_of_atomics(specialization);
  unit.add_header(kHipccHeader, std::move(text));
  unit.text.insert(0, "#include \"" + std::string(kHipccHeader) + "\"\n");
  for (const std::string& name : specialization.unseen_headers) {
    if (is_header_of_host(name) || is_header_of_language(name)) unit.add_header(name, "#pragma once\n");
    if (const auto* host = header_of_host_side(name)) {
      unit.add_header(name, "#pragma once\n" + std::string(host->text));
      if (!host->text.empty()) add_types_of_libraries(unit);
    }
    if (name == "algorithm") unit.add_header(name, "#pragma once\n" + std::string(embedded::kAlgorithm));
  }
}

std::string hiprtc_headers_fingerprint() {
  FieldHasher hasher;
  for (const std::string_view text : {embedded::kNames,
                                      embedded::kCudaWarp,
                                      embedded::kFloat,
                                      embedded::kMathConstants,
                                      embedded::kGnuConstants,
                                      embedded::kMath,
                                      embedded::kAlgorithm,
                                      embedded::kCuComplex,
                                      embedded::kHipGroups,
                                      embedded::kStdTypes,
                                      embedded::kHipSmallFloat,
                                      embedded::kSmallFloat,
                                      embedded::kSmallFloatOperators,
                                      embedded::kBf16,
                                      embedded::kFp8,
                                      embedded::kConstants,
                                      embedded::kHipConstants,
                                      embedded::kThrustSeq,
                                      embedded::kCurandEngines,
                                      embedded::kCurandKernel,
                                      embedded::kHipCurandJumps,
                                      embedded::kHipCuda,
                                      embedded::kHipMatrix,
                                      embedded::kHipWmma,
                                      embedded::kWmmaFragments,
                                      embedded::kEndian,
                                      embedded::kPipelinePrimitives,
                                      embedded::kIntegers,
                                      embedded::kRounding,
                                      embedded::kWords})
    hasher.field("text", std::string(text));
  return hasher.hex();
}

RtcUnit make_hiprtc_unit(const Specialization& specialization, const std::filesystem::path& source_folder) {
  const int wavefront = compiled_wavefront_size(specialization);
  RtcDialect dialect;
  dialect.prologue = "#define KILN_BACKEND_HIP 1\n#define KILN_WARP_SIZE " + std::to_string(wavefront) + "\n";
  if (is_of_cuda_alone(specialization))
    dialect.prologue += "#define __CUDACC__ 1\n#define __CUDA_ARCH__ 700\n#define CUDART_VERSION 12060\n";
  dialect.launch_bounds = [wavefront](const std::string& bounds) {
    return hip_launch_bounds(bounds, wavefront);
  };
  RtcUnit unit = make_rtc_unit(specialization, dialect, source_folder);
  for (const std::string& name : specialization.unseen_headers) {
    if (kBuiltIn.contains(name)) unit.add_header(name, "#pragma once\n");
    if (const auto own = kStandIns.find(name); own != kStandIns.end()) unit.add_header(name, own->second);
    if (name == "cuda_bf16.h" || name == "cuda_fp8.h" || name == "mma.h") add_small_floats(unit);
  }
  if (std::string functions = cuda_functions(specialization); !functions.empty()) {
    unit.add_header(kCudaFunctions, std::move(functions));
    unit.text.insert(0, "#include \"" + std::string(kCudaFunctions) + "\"\n");
  }
  // These have functions without a word for the device.
  const auto of_both_sides = [](std::string_view text) {
    return "#pragma once\n#pragma clang force_cuda_host_device begin\n" + std::string(text) +
           "#pragma clang force_cuda_host_device end\n";
  };
  for (const std::string& name : specialization.unseen_headers) {
    if (!name.starts_with("curand")) continue;
    unit.add_header(name, name == "curand.h" ? "#pragma once\n" : "#include \"kiln/curand_kernel.h\"\n");
    unit.add_header("kiln/curand_kernel.h", of_both_sides(embedded::kCurandKernel));
    unit.add_header("kiln/curand_engines.h",
                    of_both_sides(kShimWord + std::string(embedded::kCurandEngines)));
    unit.add_header("kiln/curand_jumps.h", of_both_sides(embedded::kHipCurandJumps));
  }
  bool calls_algorithms = false;
  for (const std::string& name : specialization.unseen_headers) {
    if (!is_thrust_header_of_algorithms(name)) continue;
    unit.add_header(name, "#include \"kiln/thrust_seq.h\"\n");
    calls_algorithms = true;
  }
  if (calls_algorithms) {
    unit.add_header("kiln/thrust_seq.h", of_both_sides(embedded::kThrustSeq));
  }
  for (auto& [name, text] : unit.headers) {
    if (text.empty()) text = "\n";  // hipRTC refuses a header without text
  }
  return unit;
}

std::vector<std::string> hiprtc_options(const Specialization& specialization) {
  std::vector<std::string> options;
  if (!has_option(specialization, {"-std", "--std"}))
    options.push_back(std::string("-std=") + language_version(specialization));
  options.push_back("--offload-arch=" + specialization.target.arch);
  // Errors in functions of the host do not count: no code is made of them.
  options.emplace_back("-fgpu-defer-diag");
  options.emplace_back("-Wno-register");  // of nvcc it gets a warning
  if (specialization.fast_math) options.emplace_back("-ffast-math");
  if (specialization.lineinfo && !has_option(specialization, {"-g"}))
    options.emplace_back("-gline-tables-only");
  for (const std::string& directory : specialization.include_directories) options.push_back("-I" + directory);
  options.insert(options.end(), specialization.options.begin(), specialization.options.end());
  return options;
}

}  // namespace kiln
