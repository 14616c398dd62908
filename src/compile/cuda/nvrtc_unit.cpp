#include "compile/cuda/nvrtc_unit.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compile/cuda/fixed_options.h"
#include "compile/cuda/gnu_syntax.h"
#include "compile/language_version.h"
#include "device/cuda/arch_name.h"
#include "kiln/error.h"
#include "specialize/params_struct.h"

namespace kiln {
namespace {

/// 12.4 gives 1204.
std::int64_t release_of(const std::string& version) {
  const std::vector<std::string> parts = split(version, '.');
  return parse_integer(parts.front()).value_or(0) * 100 +
         (parts.size() > 1 ? parse_integer(parts[1]).value_or(0) : 0);
}

/// Architectures of one device alone (sm_90a) came with sm_90 and 12.0, architectures of a family (sm_100f)
/// with sm_100 and 12.9.
bool knows_suffix(const std::string& suffix, std::int64_t number, const std::string& version) {
  const std::int64_t release = release_of(version);
  if (suffix == "a") return number >= 90 && release >= 1200;
  if (suffix == "f") return number >= 100 && release >= 1209;
  return true;
}

std::string list_of(const std::vector<int>& supported) {
  std::vector<std::string> names;
  names.reserve(supported.size());
  for (const int arch : supported) names.push_back("sm_" + std::to_string(arch));
  return join(names, ", ");
}

/// The known name that a misspelt text probably means, and the list of known names.
std::string hint_at(const std::string& text, const std::vector<int>& supported) {
  const std::string likely = likely_arch_name(text);
  const auto name = parse_arch_name(likely);
  const bool known = name && std::find(supported.begin(), supported.end(), name->number) != supported.end();
  return known ? "; did you mean '" + likely + "'? " : ": ";
}

/// Whether a text may use a name that `--minimal` leaves out: cudaError_t, tex2D, surf1Dread, a launch.
bool names_more(const std::string& text) {
  if (text.find("<<<") != std::string::npos) return true;
  const std::set<std::string> names = identifiers_in(text);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("cuda") || name.starts_with("tex") || name.starts_with("surf");
  });
}

}  // namespace

bool may_be_minimal(const Specialization& specialization, const std::string& version) {
  constexpr std::int64_t kFirstRelease = 1204;
  if (release_of(version) < kFirstRelease || !specialization.unseen_headers.empty()) return false;
  if (names_more(specialization.source_text) || names_more(specialization.params_header)) return false;
  const auto& headers = specialization.headers;
  const auto& macros = specialization.defines;
  return std::none_of(headers.begin(), headers.end(),
                      [](const IncludedHeader& header) { return names_more(header.text); }) &&
         std::none_of(macros.begin(), macros.end(),
                      [](const auto& macro) { return names_more(macro.second); });
}

bool needs_wide_integers(const Specialization& specialization, const std::string& version) {
  constexpr std::int64_t kFirstRelease = 1105;
  if (release_of(version) < kFirstRelease) return false;
  const auto names_them = [](std::string_view text) {  // __int128, __int128_t, __uint128_t
    return text.find("int128") != std::string_view::npos;
  };
  const auto& headers = specialization.headers;
  const auto& macros = specialization.defines;
  return names_them(specialization.source_text) || names_them(specialization.params_header) ||
         std::any_of(headers.begin(), headers.end(),
                     [&](const IncludedHeader& header) { return names_them(header.text); }) ||
         std::any_of(macros.begin(), macros.end(),
                     [&](const auto& macro) { return names_them(macro.second); });
}

bool has_own_cache(const std::string& version) {
  constexpr std::int64_t kFirstRelease = 1209;
  return release_of(version) >= kFirstRelease;
}

RtcUnit make_nvrtc_unit(const Specialization& specialization, const std::filesystem::path& source_folder) {
  const auto launch_bounds = [](const std::string& bounds) { return "__launch_bounds__(" + bounds + ")"; };
  Specialization standard = specialization;
  std::vector<std::string_view> texts = {specialization.source_text};
  for (const IncludedHeader& header : specialization.headers) texts.push_back(header.text);
  const auto constants = constants_for_sizes(texts);
  standard.source_text = without_gnu_syntax(standard.source_text, constants);
  for (IncludedHeader& header : standard.headers) header.text = without_gnu_syntax(header.text, constants);
  return make_rtc_unit(standard, {"#define KILN_BACKEND_CUDA 1\n", launch_bounds}, source_folder);
}

std::string compiled_arch(const Specialization& specialization) {
  const std::string& target = specialization.target.arch;
  std::string arch = target;
  for (std::size_t i = 0; i < specialization.options.size(); ++i) {
    const ArchOption option = arch_option(specialization.options, i);
    if (option.words == 0) continue;
    arch = option.arch;
    const auto name = parse_arch_name(arch);
    const bool is_targets = arch == target || (name && name->prefix + std::to_string(name->number) == target);
    if (!is_targets) {
      throw bad_input(specialization.source_name + ": the option '" + specialization.options[i] +
                      "' is not for " + target +
                      ": it can only ask for the target's own features (-arch=sm_90a for sm_90)");
    }
    i += option.words - 1;
  }
  return arch;
}

NvrtcArch choose_nvrtc_arch(const std::string& arch, const std::vector<int>& supported,
                            const std::string& version, bool makes_machine_code) {
  const std::string known = "NVRTC " + version + " knows " + list_of(supported);
  const auto name = parse_arch_name(arch);
  if (!name || supported.empty()) {
    throw bad_input("unknown architecture '" + arch + "'" + hint_at(arch, supported) + known +
                    ", and sm_90a-like ones with their own features");
  }
  const auto& [prefix, number, suffix] = *name;
  const std::string digits = std::to_string(number);
  if (std::find(supported.begin(), supported.end(), number) != supported.end()) {
    if (!knows_suffix(suffix, number, version)) {
      throw bad_input("architecture '" + arch + "': NVRTC " + version + " does not know it, only " + prefix +
                      digits);
    }
    if (prefix == "sm_" && makes_machine_code) return {"-arch=" + arch, false, ""};
    if (prefix == "sm_") {
      const std::string virtual_arch = "compute_" + digits;
      return {"-arch=" + virtual_arch, true,
              "PTX for " + virtual_arch + ": NVRTC " + version + " makes no machine code"};
    }
    return {"-arch=" + arch, true, "PTX for " + arch + ", as asked for"};
  }
  const std::string newest = "compute_" + std::to_string(supported.back());
  if (number < supported.front()) {
    throw bad_input("architecture '" + arch + "' is too old for this compiler: " + known +
                    "; an older NVRTC can be named with KILN_NVRTC");
  }
  // Between two known architectures, the nearest below; the additions of the device are not used.
  const auto above = std::upper_bound(supported.begin(), supported.end(), static_cast<int>(number));
  const std::string base = above == supported.end() ? newest : "compute_" + std::to_string(*std::prev(above));
  return {"-arch=" + base, true, "PTX for " + base + ": NVRTC " + version + " does not know " + arch};
}

std::vector<std::string> nvrtc_options(const Specialization& specialization, const NvrtcArch& arch,
                                       const std::vector<std::filesystem::path>& cuda_includes) {
  std::vector<std::string> options;
  if (!has_option(specialization, {"-std", "--std"}))
    options.push_back(std::string("--std=") + language_version(specialization));
  options.push_back(arch.option);
  if (specialization.fast_math) options.emplace_back("--use_fast_math");
  if (specialization.lineinfo && !has_option(specialization, {"-lineinfo", "--generate-line-info"})) {
    options.emplace_back("-lineinfo");
  }
  for (const std::string& directory : specialization.include_directories) options.push_back("-I" + directory);
  for (const std::filesystem::path& folder : cuda_includes) options.push_back("-I" + folder.string());
  for (std::size_t i = 0; i < specialization.options.size(); ++i) {
    const ArchOption named = arch_option(specialization.options, i);
    if (named.words == 0) options.push_back(specialization.options[i]);
    if (named.words > 0) i += named.words - 1;
  }
  return options;
}

}  // namespace kiln
