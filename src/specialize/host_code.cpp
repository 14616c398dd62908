#include "specialize/host_code.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "specialize/compiled_parts.h"
#include "specialize/host_functions.h"
#include "specialize/host_libraries.h"
#include "specialize/host_macros.h"
#include "specialize/host_names.h"
#include "specialize/include_scan.h"
#include "specialize/kept_code.h"
#include "specialize/program_items.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

class Cutter {
 public:
  Cutter(Specialization& specialization, const std::vector<std::string>& kept)
      : spec_(specialization), kept_(kept), program_(specialization), code_(program_, specialization) {}

  void run() {
    find_host_functions(program_, spec_);
    const std::vector<Item>& items = program_.items;
    const bool cuts = std::any_of(items.begin(), items.end(), [](const Item& item) { return item.host; });
    code_.run(kept_, cuts);
    for (std::size_t t = 0; cuts && t < program_.files.size(); ++t) cut(t);
    for (std::size_t t = 0; t < program_.files.size(); ++t) finish(t);
    for (const auto& [name, text] : stand_ins_) spec_.headers.push_back({name, "", text});
  }

  /// Whether what stays, without declarations that only use its namespace, names Eigen's types.
  [[nodiscard]] bool uses_eigen() const {
    bool all_of_it = false;  // `using namespace Eigen;`
    for (const Item& item : program_.items) {
      all_of_it = all_of_it || (item.declaration->kind == Kind::kUsing && names_one(item, is_eigen));
    }
    return std::any_of(program_.items.begin(), program_.items.end(), [&](const Item& item) {
      if (is_cut(item) || (item.member && !is_in_kept_class(item)) ||
          item.declaration->kind == Kind::kUsing || item.declaration->kind == Kind::kScope)
        return false;
      return names_one(item, is_eigen) || (all_of_it && names_one(item, is_type_of_eigen));
    });
  }

 private:
  [[nodiscard]] bool is_cut(const Item& item) const {
    if (item.member) return item.host;
    return !item.kept;
  }

  [[nodiscard]] static bool is_eigen(std::string_view name) { return name == "Eigen"; }

  [[nodiscard]] static bool is_type_of_eigen(std::string_view name) {
    for (const std::string_view type : {"Matrix", "Vector", "RowVector", "Array", "Quaternion", "AngleAxis",
                                        "Map", "Affine", "Isometry", "Transform"}) {
      if (name.starts_with(type) && name.size() <= type.size() + 3) return true;
    }
    return false;
  }

  /// Of a class only the head counts, as its members are items.
  [[nodiscard]] bool names_one(const Item& item, bool (*wanted)(std::string_view)) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const Declaration& declaration = *item.declaration;
    const bool head = declaration.kind == Kind::kClass && !declaration.body.empty();
    const std::size_t end = head ? declaration.body.begin : declaration.whole.end;
    for (std::size_t i = declaration.whole.begin; i < end; ++i) {
      if (tokens[i].identifier() && wanted(tokens[i].text)) return true;
    }
    return false;
  }

  void cut(std::size_t text) {
    std::vector<TextEdit> edits;
    std::vector<std::string> functions;
    std::size_t others = 0;
    for (const Item& item : program_.items) {
      if (item.text != text) continue;
      if (!is_cut(item)) {
        if (uses_left_out_namespace(item)) edits.push_back(with_namespace(item));
        continue;
      }
      if (item.member && !is_in_kept_class(item)) continue;
      if (!item.stand_in.empty()) {
        edits.push_back(program_.without(item, item.stand_in));
        continue;
      }
      edits.push_back(blank(item));
      const bool function = item.declaration->kind == Kind::kFunction && !item.declaration->names.empty();
      const std::string name = function ? std::string(item.declaration->names.front()) : "";
      if (!function) {
        ++others;
      } else if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
        functions.push_back(name);
      }
    }
    for (const TextEdit& edit : without_host_functions_of_macros(program_, text)) {
      const bool inside = std::any_of(edits.begin(), edits.end(), [&](const TextEdit& one) {
        return one.offset <= edit.offset && edit.offset < one.offset + one.length;
      });
      if (inside) continue;
      edits.push_back(edit);
      ++others;
    }
    if (edits.empty()) return;
    *program_.files[text].text = apply_edits(program_.files[text].original, std::move(edits));
    constexpr std::size_t kMostNames = 6;
    std::string what;
    if (functions.size() > kMostNames) {
      others += functions.size() - kMostNames;
      functions.resize(kMostNames);
    }
    what = join(functions, ", ");
    if (others > 0) {
      what += (what.empty() ? "" : " and ") + std::to_string(others) + (functions.empty() ? "" : " other") +
              (others == 1 ? " declaration" : " declarations");
    }
    if (!what.empty()) phrases_[text].push_back(what);
  }

  /// `using namespace thrust;` where the headers that declare the namespace are all left out.
  [[nodiscard]] bool uses_left_out_namespace(const Item& item) const {
    const TokenSpan span = item.declaration->whole;
    if (item.declaration->kind != Kind::kUsing || span.begin + 2 >= span.end) return false;
    const Token& name = program_.tokens_of(item)[span.begin + 2];
    if (!name.is("thrust") && !name.is("cub")) return false;
    return std::none_of(spec_.unseen_headers.begin(), spec_.unseen_headers.end(), [&](const auto& header) {
      return header.starts_with(std::string(name.text) + "/") && !is_left_out(header);
    });
  }

  [[nodiscard]] TextEdit with_namespace(const Item& item) const {
    const Token& name = program_.tokens_of(item)[item.declaration->whole.begin + 2];
    const Token& begin = program_.tokens_of(item)[item.declaration->whole.begin];
    return {begin.offset, 0, "namespace " + std::string(name.text) + " {} "};
  }

  [[nodiscard]] bool is_in_kept_class(const Item& member) const {
    const Item* item = &member;
    while (item->member) {
      if (item->owner == Item::kNoOwner) return false;
      item = &program_.items[item->owner];
      if (is_cut(*item)) return false;
    }
    return true;
  }

  [[nodiscard]] TextEdit blank(const Item& item) const {
    const std::string forward = program_.forward_declaration(item);
    const bool used = !forward.empty() && code_.names().contains(item.declaration->names.front());
    return program_.without(item, used ? with_used_values(item, forward) : "");
  }

  /// An enumeration or a constant of a class: what it defines, and the names that its values need.
  struct ClassValue {
    std::vector<std::string_view> names, needed;
    TokenSpan whole;
  };

  static ClassValue class_value(const std::vector<Token>& tokens, const Declaration& member) {
    static const std::set<std::string_view> words = {
        "sizeof", "alignof", "true", "false", "int",    "long",   "short",    "char",
        "float",  "double",  "bool", "std",   "signed", "size_t", "unsigned", "nullptr"};
    ClassValue value = {member.names, {}, member.whole};
    const bool enumeration = member.kind == Kind::kEnum;
    bool in_value = false;
    for (std::size_t i = enumeration ? member.body.begin : member.whole.begin; i < member.whole.end; ++i) {
      if (tokens[i].is(",") || tokens[i].is("}")) in_value = false;
      if (tokens[i].is("=")) in_value = true;
      const bool named = tokens[i].identifier() && !words.contains(tokens[i].text);
      if (named && in_value) value.needed.push_back(tokens[i].text);
      if (named && !in_value && enumeration) value.names.push_back(tokens[i].text);
    }
    return value;
  }

  /// `class A { public: enum Mode { ... }; ... };` of `class A;` where the code uses an enumeration or a
  /// constant of the class. There can be no objects of it.
  [[nodiscard]] std::string with_used_values(const Item& item, const std::string& forward) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    std::vector<ClassValue> values;
    for (const std::size_t index : item.members) {
      const Item& member = program_.items[index];
      if (member.whole && is_value(tokens, *member.declaration))
        values.push_back(class_value(tokens, *member.declaration));
    }
    const auto defines = [](const ClassValue& value, std::string_view word) {
      return std::find(value.names.begin(), value.names.end(), word) != value.names.end();
    };
    // What names something else than values and kept code has no meaning without the class.
    for (std::size_t before = values.size() + 1; before != values.size();) {
      before = values.size();
      std::erase_if(values, [&](const ClassValue& value) {
        return std::any_of(value.needed.begin(), value.needed.end(), [&](std::string_view word) {
          return !code_.names().contains(word) &&
                 std::none_of(values.begin(), values.end(),
                              [&](const ClassValue& other) { return defines(other, word); });
        });
      });
    }
    std::set<std::string_view> wanted;
    for (const ClassValue& value : values) {
      for (const std::string_view one : value.names) {
        if (code_.names().contains(one)) wanted.insert(one);
      }
    }
    const auto is_wanted = [&](const ClassValue& value) {
      return std::any_of(value.names.begin(), value.names.end(),
                         [&](std::string_view one) { return wanted.contains(one); });
    };
    for (std::size_t before = wanted.size() + 1; before != wanted.size();) {
      before = wanted.size();
      for (const ClassValue& value : values) {
        if (is_wanted(value)) wanted.insert(value.needed.begin(), value.needed.end());
      }
    }
    std::string text;
    for (const ClassValue& value : values) {
      if (is_wanted(value)) text += text_of(tokens, value.whole) + " ";
    }
    if (text.empty()) return forward;
    const std::string name(item.declaration->names.front());
    return forward.substr(0, forward.find(';')) + " { public: " + text + name + "(const " + name +
           "&) = delete; ~" + name + "() = delete; };";
  }

  [[nodiscard]] bool names_type(const std::set<std::string_view>& types) const {
    return std::any_of(code_.names().begin(), code_.names().end(), [&](std::string_view name) {
      return types.contains(name.starts_with("__") ? name.substr(2) : name);
    });
  }

  /// What is left of the texts without branches that are not compiled; found when it is first asked for.
  [[nodiscard]] const CompiledParts& compiled() const {
    if (!compiled_) compiled_ = compiled_parts(spec_);
    return *compiled_;
  }

  /// Whether a line of a text may stand in a branch that is compiled.
  [[nodiscard]] bool is_compiled(std::size_t text, int line) const {
    const Includes& includes = compiled().includes;
    const std::string& name = program_.files[text].name;
    const auto header = std::find_if(includes.headers.begin(), includes.headers.end(),
                                     [&](const IncludedHeader& one) { return one.name == name; });
    if (text > 0 && header == includes.headers.end()) return false;
    const std::vector<std::string> lines = split(text == 0 ? includes.text : header->text, '\n');
    return line > 0 && static_cast<std::size_t>(line) <= lines.size() &&
           !trim(lines[static_cast<std::size_t>(line) - 1]).empty();
  }

  /// The headers of names that nvcc's headers, or a left out library's, declare without an include.
  [[nodiscard]] std::vector<std::string> declared_elsewhere(const std::string& text) const {
    std::vector<std::string> headers;
    if (text.find("SIZE_MAX") != std::string::npos || text.find("UINT64_MAX") != std::string::npos)
      headers.emplace_back("cstdint");
    if (!code_.std_names().empty()) headers.emplace_back("cmath");
    const auto any =
        [&](const auto& predicate) {  // by headers that are compiled; the others are known sooner
          const auto has = [&](const std::vector<std::string>& names) {
            return std::any_of(names.begin(), names.end(), predicate);
          };
          return has(spec_.unseen_headers) && has(compiled().includes.unseen);
        };
    const auto has = [&](std::string_view header) {
      return any([&](const std::string& name) { return name == header; });
    };
    for (const std::string& header : used_type_headers()) {
      if (header == "utility" || !has(header)) headers.push_back(header);
    }
    if (any(declares_small_floats)) {
      const bool wide = names_type({"nv_bfloat16", "nv_bfloat162"});  // its header includes the other
      const std::string header = wide ? "cuda_bf16.h" : "cuda_fp16.h";
      const bool used = wide || names_type({"half", "half2"});
      if (used && !has("cuda_bf16.h") && !has(header)) headers.push_back(header);
    }
    const bool complex = any(declares_complex_numbers) &&
                         std::any_of(code_.names().begin(), code_.names().end(), [](std::string_view name) {
                           return name.starts_with("cuComplex") || name.starts_with("cuFloatComplex") ||
                                  name.starts_with("cuDoubleComplex") || name.starts_with("make_cu");
                         });
    if (complex && !has("cuComplex.h")) headers.emplace_back("cuComplex.h");
    return headers;
  }

  /// Of small types: headers that nvcc, or headers of the host, include in front of the text.
  [[nodiscard]] std::vector<std::string> used_type_headers() const {
    static const std::map<std::string, std::set<std::string_view>> names = {
        {"utility", {"as_const", "exchange", "index_sequence", "make_index_sequence", "initializer_list"}},
        {"limits", {"numeric_limits"}},
        {"array", {"array"}},
        {"tuple", {"tuple", "make_tuple", "tie"}}};
    std::vector<std::string> headers;
    for (const auto& [header, of_header] : names) {
      const bool used = std::any_of(of_header.begin(), of_header.end(),
                                    [&](std::string_view name) { return code_.std_names().contains(name); });
      if (used) headers.push_back(header);
    }
    return headers;
  }

  /// A header that includes all of them: one line of the text has room for one.
  [[nodiscard]] std::string one_header_of(const std::vector<std::string>& headers) {
    if (headers.size() == 1) return headers.front();
    std::string name = "kiln/declared";
    for (const std::string& header : headers) name += "_" + header;
    std::string& text = stand_ins_.try_emplace(name, "#pragma once\n").first->second;
    for (const std::string& header : headers) text.append("#include <").append(header).append(">\n");
    return name;
  }

  [[nodiscard]] bool is_used(const LibraryTypes& types) const {
    return std::any_of(types.names.begin(), types.names.end(),
                       [&](std::string_view name) { return code_.names().contains(name); });
  }

  /// Whether the code uses a type of the library of the header for which Kiln has a declaration.
  [[nodiscard]] bool declares_used_type(const std::string& header) const {
    const std::vector<LibraryTypes> all = types_of_host_library(header);
    return std::any_of(all.begin(), all.end(), [&](const LibraryTypes& types) { return is_used(types); });
  }

  /// An include of the declarations of types that the library of the header declares and the code uses;
  /// empty: it uses none.
  [[nodiscard]] std::string declared_by(const std::string& left_out) {
    std::string include;
    for (const LibraryTypes& types : types_of_host_library(left_out)) {
      if (!is_used(types)) continue;
      include.assign("#include <").append(types.header).append(">");
      std::string& text = stand_ins_.try_emplace(std::string(types.header), "#pragma once\n").first->second;
      if (text.find(types.text) == std::string::npos) text += types.text;
      if (!types.needs.empty()) added_.emplace(types.needs);
    }
    return include;
  }

  /// Takes out the includes of which nothing is used, and adds what the text has lost to the report.
  void finish(std::size_t index) {
    ProgramFile& text = program_.files[index];
    std::vector<TextEdit> edits;
    std::vector<std::string> names;
    std::vector<std::string> instead = declared_elsewhere(*text.text);
    for (const IncludeUse& use : find_include_uses(*text.text)) {
      if (use.kind != IncludeUse::Kind::kInclude || !is_left_out(use.header.name)) continue;
      const std::size_t line = text.text->rfind('\n', use.offset);
      const std::size_t begin = line == std::string::npos ? 0 : line + 1;
      std::string header = declared_by(use.header.name);
      if (header.empty() && !instead.empty() && is_compiled(index, use.line)) {
        header = "#include <" + one_header_of(instead) + ">";
        added_.insert(instead.begin(), instead.end());
        instead.clear();
      }
      edits.push_back({begin, use.offset + use.length - begin, header});
      names.push_back("<" + use.header.name + ">");
      removed_.insert(use.header.name);
    }
    if (!edits.empty()) {
      *text.text = apply_edits(*text.text, std::move(edits));
      phrases_[index].push_back("the headers " + join(names, ", "));
    }
    const auto found = phrases_.find(index);
    if (found != phrases_.end()) spec_.left_out.push_back(text.name + ": " + join(found->second, "; "));
    if (index + 1 == program_.files.size()) forget_headers();
  }

  [[nodiscard]] bool is_left_out(const std::string& header) const {
    const auto& unseen = spec_.unseen_headers;
    if (std::find(unseen.begin(), unseen.end(), header) == unseen.end())
      return false;  // a file of the user's
    if (const auto* names = names_of_host_header(header)) {
      return std::none_of(names->begin(), names->end(),
                          [&](std::string_view name) { return code_.std_names().contains(name); });
    }
    if (const auto* names = names_of_type_header(header)) {
      return std::none_of(names->begin(), names->end(),
                          [&](std::string_view name) { return code_.names().contains(name); });
    }
    if (const auto* names = names_of_thrust_header(header)) {
      return std::none_of(names->begin(), names->end(),
                          [&](std::string_view name) { return code_.names().contains(name); });
    }
    if (is_header_of_torch(header)) {
      return declares_used_type(header) || !(code_.names().contains("at") || code_.names().contains("c10") ||
                                             code_.names().contains("torch"));
    }
    const std::string_view prefix = prefix_of_host_library(header);
    return !prefix.empty() && std::none_of(code_.names().begin(), code_.names().end(),
                                           [&](std::string_view name) { return name.starts_with(prefix); });
  }

  /// The compilers look for what is still included.
  void forget_headers() {
    std::set<std::string> included;
    for (const ProgramFile& text : program_.files) {
      for (const IncludeUse& use : find_include_uses(*text.text)) included.insert(use.header.name);
    }
    std::erase_if(spec_.unseen_headers, [&](const std::string& name) {
      return removed_.contains(name) && !included.contains(name);
    });
    for (const std::string& name : added_) {
      const auto& unseen = spec_.unseen_headers;
      if (std::find(unseen.begin(), unseen.end(), name) == unseen.end()) spec_.unseen_headers.push_back(name);
    }
    std::sort(spec_.unseen_headers.begin(), spec_.unseen_headers.end());
  }

  Specialization& spec_;
  const std::vector<std::string>& kept_;
  ProgramItems program_;
  KeptCode code_;
  mutable std::optional<CompiledParts> compiled_;
  std::set<std::string> removed_, added_;         // headers
  std::map<std::string, std::string> stand_ins_;  // headers that declare types of left out libraries
  std::map<std::size_t, std::vector<std::string>> phrases_;
};

}  // namespace

void leave_out_host_code(Specialization& specialization, const std::vector<std::string>& kept) {
  if (std::any_of(specialization.headers.begin(), specialization.headers.end(),
                  [](const IncludedHeader& header) { return is_of_eigen(header.path); })) {
    Specialization without = specialization;
    for (IncludedHeader& header : without.headers) {
      if (is_of_eigen(header.path)) header.text = "#pragma once\nnamespace Eigen {}\n";
    }
    bool used = true;
    {
      Cutter cutter(without, kept);
      cutter.run();
      used = cutter.uses_eigen();
    }
    if (!used) {
      without.left_out.emplace_back("the copy of Eigen");
      specialization = std::move(without);
      return;
    }
    // For devices Eigen takes functions of the global scope; nvcc looks for this one in templates that are
    // instantiated.
    for (IncludedHeader& header : specialization.headers) {
      if (is_of_eigen(header.path) && header.text.find("EIGEN_USING_STD(arg)") != std::string::npos)
        header.text.insert(0, "using std::arg; ");
    }
  }
  Cutter(specialization, kept).run();
}

std::string left_out_note(const Specialization& specialization) {
  if (specialization.left_out.empty()) return "";
  return "left out as host code: " + join(specialization.left_out, "; ");
}

}  // namespace kiln
