#include "compile/cpu/unit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "compile/cpu/barrier_analysis.h"
#include "compile/cpu/cluster_dims.h"
#include "compile/cpu/embedded_shim.h"
#include "compile/cpu/guard_marks.h"
#include "compile/cpu/host_text.h"
#include "compile/cpu/lane_index.h"
#include "compile/cpu/needed_stand_ins.h"
#include "compile/cpu/shared_callees.h"
#include "compile/cpu/split/kernel_split.h"
#include "compile/cpu/split/lambdas.h"
#include "compile/cpu/split/members.h"
#include "compile/cpu/split/pipelines.h"
#include "compile/device_launches.h"
#include "compile/kernel_cast.h"
#include "compile/line_directive.h"
#include "compile/portable_header.h"
#include "kiln_embedded_digest.h"
#include "specialize/declarations.h"
#include "specialize/include_scopes.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

/// Marks the start of a part's text, for diagnostics.
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

/// Where the shim ends in a preprocessor's output.
constexpr std::string_view kTextBegins = "#pragma kiln_text_begins";

/// In a preprocessed text, in place of a header that is included after the transformation.
constexpr std::string_view kLeftOut = "#pragma kiln_include ";

bool left_out(std::string_view stand_in) {
  static constexpr std::array<std::string_view, 5> kHeaders = {
      "kiln/wmma.h", "kiln/scopes.h", "kiln/atomic.h", "kiln/barrier.h", "kiln/pipeline.h"};
  return std::find(kHeaders.begin(), kHeaders.end(), stand_in) != kHeaders.end();
}

/// A preprocessed text in which the content of the standard library's headers is blank, because kernels do
/// not wait there. A header that names a barrier is kept. The marker at which a file was entered decides: in
/// a header that uses a macro of the shim, as `<math.h>` does for `cosf`, the line's marker lacks the flag of
/// a system header. In a kernel that uses a macro of such a header (`INFINITY`), the marker of the kernel's
/// own file has the flag.
std::string without_system_headers(std::string text) {
  const auto waits = [&](std::size_t begin, std::size_t end) {
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    return part.find("__syncthreads") != std::string_view::npos ||
           part.find("__shfl") != std::string_view::npos || part.find("__syncwarp") != std::string_view::npos;
  };
  std::size_t begin = std::string::npos;  // of a part of such a header
  std::set<std::string> headers;
  const auto blank = [&](std::size_t end) {
    if (begin == std::string::npos || waits(begin, end)) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  };
  for (std::size_t line = 0; line < text.size();) {
    std::size_t end = text.find('\n', line);
    if (end == std::string::npos) end = text.size();
    const std::string_view words = std::string_view(text).substr(line, end - line);
    if (words.size() > 3 && words[0] == '#' && words[1] == ' ' && words[2] >= '0' && words[2] <= '9') {
      const std::size_t quote = words.rfind('"');
      const std::string file(words.substr(0, quote).substr(std::min(words.find('"'), words.size())));
      const std::string_view flags = words.substr(std::min(quote, words.size()));
      if (flags.find(" 1") != std::string_view::npos && flags.find(" 3") != std::string_view::npos)
        headers.insert(file);
      const bool system = headers.contains(file);
      blank(line);
      begin = system ? std::min(end + 1, text.size()) : std::string::npos;
    }
    line = end + 1;
  }
  blank(text.size());
  return text;
}

/// "kiln_split_k<kiln_shape_0, float>" for "ns::k<float>".
std::string split_expression(const std::string& name_expression, const std::string& function,
                             const std::string& number) {
  const std::size_t arguments = std::min(name_expression.find('<'), name_expression.size());
  const std::size_t scope = name_expression.rfind("::", arguments);
  const std::string prefix =
      scope == std::string::npos || scope > arguments ? "" : name_expression.substr(0, scope + 2);
  const std::string rest =
      arguments == name_expression.size() ? ">" : ", " + name_expression.substr(arguments + 1);
  return prefix + function + "<kiln_shape_" + number + rest;
}

/// The preprocessor's lines of the shim, all that counts where a text is only preprocessed.
std::string directives_of(std::string_view shim) {
  std::string lines;
  bool continues = false;
  while (!shim.empty()) {
    const std::size_t end = std::min(shim.find('\n'), shim.size() - 1);
    const std::string_view line = shim.substr(0, end + 1);
    shim.remove_prefix(end + 1);
    const bool directive = trim(line).starts_with('#');
    if (directive || continues) lines += line;
    continues = (directive || continues) && line.ends_with("\\\n");
  }
  return lines;
}

/// A preprocessed text without `namespace cg = cooperative_groups;` if it names neither elsewhere: the header
/// and what it needs of the shim would only take time. Its name goes from the markers of lines, too. Entries
/// may have arguments of it (`k<cg::thread_block>`).
std::string without_unused_groups(std::string text, const std::vector<EntryPoint>& entries) {
  constexpr std::string_view kGroups = "cooperative_groups";
  const bool scoped = std::any_of(entries.begin(), entries.end(), [](const EntryPoint& entry) {
    const std::string& name = entry.name_expression;
    return name.find("::", std::min(name.find('<'), name.size())) != std::string::npos;
  });
  if (scoped || text.find(kGroups) == std::string::npos) return text;
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  std::set<std::string_view> aliases;
  std::vector<TokenSpan> definitions;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is(kGroups)) continue;
    const bool defines = i >= 3 && i + 1 < tokens.size() && tokens[i - 3].is("namespace") &&
                         tokens[i - 1].is("=") && tokens[i + 1].is(";");
    if (!defines) return text;
    aliases.insert(tokens[i - 2].text);
    definitions.push_back({i - 3, i + 1});
  }
  const auto named = std::count_if(tokens.begin(), tokens.end(),
                                   [&](const Token& token) { return aliases.contains(token.text); });
  if (static_cast<std::size_t>(named) != definitions.size()) return text;
  std::string result = text;
  for (const TokenSpan& one : definitions) {
    for (std::size_t at = tokens[one.begin].offset; at < tokens[one.end].end(); ++at) {
      if (result[at] != '\n') result[at] = ' ';
    }
  }
  for (std::size_t at = result.find(kGroups); at != std::string::npos; at = result.find(kGroups, at + 1)) {
    const std::size_t line = result.rfind('\n', at) + 1;
    if (result.compare(line, 2, "# ") == 0) result.replace(at, kGroups.size(), "groups");
  }
  return result;
}

class UnitWriter {
 public:
  UnitWriter(const Specialization& specialization, bool gcc, const EntryWays* ways = nullptr)
      : spec_(specialization), gcc_(gcc), ways_(ways) {
    kernel_ = outline(spec_.source_text);
    params_ = outline(spec_.params_header);
    portable_ = outline(portable_header());
    for (const IncludedHeader& header : spec_.headers) headers_.push_back(outline(header.text));
    name_namespaces();
    add_cub();
  }

  CpuUnit run() {
    const std::string kernel_text = rewrite_kernel();
    add_shim();
    add_defines();
    unit_.text += includes_in_front(spec_);
    unit_.text += line_marker(source_line_name(spec_)) + kernel_text + line_marker("kiln entries");
    add_entries();
    add_symbols();
    add_headers();
    return std::move(unit_);
  }

  [[nodiscard]] bool may_need_fibers() const {
    return includes_unseen_header() ||
           std::any_of(spec_.entries.begin(), spec_.entries.end(), [&](const EntryPoint& entry) {
             return !names_variable(entry.name_expression) && may_wait(entry.name_expression, texts());
           });
  }

  CpuUnit expansion() {
    add_shim();
    unit_.text = directives_of(unit_.text);
    add_defines();
    unit_.text.append("\n").append(kTextBegins).append("\n").append(includes_in_front(spec_)) +=
        line_marker(source_line_name(spec_)) + spec_.source_text + "\n";
    as_they_are_ = true;
    add_headers();
    return std::move(unit_);
  }

  SplitUnit split(const std::string& expanded) {
    SplitUnit result;
    const std::size_t begins = expanded.find(kTextBegins);
    if (begins == std::string::npos) return result;
    std::string text =
        without_other_kernels(expanded.substr(std::min(expanded.find('\n', begins), expanded.size())));
    for (std::size_t at = text.find(kLeftOut); at != std::string::npos; at = text.find(kLeftOut, at))
      text.replace(at, kLeftOut.size(), "#include ");
    std::string host_text;
    {
      const std::string seen = without_system_headers(text);
      const Outline whole = outline(seen);
      std::vector<TextEdit> edits = host_edits(whole, seen, gcc_, HostParts::kWithoutLaneIndices);
      edit_launches(whole, {&whole}, edits);
      host_text = apply_edits(text, std::move(edits));
    }
    host_text = fission::place_pipelines(std::move(host_text), without_system_headers);
    host_text = fission::place_lambdas(std::move(host_text), without_system_headers);
    fission::PlacedMembers placed = fission::place_members(std::move(host_text), without_system_headers);
    host_text = std::move(placed.text);
    forms_ = std::move(placed.forms);
    const std::string seen = without_system_headers(host_text);
    const Outline outlined = outline(seen);
    std::vector<std::string> entries;
    for (const EntryPoint& entry : spec_.entries) entries.push_back(entry.name_expression);
    fission::KernelSplitter splitter(outlined, host_text, entries);
    std::map<std::string, std::vector<std::optional<Dim3>>> shapes;
    for (const EntryPoint& entry : spec_.entries) {
      if (!names_variable(entry.name_expression))
        shapes[kernel_name(entry.name_expression)].push_back(entry.fixed_block);
    }
    std::map<std::string, fission::SplitKernel> kernels;
    for (const EntryPoint& entry : spec_.entries) {
      if (names_variable(entry.name_expression)) continue;
      const std::string kernel = kernel_name(entry.name_expression);
      EntryWay& way = result.ways[entry.name_expression];
      if (!may_wait(entry.name_expression, {&outlined})) continue;
      const auto known = kernels.find(kernel);
      const fission::SplitKernel made =
          known != kernels.end() ? known->second : kernels[kernel] = splitter.split(kernel, shapes[kernel]);
      way.kind = made.function.empty() ? EntryWay::Kind::kFibers : EntryWay::Kind::kSplit;
      way.function = made.function;
      way.reason = made.reason;
      way.syncs_grid = made.syncs_grid;
      result.splits = result.splits || !made.function.empty();
    }
    if (!result.splits) return result;
    ways_ = &result.ways;
    forms_.insert(splitter.forms().begin(), splitter.forms().end());
    std::vector<TextEdit> edits = mark_lane_indices(outlined);
    for (TextEdit& edit : splitter.edits()) edits.push_back(std::move(edit));
    mark_guarded(outlined, edits);
    const std::string written =
        without_unused_groups(apply_edits(host_text, std::move(edits)), spec_.entries);
    add_shim(written);
    if (written.find("cooperative_groups") != std::string::npos)
      unit_.text += "#include \"cooperative_groups.h\"\n";
    unit_.text += written + line_marker("kiln entries");
    add_entries();
    add_symbols(&outlined);
    add_included_headers();
    result.unit = std::move(unit_);
    return result;
  }

 private:
  /// A preprocessed text in which the kernels are blank that the unit does not need: they would only take
  /// time. A kernel that is named outside of its definitions stays.
  [[nodiscard]] std::string without_other_kernels(std::string text) const {
    std::set<std::string> entries;
    for (const EntryPoint& entry : spec_.entries) entries.insert(kernel_name(entry.name_expression));
    const std::string seen = without_system_headers(text);
    const Outline outlined = outline(seen);
    std::map<std::string_view, int> named;
    for (const Token& token : outlined.source.tokens) {
      if (token.identifier()) ++named[token.text];
    }
    for (const DefinitionOutline& definition : outlined.definitions) --named[definition.name];
    for (const DefinitionOutline& definition : outlined.definitions) {
      if (!definition.kernel || entries.contains(std::string(definition.name)) || named[definition.name] != 0)
        continue;
      const std::vector<Token>& tokens = outlined.source.tokens;
      if (definition.body.end >= tokens.size()) continue;
      bool marker = false;  // of a line; a pragma goes with the loop that it is for
      for (std::size_t i = tokens[definition.head.begin].offset; i < tokens[definition.body.end].end(); ++i) {
        if (i > 0 && text[i - 1] == '\n')
          marker = text.compare(i, 2, "# ") == 0 || text.compare(i, 6, "#line ") == 0;
        if (text[i] != '\n' && !marker) text[i] = ' ';
      }
    }
    return text;
  }

  /// Variables of a header that is included inside of a namespace are that namespace's.
  void name_namespaces() {
    const auto declares = [](const Outline& header) {
      return !header.variables.empty() || !header.dynamic_shared.empty();
    };
    if (std::none_of(headers_.begin(), headers_.end(), declares)) return;
    const std::vector<std::string> scopes = scopes_of_headers(spec_.source_text, spec_.headers);
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      for (DeviceVariable& variable : headers_[i].variables) variable.qualified_name.insert(0, scopes[i]);
      for (DynamicSharedArray& array : headers_[i].dynamic_shared) array.qualified_name.insert(0, scopes[i]);
    }
  }

  /// The stand-in for CUB also shows whether a kernel waits.
  void add_cub() {
    const std::vector<const Outline*> all = texts();
    const bool included = std::any_of(all.begin(), all.end(), [](const Outline* text) {
      const std::vector<std::string> names = included_names(*text);
      return std::any_of(names.begin(), names.end(),
                         [](const std::string& name) { return name.starts_with("cub/"); });
    });
    if (!included) return;
    for (const EmbeddedFile& stand_in : cpu_stand_in_headers()) {
      if (stand_in.name.starts_with("kiln/cub_")) stand_ins_.push_back(outline(stand_in.text));
    }
  }

  /// `written`: the text of a unit with split kernels.
  void add_shim(std::string_view written = {}) {
    const bool unseen_header = includes_unseen_header();
    for (const ShimPart& part : cpu_shim_parts()) {
      const bool splits = !part.written_where.empty();
      const bool maybe = unseen_header && !names_std(part);
      if (splits ? !names_any(written, part.written_where) : !maybe && !uses(part)) continue;
      if (!written.empty() && !part.names.empty() && !names_any(written, part.names)) continue;
      unit_.text += line_marker("kiln shim " + std::string(part.name));
      unit_.text += part.text;
    }
    // Texts without textures and matrices are spared the compile time.
    if (has_word_of({"tex1D", "tex2D", "tex3D", "surf1", "surf2", "surf3", "cudaB", "cudaTextureObject_t",
                     "CUtexObject", "cudaSurfaceObject_t", "CUsurfObject"}))
      unit_.text += "\n#include \"kiln/texture.h\"\n";
    if (has_word_of({"kiln_ptx_"})) unit_.text += "\n#include \"kiln/ptx_matrix.h\"\n";
    if (has_word_of({"kiln_ptx16"})) unit_.text += "\n#include \"kiln/ptx_small_numbers.h\"\n";
  }

  /// Whether a word of the texts, or of their macros, begins so.
  [[nodiscard]] bool has_word_of(const std::vector<std::string_view>& beginnings) const {
    const auto has_one = [&](const std::vector<Token>& tokens) {
      return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
        return std::any_of(beginnings.begin(), beginnings.end(),
                           [&](std::string_view word) { return token.text.starts_with(word); });
      });
    };
    const std::vector<const Outline*> all = texts();
    return std::any_of(all.begin(), all.end(), [&](const Outline* text) {
      const std::vector<Directive>& directives = text->source.directives;
      return has_one(text->source.tokens) ||
             std::any_of(directives.begin(), directives.end(),
                         [&](const Directive& directive) { return has_one(directive.tokens); });
    });
  }

  /// The launches of kernels by kernels as calls of the shim.
  void edit_launches(const Outline& outlined, const std::vector<const Outline*>& all,
                     std::vector<TextEdit>& edits) const {
    for (TextEdit& edit :
         device_launch_edits(outlined, [&](const std::string& name) { return may_wait(name, all); }))
      edits.push_back(std::move(edit));
  }

  /// Whether the text has one of the words; a word that starts with a letter has to start a name.
  [[nodiscard]] static bool names_any(std::string_view text, const std::vector<std::string_view>& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const char before = at == 0 ? ' ' : text[at - 1];
        const bool inside = before == '_' || std::isalnum(static_cast<unsigned char>(before)) != 0;
        if (std::isalpha(static_cast<unsigned char>(word.front())) == 0 || !inside) return true;
      }
      return false;
    });
  }

  /// A header of the standard library, whose names in std are neither pasted together nor in other headers
  /// that do not include it.
  [[nodiscard]] static bool names_std(const ShimPart& part) {
    return !part.used_where.empty() && part.used_where.front().starts_with("std::");
  }

  /// Whether the text may use a name that the part defines. A macro may paste a name together.
  [[nodiscard]] bool uses(const ShimPart& part) const {
    const auto within = [&](std::string_view text) {
      const bool pastes = !names_std(part) && text.find("##") != std::string_view::npos;
      return pastes || names_any(text, part.used_where);
    };
    const auto in_header = [&](const IncludedHeader& header) { return within(header.text); };
    const auto in_define = [&](const auto& define) { return within(define.second); };
    return part.used_where.empty() || within(spec_.source_text) ||
           std::any_of(spec_.headers.begin(), spec_.headers.end(), in_header) ||
           std::any_of(spec_.defines.begin(), spec_.defines.end(), in_define) ||
           std::any_of(spec_.options.begin(), spec_.options.end(), within);
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
    edit_launches(kernel_, texts(), edits);
    mark_guarded(kernel_, edits);
    mark_variables(kernel_, spec_.source_text, edits);
    return apply_edits(spec_.source_text, std::move(edits));
  }

  void mark_guarded(const Outline& outlined, std::vector<TextEdit>& edits) {
    std::set<std::string_view> macros;
    for (const Outline* text : texts()) collect_macros(*text, macros);
    for (const auto& [name, value] : spec_.defines) {
      if (!parse_real(value)) macros.insert(name);
    }
    std::map<std::string_view, int> definitions;
    for (const DefinitionOutline& definition : outlined.definitions) ++definitions[definition.name];
    for (const DefinitionOutline& definition : outlined.definitions) {
      if (!definition.kernel || definitions[definition.name] != 1) continue;
      const std::vector<TextEdit> marks = mark_guards(outlined, definition, macros);
      if (marks.empty()) continue;
      guarded_.insert(std::string(definition.name));
      edits.insert(edits.end(), marks.begin(), marks.end());
    }
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
      const EntryWay way = way_of(entry, unseen_header);
      const bool guarded = guarded_.count(kernel_name(entry.name_expression)) != 0;
      const Dim3 block = entry.fixed_block.value_or(Dim3{0, 0, 0});
      const std::string shape = "kiln::cpu::Shape<" + std::to_string(block.x) + "u, " +
                                std::to_string(block.y) + "u, " + std::to_string(block.z) + "u, " +
                                (guarded ? "true" : "false") + ">";
      add_shape(number, shape, cluster_dims_of(texts(), entry.name_expression));
      const std::string label = number + ", " + string_literal(entry.name_expression) + ", ";
      if (way.kind == EntryWay::Kind::kSplit) {
        unit_.text += "KILN_SPLIT_KERNEL(" + label + (way.syncs_grid ? "1, " : "0, ") +
                      split_expression(entry.name_expression, way.function, number) + ")\n";
      } else if (way.kind == EntryWay::Kind::kFibers) {
        unit_.text += "KILN_FIBER_KERNEL(" + label + string_literal(way.reason) + ", " +
                      kernel_of(entry.name_expression) + ")\n";
      } else {
        unit_.text += "KILN_SIMD_KERNEL(" + label + kernel_of(entry.name_expression) + ")\n";
      }
      add_shared_functions(symbol, kernel_name(entry.name_expression),
                           shared_callees.of(entry.name_expression));
    }
    unit_.text += "static void kiln_set_dynamic_shared() {\n" + dynamic_shared_assignments(kernel_);
    for (const Outline& header : headers_) unit_.text += dynamic_shared_assignments(header);
    unit_.text += "}\n";
  }

  /// What entry.h knows as kiln_shape_N.
  void add_shape(const std::string& number, const std::string& shape, const ClusterDims& cluster) {
    if (cluster.arguments.empty()) {
      unit_.text += "using kiln_shape_" + number + " = " + shape + ";\n";
      return;
    }
    const std::string dims = "kiln_cluster_" + number;
    const std::string constant = "static constexpr ::kiln::cpu::Index3 " + dims +
                                 " = ::kiln::cpu::cluster_dims(" + cluster.arguments + ");";
    unit_.text += cluster.scope.empty() ? constant : "namespace " + cluster.scope + " { " + constant + " }";
    unit_.text += "\nstruct kiln_shape_" + number + " : " + shape + " { static constexpr kiln::cpu::Index3 " +
                  "cluster = " + cluster.scope + "::" + dims + "; };\n";
  }

  /// The functions of a name that a text declares.
  struct Namesakes {
    bool host = false;            ///< one is no kernel
    std::set<std::string> forms;  ///< see form_of
  };

  /// What differs between overloads in the parameters' text: commas, pointers, built-in types; and whether it
  /// is a template. Two declarations of one function have the same form, unless one of them has names for
  /// types (then the kernel's type is written out without need).
  static std::string form_of(const Declaration& function, const std::vector<Token>& tokens) {
    static const std::set<std::string_view> types = {"bool",  "char", "double",   "float",  "half",  "int",
                                                     "short", "long", "unsigned", "signed", "__half"};
    std::string form = tokens[function.whole.begin].is("template") ? "template " : "";
    int angles = 0;
    for (std::size_t i = function.parameters.begin; i < function.parameters.end; ++i) {
      if (tokens[i].is("<")) ++angles;
      if (tokens[i].is(">")) --angles;
      if (tokens[i].is("[")) form += "* ";
      const bool counts = tokens[i].is("*") || tokens[i].is("&") || types.contains(tokens[i].text);
      if (angles == 0 && (counts || tokens[i].is(","))) form += std::string(tokens[i].text) + " ";
      if (tokens[i].is("(") || tokens[i].is("[")) i = tokens[i].close;
    }
    return form;
  }

  static void find_namesakes(const std::vector<Declaration>& declarations, const std::vector<Token>& tokens,
                             const std::string& name, Namesakes& found) {
    for (const Declaration& one : declarations) {
      if (one.kind == Declaration::Kind::kScope) find_namesakes(one.members, tokens, name, found);
      const bool function =
          one.kind == Declaration::Kind::kFunction || one.kind == Declaration::Kind::kPrototype;
      if (!function || one.names.empty() || one.names.front() != name) continue;
      found.host = found.host || std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(one.whole.begin),
                                              tokens.begin() + static_cast<std::ptrdiff_t>(one.whole.end),
                                              [](const Token& token) { return token.is("__global__"); });
      found.forms.insert(form_of(one, tokens));
    }
  }

  /// The kernel's name; with its type where another function that is declared has the same name.
  [[nodiscard]] std::string kernel_of(const std::string& name_expression) const {
    std::size_t heads = 0;  // places where it may be declared
    for (const Outline* text : texts()) {
      const std::vector<Token>& tokens = text->source.tokens;
      for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (tokens[i].is(name_expression) && tokens[i + 1].is("(") && tokens[i - 1].identifier()) ++heads;
      }
    }
    const bool of_cuda = is_declared_by_shim(name_expression);
    if (heads < 2 && !of_cuda) return name_expression;
    Namesakes found;
    for (const Outline* text : texts())
      find_namesakes(read_declarations(text->source), text->source.tokens, name_expression, found);
    const bool shared = of_cuda || found.host || found.forms.size() > 1;
    const auto cast = shared ? kernel_cast(spec_, name_expression) : std::nullopt;
    return cast ? "*" + *cast : name_expression;
  }

  /// Whether the shim or the C library has a function of this name, such as `norm` and `exp`.
  [[nodiscard]] static bool is_declared_by_shim(const std::string& name) {
    static const std::set<std::string_view> of_library = {
        "acos",  "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
        "cosh",  "erf",   "erfc", "exp",   "exp2", "fabs",  "floor", "fma",  "fmod", "hypot",    "log",
        "log10", "log2",  "pow",  "round", "rint", "sin",   "sinh",  "sqrt", "tan",  "tanh",     "trunc"};
    if (of_library.contains(name)) return true;
    const std::string call = " " + name + "(";
    for (const ShimPart& part : cpu_shim_parts()) {
      const std::string_view text = part.text;
      for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
        const std::size_t line = text.rfind('\n', at) + 1;
        if (text.substr(line).starts_with("KILN_SHIM")) return true;
      }
    }
    return false;
  }

  [[nodiscard]] EntryWay way_of(const EntryPoint& entry, bool unseen_header) const {
    if (ways_ != nullptr) {
      if (const auto found = ways_->find(entry.name_expression); found != ways_->end()) return found->second;
    }
    const bool waits = unseen_header || may_wait(entry.name_expression, texts());
    return {waits ? EntryWay::Kind::kFibers : EntryWay::Kind::kLoop, "", "", false};
  }

  /// The functions whose `__shared__` variables count for a block, for device/cpu/cpu_module.cpp: a blank
  /// after each, and behind commas the forms that it has in this unit. A block has one set of variables for
  /// all forms.
  void add_shared_functions(const std::string& symbol, const std::string& kernel,
                            const std::set<std::string_view>& callees) {
    std::map<std::string, std::string> lists = {{kernel, kernel}};
    for (const std::string_view callee : callees) lists.emplace(callee, callee);
    for (const auto& [form, function] : forms_) {
      const auto of_form = forms_.find(function);  // a form of a form
      const auto list = lists.find(of_form == forms_.end() ? function : of_form->second);
      if (list != lists.end()) list->second += "," + form;
    }
    unit_.text += "extern \"C\" KILN_EXPORT const char " + symbol + "_shared_functions[] = \"";
    for (const auto& [function, names] : lists) unit_.text.append(names).append(" ");
    unit_.text += "\";\n";
  }

  /// `expanded`: a text without directives that the unit compiles in place of its own.
  void add_symbols(const Outline* expanded = nullptr) {
    std::map<std::string, bool> names;  // whether it may be left uncompiled
    for (const Outline* text : texts()) {
      for (const DeviceVariable& variable : text->variables) {
        const bool conditional = is_conditional(*text, variable);
        const auto [known, fresh] = names.emplace(whole_name(*text, variable), conditional);
        if (!fresh) known->second = known->second && conditional;
      }
    }
    if (expanded != nullptr) {
      std::erase_if(names, [&](const auto& one) {
        return one.second && std::none_of(expanded->variables.begin(), expanded->variables.end(),
                                          [&](const DeviceVariable& variable) {
                                            return variable.qualified_name == one.first;
                                          });
      });
    }
    for (const EntryPoint& entry : spec_.entries) {
      const std::string& name = entry.name_expression;  // other variables than instances are in the outline
      if (names_variable(name) && name.find('<') != std::string::npos) names[name.substr(1)] = false;
    }
    if (names.empty()) return;
    unit_.text += "extern \"C\" KILN_EXPORT const kiln::cpu_abi::Symbol kiln_symbols[] = {\n";
    for (const auto& [name, conditional] : names) {
      const bool asks = conditional && expanded == nullptr;
      if (asks) unit_.text.append("#ifdef ").append(mark_of(name)).append("\n");
      unit_.text.append("{").append(string_literal(name)).append(", (void*)&::").append(name);
      unit_.text.append(", sizeof(::").append(name).append(")},\n");
      if (asks) unit_.text += "#endif\n";
    }
    unit_.text += "{nullptr, nullptr, 0}};\n";
  }

  [[nodiscard]] std::string host(const Outline& outlined, const std::string& text) const {
    if (as_they_are_) return text;
    std::vector<TextEdit> edits = host_edits(outlined, text, gcc_);
    edit_launches(outlined, texts(), edits);
    mark_variables(outlined, text, edits);
    return apply_edits(text, std::move(edits));
  }

  /// Behind each variable that may not be compiled, because it is in a header or in a conditional: a macro
  /// that says that it is.
  void mark_variables(const Outline& outlined, const std::string& text, std::vector<TextEdit>& edits) const {
    for (const DeviceVariable& variable : outlined.variables) {
      if (!is_conditional(outlined, variable)) continue;
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(variable.end), '\n');
      edits.push_back({variable.end, 0,
                       "\n#define " + mark_of(whole_name(outlined, variable)) + "\n#line " +
                           std::to_string(line) + "\n"});
    }
  }

  [[nodiscard]] bool is_conditional(const Outline& outlined, const DeviceVariable& variable) const {
    if (&outlined != &kernel_) return true;
    int depth = 0;
    for (const Directive& directive : outlined.source.directives) {
      if (directive.offset > variable.end || directive.tokens.empty()) break;
      if (directive.tokens[0].text.starts_with("if")) ++depth;
      if (directive.tokens[0].is("endif")) --depth;
    }
    return depth > 0;
  }

  /// "a::b::x" for "SPACE::x" where a text has `#define SPACE a::b`, which another line may undo: in the
  /// variable's own text the last line in front of it counts, or that of another text.
  [[nodiscard]] std::string whole_name(const Outline& own, const DeviceVariable& variable) const {
    const std::size_t scope = variable.qualified_name.find("::");
    if (scope == std::string::npos) return variable.qualified_name;
    const std::string macro = variable.qualified_name.substr(0, scope);
    std::string here, elsewhere;
    bool decided = false;
    for (const Outline* text : texts()) {
      for (const Directive& directive : text->source.directives) {
        const std::vector<Token>& words = directive.tokens;
        if (words.size() < 2 || !words[1].is(macro)) continue;
        const bool defines = words[0].is("define") && words.size() > 2 && !words[2].is("(");
        if (text == &own && directive.offset < variable.end && (defines || words[0].is("undef"))) {
          here = defines ? text_of(words, {2, words.size()}) : "";
          decided = true;
        } else if (text != &own && defines) {
          elsewhere = text_of(words, {2, words.size()});
        }
      }
    }
    const std::string& value = decided ? here : elsewhere;
    return value.empty() ? variable.qualified_name : value + variable.qualified_name.substr(scope);
  }

  [[nodiscard]] static std::string mark_of(const std::string& whole_name) {
    std::string mark = "KILN_HAS_" + whole_name;
    std::replace(mark.begin(), mark.end(), ':', '_');
    return mark;
  }

  /// The stand-ins that the unit may include; a folder of all of them would take longer than a compile.
  [[nodiscard]] std::set<std::string_view> stand_ins_in_use() const {
    std::vector<std::string_view> texts = {unit_.text, spec_.params_header, portable_header()};
    std::set<std::string> own = {"kiln/portable.h", "kiln/params.h"};
    for (const IncludedHeader& header : spec_.headers) {
      texts.emplace_back(header.text);
      own.insert(header.name);
    }
    std::vector<std::string> names = spec_.unseen_headers;
    for (std::string& option : options_that_include()) names.push_back(std::move(option));  // any
    return needed_stand_ins(texts, own, names);
  }

  [[nodiscard]] std::vector<std::string> options_that_include() const {
    std::vector<std::string> found;
    for (const std::string& option : spec_.options) {
      for (const char* start : {"-imacros", "--imacros", "-include", "--include"}) {
        if (option.starts_with(start)) found.push_back(option);
      }
    }
    return found;
  }

  static std::string once(const EmbeddedFile& stand_in) { return stand_in.each_time ? "" : "#pragma once\n"; }

  /// Of a preprocessed text, which includes stand-ins alone. Each file takes time.
  void add_included_headers() {
    if (!options_that_include().empty()) return add_headers();
    const std::set<std::string_view> in_use = needed_stand_ins({unit_.text}, {}, {});
    for (const EmbeddedFile& stand_in : cpu_stand_in_headers()) {
      if (!in_use.contains(stand_in.name)) continue;
      unit_.headers.emplace_back(stand_in.name, once(stand_in) + std::string(stand_in.text));
    }
  }

  /// Whether a text has the name, or may put it together.
  [[nodiscard]] bool may_include(std::string_view name) const {
    const auto may = [&](std::string_view text) {
      return text.find(name) != std::string_view::npos || text.find("##") != std::string_view::npos ||
             text.find("include_next") != std::string_view::npos;
    };
    return may(unit_.text) || !options_that_include().empty() ||
           std::any_of(spec_.headers.begin(), spec_.headers.end(),
                       [&](const IncludedHeader& header) { return may(header.text); }) ||
           std::any_of(spec_.defines.begin(), spec_.defines.end(),
                       [&](const auto& define) { return may(define.second); });
  }

  void add_headers() {
    const std::set<std::string_view> in_use = stand_ins_in_use();
    for (const EmbeddedFile& stand_in : cpu_stand_in_headers()) {
      if (!in_use.contains(stand_in.name)) continue;
      // The transformation knows cooperative groups and the like by their names.
      const bool empty = as_they_are_ && stand_in.name == "cooperative_groups.h";
      const bool later = as_they_are_ && left_out(stand_in.name);
      std::string text = once(stand_in);
      text += later ? std::string(kLeftOut) + "\"" + stand_in.name + "\"\n" : std::string(stand_in.text);
      unit_.headers.emplace_back(stand_in.name, empty ? "" : text);
    }
    // For its excerpts the compiler reads these files again; there the directive is line 1.
    if (may_include("portable.h"))
      unit_.headers.emplace_back("kiln/portable.h",
                                 line_directive("kiln/portable.h", 2) + host(portable_, portable_header()));
    if (may_include("params.h"))
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

  /// The path for the compiler's messages; but a path that the code itself uses must be in the key.
  [[nodiscard]] const std::string& shown_file(const IncludedHeader& header) const {
    const bool said =
        header.text.find("assert") != std::string::npos || header.text.find("__FILE__") != std::string::npos;
    return header.path.empty() || (said && !spec_.lineinfo) ? header.name : header.path;
  }

  [[nodiscard]] std::vector<const Outline*> texts() const {
    std::vector<const Outline*> all = {&kernel_, &params_, &portable_};
    for (const Outline& header : headers_) all.push_back(&header);
    for (const Outline& header : stand_ins_) all.push_back(&header);
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
  const EntryWays* ways_;
  bool as_they_are_ = false;  // for the preprocessor
  Outline kernel_, params_, portable_;
  std::deque<Outline> headers_, stand_ins_;
  std::set<std::string> guarded_;
  std::map<std::string, std::string> forms_;  // by a form's name, the function that has it
  CpuUnit unit_;
};

}  // namespace

CpuUnit make_cpu_unit(const Specialization& specialization, bool gcc, const EntryWays* ways) {
  return UnitWriter(specialization, gcc, ways).run();
}

bool may_need_fibers(const Specialization& specialization) {
  return UnitWriter(specialization, true).may_need_fibers();
}

CpuUnit make_expansion_unit(const Specialization& specialization) {
  return UnitWriter(specialization, true).expansion();
}

SplitUnit make_split_unit(const Specialization& specialization, const std::string& expanded, bool gcc) {
  return UnitWriter(specialization, gcc).split(expanded);
}

std::string cpu_unit_fingerprint() {
  FieldHasher hasher;
  for (const ShimPart& part : cpu_shim_parts()) hasher.field(part.name, part.text);
  for (const EmbeddedFile& part : cpu_stand_in_headers()) hasher.field(part.name, part.text);
  hasher.field("portable.h", portable_header());
  hasher.field("unit", KILN_SOURCE_DIGEST);
  return hasher.hex();
}

}  // namespace kiln
