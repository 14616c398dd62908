#include "specialize/ptx_instruction.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/whole_word.h"
#include "specialize/ptx_small_numbers.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Texts = std::vector<std::string>;

/// The work-item's number in its block.
constexpr const char* kNumber = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";

std::optional<std::string> special_register(const std::string& name, PtxDialect dialect) {
  const std::string lane = std::string("(") + kNumber + " % 32u)";
  static const std::map<std::string, std::string> groups = {
      {"tid", "threadIdx"}, {"ntid", "blockDim"}, {"ctaid", "blockIdx"}, {"nctaid", "gridDim"}};
  static const std::map<std::string, std::string> of_clusters = {
      {"clusterid", "__clusterIdx()"},
      {"nclusterid", "__clusterGridDimInClusters()"},
      {"cluster_ctaid", "__clusterRelativeBlockIdx()"},
      {"cluster_nctaid", "__clusterDim()"}};
  const std::size_t dot = name.find('.');
  if (const auto group = of_clusters.find(name.substr(0, dot));
      group != of_clusters.end() && dot + 2 == name.size() && dialect != PtxDialect::kHip)
    return group->second + name.substr(dot);
  if (const auto group = groups.find(name.substr(0, dot)); group != groups.end() && dot + 2 == name.size())
    return group->second + name.substr(dot);
  const std::map<std::string, std::string> values = {
      {"laneid", lane},
      {"cluster_ctarank", "__clusterRelativeBlockRank()"},
      {"cluster_nctarank", "__clusterSizeInBlocks()"},
      {"warpid", std::string("(") + kNumber + " / 32u)"},
      {"smid", "0u"},
      {"nsmid", "1u"},
      {"clock", "static_cast<unsigned>(clock64())"},
      {"clock64", "clock64()"},
      {"dynamic_smem_size", "static_cast<unsigned>(kiln_worker->dynamic_shared_bytes)"},
      {"globaltimer", "kiln_global_time()"},
      {"globaltimer_lo", "static_cast<unsigned>(kiln_global_time())"},
      {"globaltimer_hi", "static_cast<unsigned>(kiln_global_time() >> 32)"},
      {"lanemask_eq", "(1u << " + lane + ")"},
      {"lanemask_lt", "((1u << " + lane + ") - 1u)"},
      {"lanemask_le", "((2u << " + lane + ") - 1u)"},
      {"lanemask_ge", "~((1u << " + lane + ") - 1u)"},
      {"lanemask_gt", "~((2u << " + lane + ") - 1u)"}};
  // HIP has no count of multiprocessors, no size of the dynamic memory, no clusters, and a clock of another
  // rate.
  static const std::set<std::string> others = {"nsmid",           "dynamic_smem_size", "globaltimer",
                                               "globaltimer_lo",  "globaltimer_hi",    "cluster_ctarank",
                                               "cluster_nctarank"};
  const bool hip = dialect == PtxDialect::kHip;
  if (hip && name == "smid") return "__smid()";
  const auto found = values.find(name);
  if (found == values.end() || (hip && others.contains(name))) return std::nullopt;
  return found->second;
}

/// Of C++, by the last word of an instruction.
std::string type_of(const std::string& suffix) {
  static const std::map<std::string, std::string> types = {{"u32", "unsigned"},
                                                           {"b32", "unsigned"},
                                                           {"s32", "int"},
                                                           {"u64", "unsigned long long"},
                                                           {"b64", "unsigned long long"},
                                                           {"s64", "long long"},
                                                           {"u16", "unsigned short"},
                                                           {"b16", "unsigned short"},
                                                           {"s16", "short"},
                                                           {"u8", "unsigned char"},
                                                           {"b8", "unsigned char"},
                                                           {"s8", "signed char"},
                                                           {"f32", "float"},
                                                           {"f64", "double"}};
  const auto found = types.find(suffix);
  return found == types.end() ? "" : found->second;
}

std::string type_of_register(const std::string& suffix) {
  return suffix == "pred" ? "bool" : type_of(suffix);
}

/// What an instruction computes from $1, $2, ..., by its words without `rn`, `ftz` and `approx`. "$3w" is an
/// operand of twice the digits, "$2n" a number of bits.
const std::map<std::string, std::string>& expressions() {
  static const std::map<std::string, std::string> table = {
      {"ex2.f32", "exp2f($1)"},
      {"lg2.f32", "log2f($1)"},
      {"rcp.f32", "(1.0f / $1)"},
      {"rsqrt.f32", "rsqrtf($1)"},
      {"sqrt.f32", "sqrtf($1)"},
      {"sin.f32", "sinf($1)"},
      {"cos.f32", "cosf($1)"},
      {"tanh.f32", "tanhf($1)"},
      {"fma.f32", "fmaf($1, $2, $3)"},
      {"fma.f64", "fma($1, $2, $3)"},
      {"min.f32", "fminf($1, $2)"},
      {"max.f32", "fmaxf($1, $2)"},
      {"popc.b32", "__popc($1)"},
      {"popc.b64", "__popcll($1)"},
      {"clz.b32", "__clz($1)"},
      {"brev.b32", "__brev($1)"},
      {"redux.sync.add.s32", "__reduce_add_sync($2, $1)"},
      {"redux.sync.add.u32", "__reduce_add_sync($2, $1)"},
      {"redux.sync.min.s32", "__reduce_min_sync($2, $1)"},
      {"redux.sync.min.u32", "__reduce_min_sync($2, $1)"},
      {"redux.sync.max.s32", "__reduce_max_sync($2, $1)"},
      {"redux.sync.max.u32", "__reduce_max_sync($2, $1)"},
      {"redux.sync.and.b32", "__reduce_and_sync($2, $1)"},
      {"redux.sync.or.b32", "__reduce_or_sync($2, $1)"},
      {"redux.sync.xor.b32", "__reduce_xor_sync($2, $1)"},
      {"prmt.b32", "kiln_prmt($1, $2, $3)"},
      {"shf.l.wrap.b32", "__funnelshift_l($1, $2, $3)"},
      {"shf.r.wrap.b32", "__funnelshift_r($1, $2, $3)"},
      {"shf.l.clamp.b32", "__funnelshift_lc($1, $2, $3)"},
      {"shf.r.clamp.b32", "__funnelshift_rc($1, $2, $3)"},
      {"mul.hi.u32", "__umulhi($1, $2)"},
      {"mul.hi.s32", "__mulhi($1, $2)"},
      {"mul.hi.u64", "__umul64hi($1, $2)"},
      {"mul.wide.u32", "(static_cast<unsigned long long>($1) * $2)"},
      {"mul.wide.s32", "(static_cast<long long>($1) * $2)"},
      {"mul.hi.s64", "__mul64hi($1, $2)"},
      {"mul24.lo.u32", "__umul24($1, $2)"},
      {"mul24.lo.s32", "__mul24($1, $2)"},
      {"mad.hi.u32", "(__umulhi($1, $2) + $3)"},
      {"mad.hi.s32", "(static_cast<unsigned>(__mulhi($1, $2)) + static_cast<unsigned>($3))"},
      {"mad.wide.u32", "(static_cast<unsigned long long>($1) * $2 + $3w)"},
      {"mad.wide.s32", "(static_cast<unsigned long long>(static_cast<long long>($1) * $2) + $3w)"},
      {"mul.wide.u16", "(static_cast<unsigned>($1) * $2)"},
      {"mul.wide.s16", "(static_cast<int>($1) * $2)"},
      {"mad.wide.u16", "(static_cast<unsigned>($1) * $2 + $3n)"},
      {"mad.hi.u64", "(__umul64hi($1, $2) + $3)"},
      {"mad.hi.s64",
       "(static_cast<unsigned long long>(__mul64hi($1, $2)) + static_cast<unsigned long long>($3))"},
      {"sad.u32", "__usad($1, $2, $3)"},
      {"sad.s32", "__sad($1, $2, $3n)"},
      {"vabsdiff.u32.u32.u32.add", "__usad($1, $2, $3)"},
      {"vabsdiff4.u32.u32.u32", "__vabsdiffu4($1, $2)"},
      {"vabsdiff4.u32.u32.u32.add", "(__vsadu4($1, $2) + $3)"},
      {"vabsdiff2.u32.u32.u32.add", "(__vsadu2($1, $2) + $3)"},
      {"vmin.s32.s32.s32", "min($1, $2)"},
      {"vmax.s32.s32.s32", "max($1, $2)"},
      {"vmin.s32.s32.s32.min", "min(min($1, $2), $3)"},
      {"vmin.s32.s32.s32.max", "max(min($1, $2), $3)"},
      {"vmax.s32.s32.s32.min", "min(max($1, $2), $3)"},
      {"vmax.s32.s32.s32.max", "max(max($1, $2), $3)"},
      {"vmin.u32.u32.u32", "min($1, $2)"},
      {"vmax.u32.u32.u32", "max($1, $2)"},
      {"vmin.u32.u32.u32.min", "min(min($1, $2), $3)"},
      {"vmin.u32.u32.u32.max", "max(min($1, $2), $3)"},
      {"vmax.u32.u32.u32.min", "min(max($1, $2), $3)"},
      {"vmax.u32.u32.u32.max", "max(max($1, $2), $3)"},
      {"match.any.sync.b32", "__match_any_sync($2, $1)"},
      {"match.any.sync.b64", "__match_any_sync($2n, $1)"},
      {"dp4a.u32.u32", "__dp4a($1, $2, $3)"},
      {"dp4a.s32.s32", "__dp4a($1, $2, $3)"},
      {"add.sat.s32", "min(max(static_cast<long long>($1) + $2, -2147483648ll), 2147483647ll)"},
      {"sub.sat.s32", "min(max(static_cast<long long>($1) - $2, -2147483648ll), 2147483647ll)"},
      {"neg.s32", "(0u - static_cast<unsigned>($1))"},
      {"neg.s64", "(0ull - static_cast<unsigned long long>($1))"},
      {"abs.s32", "($1 < 0 ? 0u - static_cast<unsigned>($1) : static_cast<unsigned>($1))"},
      {"abs.s64",
       "($1 < 0 ? 0ull - static_cast<unsigned long long>($1) : static_cast<unsigned long long>($1))"},
      {"cnot.b32", "($1 == 0u ? 1u : 0u)"},
      {"clz.b64", "__clzll(static_cast<long long>($1))"},
      {"brev.b64", "__brevll($1)"},
      {"bfind.u32", "($1 == 0u ? ~0u : 31u - static_cast<unsigned>(__clz(static_cast<int>($1))))"},
      {"bfind.s32", "($1 == 0 || $1 == -1 ? ~0u : 31u - static_cast<unsigned>(__clz($1 < 0 ? ~$1 : $1)))"},
      {"bfind.shiftamt.u32", "($1 == 0u ? ~0u : static_cast<unsigned>(__clz(static_cast<int>($1))))"},
      {"bfind.u64", "($1 == 0ull ? ~0u : 63u - static_cast<unsigned>(__clzll(static_cast<long long>($1))))"},
      {"bfind.s64",
       "($1 == 0ll || $1 == -1ll ? ~0u : 63u - static_cast<unsigned>(__clzll($1 < 0 ? ~$1 : $1)))"},
      {"bfe.u64", "kiln_ptx_field($1, $2n, $3n)"},
      {"bfe.s64", "kiln_ptx_field($1, $2n, $3n)"},
      {"bfi.b64", "kiln_ptx_insert($1, $2, $3n, $4n)"},
      {"bfe.u32", "kiln_ptx_field($1, $2, $3)"},
      {"bfe.s32", "kiln_ptx_field($1, $2n, $3n)"},
      {"bfi.b32", "kiln_ptx_insert($1, $2, $3, $4)"},
      {"shl.b32", "($2 > 31u ? 0u : $1 << $2)"},
      {"shr.u32", "($2 > 31u ? 0u : $1 >> $2)"},
      {"shr.b32", "($2 > 31u ? 0u : $1 >> $2)"},
      {"shr.s32", "($1 >> min($2n, 31u))"},
      {"shl.b64", "($2n > 63u ? 0ull : $1 << $2n)"},
      {"shr.u64", "($2n > 63u ? 0ull : $1 >> $2n)"},
      {"shr.b64", "($2n > 63u ? 0ull : $1 >> $2n)"},
      {"shr.s64", "($1 >> min($2n, 63u))"},
      {"div.f32", "($1 / $2)"},
      {"div.full.f32", "($1 / $2)"},
      {"div.f64", "($1 / $2)"},
      {"rcp.f64", "(1.0 / $1)"},
      {"sqrt.f64", "sqrt($1)"},
      {"abs.f32", "fabsf($1)"},
      {"abs.f64", "fabs($1)"},
      {"neg.f32", "(-$1)"},
      {"neg.f64", "(-$1)"},
      {"copysign.f32", "copysignf($2, $1)"},
      {"copysign.f64", "copysign($2, $1)"},
      {"min.NaN.f32", "($1 != $1 ? $1 : $2 != $2 ? $2 : fminf($1, $2))"},
      {"max.NaN.f32", "($1 != $1 ? $1 : $2 != $2 ? $2 : fmaxf($1, $2))"},
      {"add.sat.f32", "__saturatef($1 + $2)"},
      {"sub.sat.f32", "__saturatef($1 - $2)"},
      {"mul.sat.f32", "__saturatef($1 * $2)"},
      {"fma.sat.f32", "__saturatef(fmaf($1, $2, $3))"},
      {"cvt.pack.sat.s16.s32", "kiln_packed_words<short>($1, $2)"},
      {"cvt.pack.sat.u16.s32", "kiln_packed_words<unsigned short>($1, $2)"},
      {"cvt.rni.f32.f32", "rintf($1)"},
      {"cvt.rzi.f32.f32", "truncf($1)"},
      {"cvt.rmi.f32.f32", "floorf($1)"},
      {"cvt.rpi.f32.f32", "ceilf($1)"},
      {"cvt.sat.f32.f32", "__saturatef($1)"},
      {"cvt.rz.f32.u32", "__uint2float_rz($1)"},
      {"cvt.rz.f32.s32", "__int2float_rz($1)"}};
  return table;
}

/// `add.rz.f32` and its kin by the functions of their rounding.
std::optional<std::string> rounded(const Texts& words) {
  static const std::map<std::string, std::string> roundings = {
      {"rz", "_rz("}, {"rm", "_rd("}, {"rp", "_ru("}};
  static const std::map<std::string, std::string> arguments = {
      {"add", "$1, $2)"}, {"sub", "$1, $2)"}, {"mul", "$1, $2)"},    {"div", "$1, $2)"},
      {"rcp", "$1)"},     {"sqrt", "$1)"},    {"fma", "$1, $2, $3)"}};
  if (words.size() != 3 || (words[2] != "f32" && words[2] != "f64")) return std::nullopt;
  const auto rounding = roundings.find(words[1]);
  const auto argument = arguments.find(words[0]);
  if (rounding == roundings.end() || argument == arguments.end()) return std::nullopt;
  const bool wide = words[2] == "f64";
  const std::string name =
      words[0] == "fma" ? (wide ? "__fma" : "__fmaf") : (wide ? "__d" : "__f") + words[0];
  return name + rounding->second + argument->second;
}

/// For instructions that are alike for all types of numbers.
std::optional<std::string> arithmetic(const std::string& name, const std::string& suffix) {
  static const std::map<std::string, std::string> table = {
      {"add", "($1 + $2)"},         {"sub", "($1 - $2)"}, {"mul", "($1 * $2)"},
      {"mul.lo", "($1 * $2)"},      {"and", "($1 & $2)"}, {"or", "($1 | $2)"},
      {"mad.lo", "($1 * $2 + $3)"}, {"xor", "($1 ^ $2)"}, {"min", "min($1, $2)"},
      {"max", "max($1, $2)"},       {"not", "(~$1)"}};
  const auto found = table.find(name);
  // A product of integers has `lo`, `hi` or `wide`.
  const bool whole_product = name == "mul" && suffix[0] != 'f';
  return found == table.end() || whole_product ? std::nullopt : std::optional(found->second);
}

/// Of these the lower bits are the same with and without a sign; a sum that overflows wraps.
bool wraps(const std::string& name) {
  return name == "add" || name == "sub" || name == "mul.lo" || name == "mad.lo";
}

/// The unsigned type in which integers of a type are added without overflow.
std::string wrapping(const std::string& suffix) {
  if (suffix == "s16" || suffix == "u16" || suffix == "s32") return "u32";
  return suffix == "s64" ? "u64" : suffix;
}

/// Words of an instruction that say how it is done, not what.
bool is_manner(const std::string& word) {
  static const std::set<std::string> words = {
      "rn", "ftz", "approx",  "volatile", "nc",      "cg",      "ca",      "cs",  "cv",  "lu",
      "wt", "wb",  "relaxed", "weak",     "acquire", "release", "acq_rel", "gpu", "sys", "cta"};
  return words.contains(word) || word.starts_with("L1::") || word.starts_with("L2::");
}

/// Words of accesses that other work-items are to see, or whose values they change meanwhile.
bool is_observed(const std::string& word) {
  return word == "volatile" || word == "relaxed" || word == "acquire" || word == "release" || word == "cv";
}

/// Instructions that change no number.
bool does_nothing(const std::string& word) {
  static const std::set<std::string> words = {"prefetch", "prefetchu", "griddepcontrol", "discard",
                                              "applypriority"};
  return words.contains(word);
}

/// "float" for "b32" where the number is real: the bits stay.
std::string type_with(const std::string& suffix, bool real) {
  if (real && suffix == "b32") return "float";
  if (real && suffix == "b64") return "double";
  return type_of(suffix);
}

/// Whether HIP lacks a function, or has one that computes something else than CUDA's (__uint2float_rz, which
/// rounds to the nearest), and namespace kiln_cuda has it.
bool is_of_kiln_cuda(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "kiln_prmt",   "kiln_lop3",   "kiln_shfl_source", "kiln_ptx_copy", "__byte_perm", "kiln_ptx_tf32",
      "__saturatef", "__nanosleep", "kiln_to_integer",  "__dp4a",        "__trap",      "kiln_ptx_a",
      "kiln_ptx_b",  "kiln_ptx_c",  "kiln_ptx_bits",    "kiln_ptx_tiles"};
  static constexpr std::array<std::string_view, 6> kBegin = {
      "kiln_ptx_field", "kiln_ptx_insert", "kiln_packed_", "__cvta_", "__vabsdiff", "__vsad"};
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  if (std::any_of(kBegin.begin(), kBegin.end(), [&](auto begin) { return name.starts_with(begin); }))
    return true;
  if (!name.starts_with("__")) return false;
  const bool directed = name.ends_with("_rz") || name.ends_with("_rd") || name.ends_with("_ru");
  const bool to_integer = (name.starts_with("__float2") || name.starts_with("__double2")) &&
                          (directed || name.ends_with("_rn")) && name.find("2float") == std::string::npos;
  return directed || to_integer;
}

/// A translation with HIP's functions, or with functions of namespace kiln_cuda where HIP has none.
std::string by_functions_of_hip(const std::string& made) {
  std::string text;
  for (std::size_t i = 0; i < made.size();) {
    std::size_t end = i;
    while (end < made.size() && continues_identifier(made[end])) ++end;
    const std::string_view word = std::string_view(made).substr(i, end - i);
    const bool call = end < made.size() && (made[end] == '(' || made[end] == '<');
    if (call && is_of_kiln_cuda(word) && !text.ends_with(':') && !text.ends_with('.')) text += "kiln_cuda::";
    end = std::max(end, i + 1);
    text += made.substr(i, end - i);
    i = end;
  }
  return text;
}

class Instruction {
 public:
  Instruction(const PtxOperands& known, Texts words, Texts operands)
      : known_(known), words_(std::move(words)), operands_(std::move(operands)) {}

  std::optional<std::string> run() {
    if (words_[0] == "membar" || words_[0] == "fence")
      return for_hip() && has("sys") ? "__threadfence_system()" : "__threadfence()";
    if (words_[0] == "bar" || words_[0] == "barrier") return barrier();
    if (words_[0] == "nanosleep") return sleep();
    if (does_nothing(words_[0])) return "(void)0";
    if ((words_[0] == "trap" || words_[0] == "brkpt") && operands_.empty())
      return for_hip() ? "__trap()" : "__" + words_[0] + "()";
    if (words_[0] == "mma") return product();
    if (words_[0] == "ldmatrix" || words_[0] == "stmatrix") return tiles();
    if (words_[0] == "movmatrix") return transposed();
    if (words_.size() > 2 && words_[0] == "cp" && words_[1] == "async") return copy();
    if (words_[0] == "createpolicy" && !operands_.empty()) {
      const std::string target = written(operands_[0]);
      return target.empty() ? std::nullopt : std::optional(assigned(target, "0"));
    }
    observed_ = std::any_of(words_.begin(), words_.end(), is_observed);
    acquires_ = has("acquire");
    releases_ = has("release");
    std::erase_if(words_, is_manner);
    if (words_.size() < 2) return std::nullopt;
    if (words_[0] == "ld" || words_[0] == "st") return access();
    if (words_[0] == "atom" || words_[0] == "red") return atomic();
    if (words_[0] == "activemask" && operands_.size() == 1) {
      const std::string target = written(operands_[0]);
      return target.empty() ? std::nullopt : std::optional(assigned(target, "__activemask()"));
    }
    if (operands_.size() < 2) return std::nullopt;
    if (words_[0] == "mov") return move();
    if (words_[0] == "shfl") return shuffled();
    if (words_[0] == "vote") return voted();
    if (words_[0] == "elect") return elected();
    if (words_[0] == "setp" || words_[0] == "set") return compared();
    const std::string target = written(operands_[0]);
    if (target.empty()) return std::nullopt;
    if (words_[0] == "selp") return select(target);
    if (const auto small = small_number_ptx(words_)) {
      if (for_hip()) return std::nullopt;
      const auto made = filled(small->pattern, small->operand);
      if (!made || known_.is_real(operands_[0]) != small->real) return std::nullopt;
      return assigned(target, *made);
    }
    if (words_[0] == "cvt" && has("pack") && words_.size() == 6) return packed(target);
    if (words_[0] == "cvt") return converted(target);
    // A number of another kind would be converted, where PTX keeps its bits.
    if (known_.is_real(operands_[0]) != (words_.back()[0] == 'f')) return std::nullopt;
    if (words_.back() == "pred") return predicates(target);
    if (has("cc") || words_[0] == "addc" || words_[0] == "subc" || words_[0] == "madc")
      return carrying(target);
    if (words_[0] == "lop3") return three_bits(target);
    if (words_[0] == "mapa") return mapped(target);
    if (words_[0] == "cvta") {
      const auto given = value(operands_[1]);
      if (!given) return std::nullopt;
      const bool to_shared = has("to") && in_space("shared"), shared = !to_shared && in_space("shared");
      if (to_shared)
        return assigned(target, "__cvta_generic_to_shared(reinterpret_cast<const void*>(" + *given + "))");
      if (shared) return assigned(target, "(unsigned long long)__cvta_shared_to_generic(" + *given + ")");
      return assigned(target, "(unsigned long long)" + *given);
    }
    const auto made = computed();
    return made ? std::optional(assigned(target, *made)) : std::nullopt;
  }

 private:
  [[nodiscard]] bool for_hip() const { return known_.dialect() == PtxDialect::kHip; }

  [[nodiscard]] std::optional<std::string> sleep() const {
    if (!for_hip()) return "__nanosleep(0)";
    const auto time = number(0, "u32");
    return time ? std::optional("__nanosleep(" + *time + ")") : std::nullopt;
  }

  /// `bar.sync 1, 64`, `barrier.cta.arrive.aligned 1, 64`, `bar.warp.sync mask`.
  std::optional<std::string> barrier() {
    std::erase_if(words_, [](const std::string& word) { return word == "cta" || word == "aligned"; });
    if (words_.size() > 2 && words_[1] == "cluster" && operands_.empty() && !for_hip()) {
      const bool arrives = words_[2] == "arrive";
      if (!arrives && words_[2] != "wait") return std::nullopt;
      return arrives ? "__cluster_barrier_arrive()" : "__cluster_barrier_wait()";
    }
    if (words_.size() < 2 || operands_.empty()) return std::nullopt;
    const auto first = value(operands_[0]);
    if (!first) return std::nullopt;
    if (words_[1] == "warp") return has("sync") ? std::optional("__syncwarp(" + *first + ")") : std::nullopt;
    if (words_[1] == "red") return counted();
    const bool arrives = words_[1] == "arrive";
    if (words_.size() != 2 || operands_.size() > 2 || (words_[1] != "sync" && !arrives)) return std::nullopt;
    const bool counts = operands_.size() == 2;
    const auto count = counts ? value(operands_[1]) : std::nullopt;
    if (counts != count.has_value() || (arrives && !counts)) return std::nullopt;
    // Without a count the whole block meets there, whatever the number.
    if (operands_ == Texts{"0"} || (for_hip() && !counts)) return "__syncthreads()";
    if (for_hip()) return std::nullopt;
    return "kiln_named_barrier(" + *first + ", " + count.value_or("0") + ", " +
           (arrives ? "false)" : "true)");
  }

  /// `bar.red.popc.u32 %0, 0, p` and `bar.red.and.pred q, 0, p`, of the whole block.
  [[nodiscard]] std::optional<std::string> counted() const {
    static const std::map<std::string, std::string> functions = {
        {"popc.u32", "count"}, {"and.pred", "and"}, {"or.pred", "or"}};
    if (words_.size() != 4 || operands_.size() != 3 || operands_[1] != "0") return std::nullopt;
    const auto function = functions.find(words_[2] + "." + words_[3]);
    const std::string target = written(operands_[0]);
    const auto given = value(operands_[2]);
    if (function == functions.end() || target.empty() || !given) return std::nullopt;
    return assigned(target, "__syncthreads_" + function->second + "(" + *given + ")");
  }

  /// `shfl.sync.down.b32 %0|p, %1, %2, %3, %4`. A lane that asks for one outside its segment keeps its value.
  [[nodiscard]] std::optional<std::string> shuffled() const {
    static const std::map<std::string, std::string> ways = {
        {"up", "u"}, {"down", "d"}, {"bfly", "b"}, {"idx", "i"}};
    if (words_.size() != 4 || words_[1] != "sync" || words_[3] != "b32" || operands_.size() != 5)
      return std::nullopt;
    const std::size_t bar = operands_[0].find('|');
    const std::string name(trim(operands_[0].substr(0, bar)));
    const std::string target = written(name);
    const std::string found =
        bar == std::string::npos ? "" : written(std::string(trim(operands_[0].substr(bar + 1))));
    const auto way = ways.find(words_[2]);
    const auto given = value(operands_[1]), lanes = number(2, "u32"), limits = number(3, "u32"),
               mask = number(4, "u32");
    if (way == ways.end() || target.empty() || !given || !lanes || !limits || !mask ||
        (bar != std::string::npos && found.empty()))
      return std::nullopt;
    const auto bits = [](bool real, const std::string& to, const std::string& text) {
      return real ? to + "(" + text + ")" : text;
    };
    return "{ const unsigned kiln_given = " + bits(known_.is_real(operands_[1]), "__float_as_uint", *given) +
           "; const unsigned kiln_source = kiln_shfl_source<'" + way->second + "'>(" + kNumber + " % 32u, " +
           *lanes + ", " + *limits + "); const unsigned kiln_got = __shfl_sync(" + *mask +
           ", kiln_given, static_cast<int>(kiln_source & 31u)); " + target + " = " +
           bits(known_.is_real(name), "__uint_as_float", "kiln_got") + "; " +
           (found.empty() ? "" : found + " = kiln_source < 32u; ") + "}";
  }

  /// `vote.sync.ballot.b32 %0, p, %1`, `vote.sync.all.pred q, p, %1`.
  [[nodiscard]] std::optional<std::string> voted() const {
    static const std::map<std::string, std::string> functions = {
        {"ballot.b32", "__ballot_sync("}, {"all.pred", "__all_sync("}, {"any.pred", "__any_sync("}};
    if (words_.size() != 4 || words_[1] != "sync" || operands_.size() != 3) return std::nullopt;
    const auto function = functions.find(words_[2] + "." + words_[3]);
    const std::string target = written(operands_[0]);
    const auto given = value(operands_[1]), mask = number(2, "u32");
    if (function == functions.end() || target.empty() || !given || !mask) return std::nullopt;
    return assigned(target, function->second + *mask + ", " + *given + ")");
  }

  /// `elect.sync %0|p, %1`: the leader is the first lane of the mask.
  [[nodiscard]] std::optional<std::string> elected() const {
    const std::size_t bar = operands_[0].find('|');
    if (words_.size() != 2 || words_[1] != "sync" || operands_.size() != 2 || bar == std::string::npos)
      return std::nullopt;
    const std::string lane(trim(operands_[0].substr(0, bar))), leads(trim(operands_[0].substr(bar + 1)));
    const std::string target = lane == "_" ? "" : written(lane), found = written(leads);
    const auto mask = number(1, "u32");
    if ((target.empty() && lane != "_") || found.empty() || !mask) return std::nullopt;
    return "{ const unsigned kiln_leader = static_cast<unsigned>(__ffs(static_cast<int>(" + *mask +
           "))) - 1u; __syncwarp(" + *mask + "); " + (target.empty() ? "" : target + " = kiln_leader; ") +
           found + " = " + kNumber + " % 32u == kiln_leader; }";
  }

  /// `cvt.pack.sat.s8.s32.b32 d, a, b, c`: the limited a and b, behind the lower half of c.
  [[nodiscard]] std::optional<std::string> packed(const std::string& target) const {
    if (words_[2] != "sat" || words_[4] != "s32" || words_[5] != "b32" ||
        (words_[3] != "s8" && words_[3] != "u8"))
      return std::nullopt;
    const auto high = number(1, "s32"), low = number(2, "s32"), others = number(3, "b32");
    if (!high || !low || !others) return std::nullopt;
    return assigned(target, "kiln_packed_bytes<" + type_of(words_[3]) + ">(" + *high + ", " + *low + ", " +
                                *others + ")");
  }

  [[nodiscard]] bool has(const std::string& word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
  }
  /// "shared" and "shared::cta".
  [[nodiscard]] bool in_space(const std::string& space) const {
    return std::any_of(words_.begin(), words_.end(), [&](const std::string& word) {
      return word == space || word.starts_with(space + "::");
    });
  }
  [[nodiscard]] std::optional<std::string> value(const std::string& operand) const {
    return known_.value(operand);
  }
  /// The expression of an operand that an instruction may change; empty: it may not.
  [[nodiscard]] std::string written(const std::string& operand) const {
    return known_.is_output(operand) ? known_.value(operand).value_or("") : "";
  }
  static std::string assigned(const std::string& target, const std::string& value) {
    return "(void)(" + target + " = " + value + ")";
  }

  /// An operand as a number of the instruction's type.
  [[nodiscard]] std::optional<std::string> number(std::size_t index, const std::string& suffix) const {
    if (index >= operands_.size()) return std::nullopt;
    const auto given = value(operands_[index]);
    const std::string type = type_of(suffix);
    if (!given || type.empty()) return std::nullopt;
    const bool real = known_.is_real(operands_[index]);
    if (suffix[0] != 'f' && real) return std::nullopt;
    if (suffix[0] == 'f' && !real && !known_.is_number(operands_[index])) {  // its bits, in another register
      const char* of_bits = suffix == "f32"   ? "__uint_as_float("
                            : suffix == "f64" ? "__longlong_as_double("
                                              : nullptr;
      return of_bits == nullptr ? std::nullopt : std::optional(of_bits + *given + ")");
    }
    return "static_cast<" + type + ">(" + *given + ")";
  }

  /// `$1`, `$2`, ... of a pattern are the operands behind the target.
  [[nodiscard]] std::optional<std::string> filled(const std::string& pattern,
                                                  const std::string& suffix) const {
    std::string result;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        result += pattern[i];
        continue;
      }
      const auto index = static_cast<std::size_t>(pattern[++i] - '0');
      const char kind = i + 1 < pattern.size() ? pattern[i + 1] : ' ';
      const auto given = number(index, kind == 'n' ? "u32" : kind == 'w' ? "u64" : suffix);
      if (!given) return std::nullopt;
      if (kind == 'n' || kind == 'w') ++i;
      result += *given;
    }
    return result;
  }

  [[nodiscard]] std::optional<std::string> computed() const {
    // The last word of a video instruction may be a second operation.
    const bool twice = words_[0][0] == 'v' && type_of(words_.back()).empty();
    const std::string suffix = words_[words_.size() - (twice ? 2 : 1)];
    const auto special = expressions().find(join(words_, "."));
    Texts words = words_;
    words.pop_back();
    auto pattern = special != expressions().end() ? std::optional(special->second) : rounded(words_);
    // In the other directions double is rounded by numbers of 128 bits.
    const bool directed = special == expressions().end() && pattern.has_value();
    if (for_hip() && directed && suffix == "f64") return std::nullopt;
    if (pattern) return filled(*pattern, suffix);
    const std::string name = join(words, ".");
    pattern = arithmetic(name, suffix);
    return pattern ? filled(*pattern, wraps(name) ? wrapping(suffix) : suffix) : std::nullopt;
  }

  /// Of special registers, numbers and registers; `{low, high}` are the halves of 64 bits.
  [[nodiscard]] std::optional<std::string> move() const {
    const std::string& from = operands_[1];
    const std::string& suffix = words_.back();
    if (words_.size() != 2) return std::nullopt;
    if (operands_[0].starts_with('{') || from.starts_with('{')) return halves();
    const std::string target = written(operands_[0]);
    if (target.empty()) return std::nullopt;
    if (const std::size_t name = from.find_first_not_of('%'); name != std::string::npos) {
      if (const auto found = special_register(from.substr(name), known_.dialect()); found && !value(from))
        return assigned(target, *found);
    }
    const auto given = value(from);
    if (!given) return std::nullopt;
    const bool to_real = known_.is_real(operands_[0]), real = known_.is_real(from);
    const bool bits_of_number = to_real && !real && suffix[0] != 'f';  // `mov.b32 %0, 0` of a float
    if (to_real == real || (known_.is_number(from) && !real && !bits_of_number))
      return assigned(target, *given);
    if (type_of(suffix).empty() || suffix.substr(1) != "32") return std::nullopt;
    return assigned(target, (real ? "__float_as_uint(" : "__uint_as_float(") + *given + ")");
  }

  /// `mov.b64 %0, {%1, %2}`, `mov.b32 {%0, %1}, %2`, four parts of 16 bits. A part `_` is nothing's.
  [[nodiscard]] std::optional<std::string> halves() const {
    const bool joins = operands_[1].starts_with('{');
    const Texts parts = listed(operands_[joins ? 1 : 0]);
    const std::string& one = operands_[joins ? 0 : 1];
    const bool wide = words_[1] == "b64";
    if ((!wide && words_[1] != "b32") || !operands_[joins ? 1 : 0].ends_with('}') || known_.is_real(one))
      return std::nullopt;
    const std::size_t bits = (wide ? 64 : 32) / parts.size();
    if (parts.size() < 2 || (bits != 32 && bits != 16)) return std::nullopt;
    const std::string narrow = bits == 32 ? "unsigned" : "unsigned short";
    const auto given = value(one);
    if (!given) return std::nullopt;
    const std::string to_whole = wide ? "static_cast<unsigned long long>(" : "static_cast<unsigned>(";
    const std::string whole = to_whole + *given + ")";
    Texts made;
    for (std::size_t i = parts.size(); i-- > 0;) {
      const bool real = known_.is_real(parts[i]);
      if (!joins && parts[i] == "_") continue;
      const auto part = joins ? value(parts[i]) : std::optional(written(parts[i]));
      if (!part || part->empty() || (real && bits != 32)) return std::nullopt;
      const std::string shift = std::to_string(i * bits);
      if (joins) {
        const std::string number =
            real ? "__float_as_uint(" + *part + ")" : "static_cast<" + narrow + ">(" + *part + ")";
        made.insert(made.begin(), i == 0 ? number : to_whole + number + ") << " + shift);
      } else {
        const std::string number =
            "static_cast<" + narrow + ">(" + whole + (i == 0 ? "" : " >> " + shift) + ")";
        made.push_back(*part + " = " + (real ? "__uint_as_float(" + number + ")" : number));
      }
    }
    if (!joins) return made.empty() ? std::nullopt : std::optional("(void)(" + join(made, ", ") + ")");
    const std::string target = written(one);
    return target.empty() ? std::nullopt : std::optional(assigned(target, join(made, " | ")));
  }

  [[nodiscard]] std::optional<std::string> comparison() const {
    static const std::map<std::string, std::string> whole = {
        {"eq", "$1 == $2"}, {"ne", "$1 != $2"}, {"lt", "$1 < $2"},  {"le", "$1 <= $2"}, {"gt", "$1 > $2"},
        {"ge", "$1 >= $2"}, {"lo", "$1 < $2"},  {"ls", "$1 <= $2"}, {"hi", "$1 > $2"},  {"hs", "$1 >= $2"}};
    // With NaN `ne` is false, as != is not; those with a `u` are true.
    static const std::map<std::string, std::string> real = {{"eq", "$1 == $2"},
                                                            {"ne", "($1 < $2 || $1 > $2)"},
                                                            {"lt", "$1 < $2"},
                                                            {"le", "$1 <= $2"},
                                                            {"gt", "$1 > $2"},
                                                            {"ge", "$1 >= $2"},
                                                            {"equ", "!($1 < $2 || $1 > $2)"},
                                                            {"neu", "$1 != $2"},
                                                            {"ltu", "!($1 >= $2)"},
                                                            {"leu", "!($1 > $2)"},
                                                            {"gtu", "!($1 <= $2)"},
                                                            {"geu", "!($1 < $2)"},
                                                            {"num", "($1 == $1 && $2 == $2)"},
                                                            {"nan", "!($1 == $1 && $2 == $2)"}};
    const auto& signs = words_.back()[0] == 'f' ? real : whole;
    const auto sign = signs.find(words_[1]);
    return sign == signs.end() ? std::nullopt : filled(sign->second, words_.back());
  }

  /// `setp.eq.u32 p|q, a, b`, `setp.lt.and.s32 p, a, b, !c`, `set.ge.u32.u64 d, a, b`, `set.gt.or.f32.s32 d,
  /// a, b, c`: d is all bits or 1.0f, q the opposite of p, before both meet c.
  [[nodiscard]] std::optional<std::string> compared() const {
    static const std::map<std::string, std::string> joins = {
        {"and", " && "}, {"or", " || "}, {"xor", " != "}};
    const bool predicate = words_[0] == "setp";
    const std::size_t plain = predicate ? 3 : 4;
    const bool joined = words_.size() == plain + 1 && operands_.size() == 4;
    const auto join = joined ? joins.find(words_[2]) : joins.end();
    if (!(words_.size() == plain && operands_.size() == 3) && join == joins.end()) return std::nullopt;
    const auto holds = comparison();
    const bool negated = joined && operands_[3].starts_with('!');
    const auto other = joined ? value(operands_[3].substr(negated ? 1 : 0)) : std::nullopt;
    if (!holds || joined != other.has_value()) return std::nullopt;
    const auto met = [&](const std::string& found) {
      if (!joined) return "(" + found + ")";
      return "((" + found + ")" + join->second + "(" + *other + (negated ? " == 0))" : " != 0))");
    };
    const std::size_t bar = operands_[0].find('|');
    if (!predicate) {
      const std::string target = written(operands_[0]), &to = words_[words_.size() - 2];
      const bool real = to == "f32";
      if (target.empty() || (to != "u32" && to != "s32" && !real) || real != known_.is_real(operands_[0]))
        return std::nullopt;
      return assigned(target, met(*holds) + (real ? " ? 1.0f : 0.0f" : " ? ~0u : 0u"));
    }
    const std::string target = written(std::string(trim(operands_[0].substr(0, bar))));
    if (target.empty()) return std::nullopt;
    if (bar == std::string::npos) return assigned(target, joined ? met(*holds) : *holds);
    const std::string opposite = written(std::string(trim(operands_[0].substr(bar + 1))));
    if (opposite.empty()) return std::nullopt;
    return "{ const bool kiln_holds = " + *holds + "; const bool kiln_first = " + met("kiln_holds") +
           "; const bool kiln_second = " + met("!kiln_holds") + "; " + target + " = kiln_first; " + opposite +
           " = kiln_second; }";
  }

  [[nodiscard]] std::optional<std::string> select(const std::string& target) const {
    if (operands_.size() != 4) return std::nullopt;
    const auto yes = value(operands_[1]), no = value(operands_[2]), condition = value(operands_[3]);
    const bool same = known_.is_real(operands_[0]) == known_.is_real(operands_[1]) &&
                      known_.is_real(operands_[0]) == known_.is_real(operands_[2]);
    if (!yes || !no || !condition || !same) return std::nullopt;
    return assigned(target, *condition + " ? " + *yes + " : " + *no);
  }

  /// `cvt.rni.sat.s8.f32 d, a`, `cvt.rn.f32.s32 d, a`. A real number that becomes an integer is limited to
  /// the integer's range in any case.
  [[nodiscard]] std::optional<std::string> converted(const std::string& target) const {
    static const std::map<std::string, std::string> roundings = {
        {"rni", "rn"}, {"rzi", "rz"}, {"rmi", "rd"}, {"rpi", "ru"}};
    static const std::map<std::string, std::string> limits = {
        {"s8", "-128, 127"}, {"u8", "0, 255"}, {"s16", "-32768, 32767"}, {"u16", "0, 65535"}};
    if (words_.size() < 3) return std::nullopt;
    const std::string &to = words_[words_.size() - 2], &from = words_.back();
    const auto given = number(1, from);
    static const std::map<std::string, std::string> to_tf32 = {{"rna", "0"}, {"rn", "1"}, {"rz", "2"}};
    if (const auto way = to_tf32.find(words_[1]);
        given && to == "tf32" && from == "f32" && words_.size() == 4) {
      if (way == to_tf32.end()) return std::nullopt;
      const std::string bits = "kiln_ptx_tf32(" + *given + ", " + way->second + ")";
      return assigned(target, known_.is_real(operands_[0]) ? "__uint_as_float(" + bits + ")" : bits);
    }
    const bool to_real = to == "f32" || to == "f64", real = from == "f32" || from == "f64";
    if (!given || type_of(to).empty() || to_real != known_.is_real(operands_[0])) return std::nullopt;
    if (expressions().contains(join(words_, "."))) return assigned(target, *computed());
    const auto rounding = words_.size() > 3 ? roundings.find(words_[1]) : roundings.end();
    if (to_real || !real) {  // a number of more digits is rounded to the nearest
      const auto narrow = limits.find(to);
      if (words_.size() == 4 && words_[1] == "sat" && !to_real && narrow != limits.end() &&
          (from == "s32" || from == "u32")) {
        const std::size_t comma = narrow->second.find(',');
        return assigned(target, "min(max(static_cast<long long>(" + *given + "), " +
                                    narrow->second.substr(0, comma) + "ll)" + narrow->second.substr(comma) +
                                    "ll)");
      }
      if (words_.size() > 3) return std::nullopt;
      return assigned(target, "static_cast<" + type_of(to) + ">(" + *given + ")");
    }
    if (rounding == roundings.end() || (words_.size() > 4 && words_[2] != "sat")) return std::nullopt;
    const std::string function = from == "f32" ? "__float2" : "__double2";
    const bool wide = to == "s64" || to == "u64";
    const auto limit = limits.find(to);
    const std::string integer = wide ? (to == "s64" ? "ll" : "ull") : to == "u32" ? "uint" : "int";
    const std::string whole = function + integer + "_" + rounding->second + "(" + *given + ")";
    if (limit == limits.end()) return assigned(target, whole);
    const std::size_t comma = limit->second.find(',');
    return assigned(target, "min(max(" + whole + ", " + limit->second.substr(0, comma) + ")" +
                                limit->second.substr(comma) + ")");
  }

  [[nodiscard]] std::optional<std::string> predicates(const std::string& target) const {
    const auto left = value(operands_[1]);
    if (!left) return std::nullopt;
    if (words_[0] == "not") return assigned(target, "!" + *left);
    const auto right = operands_.size() > 2 ? value(operands_[2]) : std::nullopt;
    const std::string sign = words_[0] == "and"   ? " && "
                             : words_[0] == "or"  ? " || "
                             : words_[0] == "xor" ? " != "
                                                  : "";
    return right && !sign.empty() ? std::optional(assigned(target, *left + sign + *right)) : std::nullopt;
  }

  /// `add.cc.u32` and its kin. The carry is a variable of the statement, which may outlive it.
  [[nodiscard]] std::optional<std::string> carrying(const std::string& target) const {
    const std::string& suffix = words_.back();
    const std::string kind = words_[0].substr(0, 3);
    const bool wide = suffix == "u64" || suffix == "b64" || suffix == "s64";
    if (!wide && suffix != "u32" && suffix != "b32" && suffix != "s32") return std::nullopt;
    const std::string bits = wide ? "64" : "32", narrow = wide ? "unsigned long long" : "unsigned";
    const std::string whole = wide ? "static_cast<unsigned __int128>" : "static_cast<unsigned long long>";
    const auto part = [&](std::size_t index) -> std::optional<std::string> {
      const auto given = number(index, wide ? "u64" : "u32");
      return given ? std::optional(whole + "(" + *given + ")") : std::nullopt;
    };
    const auto first = part(1), second = part(2);
    if (!first || !second) return std::nullopt;
    const std::string carry = words_[0].size() == 4 ? std::string(kPtxCarry) : "0u";
    std::string sum;
    if (kind == "add" || kind == "sub") {
      const std::string sign = kind == "add" ? " + " : " - ";
      sum = *first + sign + *second + sign + carry;
    } else {
      const auto third = part(3);
      if (!third || words_.size() < 3) return std::nullopt;
      std::string product = "(" + *first + " * " + *second + ")";
      if (suffix[0] == 's') {
        const std::string with_sign = wide ? "static_cast<__int128>(" : "static_cast<long long>(";
        product = "(" + with_sign + *number(1, suffix) + ") * " + *number(2, suffix) + ")";
      }
      if (words_[1] != "lo" && words_[1] != "hi") return std::nullopt;
      const std::string part_of_product = words_[1] == "lo" ? product : "(" + product + " >> " + bits + ")";
      const bool fits = words_[1] == "hi" && suffix[0] != 's';
      sum = (fits ? part_of_product : whole + "(static_cast<" + narrow + ">(" + part_of_product + "))") +
            " + " + *third + " + " + carry;
    }
    const std::string flag =
        has("cc") ? std::string(kPtxCarry) + " = static_cast<unsigned>(kiln_total >> " + bits + ") & 1u; "
                  : "";
    return "{ const auto kiln_total = " + sum + "; " + flag + target + " = static_cast<" + narrow +
           ">(kiln_total); }";
  }

  /// `lop3.b32 d, a, b, c, 0xEA`: bit i of the table for a, b and c as the bits of i.
  [[nodiscard]] std::optional<std::string> three_bits(const std::string& target) const {
    if (operands_.size() != 5) return std::nullopt;
    if (!known_.is_number(operands_[4])) {  // a template's parameter
      const auto pattern = filled("kiln_lop3($1, $2, $3, $4)", "b32");
      return pattern ? std::optional(assigned(target, *pattern)) : std::nullopt;
    }
    const bool hexadecimal = operands_[4].starts_with("0x");
    std::uint64_t table = 0;
    try {
      table = std::stoull(operands_[4], nullptr, hexadecimal ? 16 : 10);
    } catch (const std::exception&) {
      return std::nullopt;
    }
    Texts terms;
    for (unsigned i = 0; i < 8 && table < 256; ++i) {
      if ((table >> i & 1u) == 0) continue;
      Texts factors;
      for (std::size_t operand = 1; operand <= 3; ++operand) {
        const auto given = number(operand, "b32");
        if (!given) return std::nullopt;
        factors.push_back((i >> (3 - operand) & 1u ? "" : "~") + *given);
      }
      terms.push_back("(" + join(factors, " & ") + ")");
    }
    return assigned(target, terms.empty() ? "0u" : join(terms, " | "));
  }

  /// To an address of the type. What is written to may be given as a pointer to const: PTX has no types.
  [[nodiscard]] static std::string cast(const std::string& type, const std::string& place) {
    if (type.starts_with("const ")) return "reinterpret_cast<" + type + "*>(" + place + ")";
    return "((" + type + "*)" + place + ")";
  }

  /// "[%1]" and "[%1 + 0x10]" as an address; absent for memory that has no addresses of 64 bits.
  [[nodiscard]] std::optional<std::string> address(const std::string& place, const std::string& type) const {
    if (!place.starts_with('[') || !place.ends_with(']')) return std::nullopt;
    const std::string inside(trim(place.substr(1, place.size() - 2)));
    const std::size_t plus = inside.find('+');
    auto base = value(std::string(trim(inside.substr(0, plus))));
    if (!base) return std::nullopt;
    if (in_space("shared")) base = "__cvta_shared_to_generic(" + *base + ")";
    std::string bytes = *base;
    if (plus != std::string::npos) {
      const std::string offset(trim(inside.substr(plus + 1)));
      if (!known_.is_number(offset)) return std::nullopt;
      bytes = "(" + cast(type.starts_with("const ") ? "const char" : "char", *base) + " + " + offset + ")";
    }
    return cast(type, bytes);
  }

  [[nodiscard]] bool is_of_hips_cluster() const { return for_hip() && in_space("shared::cluster"); }

  /// `mapa.shared::cluster.u32 %0, %1, %2` of an address of shared memory, `mapa.u64 %0, %1, %2` of a
  /// pointer.
  [[nodiscard]] std::optional<std::string> mapped(const std::string& target) const {
    const auto address = operands_.size() == 3 ? value(operands_[1]) : std::nullopt;
    const auto rank = operands_.size() == 3 ? value(operands_[2]) : std::nullopt;
    if (!address || !rank || for_hip()) return std::nullopt;
    if (in_space("shared")) return assigned(target, "kiln_cluster_address(" + *address + ", " + *rank + ")");
    return assigned(target, "(unsigned long long)__cluster_map_shared_rank(reinterpret_cast<const void*>(" +
                                *address + "), " + *rank + ")");
  }

  /// `ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4]`, `st.global.u32 [%0], %1`.
  [[nodiscard]] std::optional<std::string> access() const {
    if (in_space("local") || in_space("param") || in_space("const") || is_of_hips_cluster())
      return std::nullopt;
    const bool load = words_[0] == "ld";
    if (type_of(words_.back()).empty() || operands_.size() != 2) return std::nullopt;
    std::string numbers = operands_[load ? 0 : 1];
    const std::string& place = operands_[load ? 1 : 0];
    if (numbers.starts_with('{')) numbers = numbers.substr(1, numbers.size() - 2);
    Texts moves;
    const Texts parts = split_ptx_operands(numbers);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto number = value(parts[i]);
      const bool real = known_.is_real(parts[i]);
      const char kind = words_.back()[0];
      if (kind != 'b' && real != (kind == 'f') && !known_.is_number(parts[i])) return std::nullopt;
      const std::string type =
          std::string(load ? "const " : "") + (observed_ ? "volatile " : "") + type_with(words_.back(), real);
      const auto at = address(place, type);
      if (!number || !at || (load && !known_.is_output(parts[i]))) return std::nullopt;
      if (parts.size() > 1 && !known_.may_be_repeated(*at)) return std::nullopt;
      const std::string element = *at + "[" + std::to_string(i) + "]";
      moves.push_back(load ? *number + " = " + element : element + " = " + *number);
    }
    if (acquires_) moves.emplace_back("__threadfence()");
    if (releases_) moves.insert(moves.begin(), "__threadfence()");
    return "(void)(" + join(moves, ", ") + ")";
  }

  /// `atom.global.add.u32 %0, [%1], %2`, `red.global.max.s32 [%0], %1`.
  [[nodiscard]] std::optional<std::string> atomic() const {
    static const std::map<std::string, std::string> functions = {
        {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"},   {"and", "atomicAnd"},
        {"or", "atomicOr"},   {"xor", "atomicXor"}, {"exch", "atomicExch"}, {"cas", "atomicCAS"}};
    const bool gives = words_[0] == "atom";
    const std::size_t first = gives ? 1 : 0;
    const std::size_t taken = has("cas") ? 3 : 2;
    if (is_of_hips_cluster() || words_.size() < 3 || operands_.size() != first + taken) return std::nullopt;
    std::string suffix = words_.back();
    const std::string small = small_number_type(suffix);
    Texts words = words_;
    std::erase(words, "noftz");
    const auto function = functions.find(words[words.size() - 2]);
    if (!small.empty() && words[words.size() - 2] != "add") return std::nullopt;
    suffix = register_of_bits(suffix);
    // A sum has the same bits with and without a sign, and HIP's functions have none.
    const bool ordered = has("min") || has("max");
    if (for_hip() && suffix == "s64" && !ordered) suffix = "u64";
    const std::string type = small.empty() ? type_of(suffix) : small;
    if (function == functions.end() || type.empty()) return std::nullopt;
    const auto at = address(operands_[first], type);
    Texts arguments;
    for (std::size_t i = first + 1; i < operands_.size(); ++i) {
      const auto given = number(i, suffix);
      if (!given) return std::nullopt;
      arguments.push_back(small.empty() ? *given : "kiln_ptx16<" + small + ">(" + *given + ")");
    }
    const std::string target = gives ? written(operands_[0]) : "";
    if (!at || (gives && target.empty())) return std::nullopt;
    if (gives && known_.is_real(operands_[0]) != (suffix[0] == 'f')) return std::nullopt;
    std::string call = function->second + "(" + *at + ", " + join(arguments, ", ") + ")";
    if (gives && !small.empty()) call = "kiln_ptx16_bits(" + call + ")";
    return gives ? assigned(target, call) : "(void)" + call;
  }

  /// "{%0, %1}" and "%0" as operands.
  static Texts listed(const std::string& operand) {
    if (!operand.starts_with('{') || !operand.ends_with('}')) return {operand};
    return split_ptx_operands(operand.substr(1, operand.size() - 2));
  }
  /// Fills the words of a variable from operands.
  [[nodiscard]] std::optional<std::string> filled_words(const std::string& variable, const std::string& word,
                                                        const Texts& from) const {
    std::string text;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto given = value(from[i]);
      if (!given) return std::nullopt;
      text += variable + ".words[" + std::to_string(i) + "] = kiln_ptx_bits<" + word + ">(" + *given + "); ";
    }
    return text;
  }
  /// The operands as the words of a variable.
  [[nodiscard]] std::optional<std::string> given_words(const std::string& variable, bool real,
                                                       const Texts& to) const {
    std::string text;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::string target = written(to[i]);
      if (target.empty()) return std::nullopt;
      const std::string word = variable + ".words[" + std::to_string(i) + "]";
      const bool to_real = known_.is_real(to[i]);
      text += target + " = " +
              (real == to_real ? word : (real ? "__float_as_uint(" : "__uint_as_float(") + word + ")") + "; ";
    }
    return text;
  }

  /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {..}, {..}, {..}, {..}`.
  [[nodiscard]] std::optional<std::string> product() {
    struct Type {
      const char* name;
      int bits;
    };
    static const std::map<std::string, Type> types = {{"f16", {"__half", 16}},
                                                      {"bf16", {"__nv_bfloat16", 16}},
                                                      {"tf32", {"nvcuda::wmma::precision::tf32", 32}},
                                                      {"f64", {"double", 64}},
                                                      {"s8", {"signed char", 8}},
                                                      {"u8", {"unsigned char", 8}},
                                                      {"f32", {"float", 32}},
                                                      {"s32", {"int", 32}}};
    // By the types of a and of the sum.
    static const std::map<std::string, std::set<std::string>> shapes = {
        {"f16 f16", {"m16n8k8", "m16n8k16"}},
        {"f16 f32", {"m16n8k8", "m16n8k16"}},
        {"bf16 f32", {"m16n8k8", "m16n8k16"}},
        {"tf32 f32", {"m16n8k4", "m16n8k8"}},
        {"f64 f64", {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}},
        {"s8 s32", {"m8n8k16", "m16n8k16", "m16n8k32"}},
        {"u8 s32", {"m8n8k16", "m16n8k16", "m16n8k32"}}};
    const bool limited = std::erase(words_, "satfinite") > 0;
    if (words_.size() != 10 || words_[4] != "row" || words_[5] != "col" || operands_.size() != 4 ||
        words_[6] != words_[9])
      return std::nullopt;
    const std::string &shape = words_[3], &of_a = words_[7], &of_b = words_[8], &of_c = words_[9];
    const auto known = shapes.find(of_a + " " + of_c), same = shapes.find(of_b + " " + of_c);
    if (known == shapes.end() || same == shapes.end() || known->second != same->second ||
        !known->second.contains(shape))
      return std::nullopt;
    if (of_a != of_b && !(of_a.ends_with("8") && of_b.ends_with("8"))) return std::nullopt;
    const std::size_t n = shape.find('n'), k = shape.find('k');
    const std::string rows = shape.substr(1, n - 1), columns = shape.substr(n + 1, k - n - 1),
                      depth = shape.substr(k + 1);
    const auto count = [&](const std::string& one, const std::string& other, const std::string& type) {
      const int bits = types.at(type).bits;
      return static_cast<std::size_t>(std::stoi(one) * std::stoi(other) / 32 * bits / std::max(bits, 32));
    };
    const Texts d = listed(operands_[0]), a = listed(operands_[1]), b = listed(operands_[2]),
                c = listed(operands_[3]);
    if (d.size() != count(rows, columns, of_c) || c.size() != d.size() ||
        a.size() != count(rows, depth, of_a) || b.size() != count(depth, columns, of_b))
      return std::nullopt;
    const auto variable = [&](const std::string& name, const std::string& type) {
      const bool tagged = for_hip() && (type == "f16" || type == "bf16" || type == "tf32");
      return "kiln_ptx_" + name.substr(0, 1) + "<" + rows + ", " + columns + ", " + depth + ", " +
             (tagged ? "kiln_cuda::ptx_" + type : types.at(type).name) + "> ";
    };
    const auto word = [](const std::string& type) {
      return type == "f64" ? "double" : type == "f32" ? "float" : type == "s32" ? "int" : "unsigned";
    };
    const auto fill_a = filled_words("kiln_a", word(of_a), a), fill_b = filled_words("kiln_b", word(of_b), b),
               fill_c = filled_words("kiln_c", word(of_c), c);
    const auto take_d = given_words("kiln_d", of_c == "f32" || of_c == "f64", d);
    if (!fill_a || !fill_b || !fill_c || !take_d) return std::nullopt;
    return "{ " + variable("a", of_a) + "kiln_a; " + variable("b", of_b) + "kiln_b; " + variable("c", of_c) +
           "kiln_c; " + variable("c", of_c) + "kiln_d; " + *fill_a + *fill_b + *fill_c +
           "mma_sync(kiln_d, kiln_a, kiln_b, kiln_c, " + (limited ? "true" : "false") + "); " + *take_d + "}";
  }

  /// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4]`, `stmatrix... [%0], {%1}`;
  /// without `shared` the address is a pointer.
  [[nodiscard]] std::optional<std::string> tiles() const {
    const bool load = words_[0] == "ldmatrix";
    const std::size_t count = has("x4") ? 4 : has("x2") ? 2 : has("x1") ? 1 : 0;
    if (count == 0 || !has("m8n8") || words_.back() != "b16" || operands_.size() != 2) return std::nullopt;
    const Texts registers = listed(operands_[load ? 0 : 1]);
    const auto row = address(operands_[load ? 1 : 0], "char");
    if (registers.size() != count || !row) return std::nullopt;
    const auto words = load ? given_words("kiln_tiles", false, registers)
                            : filled_words("kiln_tiles", "unsigned", registers);
    if (!words) return std::nullopt;
    return "{ kiln_ptx_tiles<" + std::to_string(count) + ", " + (has("trans") ? "true" : "false") +
           "> kiln_tiles; " +
           (load ? "load_matrix_sync(kiln_tiles, " + *row + "); " + *words
                 : *words + "store_matrix_sync(" + *row + ", kiln_tiles); ") +
           "}";
  }

  /// `movmatrix.sync.aligned.m8n8.trans.b16 %0, %1`: lane l holds two neighbours of row l / 4, and gets two
  /// of column l / 4 from the lanes of two rows.
  [[nodiscard]] std::optional<std::string> transposed() const {
    if (join(words_, ".") != "movmatrix.sync.aligned.m8n8.trans.b16" || operands_.size() != 2 ||
        known_.is_real(operands_[0]) || known_.is_real(operands_[1]))
      return std::nullopt;
    const std::string target = written(operands_[0]);
    const auto given = value(operands_[1]);
    if (target.empty() || !given) return std::nullopt;
    const auto shuffled = [](const std::string& name, const std::string& from) {
      return "const unsigned " + name + " = __shfl_sync(0xffffffffu, kiln_source, static_cast<int>(" + from +
             ")); ";
    };
    return "{ const unsigned kiln_source = " + *given + "; const unsigned kiln_place = " + kNumber +
           " % 32u; " + shuffled("kiln_even", "kiln_place % 4u * 8u + kiln_place / 8u") +
           shuffled("kiln_odd", "kiln_place % 4u * 8u + 4u + kiln_place / 8u") + target +
           " = __byte_perm(kiln_even, kiln_odd, kiln_place / 4u % 2u == 0u ? 0x5410u : 0x7632u); }";
  }

  /// `cp.async.cg.shared.global [%0], [%1], 16, %2`; it copies at once. The waits do nothing.
  [[nodiscard]] std::optional<std::string> copy() const {
    if (words_[2] == "commit_group" || words_[2] == "wait_group" || words_[2] == "wait_all") return "(void)0";
    const bool ways = words_[2] == "ca" || words_[2] == "cg";
    if (!ways || !in_space("shared") || !has("global") || operands_.size() < 3) return std::nullopt;
    const bool hinted = std::any_of(words_.begin(), words_.end(),
                                    [](const std::string& word) { return word == "L2::cache_hint"; });
    const bool sized = operands_.size() > (hinted ? 4u : 3u);
    const std::string& to = operands_[0];
    if (!to.starts_with('[') || !to.ends_with(']')) return std::nullopt;
    const auto shared = address(to, "char");
    const std::string& from = operands_[1];
    std::optional<std::string> global;
    if (from.starts_with('[') && from.ends_with(']')) {
      const std::size_t plus = from.find('+');
      const auto base = value(std::string(trim(from.substr(1, std::min(plus, from.size() - 1) - 1))));
      const std::string offset =
          plus == std::string::npos ? "0" : std::string(trim(from.substr(plus + 1, from.size() - plus - 2)));
      if (base && known_.is_number(offset)) global = "(const char*)" + *base + " + " + offset;
    }
    const auto size = value(operands_[2]), bytes = sized ? value(operands_[3]) : size;
    if (!shared || !global || !size || !bytes || operands_.size() > 5) return std::nullopt;
    return "kiln_ptx_copy(" + *shared + ", " + *global + ", static_cast<int>(" + *size +
           "), static_cast<int>(" + *bytes + "))";
  }

  const PtxOperands& known_;
  Texts words_, operands_;
  bool observed_ = false, acquires_ = false, releases_ = false;
};

}  // namespace

namespace {

/// "0f3F800000", "0d3FF0000000000000": the bits of a number.
bool is_bits(const std::string& operand) {
  const bool is_float = operand.starts_with("0f") || operand.starts_with("0F");
  const bool is_double = operand.starts_with("0d") || operand.starts_with("0D");
  return ((is_float && operand.size() == 10) || (is_double && operand.size() == 18)) &&
         operand.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
}

/// "-0.5", "1e-3".
bool is_decimal_real(const std::string& operand) {
  return operand.find_first_not_of("+-.0123456789eE") == std::string::npos &&
         operand.find_first_of(".eE") != std::string::npos && parse_real(operand).has_value();
}

}  // namespace

std::optional<std::string> PtxOperands::value(const std::string& operand) const {
  if (is_bits(operand)) {
    return operand.size() == 10 ? "__uint_as_float(0x" + operand.substr(2) + "u)"
                                : "__longlong_as_double(0x" + operand.substr(2) + "ll)";
  }
  if (is_number(operand)) {
    const bool hexadecimal = operand.starts_with("0x");
    if (operand.ends_with('U')) return operand;
    return operand + (hexadecimal ? "u" : "");
  }
  if (const Register* const found = register_of(operand)) return found->variable;
  const auto index = index_of(operand);
  return index ? std::optional(values_[*index].text) : std::nullopt;
}

bool PtxOperands::is_number(const std::string& operand) {
  if (operand.size() > 1 && operand.ends_with('U')) return is_number(operand.substr(0, operand.size() - 1));
  const bool hexadecimal = operand.starts_with("0x") && operand.size() > 2 &&
                           operand.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
  return is_bits(operand) || is_decimal_real(operand) || hexadecimal || parse_integer(operand).has_value();
}

bool PtxOperands::is_output(const std::string& operand) const {
  if (register_of(operand) != nullptr) return true;
  const auto index = index_of(operand);
  return index && values_[*index].output;
}

bool PtxOperands::is_real(const std::string& operand) const {
  if (const Register* const found = register_of(operand)) return found->suffix[0] == 'f';
  if (is_bits(operand) || is_decimal_real(operand)) return true;
  const auto index = index_of(operand);
  return index && values_[*index].real;
}

bool PtxOperands::may_be_repeated(const std::string& address) const {
  for (const Value& one : values_) {
    if (!one.output) continue;
    const std::string_view name = std::string_view(one.text).substr(1, one.text.size() - 2);
    if (has_word(address, name)) return false;
  }
  return true;
}

bool PtxOperands::declare(const std::string& name, const std::string& suffix) {
  const std::string held = register_of_bits(suffix);
  if (held != "pred" && type_of(held).empty()) return false;
  const std::size_t begin = name.find_first_not_of('%');
  if (begin == std::string::npos || !is_identifier(name.substr(begin)) ||
      special_register(name.substr(begin), dialect_))
    return false;
  const std::string bare = name.substr(begin);
  if (const auto known = registers_.find(bare); known != registers_.end() && !known->second.outer)
    return false;
  registers_[bare] = {held, "kiln_ptx_" + bare, false};
  return true;
}

std::string PtxOperands::open_scope() {
  std::string declared = "{ ";
  for (auto& [name, one] : registers_) {
    if (one.outer) continue;
    declared += type_of_register(one.suffix) + " " + one.variable + "; ";
    one.outer = true;
  }
  return declared;
}

void PtxOperands::enter(const PtxOperands& outer) {
  for (const auto& [name, one] : outer.registers_) {
    if (one.outer) registers_.emplace(name, one);
  }
}

const PtxOperands::Register* PtxOperands::register_of(const std::string& operand) const {
  const std::size_t begin = operand.find_first_not_of('%');
  const auto found = begin == std::string::npos ? registers_.end() : registers_.find(operand.substr(begin));
  return found == registers_.end() ? nullptr : &found->second;
}

void PtxOperands::bind_inputs() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].output) continue;
    const std::string name = "kiln_in" + std::to_string(i);
    inputs_ += "const auto " + name + " = " + values_[i].text + "; ";
    values_[i].text = name;
  }
}

bool PtxOperands::inputs_have_effects() const {
  return std::any_of(values_.begin(), values_.end(), [](const Value& one) {
    const std::string_view inside = std::string_view(one.text).substr(1, one.text.size() - 2);
    return !one.output &&
           (inside.find_first_of("=(") != std::string_view::npos ||
            inside.find("++") != std::string_view::npos || inside.find("--") != std::string_view::npos);
  });
}

std::string PtxOperands::declarations() const {
  return inputs_ + declarations_of_registers();
}

std::string PtxOperands::declarations_of_registers() const {
  std::string text;
  for (const auto& [name, one] : registers_) {
    if (!one.outer) text += type_of_register(one.suffix) + " " + one.variable + "{}; ";
  }
  return text;
}

std::optional<std::size_t> PtxOperands::index_of(const std::string& operand) const {
  if (operand.size() < 2 || operand[0] != '%') return std::nullopt;
  const auto index = parse_integer(operand.substr(1));
  if (!index || *index < 0 || *index >= static_cast<std::int64_t>(values_.size())) return std::nullopt;
  return static_cast<std::size_t>(*index);
}

std::vector<std::string> split_ptx_operands(const std::string& text) {
  Texts parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = std::string(trim(part));
  return parts;
}

std::optional<std::string> translate_ptx(const std::string& instruction, const PtxOperands& operands) {
  const std::size_t blank = instruction.find(' ');
  const std::string rest = blank == std::string::npos ? "" : std::string(trim(instruction.substr(blank)));
  auto made = Instruction(operands, split(instruction.substr(0, blank), '.'),
                          rest.empty() ? Texts() : split_ptx_operands(rest))
                  .run();
  return made && operands.dialect() == PtxDialect::kHip ? std::optional(by_functions_of_hip(*made)) : made;
}

}  // namespace kiln
