#include "specialize/ptx_small_numbers.h"

#include <map>

#include "base/text.h"

namespace kiln {
namespace {

using Texts = std::vector<std::string>;

bool is_pair(const std::string& suffix) {
  return suffix.ends_with("x2");
}

/// "kiln_ptx16<__half>($1)".
std::string number_of(const std::string& type, int operand) {
  return "kiln_ptx16<" + type + ">($" + std::to_string(operand) + ")";
}

std::string bits_of(const std::string& value) {
  return "kiln_ptx16_bits(" + value + ")";
}

/// "fma.relu" of `fma.relu.f16x2`.
std::string without_type(Texts words) {
  words.pop_back();
  return join(words, ".");
}

std::optional<SmallNumberPtx> arithmetic(const Texts& words) {
  struct Function {
    const char *one, *two;  ///< of a number, of a pair
    int operands;
  };
  static const std::map<std::string, Function> functions = {{"add", {"__hadd_rn", "__hadd2_rn", 2}},
                                                            {"sub", {"__hsub_rn", "__hsub2_rn", 2}},
                                                            {"mul", {"__hmul_rn", "__hmul2_rn", 2}},
                                                            {"add.sat", {"__hadd_sat", "__hadd2_sat", 2}},
                                                            {"sub.sat", {"__hsub_sat", "__hsub2_sat", 2}},
                                                            {"mul.sat", {"__hmul_sat", "__hmul2_sat", 2}},
                                                            {"fma", {"__hfma", "__hfma2", 3}},
                                                            {"fma.sat", {"__hfma_sat", "__hfma2_sat", 3}},
                                                            {"fma.relu", {"__hfma_relu", "__hfma2_relu", 3}},
                                                            {"min", {"__hmin", "__hmin2", 2}},
                                                            {"max", {"__hmax", "__hmax2", 2}},
                                                            {"min.NaN", {"__hmin_nan", "__hmin2_nan", 2}},
                                                            {"max.NaN", {"__hmax_nan", "__hmax2_nan", 2}},
                                                            {"neg", {"__hneg", "__hneg2", 1}},
                                                            {"abs", {"__habs", "__habs2", 1}},
                                                            {"ex2", {"hexp2", "h2exp2", 1}},
                                                            {"tanh", {"htanh", "h2tanh", 1}}};
  const std::string& suffix = words.back();
  const std::string type = small_number_type(suffix);
  const auto function = functions.find(without_type(words));
  if (type.empty() || function == functions.end()) return std::nullopt;
  Texts operands;
  for (int i = 1; i <= function->second.operands; ++i) operands.push_back(number_of(type, i));
  const std::string name = is_pair(suffix) ? function->second.two : function->second.one;
  return SmallNumberPtx{bits_of(name + "(" + join(operands, ", ") + ")"), register_of_bits(suffix)};
}

/// A real number as a small one in a direction of rounding: "__float2half_rz($1)".
std::optional<std::string> rounded(const std::string& small, const std::string& rounding, int operand) {
  static const std::map<std::string, std::string> endings = {{"rz", "_rz"}, {"rm", "_rd"}, {"rp", "_ru"}};
  const std::string given = "($" + std::to_string(operand) + ")";
  if (rounding.empty()) return small_number_type(small) + given;
  const auto ending = endings.find(rounding);
  if (ending == endings.end()) return std::nullopt;
  return (small == "f16" ? "__float2half" : "__float2bfloat16") + ending->second + given;
}

/// To e4m3x2 and e5m2x2, limited as `satfinite` says, and from them.
std::optional<SmallNumberPtx> of_8_bits(const Texts& manner, const std::string& to, const std::string& from) {
  static const std::map<std::string, std::string> kinds = {{"e4m3x2", ", __NV_E4M3)"},
                                                           {"e5m2x2", ", __NV_E5M2)"}};
  if (const auto kind = kinds.find(to); kind != kinds.end()) {
    if (manner != Texts{"satfinite"}) return std::nullopt;
    const std::string name = "kiln_ptx16_of_pair(";
    if (from == "f16x2") return SmallNumberPtx{name + number_of("__half2", 1) + kind->second, "b32"};
    if (from != "f32") return std::nullopt;
    return SmallNumberPtx{name + "make_float2($2, $1)" + kind->second, "f32"};
  }
  const auto kind = kinds.find(from);
  if (kind == kinds.end() || to != "f16x2" || !manner.empty()) return std::nullopt;
  return SmallNumberPtx{bits_of("kiln_ptx16_to_pair($1" + kind->second), "b16"};
}

std::optional<SmallNumberPtx> conversion(const Texts& words) {
  static const std::map<std::string, std::string> integers = {
      {"s16", "short"},    {"u16", "unsigned short"}, {"s32", "int"},
      {"u32", "unsigned"}, {"s64", "long long"},      {"u64", "unsigned long long"}};
  static const std::map<std::string, std::string> to_whole = {
      {"rni", "rint"}, {"rzi", "trunc"}, {"rmi", "floor"}, {"rpi", "ceil"}};
  if (words.size() < 3) return std::nullopt;
  const std::string &to = words[words.size() - 2], &from = words.back();
  const Texts manner(words.begin() + 1, words.end() - 2);
  if (auto made = of_8_bits(manner, to, from)) return made;
  const std::string type = small_number_type(to), of_from = small_number_type(from);
  const std::string rounding = manner.empty() ? "" : manner[0];
  if (type.empty() == of_from.empty() && to != from) return std::nullopt;
  if (type.empty()) {
    if (of_from.empty() || is_pair(from)) return std::nullopt;
    const std::string value = "static_cast<float>(" + number_of(of_from, 1) + ")";
    if (to == "f32" || to == "f64") {
      if (!manner.empty()) return std::nullopt;
      return SmallNumberPtx{value, "b16", true};
    }
    const auto integer = integers.find(to);
    const auto whole = to_whole.find(rounding);
    if (integer == integers.end() || whole == to_whole.end() || manner.size() != 1) return std::nullopt;
    return SmallNumberPtx{
        "kiln_to_integer<" + integer->second + ">(__builtin_" + whole->second + "f(" + value + "))", "b16"};
  }
  if (to == from) {
    const auto whole = to_whole.find(rounding);
    if (whole == to_whole.end() || manner.size() != 1 || is_pair(to)) return std::nullopt;
    return SmallNumberPtx{bits_of("h" + whole->second + "(" + number_of(type, 1) + ")"), "b16"};
  }
  if (is_pair(to)) {
    const bool limited = !manner.empty() && manner.back() == "relu";
    const std::string how = limited && manner.size() == 1 ? "" : rounding;
    if (from != "f32" || manner.size() > (limited ? 2u : 1u)) return std::nullopt;
    const std::string one = to.substr(0, to.size() - 2);
    auto high = rounded(one, how, 1), low = rounded(one, how, 2);
    if (!high || !low) return std::nullopt;
    if (limited) {
      high = "kiln::rectified(" + *high + ")";
      low = "kiln::rectified(" + *low + ")";
    }
    return SmallNumberPtx{bits_of(type + "(" + *low + ", " + *high + ")"), "f32"};
  }
  const bool exact = from == "f64" || integers.contains(from);  // rounded once, to the nearest
  if ((!exact && from != "f32") || manner.size() > (exact ? 0u : 1u)) return std::nullopt;
  const auto made = rounded(to, rounding, 1);
  return made ? std::optional(SmallNumberPtx{bits_of(*made), from}) : std::nullopt;
}

}  // namespace

std::optional<SmallNumberPtx> small_number_ptx(const Texts& words) {
  return words[0] == "cvt" ? conversion(words) : arithmetic(words);
}

std::string small_number_type(const std::string& suffix) {
  static const std::map<std::string, std::string> types = {
      {"f16", "__half"}, {"bf16", "__nv_bfloat16"}, {"f16x2", "__half2"}, {"bf16x2", "__nv_bfloat162"}};
  const auto found = types.find(suffix);
  return found == types.end() ? "" : found->second;
}

std::string register_of_bits(const std::string& suffix) {
  if (small_number_type(suffix).empty()) return suffix;
  return is_pair(suffix) ? "b32" : "b16";
}

}  // namespace kiln
