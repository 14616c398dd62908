#include "compile/cuda/nvrtc_unit.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compile/portable_header.h"
#include "compile/tokens.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// The function that a name expression names: "f" of "ns::f<float, 4>".
std::string function_name(const std::string& expression) {
  const std::string head(trim(std::string_view(expression).substr(0, expression.find('<'))));
  const std::size_t scope = head.rfind("::");
  return scope == std::string::npos ? head : head.substr(scope + 2);
}

/// The name between the quotes or angle brackets of an #include, empty for any other line.
std::string included_name(const Directive& directive, std::string_view text) {
  if (directive.tokens.empty() || !directive.tokens.front().is("include")) return "";
  const std::size_t begin = text.find_first_of("\"<\n", directive.tokens.front().end());
  if (begin == std::string_view::npos || text[begin] == '\n') return "";
  const std::size_t end = text.find_first_of("\">\n", begin + 1);
  if (end == std::string_view::npos || text[end] == '\n') return "";
  return std::string(text.substr(begin + 1, end - begin - 1));
}

void collect_includes(const std::string& text, std::set<std::string>& names) {
  for (const Directive& directive : tokenize(text).directives) {
    if (std::string name = included_name(directive, text); !name.empty()) names.insert(std::move(name));
  }
}

bool user_names(const Specialization& specialization, std::initializer_list<const char*> prefixes) {
  return std::any_of(specialization.options.begin(), specialization.options.end(), [&](const auto& option) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char* prefix) { return option.starts_with(prefix); });
  });
}

std::string list_of(const std::vector<int>& supported) {
  std::vector<std::string> names;
  names.reserve(supported.size());
  for (const int arch : supported) names.push_back("sm_" + std::to_string(arch));
  return join(names, ", ");
}

}  // namespace

NvrtcUnit make_nvrtc_unit(const Specialization& specialization) {
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
  unit.text += "#line 1 \"" + specialization.source_name + "\"\n" + specialization.source_text;

  unit.headers.emplace_back("kiln/portable.h", portable_header());
  unit.headers.emplace_back("kiln/params.h", specialization.params_header);
  for (const IncludedHeader& header : specialization.headers)
    unit.headers.emplace_back(header.name, header.text);
  std::set<std::string> wanted;
  collect_includes(specialization.source_text, wanted);
  for (const auto& [name, text] : unit.headers) collect_includes(text, wanted);
  for (const auto& [name, text] : unit.headers) wanted.erase(name);
  unit.unseen_headers.assign(wanted.begin(), wanted.end());
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
  for (const std::string& directory : specialization.include_directories) options.push_back("-I" + directory);
  for (const std::filesystem::path& folder : cuda_includes) options.push_back("-I" + folder.string());
  options.insert(options.end(), specialization.options.begin(), specialization.options.end());
  return options;
}

}  // namespace kiln
