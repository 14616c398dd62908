#include "compile/cpu/unit.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "compile/cpu/barrier_analysis.h"
#include "compile/cpu/embedded_shim.h"
#include "compile/cpu/guard_marks.h"
#include "compile/cpu/host_text.h"
#include "compile/cpu/shared_callees.h"
#include "compile/line_directive.h"
#include "compile/portable_header.h"
#include "kiln_embedded_digest.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

/// Where a part's text starts over, for diagnostics.
std::string line_marker(const std::string& file) {
  return "\n" + line_directive(file);
}

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

class UnitWriter {
 public:
  UnitWriter(const Specialization& specialization, bool gcc) : spec_(specialization), gcc_(gcc) {
    kernel_ = outline(spec_.source_text);
    params_ = outline(spec_.params_header);
    portable_ = outline(portable_header());
    for (const IncludedHeader& header : spec_.headers) headers_.push_back(outline(header.text));
  }

  CpuUnit run() {
    const std::string kernel_text = rewrite_kernel();
    add_shim();
    add_defines();
    unit_.text += line_marker(source_line_name(spec_)) + kernel_text + line_marker("kiln entries");
    add_entries();
    add_symbols();
    add_headers();
    return std::move(unit_);
  }

 private:
  void add_shim() {
    for (const EmbeddedFile& part : cpu_shim_parts()) {
      unit_.text += line_marker("kiln shim " + std::string(part.name));
      unit_.text += part.text;
    }
  }

  void add_defines() {
    for (const auto& [name, value] : spec_.defines)
      unit_.text.append("#define ").append(name).append(" ").append(value).append("\n");
    std::set<std::string> named;
    for (const EntryPoint& entry : spec_.entries) {
      if (names_variable(entry.name_expression)) continue;
      const std::string name = kernel_name(entry.name_expression);
      if (named.insert(name).second) unit_.text += "#define KILN_LAUNCH_BOUNDS_" + name + "\n";
    }
  }

  std::string rewrite_kernel() {
    std::vector<TextEdit> edits = host_edits(kernel_, spec_.source_text, gcc_);
    std::set<std::string_view> macros;
    for (const Outline* text : texts()) collect_macros(*text, macros);
    for (const auto& [name, value] : spec_.defines) {
      if (!parse_real(value)) macros.insert(name);
    }
    std::map<std::string_view, int> definitions;
    for (const DefinitionOutline& definition : kernel_.definitions) ++definitions[definition.name];
    for (const DefinitionOutline& definition : kernel_.definitions) {
      if (!definition.kernel || definitions[definition.name] != 1) continue;
      const std::vector<TextEdit> marks = mark_guards(kernel_, definition, macros);
      if (marks.empty()) continue;
      guarded_.insert(std::string(definition.name));
      edits.insert(edits.end(), marks.begin(), marks.end());
    }
    return apply_edits(spec_.source_text, std::move(edits));
  }

  void add_entries() {
    int index = 0;
    const bool unseen_header = includes_unseen_header();
    const SharedCallees shared_callees(texts());
    for (const EntryPoint& entry : spec_.entries) {
      if (names_variable(entry.name_expression)) continue;
      const std::string number = std::to_string(index++);
      const std::string symbol = "kiln_kernel_" + number;
      if (!unit_.lowered_names.emplace(entry.name_expression, symbol).second) continue;
      const bool fibers = unseen_header || may_wait(entry.name_expression, texts());
      const bool guarded = guarded_.count(kernel_name(entry.name_expression)) != 0;
      const Dim3 block = entry.fixed_block.value_or(Dim3{0, 0, 0});
      unit_.text += "using kiln_shape_" + number + " = kiln::cpu::Shape<" + std::to_string(block.x) + "u, " +
                    std::to_string(block.y) + "u, " + std::to_string(block.z) + "u, " +
                    (guarded ? "true" : "false") + ">;\n";
      unit_.text += std::string(fibers ? "KILN_FIBER_KERNEL(" : "KILN_SIMD_KERNEL(") + number + ", " +
                    string_literal(entry.name_expression) + ", " + entry.name_expression + ")\n";
      add_shared_callees(symbol, shared_callees.of(entry.name_expression));
    }
    unit_.text += "static void kiln_set_dynamic_shared() {\n" + dynamic_shared_assignments(kernel_);
    for (const Outline& header : headers_) unit_.text += dynamic_shared_assignments(header);
    unit_.text += "}\n";
  }

  /// device/cpu/cpu_module.h reads it.
  void add_shared_callees(const std::string& symbol, const std::set<std::string_view>& names) {
    if (names.empty()) return;
    unit_.text += "extern \"C\" KILN_EXPORT const char " + symbol + "_shared_callees[] = \"";
    for (const std::string_view name : names) unit_.text.append(name).append(" ");
    unit_.text += "\";\n";
  }

  void add_symbols() {
    std::set<std::string> names;
    for (const Outline* text : texts()) {
      for (const DeviceVariable& variable : text->variables) names.insert(variable.qualified_name);
    }
    for (const EntryPoint& entry : spec_.entries) {
      if (names_variable(entry.name_expression)) names.insert(entry.name_expression.substr(1));
    }
    if (names.empty()) return;
    unit_.text += "extern \"C\" KILN_EXPORT const kiln::cpu_abi::Symbol kiln_symbols[] = {\n";
    for (const std::string& name : names) {
      unit_.text.append("{").append(string_literal(name)).append(", (void*)&::").append(name);
      unit_.text.append(", sizeof(::").append(name).append(")},\n");
    }
    unit_.text += "{nullptr, nullptr, 0}};\n";
  }

  [[nodiscard]] std::string host(const Outline& outlined, const std::string& text) const {
    return apply_edits(text, host_edits(outlined, text, gcc_));
  }

  void add_headers() {
    for (const EmbeddedFile& stand_in : cpu_stand_in_headers()) {
      unit_.headers.emplace_back(stand_in.name, stand_in.text);
    }
    // For its excerpts the compiler reads these files again, where the directive is line 1.
    unit_.headers.emplace_back("kiln/portable.h",
                               line_directive("kiln/portable.h", 2) + host(portable_, portable_header()));
    unit_.headers.emplace_back("kiln/params.h",
                               line_directive("kiln/params.h", 2) + host(params_, spec_.params_header));
    std::map<std::string, std::string> name_of_path;
    std::set<std::string> names;
    for (std::size_t i = 0; i < spec_.headers.size(); ++i) {
      const IncludedHeader& header = spec_.headers[i];
      if (!names.insert(std::filesystem::path(header.name).lexically_normal()).second) continue;
      const auto [first, fresh] = name_of_path.emplace(header.path, header.name);
      if (!fresh && !header.path.empty()) {  // one file under two names: "#pragma once" must see one file
        unit_.headers.emplace_back(header.name, "#include <" + first->second + ">\n");
        continue;
      }
      unit_.headers.emplace_back(header.name,
                                 line_marker(shown_file(header)).substr(1) + host(headers_[i], header.text));
    }
  }

  /// The path, for messages of the compiler; but what the code itself says of its file must be in the key.
  [[nodiscard]] const std::string& shown_file(const IncludedHeader& header) const {
    const bool said =
        header.text.find("assert") != std::string::npos || header.text.find("__FILE__") != std::string::npos;
    return header.path.empty() || (said && !spec_.lineinfo) ? header.name : header.path;
  }

  [[nodiscard]] std::vector<const Outline*> texts() const {
    std::vector<const Outline*> all = {&kernel_, &params_, &portable_};
    for (const Outline& header : headers_) all.push_back(&header);
    return all;
  }

  [[nodiscard]] bool includes_unseen_header() const {
    std::set<std::string> known;
    for (const EmbeddedFile& stand_in : cpu_stand_in_headers()) known.insert(std::string(stand_in.name));
    for (const IncludedHeader& header : spec_.headers) known.insert(header.name);
    const std::vector<const Outline*> all = texts();
    return std::any_of(all.begin(), all.end(),
                       [&](const Outline* text) { return kiln::includes_unseen_header(*text, known); });
  }

  const Specialization& spec_;
  bool gcc_;
  Outline kernel_, params_, portable_;
  std::deque<Outline> headers_;
  std::set<std::string> guarded_;
  CpuUnit unit_;
};

}  // namespace

CpuUnit make_cpu_unit(const Specialization& specialization, bool gcc) {
  return UnitWriter(specialization, gcc).run();
}

std::string cpu_unit_fingerprint() {
  FieldHasher hasher;
  for (const EmbeddedFile& part : cpu_shim_parts()) hasher.field(part.name, part.text);
  for (const EmbeddedFile& part : cpu_stand_in_headers()) hasher.field(part.name, part.text);
  hasher.field("portable.h", portable_header());
  hasher.field("unit", KILN_SOURCE_DIGEST);
  return hasher.hex();
}

}  // namespace kiln
