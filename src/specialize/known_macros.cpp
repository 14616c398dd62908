#include "specialize/known_macros.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "specialize/build_flags.h"
#include "specialize/constant_value.h"

namespace kiln {
namespace {

constexpr const char* kUnknownWord = "__unknown__";

/// Of compilers, of headers that only they have, or of Kiln; not the switch of a build ("USE_CUDA").
bool is_of_compiler(std::string_view name) {
  if (!name.starts_with('_') && names_the_gpu(std::string(name))) return false;
  static constexpr std::array<std::string_view, 11> kStarts = {
      "KILN_", "_", "CUDA", "CUDNN", "CUBLAS", "CUB_", "THRUST_", "HIP", "NCCL_", "USE_HIP", "M_"};
  static constexpr std::array<std::string_view, 7> kNames = {"NULL",  "INFINITY", "NAN",   "HUGE_VAL",
                                                             "linux", "unix",     "assert"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); }) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.ends_with("_MAX") ||
         name.ends_with("_MIN") || name.ends_with("_EPSILON");
}

/// Or of a program that reads code and compiles none.
bool is_of_other_system(std::string_view name) {
  static const std::set<std::string_view> names = {"__INTELLISENSE__",
                                                   "__RESHARPER__",
                                                   "__JETBRAINS_IDE__",
                                                   "__CDT_PARSER__",
                                                   "__DOXYGEN__",
                                                   "__CLING__",
                                                   "_WIN32",
                                                   "_WIN64",
                                                   "__WIN32__",
                                                   "_MSC_VER",
                                                   "__APPLE__",
                                                   "__MACH__",
                                                   "__CYGWIN__",
                                                   "__MINGW32__",
                                                   "__BORLANDC__",
                                                   "__OPENCL_VERSION__",
                                                   "__OPENCL_C_VERSION__"};
  return names.contains(name);
}

/// Words of CUDA and HIP that are macros of nvcc and hipcc.
bool is_macro_of_dialect(std::string_view name) {
  static const std::set<std::string_view> names = {"__global__",      "__device__",        "__host__",
                                                   "__shared__",      "__constant__",      "__managed__",
                                                   "__forceinline__", "__launch_bounds__", "__align__"};
  return names.contains(name);
}

/// Of <limits.h>, on the systems that CUDA has, whose long has 64 bits. In place of larger numbers than
/// conditions are evaluated with stands the largest of these, which is enough where a text asks for 32 bits.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kLimits = {
    {{"CHAR_BIT", "8"},
     {"SCHAR_MAX", "127"},
     {"UCHAR_MAX", "255"},
     {"SHRT_MAX", "32767"},
     {"USHRT_MAX", "65535"},
     {"INT_MAX", "2147483647"},
     {"UINT_MAX", "4294967295"},
     {"LONG_MAX", "1099511627776"},
     {"ULONG_MAX", "1099511627776"},
     {"LLONG_MAX", "1099511627776"},
     {"ULLONG_MAX", "1099511627776"}}};

/// Of the toolkit whose functions Kiln's headers for the CPU have.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kCudaVersions = {
    {{"CUDART_VERSION", 12060},
     {"CUDA_VERSION", 12060},
     {"__CUDACC_VER_MAJOR__", 12},
     {"__CUDACC_VER_MINOR__", 6}}};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) append_token(text, word);
  return text;
}

}  // namespace

KnownMacros::KnownMacros(const std::vector<std::pair<std::string, std::string>>& defines, ReadFor compilers)
    : compilers_(compilers) {
  expander_.define("__cplusplus", {false, false, {}, {"201703"}});
  for (const auto& [name, value] : kLimits) expander_.define(name, {false, false, {}, {std::string(value)}});
  if (compilers != ReadFor::kHip) {
    expander_.define("__CUDACC__", {false, false, {}, {"1"}});
    expander_.define("__NVCC__", {false, false, {}, {"1"}});
  }
  for (const auto& [name, value] : defines)
    expander_.define(name, {false, false, {}, macro_words(tokenize(value).tokens)});
}

void KnownMacros::assume_current_cuda() {
  current_cuda_ = compilers_ != ReadFor::kHip;
}

std::optional<std::int64_t> KnownMacros::version(std::string_view name) const {
  if (!current_cuda_ || unclear_.contains(name) || undefined_.contains(name)) return std::nullopt;
  const auto known = std::find_if(kCudaVersions.begin(), kCudaVersions.end(),
                                  [&](const auto& one) { return one.first == name; });
  return known != kCudaVersions.end() ? std::optional(known->second) : std::nullopt;
}

void KnownMacros::blur(std::string_view name) {
  expander_.forget(name);
  unclear_texts_.erase(std::string(name));
  unclear_.emplace(name);
}

void KnownMacros::learn(const Directive& directive, Truth compiled) {
  if (compiled == Truth::kNever || directive.tokens.size() < 2) return;
  const std::string name(directive.tokens[1].text);
  if (directive.tokens[0].is("undef")) {
    if (compiled == Truth::kSometimes) {
      if (is_defined(name) != Truth::kNever) blur(name);
      return;
    }
    expander_.forget(name);
    unclear_.erase(name);
    unclear_texts_.erase(name);
    undefined_.insert(name);
    return;
  }
  auto macro = macro_of(directive);
  if (!macro) return;
  if (compiled == Truth::kAlways) {
    unclear_.erase(name);
    unclear_texts_.erase(name);
    undefined_.erase(name);
    expander_.define(name, *std::move(macro));
    return;
  }
  const TextMacro* known = expander_.find(name);
  if (known != nullptr && *known == *macro) return;
  const bool defined = is_defined(name) == Truth::kAlways;
  blur(name);
  if (!defined) return;
  unclear_.erase(name);
  unclear_texts_.insert(name);
}

Truth KnownMacros::is_defined(std::string_view name) const {
  if (expander_.find(name) != nullptr || unclear_texts_.contains(name)) return Truth::kAlways;
  if (is_macro_of_dialect(name) && !undefined_.contains(name)) return Truth::kAlways;
  if (unclear_.contains(name)) return Truth::kSometimes;
  const bool of_hip = compilers_ == ReadFor::kCuda && name.starts_with("__HIP");
  if (undefined_.contains(name) || is_of_other_system(name) || of_hip) return Truth::kNever;
  return is_of_compiler(name) ? Truth::kSometimes : Truth::kNever;
}

Truth KnownMacros::holds(const Directive& condition) const {
  const std::vector<Token>& words = condition.tokens;
  if (words.size() < 2) return Truth::kSometimes;
  const std::string_view kind = words[0].text;
  if (kind.ends_with("def")) {
    const Truth defined = is_defined(words[1].text);
    if (!kind.ends_with("ndef") || defined == Truth::kSometimes) return defined;
    return defined == Truth::kAlways ? Truth::kNever : Truth::kAlways;
  }
  return value(macro_words(words, 1));
}

Truth KnownMacros::value(std::vector<std::string> words) const {
  std::vector<std::string> resolved;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "defined") {
      resolved.push_back(std::move(words[i]));
      continue;
    }
    const bool brackets = i + 3 < words.size() && words[i + 1] == "(" && words[i + 3] == ")";
    const std::size_t name = brackets ? i + 2 : i + 1;
    if (name >= words.size()) return Truth::kSometimes;
    const Truth defined = is_defined(words[name]);
    resolved.emplace_back(defined == Truth::kSometimes ? kUnknownWord
                          : defined == Truth::kAlways  ? "1"
                                                       : "0");
    i = brackets ? i + 3 : i + 1;
  }
  const auto expansion = expander_.expanded(resolved);
  if (!expansion) return Truth::kSometimes;
  const auto result =
      value_with_names(joined(expansion->words), [&](const std::string& name) -> std::optional<std::int64_t> {
        if (name == "true") return 1;
        if (const auto known = version(name)) return known;
        if (is_defined(name) != Truth::kNever) return std::nullopt;
        return 0;
      });
  if (!result) return Truth::kSometimes;
  return *result != 0 ? Truth::kAlways : Truth::kNever;
}

std::vector<std::string> KnownMacros::remedies(const Directive& condition) const {
  std::set<std::string> names, values = {"1"};
  for (std::size_t i = 1; i < condition.tokens.size(); ++i) {
    const Token& token = condition.tokens[i];
    const std::string name(token.text);
    if (token.kind == Token::Kind::kNumber) values.insert({name, name + " + 1"});
    const bool word = name == "defined" || name == "true" || name == "false";
    if (token.identifier() && !word && is_defined(name) == Truth::kNever && !is_of_other_system(name))
      names.insert(name);
  }
  std::vector<std::string> remedies;
  for (const std::string& name : names) {
    for (const std::string& value : values) {
      KnownMacros with = *this;
      with.undefined_.erase(name);
      with.expander_.define(name, {false, false, {}, macro_words(tokenize(value).tokens)});
      if (with.holds(condition) != Truth::kAlways) continue;
      const auto number = constant_value(value, {});
      remedies.push_back(value == "1" || !number ? name : name + "=" + std::to_string(*number));
      break;
    }
  }
  return remedies;
}

std::optional<HeaderName> KnownMacros::header(const Directive& include) const {
  const auto expansion = expander_.expanded(macro_words(include.tokens, 1));
  return expansion ? parse_header_name(joined(expansion->words)) : std::nullopt;
}

}  // namespace kiln
