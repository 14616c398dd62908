#include "compile/cuda/nvrtc_unit.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "compile/portable_header.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// The function that a name expression names: "f" of "ns::f<float, 4>".
std::string function_name(const std::string& expression) {
  const std::string head(trim(std::string_view(expression).substr(0, expression.find('<'))));
  const std::size_t scope = head.rfind("::");
  return scope == std::string::npos ? head : head.substr(scope + 2);
}

std::string line_directive(const std::string& file) {
  std::string text = "#line 1 \"";
  for (const char c : file) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

/// A header of Kiln's own. With line information it needs a file to show, named by its content.
void add_own_header(NvrtcUnit& unit, const std::string& name, const std::string& text,
                    const std::filesystem::path& source_folder, bool lineinfo) {
  constexpr std::size_t kDigits = 16;
  if (!lineinfo || source_folder.empty() || text.empty()) {
    unit.headers.emplace_back(name, text);
    return;
  }
  const std::filesystem::path file = source_folder / sha256_hex(text).substr(0, kDigits) / name;
  unit.headers.emplace_back(name, line_directive(file.string()) + text);
  unit.sources.emplace_back(file, text);
}

bool user_names(const Specialization& specialization, std::initializer_list<const char*> prefixes) {
  return std::any_of(specialization.options.begin(), specialization.options.end(), [&](const auto& option) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char* prefix) { return option.starts_with(prefix); });
  });
}

/// Architectures of one device alone (sm_90a) came with sm_90 and 12.0, those of a family (sm_100f) with
/// sm_100 and 12.9.
bool knows_suffix(const std::string& suffix, std::int64_t number, const std::string& version) {
  const std::vector<std::string> parts = split(version, '.');
  const std::int64_t release = parse_integer(parts.front()).value_or(0) * 100 +
                               (parts.size() > 1 ? parse_integer(parts[1]).value_or(0) : 0);
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

}  // namespace

void NvrtcUnit::add_header(std::string name, std::string content) {
  const bool known =
      std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  if (!known) headers.emplace_back(std::move(name), std::move(content));
}

NvrtcUnit make_nvrtc_unit(const Specialization& specialization, const std::filesystem::path& source_folder) {
  NvrtcUnit unit;
  unit.text = "#define KILN_BACKEND_CUDA 1\n";
  for (const auto& [name, value] : specialization.defines) {
    unit.text.append("#define ").append(name).append(" ").append(value).append("\n");
  }
  std::set<std::string> bounded;
  for (const EntryPoint& entry : specialization.entries) {
    const std::string name = function_name(entry.name_expression);
    if (!bounded.insert(name).second) continue;
    const std::string& bounds = entry.launch_bounds;
    unit.text += "#define KILN_LAUNCH_BOUNDS_" + name +
                 (bounds.empty() ? "" : " __launch_bounds__(" + bounds + ")") + "\n";
  }
  unit.text += line_directive(source_line_name(specialization)) + specialization.source_text;

  add_own_header(unit, "kiln/portable.h", portable_header(), source_folder, specialization.lineinfo);
  add_own_header(unit, "kiln/params.h", specialization.params_header, source_folder, specialization.lineinfo);
  for (const IncludedHeader& header : specialization.headers) {
    const std::string origin = specialization.lineinfo ? line_directive(header.path) : "";
    unit.headers.emplace_back(header.name, origin + header.text);
  }
  return unit;
}

NvrtcArch choose_nvrtc_arch(const std::string& arch, const std::vector<int>& supported,
                            const std::string& version) {
  const std::string known = "NVRTC " + version + " knows " + list_of(supported);
  const std::size_t begin = arch.find('_');
  const std::size_t end = std::min(arch.find_first_not_of("0123456789", begin + 1), arch.size());
  const std::string prefix = arch.substr(0, begin == std::string::npos ? 0 : begin + 1);
  const std::string suffix = arch.substr(end);
  const std::string digits = begin == std::string::npos ? "" : arch.substr(begin + 1, end - begin - 1);
  const auto number = parse_integer(digits).value_or(-1);
  const bool form =
      (prefix == "sm_" || prefix == "compute_") && (suffix.empty() || suffix == "a" || suffix == "f");
  if (!form || number < 0 || supported.empty()) {
    throw bad_input("unknown architecture '" + arch + "': " + known +
                    ", and sm_90a-like ones with their own features");
  }
  if (std::find(supported.begin(), supported.end(), number) != supported.end()) {
    if (!knows_suffix(suffix, number, version)) {
      throw bad_input("architecture '" + arch + "': NVRTC " + version + " does not know it, only " + prefix +
                      digits);
    }
    if (prefix == "sm_") return {"-arch=" + arch, false, ""};
    return {"-arch=" + arch, true, "PTX for " + arch + ", as asked for"};
  }
  const std::string newest = "compute_" + std::to_string(supported.back());
  if (number < supported.front()) {
    throw bad_input("architecture '" + arch + "' is too old for this compiler: " + known +
                    "; an older NVRTC can be named with KILN_NVRTC");
  }
  // Between two that it knows, the nearest below; what the device adds to it is not used.
  const auto above = std::upper_bound(supported.begin(), supported.end(), static_cast<int>(number));
  const std::string base = above == supported.end() ? newest : "compute_" + std::to_string(*std::prev(above));
  return {"-arch=" + base, true, "PTX for " + base + ": NVRTC " + version + " does not know " + arch};
}

std::vector<std::string> nvrtc_options(const Specialization& specialization, const NvrtcArch& arch,
                                       const std::vector<std::filesystem::path>& cuda_includes) {
  std::vector<std::string> options;
  if (!user_names(specialization, {"-std", "--std"})) options.emplace_back("--std=c++17");
  if (!user_names(specialization, {"-arch", "--gpu-architecture"})) options.push_back(arch.option);
  if (specialization.fast_math) options.emplace_back("--use_fast_math");
  if (specialization.lineinfo && !user_names(specialization, {"-lineinfo", "--generate-line-info"})) {
    options.emplace_back("-lineinfo");
  }
  for (const std::string& directory : specialization.include_directories) options.push_back("-I" + directory);
  for (const std::filesystem::path& folder : cuda_includes) options.push_back("-I" + folder.string());
  options.insert(options.end(), specialization.options.begin(), specialization.options.end());
  return options;
}

}  // namespace kiln
