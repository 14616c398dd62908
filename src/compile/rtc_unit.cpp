#include "compile/rtc_unit.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "compile/line_directive.h"
#include "compile/portable_header.h"
#include "specialize/include_scopes.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

/// The function that a name expression names: "f" of "ns::f<float, 4>".
std::string function_name(const std::string& expression) {
  const std::string head(trim(std::string_view(expression).substr(0, expression.find('<'))));
  const std::size_t scope = head.rfind("::");
  return scope == std::string::npos ? head : head.substr(scope + 2);
}

/// Adds a header of Kiln's own. With line information it needs a file to show, named by its content.
void add_own_header(RtcUnit& unit, const std::string& name, const std::string& text,
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

}  // namespace

void RtcUnit::add_header(std::string name, std::string content) {
  const bool known =
      std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  if (!known) headers.emplace_back(std::move(name), std::move(content));
}

RtcUnit make_rtc_unit(const Specialization& specialization, const RtcDialect& dialect,
                      const std::filesystem::path& source_folder) {
  RtcUnit unit;
  unit.text = dialect.prologue;
  for (const auto& [name, value] : specialization.defines) {
    unit.text.append("#define ").append(name).append(" ").append(value).append("\n");
  }
  std::set<std::string> bounded;
  for (const EntryPoint& entry : specialization.entries) {
    const std::string name = function_name(entry.name_expression);
    if (names_variable(entry.name_expression) || !bounded.insert(name).second) continue;
    const std::string& bounds = entry.launch_bounds;
    unit.text += "#define KILN_LAUNCH_BOUNDS_" + name +
                 (bounds.empty() ? "" : " " + dialect.launch_bounds(bounds)) + "\n";
  }
  unit.text += includes_in_front(specialization);
  unit.text += line_directive(source_line_name(specialization)) + specialization.source_text;

  add_own_header(unit, "kiln/portable.h", portable_header(), source_folder, specialization.lineinfo);
  add_own_header(unit, "kiln/params.h", specialization.params_header, source_folder, specialization.lineinfo);
  for (const IncludedHeader& header : specialization.headers) {
    const std::string origin = specialization.lineinfo ? line_directive(header.path) : "";
    unit.headers.emplace_back(header.name, origin + header.text);
  }
  return unit;
}

void keep_sources(const RtcUnit& unit, FileSystem& files, Log& log) {
  try {
    for (const auto& [path, text] : unit.sources) {
      if (files.status(path)) continue;
      files.make_directories(path.parent_path(), true);
      files.write_file(path, text, false);
    }
  } catch (const std::filesystem::filesystem_error& error) {
    log.warn("generated headers cannot be kept for profilers: " + std::string(error.what()));
  }
}

bool has_option(const Specialization& specialization, std::initializer_list<const char*> prefixes) {
  return std::any_of(specialization.options.begin(), specialization.options.end(), [&](const auto& option) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char* prefix) { return option.starts_with(prefix); });
  });
}

}  // namespace kiln
