#include "specialize/hip_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "specialize/declarations.h"
#include "specialize/include_scan.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

/// Words with an equivalent in CUDA.
const std::map<std::string_view, std::string_view> kHipWords = {
    {"__hip_bfloat16", "__nv_bfloat16"},
    {"__hip_bfloat162", "__nv_bfloat162"},
    {"hip_bfloat16", "__nv_bfloat16"},
    {"hipThreadIdx_x", "threadIdx.x"},
    {"hipThreadIdx_y", "threadIdx.y"},
    {"hipThreadIdx_z", "threadIdx.z"},
    {"hipBlockIdx_x", "blockIdx.x"},
    {"hipBlockIdx_y", "blockIdx.y"},
    {"hipBlockIdx_z", "blockIdx.z"},
    {"hipBlockDim_x", "blockDim.x"},
    {"hipBlockDim_y", "blockDim.y"},
    {"hipBlockDim_z", "blockDim.z"},
    {"hipGridDim_x", "gridDim.x"},
    {"hipGridDim_y", "gridDim.y"},
    {"hipGridDim_z", "gridDim.z"},
    {"__builtin_amdgcn_s_barrier", "__syncthreads"},
    {"__builtin_amdgcn_wave_barrier", "__syncwarp"},
    {"atomicAddNoRet", "atomicAdd"},
    {"__builtin_amdgcn_sqrtf", "sqrtf"},
    {"__builtin_amdgcn_sqrt", "sqrt"},
    {"__builtin_amdgcn_rsq", "rsqrt"},
    {"__builtin_amdgcn_exp2f", "exp2f"},
    {"__builtin_amdgcn_logf", "log2f"},
    {"__builtin_amdgcn_ldexpf", "ldexpf"},
    {"__builtin_amdgcn_ldexp", "ldexp"},
    {"__builtin_amdgcn_rsqf", "rsqrtf"},
    {"__builtin_amdgcn_s_memtime", "clock64"},
    {"__builtin_amdgcn_s_memrealtime", "clock64"}};

/// Calls: "$1" and "$2" are the arguments, "$*" all of them.
const std::map<std::string_view, std::string_view> kCalls = {
    {"__builtin_amdgcn_workitem_id_x", "threadIdx.x"},
    {"__builtin_amdgcn_workitem_id_y", "threadIdx.y"},
    {"__builtin_amdgcn_workitem_id_z", "threadIdx.z"},
    {"__builtin_amdgcn_workgroup_id_x", "blockIdx.x"},
    {"__builtin_amdgcn_workgroup_id_y", "blockIdx.y"},
    {"__builtin_amdgcn_workgroup_id_z", "blockIdx.z"},
    {"__builtin_amdgcn_workgroup_size_x", "blockDim.x"},
    {"__builtin_amdgcn_workgroup_size_y", "blockDim.y"},
    {"__builtin_amdgcn_workgroup_size_z", "blockDim.z"},
    {"__builtin_amdgcn_wavefrontsize", "32"},
    {"__builtin_amdgcn_fence", "__threadfence()"},
    {"__builtin_amdgcn_s_sleep", "((void)0)"},
    {"__builtin_amdgcn_sched_barrier", "((void)0)"},
    {"__builtin_amdgcn_sched_group_barrier", "((void)0)"},
    {"__builtin_amdgcn_s_setprio", "((void)0)"},
    {"__builtin_amdgcn_s_waitcnt", "((void)0)"},
    {"__builtin_amdgcn_grid_size_x", "(gridDim.x * blockDim.x)"},
    {"__builtin_amdgcn_grid_size_y", "(gridDim.y * blockDim.y)"},
    {"__builtin_amdgcn_grid_size_z", "(gridDim.z * blockDim.z)"},
    {"__lane_id", "((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u)"},
    {"__builtin_amdgcn_rcp", "(1.0 / ($1))"},
    {"__builtin_amdgcn_sinf", "sinpif(2.0f * ($1))"},  // in turns
    {"__builtin_amdgcn_cosf", "cospif(2.0f * ($1))"},
    {"__builtin_amdgcn_ubfe", "((static_cast<unsigned>($1) >> (($2) & 31u)) & ((1u << (($3) & 31u)) - 1u))"},
    {"__builtin_amdgcn_sbfe", "kiln_hip::signed_field($1, $2, $3)"},
    {"__builtin_amdgcn_perm", "kiln_hip::permuted_bytes<unsigned>($1, $2, $3)"},
    {"__builtin_amdgcn_fmed3f", "kiln_hip::median<float>($1, $2, $3)"},
    {"__builtin_amdgcn_update_dpp", "kiln_hip::lanes_by_dpp($1, $2, $3, $4, $5, $6)"},
    {"__builtin_amdgcn_mov_dpp", "kiln_hip::lanes_by_dpp($1, $1, $2, $3, $4, $5)"},
    {"__builtin_amdgcn_ds_swizzle", "kiln_hip::lanes_by_swizzle($1, $2)"},
    {"__builtin_amdgcn_fractf", "(($1) - floorf($1))"},
    {"__builtin_amdgcn_mul_u24", "__umul24($1, $2)"},
    {"__builtin_amdgcn_mul_i24", "__mul24($1, $2)"},
    {"__builtin_amdgcn_alignbit", "__funnelshift_r($2, $1, $3)"},
    {"__builtin_amdgcn_alignbyte", "__funnelshift_r($2, $1, 8u * (($3) & 3u))"},
    {"__builtin_amdgcn_sad_u8", "(__vsadu4($1, $2) + ($3))"},
    {"__builtin_amdgcn_sdot4", "__dp4a(static_cast<int>($1), static_cast<int>($2), $3)"},
    {"__builtin_amdgcn_udot4", "__dp4a(static_cast<unsigned>($1), static_cast<unsigned>($2), $3)"},
    {"__builtin_amdgcn_rcpf", "(1.0f / ($1))"},
    {"__builtin_amdgcn_readfirstlane", "__shfl_sync(__activemask(), $1, __ffs(__activemask()) - 1)"},
    {"__builtin_amdgcn_readlane", "__shfl_sync(__activemask(), $1, $2)"},
    {"__builtin_amdgcn_ds_bpermute", "__shfl_sync(__activemask(), $2, ($1) >> 2)"},
    {"__builtin_amdgcn_ballot_w32", "__ballot_sync(__activemask(), $1)"},
    {"__builtin_amdgcn_ballot_w64", "static_cast<unsigned long long>(__ballot_sync(__activemask(), $1))"},
    {"__builtin_amdgcn_mbcnt_lo",
     "(($2) + __popc(($1) & ((1u << ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & "
     "31u)) - "
     "1u)))"},
    {"__builtin_amdgcn_mbcnt_hi", "($2)"},
    {"__builtin_nontemporal_load", "(*($1))"},
    {"__builtin_nontemporal_store", "((void)(*($2) = ($1)))"},
    {"unsafeAtomicAdd", "atomicAdd($*)"},
    {"safeAtomicAdd", "atomicAdd($*)"},
    {"__hip_atomic_fetch_add", "atomicAdd($1, $2)"},
    {"__hip_atomic_fetch_min", "atomicMin($1, $2)"},
    {"__hip_atomic_fetch_max", "atomicMax($1, $2)"},
    {"__hip_atomic_fetch_and", "atomicAnd($1, $2)"},
    {"__hip_atomic_fetch_or", "atomicOr($1, $2)"},
    {"__hip_atomic_fetch_xor", "atomicXor($1, $2)"},
    {"__hip_atomic_exchange", "atomicExch($1, $2)"}};

/// HIP's functions of a warp that CUDA has no longer; the CPU back end has them.
const std::map<std::string_view, std::string_view> kWarpCalls = {
    {"__shfl", "__shfl_sync(__activemask(), $*)"},
    {"__shfl_up", "__shfl_up_sync(__activemask(), $*)"},
    {"__shfl_down", "__shfl_down_sync(__activemask(), $*)"},
    {"__shfl_xor", "__shfl_xor_sync(__activemask(), $*)"},
    {"__ballot", "__ballot_sync(__activemask(), $*)"},
    {"__any", "__any_sync(__activemask(), $*)"},
    {"__all", "__all_sync(__activemask(), $*)"}};

const std::map<std::string_view, std::string_view> kHeaders = {
    {"hip/hip_runtime.h", "cuda_runtime.h"},
    {"hip/hip_runtime_api.h", "cuda_runtime.h"},
    {"hip/hip_common.h", "cuda_runtime.h"},
    {"hip/hip_fp16.h", "cuda_fp16.h"},
    {"hip/hip_bf16.h", "cuda_bf16.h"},
    {"hip/hip_bfloat16.h", "cuda_bf16.h"},
    {"hip/hip_fp8.h", "cuda_fp8.h"},
    {"hip/hip_cooperative_groups.h", "cooperative_groups.h"},
    {"hip/hip_complex.h", "cuComplex.h"},
    {"hip/hip_vector_types.h", "vector_types.h"},
    {"hip/hip_math_constants.h", "math_constants.h"},
    {"hip/math_functions.h", "cuda_runtime.h"},
    {"hip/device_functions.h", "cuda_runtime.h"},
    {"hiprand/hiprand.h", "curand.h"},
    {"hiprand/hiprand_kernel.h", "curand_kernel.h"},
    {"hiprand.h", "curand.h"},
    {"hiprand_kernel.h", "curand_kernel.h"}};

/// The header of CUDA that a header of HIP is; empty: none.
std::string_view header_of_cuda(std::string_view header) {
  if (header.starts_with("hipcub/")) return "cub/cub.cuh";
  const auto found = kHeaders.find(header);
  return found == kHeaders.end() ? std::string_view{} : found->second;
}

/// Words of HIP's libraries as CUDA's: "hiprandState" is "curandState", "hipCaddf" "cuCaddf",
/// "make_hipFloatComplex" "make_cuFloatComplex". Empty: another word.
std::string word_of_library(std::string_view word) {
  if (word == "hipcub") return "cub";
  static const std::set<std::string_view> types = {
      "hipTextureObject_t", "hipSurfaceObject_t", "hipPitchedPtr", "hipExtent", "hipPos",
      "hipError_t",         "hipSuccess"};
  if (types.contains(word)) return "cuda" + std::string(word.substr(3));
  constexpr std::string_view kMake = "make_", kHip = "hip";
  const bool makes = word.starts_with(kMake);
  std::string_view rest = makes ? word.substr(kMake.size()) : word;
  if (!rest.starts_with(kHip)) return "";
  rest.remove_prefix(kHip.size());
  if (rest.starts_with("rand")) return "cu" + std::string(rest);
  const std::string_view plain = rest.ends_with("f") ? rest.substr(0, rest.size() - 1) : rest;
  static const std::set<std::string_view> complex = {"Creal",
                                                     "Cimag",
                                                     "Cadd",
                                                     "Csub",
                                                     "Cmul",
                                                     "Cdiv",
                                                     "Cabs",
                                                     "Cfma",
                                                     "Conj",
                                                     "Complex",
                                                     "FloatComplex",
                                                     "DoubleComplex",
                                                     "ComplexFloatToDouble",
                                                     "ComplexDoubleToFloat"};
  if (!complex.contains(plain)) return "";
  return (makes ? "make_cu" : "cu") + std::string(rest);
}

/// "__nv_fp8_e4m3" for "__hip_fp8_e4m3", "__nv_cvt_float_to_fp8" for "__hip_cvt_float_to_fp8". Empty: another
/// word.
std::string word_of_fp8(std::string_view word) {
  constexpr std::string_view kLower = "__hip_", kUpper = "__HIP_";
  const std::string_view rest = word.substr(std::min(kLower.size(), word.size()));
  if (word.starts_with(kLower) &&
      (rest.starts_with("fp8") || rest.starts_with("cvt_") || rest.starts_with("saturation_")))
    return "__nv_" + std::string(rest);
  if (word.starts_with(kUpper) &&
      (rest == "SATFINITE" || rest == "NOSAT" || rest.starts_with("E4M3") || rest.starts_with("E5M2")))
    return "__NV_" + std::string(rest);
  return "";
}

bool is_vector_name(std::string_view name) {
  if (name.empty() || name.back() < '1' || name.back() > '4') return false;
  static const std::set<std::string_view> scalars = {"char",     "uchar",     "short", "ushort",
                                                     "int",      "uint",      "long",  "ulong",
                                                     "longlong", "ulonglong", "float", "double"};
  return scalars.contains(name.substr(0, name.size() - 1));
}

/// A text may hold any number of calls inside of each other.
constexpr int kDeepestCall = 32;

class Translator {
 public:
  /// `vectors`: the header of HIP's vectors is included. `own`: classes of the texts, which stay.
  Translator(const std::string& text, bool for_hip, bool hip_text, bool vectors,
             const std::set<std::string>& own)
      : text_(text),
        source_(tokenize(text)),
        for_hip_(for_hip),
        hip_text_(hip_text),
        vectors_(vectors),
        own_(own) {}

  std::string run() {
    translate(source_.tokens, 0);
    for (const Directive& directive : source_.directives) {  // a macro may be called like a word
      if (!directive.tokens.empty() && directive.tokens[0].is("define")) translate(directive.tokens, 2);
    }
    return edits_.empty() ? text_ : apply_edits(text_, std::move(edits_));
  }

 private:
  void translate(const std::vector<Token>& tokens, std::size_t first) {
    for (std::size_t i = first; i < tokens.size(); ++i) {
      std::size_t last = i;
      const std::string replacement = replaced(tokens, i, last, 0);
      if (replacement.empty()) continue;
      edits_.push_back({tokens[i].offset, tokens[last].end() - tokens[i].offset, replacement});
      i = last;
    }
  }

  /// The replacement of the tokens from `i` to `last`; empty: none.
  std::string replaced(const std::vector<Token>& tokens, std::size_t i, std::size_t& last, int depth) {
    const Token& token = tokens[i];
    if (!token.identifier() || depth == kDeepestCall || own_.contains(std::string(token.text))) return "";
    const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(") && tokens[i + 1].close < tokens.size();
    if (called && token.is("HIP_DYNAMIC_SHARED")) {
      const std::vector<std::string> arguments = arguments_of(tokens, i + 1, depth);
      if (arguments.size() != 2) return "";
      last = tokens[i + 1].close;
      const bool ended = last + 1 < tokens.size() && tokens[last + 1].is(";");
      return "extern __shared__ " + std::string(trim(arguments[0])) + " " + std::string(trim(arguments[1])) +
             (ended ? "[]" : "[];");
    }
    const auto word = kHipWords.find(token.text);
    const bool of_hip = token.text.starts_with("__") || token.is("hip_bfloat16");  // its compilers have it
    if (word != kHipWords.end() && !(for_hip_ && of_hip)) return std::string(word->second);
    if (for_hip_) return "";
    if (std::string of_library = word_of_library(token.text); !of_library.empty()) return of_library;
    if (std::string of_fp8 = word_of_fp8(token.text); !of_fp8.empty()) return of_fp8;
    if (called && vectors_ && makes_vector(tokens, i))
      return "kiln_hip::made<" + std::string(token.text) + ">";
    if (called && makes_half2(tokens, i)) {
      const std::string number(tokens[i + 2].text);
      last = tokens[i + 1].close;
      return std::string(token.text) + "(" + number + ", " + number + ")";
    }
    const auto call = kCalls.find(token.text);
    const auto warp_call = hip_text_ ? kWarpCalls.find(token.text) : kWarpCalls.end();
    if (!called || (call == kCalls.end() && warp_call == kWarpCalls.end())) return "";
    last = tokens[i + 1].close;
    return filled(call != kCalls.end() ? call->second : warp_call->second,
                  arguments_of(tokens, i + 1, depth));
  }

  /// `float4(x)` or `float4(x, y, z, w)` as an expression.
  static bool makes_vector(const std::vector<Token>& tokens, std::size_t i) {
    if (!is_vector_name(tokens[i].text) || tokens[i + 1].close == i + 2) return false;
    if (tokens[i + 2].is("*") || tokens[i + 2].is("&")) return false;  // a pointer to a function, perhaps
    if (i == 0) return true;
    const Token& before = tokens[i - 1];
    const bool word = before.identifier() && !before.is("return") && !before.is("else") && !before.is("case");
    return !word && !before.is(".") && !before.is("->") && !before.is("::") && !before.is("<");
  }

  /// `half2(0)`, in which HIP fills both.
  static bool makes_half2(const std::vector<Token>& tokens, std::size_t i) {
    return (tokens[i].is("half2") || tokens[i].is("__half2")) && tokens[i + 1].close == i + 3 &&
           tokens[i + 2].kind == Token::Kind::kNumber;
  }

  /// The arguments of a call, with what is in them translated.
  std::vector<std::string> arguments_of(const std::vector<Token>& tokens, std::size_t open, int depth) {
    std::vector<std::string> arguments(1);
    const std::size_t close = tokens[open].close;
    std::size_t copied = tokens[open].end();
    int brackets = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
      const Token& token = tokens[i];
      if (token.is("(") || token.is("[") || token.is("{")) ++brackets;
      if (token.is(")") || token.is("]") || token.is("}")) --brackets;
      std::size_t last = i;
      const std::string replacement = replaced(tokens, i, last, depth + 1);
      const bool comma = token.is(",") && brackets == 0;
      if (replacement.empty() && !comma) continue;
      arguments.back() += text_.substr(copied, token.offset - copied) + replacement;
      copied = tokens[last].end();
      i = last;
      if (comma) arguments.emplace_back();
    }
    arguments.back() += text_.substr(copied, tokens[close].offset - copied);
    return arguments;
  }

  static std::string filled(std::string_view form, const std::vector<std::string>& arguments) {
    std::string result;
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '$') {
        result += form[i];
      } else if (form[++i] == '*') {
        for (std::size_t a = 0; a < arguments.size(); ++a) result += (a > 0 ? "," : "") + arguments[a];
      } else {
        const auto index = static_cast<std::size_t>(form[i] - '1');
        if (index < arguments.size()) result += arguments[index];
      }
    }
    return result;
  }

  const std::string& text_;
  TokenizedText source_;
  bool for_hip_, hip_text_, vectors_;
  const std::set<std::string>& own_;
  std::vector<TextEdit> edits_;
};

/// Classes of HIP that a text declares itself, as one for both vendors does beside CUDA's.
void find_own_classes(const std::string& text, std::set<std::string>& own) {
  if (text.find("hip") == std::string::npos) return;
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool class_key = tokens[i].is("class") || tokens[i].is("struct");
    if (class_key && tokens[i + 1].text.find("hip") != std::string_view::npos &&
        (tokens[i + 2].is(";") || tokens[i + 2].is("{") || tokens[i + 2].is(":")))
      own.emplace(tokens[i + 1].text);
  }
}

/// "float4" of the parameters "float4 &a, const float4 b"; empty where it is not twice the same vector type.
std::string_view vector_type_of_both(const std::vector<Token>& tokens, TokenSpan parameters) {
  std::vector<std::string_view> types(1);
  for (std::size_t i = parameters.begin; i < parameters.end; ++i) {
    if (tokens[i].is(",")) types.emplace_back();
    if (tokens[i].identifier() && !tokens[i].is("const") && types.back().empty())
      types.back() = tokens[i].text;
  }
  return types.size() == 2 && types[0] == types[1] && is_vector_name(types[0]) ? types[0]
                                                                               : std::string_view{};
}

void find_compound_operators(const std::vector<Declaration>& declarations, const std::vector<Token>& tokens,
                             std::vector<TokenSpan>& found) {
  for (const Declaration& declaration : declarations) {
    if (declaration.kind == Declaration::Kind::kScope)
      find_compound_operators(declaration.members, tokens, found);
    const std::size_t open = declaration.parameters.begin;
    if (declaration.kind != Declaration::Kind::kFunction || open < 3 || !tokens[open - 3].is("operator"))
      continue;
    const Token& sign = tokens[open - 2];
    const bool compound = sign.is("+=") || sign.is("-=") || sign.is("*=") || sign.is("/=");
    if (compound && !vector_type_of_both(tokens, declaration.parameters).empty())
      found.push_back(declaration.whole);
  }
}

/// Functions such as `void operator+=(float4 &a, float4 b)`, as many CUDA texts have them: HIP's vectors have
/// these operators as members, with the same meaning, and a compiler could not choose.
void leave_out_operators_of_vectors(std::string& text) {
  if (text.find("operator") == std::string::npos) return;
  const TokenizedText source = tokenize(text);
  std::vector<TokenSpan> spans;
  find_compound_operators(read_declarations(source), source.tokens, spans);
  std::vector<TextEdit> edits;
  for (const TokenSpan span : spans) {
    const std::size_t begin = source.tokens[span.begin].offset, end = source.tokens[span.end - 1].end();
    const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    edits.push_back({begin, end - begin, std::string(static_cast<std::size_t>(lines), '\n')});
  }
  if (!edits.empty()) text = apply_edits(text, std::move(edits));
}

bool has_hip_words(const std::string& text) {
  return text.find("hip") != std::string::npos || text.find("HIP_") != std::string::npos ||
         text.find("__builtin_amdgcn") != std::string::npos;
}

/// HIP's compilers have all headers of `kHeaders` but this one: with the file hipRTC would have the content
/// of others twice.
bool is_renamed(std::string_view header, bool for_hip) {
  return !for_hip || header == "hip/hip_cooperative_groups.h";
}

/// The operators of vectors (compile/portable/hip_vectors.h), in place of the headers that have them.
constexpr std::string_view kVectorHeader = "kiln/hip_vectors.h";
constexpr std::string_view kVectorAndGroupHeader = "kiln/hip_vectors_and_groups.h";
bool has_vector_operators(std::string_view hip_header) {
  return hip_header == "hip/hip_runtime.h" || hip_header == "hip/hip_vector_types.h" ||
         hip_header == "hip/hip_cooperative_groups.h";
}

/// Whether a text names vectors, or functions that the header has, too.
bool names_vectors(const std::string& text) {
  const TokenizedText source = tokenize(text);
  const auto names = [](const std::vector<Token>& tokens) {
    return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
      const std::string_view name = token.text.substr(token.text.starts_with("make_") ? 5 : 0);
      return (token.identifier() && is_vector_name(name)) || token.is("atomicMax") || token.is("atomicMin") ||
             token.text.starts_with("__builtin_amdgcn_");
    });
  };
  return names(source.tokens) || std::any_of(source.directives.begin(), source.directives.end(),
                                             [&](const Directive& one) { return names(one.tokens); });
}

void rename_headers(std::string& text, const std::set<std::string>& unseen, bool for_hip, bool vectors) {
  std::vector<TextEdit> edits;
  for (const IncludeUse& use : find_include_uses(text)) {
    std::string_view header = header_of_cuda(use.header.name);
    if (use.kind != IncludeUse::Kind::kInclude || header.empty() || !unseen.contains(use.header.name) ||
        !is_renamed(use.header.name, for_hip))
      continue;
    if (vectors && has_vector_operators(use.header.name))
      header = header == "cooperative_groups.h" ? kVectorAndGroupHeader : kVectorHeader;
    edits.push_back({use.offset, use.length, "<" + std::string(header) + ">"});
  }
  if (!edits.empty()) text = apply_edits(text, std::move(edits));
}

}  // namespace

void translate_hip_words(Specialization& specialization) {
  std::vector<std::string*> texts = {&specialization.source_text};
  for (IncludedHeader& header : specialization.headers) texts.push_back(&header.text);
  if (specialization.target.backend == "hip") {
    for (std::string* text : texts) leave_out_operators_of_vectors(*text);
  }
  if (std::none_of(texts.begin(), texts.end(), [](const std::string* text) { return has_hip_words(*text); }))
    return;
  const bool for_hip = specialization.target.backend == "hip";
  std::set<std::string> unseen(specialization.unseen_headers.begin(), specialization.unseen_headers.end());
  const bool hip_text = specialization.target.backend == "cuda" &&
                        std::any_of(unseen.begin(), unseen.end(),
                                    [](const std::string& name) { return !header_of_cuda(name).empty(); });
  const bool vectors = !for_hip && std::any_of(unseen.begin(), unseen.end(), [](const std::string& name) {
    return has_vector_operators(name);
  }) && std::any_of(texts.begin(), texts.end(), [](const std::string* text) { return names_vectors(*text); });
  std::set<std::string> own;
  for (const std::string* text : texts) find_own_classes(*text, own);
  for (std::string* text : texts) *text = Translator(*text, for_hip, hip_text, vectors, own).run();
  for (std::string* text : texts) rename_headers(*text, unseen, for_hip, vectors);
  std::set<std::string> renamed;
  for (const std::string& header : unseen) {
    const std::string_view cuda = is_renamed(header, for_hip) ? header_of_cuda(header) : std::string_view{};
    renamed.insert(cuda.empty() ? header : std::string(cuda));
  }
  if (vectors) {
    renamed.emplace("cuda_runtime.h");
    renamed.emplace(kVectorHeader);
    if (unseen.contains("hip/hip_cooperative_groups.h")) renamed.emplace(kVectorAndGroupHeader);
  }
  specialization.unseen_headers.assign(renamed.begin(), renamed.end());
}

}  // namespace kiln
