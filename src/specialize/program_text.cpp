#include "specialize/program_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <iterator>
#include <set>
#include <string_view>

#include "base/text.h"
#include "base/whole_word.h"
#include "specialize/allocations.h"
#include "specialize/class_members.h"
#include "specialize/class_reader.h"
#include "specialize/conditionals.h"
#include "specialize/host_scopes.h"
#include "specialize/launch_macros.h"
#include "specialize/launches.h"
#include "specialize/local_values.h"
#include "specialize/overloads.h"
#include "specialize/packs.h"
#include "specialize/template_arguments.h"
#include "specialize/variable_types.h"
#include "specialize/written_macros.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

/// "update" of "ns::update".
std::string base_of(const std::string& name) {
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// Enumerations of <cuda_fp8.h> and <mma.h>, which kernels take by value, and their enumerators.
void add_enumerations_of_cuda(ProgramText& program) {
  for (const auto& [type, first, second] : {std::array{"__nv_fp8_interpretation_t", "__NV_E4M3", "__NV_E5M2"},
                                            {"__nv_saturation_t", "__NV_NOSAT", "__NV_SATFINITE"},
                                            {"layout_t", "mem_row_major", "mem_col_major"}}) {
    program.types.emplace(type, "int");
    program.enumerations.emplace(type, first);
    program.constants.emplace(first, "0");
    program.constants.emplace(second, "1");
  }
}

class ProgramReader {
 public:
  explicit ProgramReader(const std::string& text) : text_(with_one_branch(text)), source_(tokenize(text_)) {
    for (const Directive& directive : source_.directives) add_macro(directive);
    declarations_ = read_declarations(source_, specifier_macros_);
    read(declarations_, "", TextScope::kNone);
  }

  /// Names of templates in which kernels may be launched.
  void add_templates(std::set<std::string>& names) const {
    for (const TextScope& scope : program_.scopes) {
      if (!scope.template_parameters.empty() && !scope.name.empty()) names.insert(scope.name);
      names.insert(scope.called.begin(), scope.called.end());
      if (!scope.member_of.arguments.empty()) names.insert(scope.member_of.name);
    }
    for (const TextKernel& kernel : program_.kernels) {
      if (!kernel.template_parameters.empty()) names.insert(base_of(kernel.name));
    }
  }

  [[nodiscard]] bool has_constants() const { return !program_.constant_variables.empty(); }

  /// Values of macros and variables, and initialisers of variables of the type dim3.
  [[nodiscard]] const std::map<std::string, std::string>& constants() const { return program_.constants; }
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& shapes() const {
    return program_.shapes;
  }

  /// Names of variables in constant memory, of functions and of macros.
  void add_used_names(std::set<std::string>& names) const {
    for (const auto& [name, type] : program_.constant_variables) names.insert(name);
    for (const auto& [name, body] : bodies_) names.insert(std::string(name));
    for (const auto& [name, words] : macro_words_) names.insert(name);
  }

  /// Which of `wanted` a function's body, or a macro's text, names; and what the body writes.
  void add_uses(const std::set<std::string>& wanted, std::map<std::string, std::set<std::string>>& uses,
                std::map<std::string, std::set<std::string>>& writes) const {
    for (const auto& [name, body] : bodies_) {
      add_names_written_in(body, writes[std::string(name)]);
      std::set<std::string>& of = uses[std::string(name)];
      for (std::size_t i = body.begin; i < body.end; ++i) {
        if (!tokens()[i].identifier()) continue;
        const std::string word(tokens()[i].text);
        if (wanted.contains(word)) of.insert(word);
      }
    }
    for (const auto& [name, words] : macro_words_) {
      for (const std::string& word : words) {
        if (wanted.contains(word)) uses[name].insert(word);
      }
    }
  }

  /// Variables in constant memory that have a value of their own.
  [[nodiscard]] const std::set<std::string>& constants_with_values() const { return constants_with_values_; }

  /// `extern __device__ int n;`
  [[nodiscard]] const std::set<std::string>& external_variables() const { return external_variables_; }

  /// Variables in the device's memory that is not constant.
  [[nodiscard]] const std::set<std::string>& device_variables() const { return device_variables_; }

  void add_names_written_on_devices(std::set<std::string>& names) const {
    for (const TokenSpan& body : device_bodies_) add_names_written_in(body, names);
  }

  /// Adds the names that the code may write: "x" for `x = 1`, `++x`, `&x`, and "x[]" for `x[i] += 1`,
  /// `x.m = 1`, `&x[i]`; and "x/1" for `x[i]` that stands for something else, a row perhaps.
  void add_names_written_in(const TokenSpan& body, std::set<std::string>& names) const {
    static const std::set<std::string_view> writes = {
        "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "++", "--"};
    for (std::size_t i = std::max<std::size_t>(body.begin, 1); i < body.end; ++i) {
      if (!tokens()[i].identifier()) continue;
      std::size_t behind = i + 1, subscripts = 0;
      for (; at(behind, "[") && tokens()[behind].close < body.end; ++subscripts)
        behind = tokens()[behind].close + 1;
      while (at(behind, ".") && behind + 2 < body.end) behind += 2;
      const bool operand = i > 1 && (tokens()[i - 2].identifier() || at(i - 2, ")") || at(i - 2, "]"));
      std::string name(tokens()[i].text);
      if ((at(i - 1, "&") && !operand) || at(i - 1, "++") || at(i - 1, "--") ||
          (behind < body.end && writes.contains(tokens()[behind].text)))
        names.insert(std::move(name) + (behind > i + 1 ? "[]" : ""));
      else if (!at(behind, "("))
        names.insert(std::move(name) + "/" + std::to_string(subscripts));
    }
  }

  /// Adds the names in the index-th argument of calls of a function of CUDA's or HIP's runtime, such as
  /// "MemcpyToSymbol".
  void add_names_in_argument(std::string_view function, std::size_t index,
                             std::set<std::string>& names) const {
    for (std::size_t i = 0; i + 2 < tokens().size(); ++i) {
      if (tokens()[i].text.find(function) == std::string_view::npos || !at(i + 1, "(")) continue;
      const std::size_t end = std::min(tokens()[i + 1].close, tokens().size());
      const std::vector<TokenSpan> arguments = parts_of_call(tokens(), {i + 2, end});
      if (arguments.size() <= index) continue;
      for (std::size_t inside = arguments[index].begin; inside < arguments[index].end; ++inside) {
        if (tokens()[inside].identifier()) names.insert(std::string(tokens()[inside].text));
      }
    }
  }

  /// Adds the names in first arguments of cudaMemcpyToSymbol, hipMemcpyToSymbol and cudaGetSymbolAddress's
  /// second.
  void add_written_symbols(std::set<std::string>& names) const {
    for (std::size_t i = 0; i + 1 < tokens().size(); ++i) {
      const std::string_view word = tokens()[i].text;
      const bool writes = word.find("MemcpyToSymbol") != std::string_view::npos ||
                          word.find("GetSymbolAddress") != std::string_view::npos;
      if (!writes || !at(i + 1, "(") || tokens()[i + 1].close >= tokens().size()) continue;
      for (std::size_t inside = i + 2; inside < tokens()[i + 1].close; ++inside) {
        if (tokens()[inside].identifier()) names.insert(std::string(tokens()[inside].text));
      }
    }
  }

  /// `templates`, `constants`, `shapes`: of all texts of the program.
  ProgramText run(const std::set<std::string>& templates, const std::map<std::string, std::string>& constants,
                  const std::map<std::string, std::vector<std::string>>& shapes) {
    const auto scope = [this](std::size_t index) { return scope_at(index); };
    program_.launches = find_launches(tokens(), scope);
    find_changes_through_references();
    find_changes_by_loops();
    for (TextLaunch& launch : program_.launches) {
      resolve_local_values(launch, {local_values_, local_changes_, names_of_function(launch.scope)},
                           constants, shapes);
      launch.by_kernel = std::any_of(
          device_bodies_.begin(), device_bodies_.end(),
          [&](const TokenSpan& body) { return body.begin <= launch.token && launch.token < body.end; });
    }
    program_.calls = find_calls(tokens(), templates, scope);
    for (const LocalValue& value : local_values_) {
      if (value.shape || at(value.begin - 1, "using")) continue;
      const std::size_t around = scope_at(value.begin);
      if (around != TextScope::kNone)
        program_.scopes[around].definitions.push_back(
            {value.name, value.texts.front(), false, value.begin, value.end});
    }
    for (TextScope& one : program_.scopes) {
      std::sort(one.definitions.begin(), one.definitions.end(),
                [](const TextDefinition& a, const TextDefinition& b) { return a.begin < b.begin; });
    }
    program_.allocations = find_allocations(source_);
    program_.device_content = find_device_content(source_);
    return std::move(program_);
  }

 private:
  [[nodiscard]] const std::vector<Token>& tokens() const { return source_.tokens; }
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens().size() && tokens()[i].is(text);
  }

  void add_macro(const Directive& directive) {
    const std::vector<Token>& words = directive.tokens;
    if (words.size() < 3 || !words[0].is("define")) return;
    const std::string name(words[1].text);
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (words[i].identifier()) macro_words_[name].insert(std::string(words[i].text));
    }
    const auto has = [&](const auto& predicate) {
      return std::any_of(words.begin() + 2, words.end(), predicate);
    };
    const bool marks = has(
        [&](const Token& word) { return word.is("__global__") || specifier_macros_.contains(word.text); });
    // One that opens a body stands for more than specifiers.
    const bool opens = has([](const Token& word) { return word.is("{") || word.is(";"); });
    if (marks && !opens) specifier_macros_.insert(words[1].text);
    const bool arguments = words[2].is("(") && words[2].offset == words[1].end();
    if (!arguments) {
      program_.constants.emplace(name, text_of(words, {2, words.size()}));
    } else if (!opens &&
               words[2].close + 1 < words.size()) {  // `#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))`
      TextFunction function;
      for (const TokenSpan& part : parts_of(words, {3, words[2].close}, false))
        function.parameters.push_back(text_of(words, part));
      function.result = text_of(words, {words[2].close + 1, words.size()});
      program_.expressions.emplace(name, std::move(function));
    }
  }

  /// `outer`: the class whose members they are.
  void read(const std::vector<Declaration>& declarations, const std::string& scope, std::size_t outer) {
    for (const Declaration& declaration : declarations) {
      if (declaration.kind == Kind::kScope) {
        read(declaration.members, scope + scope_name(declaration), outer);
      } else if (declaration.kind == Kind::kFunction) {
        if (is_kernel(declaration)) {
          if (outer == TextScope::kNone) add_kernel(declaration, scope);
        } else {
          if (stays_beside_kernels(declaration)) device_bodies_.push_back(declaration.body);
          add_scope(declaration, outer);
          add_texture_user(declaration);
          add_object_user(declaration);
          add_body(declaration);
          add_expression(declaration);
          if (outer == TextScope::kNone && !declaration.names.empty() && stays_beside_kernels(declaration))
            program_.functions.emplace(scope + scope_in_front(declaration) +
                                       std::string(declaration.names[0]));
        }
        find_local_variables(declaration);
        add_references(declaration);
      } else if (declaration.kind == Kind::kPrototype) {
        add_references(declaration);
        if (!declaration.names.empty() && is_kernel(declaration))
          program_.prototypes.emplace(scope + std::string(declaration.names[0]),
                                      parts_of(tokens(), declaration.parameters, true).size());
      } else if (declaration.kind == Kind::kClass) {
        if (outer == TextScope::kNone) {
          add_class(source_, declaration, program_);
          for (const std::string_view name : declaration.names)
            program_.class_scopes[std::string(name)].insert(scope);
        }
        const std::size_t here = add_scope(declaration, outer);
        for (const Declaration& member : declaration.members) {
          if (member.kind == Kind::kFunction && !is_kernel(member)) {
            add_scope(member, here);
            add_texture_user(member);
            add_object_user(member);
            add_body(member);
            find_local_variables(member);
          }
          add_references(member);
          if (member.kind == Kind::kVariable && !declaration.names.empty())
            add_member_constant(member, scope + std::string(declaration.names[0]) + "::");
        }
      } else if (declaration.kind == Kind::kAlias) {
        const std::string name = add_type(declaration);
        if (outer == TextScope::kNone && !name.empty()) program_.class_scopes[name].insert(scope);
      } else if (declaration.kind == Kind::kEnum) {
        add_enumeration(declaration);
        for (const std::string_view name : declaration.names) {
          if (outer == TextScope::kNone) program_.class_scopes[std::string(name)].insert(scope);
        }
      } else if (declaration.kind == Kind::kVariable) {
        add_variable(declaration, scope);
        if (!declaration.template_head.empty()) add_scope(declaration, outer);
      }
    }
  }

  /// Parameters through which a function may change a variable of its caller: `int &n`.
  void add_references(const Declaration& function) {
    if ((function.kind != Kind::kFunction && function.kind != Kind::kPrototype) || function.names.empty())
      return;
    const std::vector<TokenSpan> parts = parts_of(tokens(), function.parameters, true);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TextParameter parameter = parameter_of(tokens(), parts[i]);
      if (parameter.type.find('&') != std::string::npos && parameter.type.find("&&") == std::string::npos &&
          !has_word(parameter.type, "const"))
        references_[std::string(function.names[0])].insert(i);
    }
  }

  /// `load(path, n, m);` of a `void load(const char* path, int& n, int& m)`
  void find_changes_through_references() {
    for (std::size_t i = 1; !references_.empty() && i + 1 < tokens().size(); ++i) {
      if (!tokens()[i].identifier() || !at(i + 1, "(") || tokens()[i + 1].close >= tokens().size()) continue;
      const auto changed = references_.find(std::string(tokens()[i].text));
      if (changed == references_.end()) continue;
      const std::vector<TokenSpan> arguments = parts_of_call(tokens(), {i + 2, tokens()[i + 1].close});
      for (const std::size_t index : changed->second) {
        if (index < arguments.size() && arguments[index].end - arguments[index].begin == 1)
          local_changes_.push_back(
              {std::string(tokens()[arguments[index].begin].text), arguments[index].begin});
      }
    }
  }

  void find_local_variables(const Declaration& function) {
    in_device_code_ = is_kernel(function) || stays_beside_kernels(function);
    find_variables(function.body);
    in_device_code_ = false;
  }

  /// "a::b::" of `namespace API a::inline b {`, in which API is a macro of an attribute.
  [[nodiscard]] std::string scope_name(const Declaration& declaration) const {
    if (declaration.names.empty()) return "";
    std::string name;
    std::size_t end = declaration.body.begin - 1;  // the brace
    while (end > declaration.whole.begin && tokens()[end - 1].identifier() && !at(end - 1, "namespace")) {
      name = std::string(tokens()[end - 1].text) + "::" + name;
      --end;
      if (at(end - 1, "inline")) --end;
      if (!at(end - 1, "::")) break;
      --end;
    }
    return name;
  }

  /// What a function and the functions around its lambdas declare, without parameters that each call passes
  /// by their own names.
  [[nodiscard]] const std::set<std::string>& names_of_function(std::size_t scope) {
    const auto [known, fresh] = names_of_functions_.try_emplace(scope);
    for (std::size_t one = scope; fresh && one != TextScope::kNone; one = program_.scopes[one].outer) {
      const TextScope& function = program_.scopes[one];
      for (const auto& [name, type] : function.variables) known->second.insert(name);
      for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (is_passed_by_name(function, i)) known->second.erase(function.parameters[i].name);
      }
      if (!function.lambda) break;
    }
    return known->second;
  }

  /// Whether the text calls a function, with `n` for its parameter `n` each time, and changes no `n`.
  [[nodiscard]] bool is_passed_by_name(const TextScope& function, std::size_t index) const {
    if (function.name.empty()) return false;
    const bool changes = std::any_of(
        local_changes_.begin(), local_changes_.end(),
        [&](const LocalChange& change) { return change.name == function.parameters[index].name; });
    if (changes) return false;
    bool called = false;
    for (std::size_t i = 1; i + 1 < tokens().size(); ++i) {
      if (!at(i, function.name) || tokens()[i - 1].identifier() || at(i - 1, "*") || at(i - 1, "&") ||
          at(i - 1, ">"))
        continue;  // its declaration
      std::size_t open = i + 1;
      if (const std::size_t behind = behind_template_arguments(tokens(), open, tokens().size()); behind != 0)
        open = behind;
      if (!at(open, "(") || tokens()[open].close >= tokens().size()) continue;
      const std::vector<TokenSpan> arguments = parts_of_call(tokens(), {open + 1, tokens()[open].close});
      if (arguments.size() <= index || text_of(tokens(), arguments[index]) != function.parameters[index].name)
        return false;
      called = true;
    }
    return called;
  }

  /// A function or a class, with the types of what it declares.
  std::size_t add_scope(const Declaration& declaration, std::size_t outer) {
    const std::size_t index = program_.scopes.size();
    TextScope& scope = program_.scopes.emplace_back();
    if (!declaration.names.empty()) scope.name = std::string(declaration.names[0]);
    const bool calls = declaration.kind == Kind::kFunction && scope.name == "operator";
    if (calls && at(declaration.parameters.begin - 2, ")")) scope.name = kCallOperator;
    scope.outer = outer;
    for (const TokenSpan& part : parts_of(tokens(), declaration.template_head, true))
      scope.template_parameters.push_back(parameter_of(tokens(), part));
    if (declaration.kind == Kind::kFunction) {
      for (const TokenSpan& part : parts_of(tokens(), declaration.parameters, true))
        add_parameter_to_scope(parameter_of(tokens(), part), scope);
      const std::size_t begin = declaration.whole.begin;
      scope.specialises = at(begin, "template") && at(begin + 1, "<") && at(begin + 2, ">");
      find_scope_in_front(declaration, declaration.parameters.begin - 1, scope);
      scope.result = result_of(declaration);
      VariableTypes(tokens(), scope.variables).add_body(declaration.body);
      add_body_to_scope(tokens(), declaration.body, scope);
    } else if (declaration.kind ==
               Kind::kVariable) {  // `template <class T> const Table<T> Table<T>::kernels = {...}`
      std::size_t end = declaration.whole.begin;
      while (end < declaration.whole.end && !at(end, "=") && !at(end, "{") && !at(end, "(")) ++end;
      find_scope_in_front(declaration, end, scope);
    } else {
      for (const Declaration& member : declaration.members) {
        if (member.kind == Kind::kVariable) VariableTypes(tokens(), scope.variables).add(member.whole);
      }
    }
    spans_.push_back(declaration.whole);
    if (declaration.kind == Kind::kFunction) add_lambdas(declaration.body, index);
    return index;
  }

  /// The generic lambdas of a body as scopes, those inside of them, too.
  void add_lambdas(TokenSpan body, std::size_t outer) {
    for (GenericLambda& lambda : generic_lambdas(tokens(), body)) {
      lambda.scope.outer = outer;
      const std::size_t index = program_.scopes.size();
      program_.scopes.push_back(std::move(lambda.scope));
      spans_.push_back(lambda.whole);
      add_lambdas(lambda.body, index);
    }
  }

  /// What stands in front of a function's parameters or of a variable's value, at `name`: the arguments of a
  /// specialisation, `Grid<T>::step`.
  void find_scope_in_front(const Declaration& declaration, std::size_t name, TextScope& scope) const {
    const std::size_t first = declaration.whole.begin;
    const auto arguments_in_front = [&](std::size_t& end) {
      std::vector<std::string> arguments;
      if (end <= first || !at(end - 1, ">")) return arguments;
      std::size_t open = end - 1;
      int depth = 0;
      for (; open > first; --open) {
        depth += at(open, ">") ? 1 : at(open, "<") ? -1 : 0;
        if (depth == 0) break;
      }
      for (const TokenSpan& part : parts_of(tokens(), {open + 1, end - 1}, true))
        arguments.push_back(text_of(tokens(), part));
      end = open;
      return arguments;
    };
    if (scope.name == kCallOperator && name > first + 3) name -= 2;  // behind "operator"
    scope.specialised_for = arguments_in_front(name);
    const bool named = at(name - 1, scope.name) || (scope.name == kCallOperator && at(name - 1, "operator"));
    if (name < first + 3 || !named || !at(name - 2, "::")) return;
    std::size_t end = name - 2;
    scope.member_of.arguments = arguments_in_front(end);
    if (end > first && tokens()[end - 1].identifier())
      scope.member_of.name = std::string(tokens()[end - 1].text);
  }

  /// "T *" of `template <class T> T* Buffer<T>::data()`.
  [[nodiscard]] std::string result_of(const Declaration& declaration) const {
    std::size_t begin = declaration.whole.begin;
    if (!declaration.template_head.empty()) begin = declaration.template_head.end + 1;
    static const std::set<std::string_view> dropped = {
        "static",    "inline",   "virtual",    "explicit",        "friend",    "extern",
        "constexpr", "__host__", "__device__", "__forceinline__", "__inline__"};
    std::size_t end = begin;
    while (end + 1 < declaration.parameters.begin && !at(end, declaration.names[0])) ++end;
    while (end >= begin + 2 && at(end - 1, "::")) {  // "Grid<T>::step" has its type in front of "Grid"
      end -= 2;
      for (int depth = 0; end > begin; --end) {
        depth += at(end, ">") ? 1 : at(end, "<") ? -1 : 0;
        if (depth == 0 && !at(end, "<")) break;
      }
    }
    std::string result;
    for (std::size_t i = begin; i < end; ++i) {
      if (!dropped.contains(tokens()[i].text)) append_token(result, tokens()[i].text);
    }
    return result;
  }

  /// `int ceil_div(int a, int b) { return (a + b - 1) / b; }`.
  void add_expression(const Declaration& declaration) {
    TokenSpan body = declaration.body;
    if (declaration.names.empty() || body.empty() || !at(body.begin, "return")) return;
    if (at(body.end - 1, "}")) --body.end;
    if (body.end < body.begin + 3 || !at(body.end - 1, ";")) return;
    for (std::size_t i = body.begin; i + 1 < body.end; ++i) {
      if (at(i, ";")) return;
    }
    TextFunction function;
    for (const TokenSpan& part : parts_of(tokens(), declaration.parameters, true))
      function.parameters.push_back(parameter_of(tokens(), part).name);
    function.result = "(" + text_of(tokens(), {body.begin + 1, body.end - 1}) + ")";
    program_.expressions.emplace(declaration.names[0], std::move(function));
  }

  /// The innermost function or class around a token.
  [[nodiscard]] std::size_t scope_at(std::size_t index) const {
    std::size_t found = TextScope::kNone;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (spans_[i].begin <= index && index < spans_[i].end) found = i;  // inner ones come later
    }
    return found;
  }

  [[nodiscard]] bool is_kernel(const Declaration& declaration) const {
    const std::size_t end = declaration.body.empty() ? declaration.whole.end : declaration.body.begin;
    for (std::size_t i = declaration.whole.begin; i < end; ++i) {
      if (at(i, "__global__") || specifier_macros_.contains(tokens()[i].text)) return true;
    }
    return false;
  }

  /// A function of the host that has a kernel's name, and launches it, is left out of the kernel's text.
  [[nodiscard]] bool stays_beside_kernels(const Declaration& declaration) const {
    for (std::size_t i = declaration.whole.begin; i < declaration.parameters.begin; ++i) {
      if (at(i, "__device__")) return true;
    }
    return false;
  }

  /// "Grid::" of `__global__ void Grid::fill(...)`.
  [[nodiscard]] std::string scope_in_front(const Declaration& declaration) const {
    std::size_t name = declaration.parameters.begin - 2;
    if (!at(name, declaration.names[0])) return "";
    std::string scope;
    for (; name >= 2 && at(name - 1, "::") && tokens()[name - 2].identifier(); name -= 2)
      scope.insert(0, std::string(tokens()[name - 2].text) + "::");
    return scope;
  }

  /// {"double", "4"} of `k<double, 4>(`, whose bracket is at `open`.
  [[nodiscard]] std::vector<std::string> arguments_in_front(std::size_t open) const {
    std::vector<std::string> arguments;
    if (open < 3 || !at(open - 1, ">")) return arguments;
    std::size_t first = open - 1;
    for (int depth = 0; first > 0; --first) {
      if (at(first, ">")) ++depth;
      if (at(first, "<") && --depth == 0) break;
    }
    for (const TokenSpan& part : parts_of(tokens(), {first + 1, open - 1}, true))
      arguments.push_back(text_of(tokens(), part));
    return arguments;
  }

  void add_kernel(const Declaration& declaration, const std::string& scope) {
    if (declaration.names.empty()) return;
    device_bodies_.push_back(declaration.body);
    TextKernel kernel;
    kernel.name = scope + scope_in_front(declaration) + std::string(declaration.names[0]);
    kernel.line = tokens()[declaration.whole.begin].line;
    for (const TokenSpan& part : parts_of(tokens(), declaration.parameters, true)) {
      TextParameter parameter = parameter_of(tokens(), part);
      if (parameter.type == "void" && parameter.name.empty()) continue;
      kernel.parameters.push_back(std::move(parameter));
    }
    for (const TokenSpan& part : parts_of(tokens(), declaration.template_head, true)) {
      TextParameter parameter = parameter_of(tokens(), part);
      const bool is_type =  // `template <Number T>`, with a concept
          std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                      [&](const TextParameter& one) { return bare_type(one.type) == parameter.name; });
      if (is_type && parameter.type != "class") parameter.type = "typename";
      kernel.template_parameters.push_back(std::move(parameter));
    }
    std::set<std::string> names, called, read;
    for (std::size_t i = declaration.body.begin; i < declaration.body.end; ++i) {
      if (tokens()[i].identifier()) names.insert(std::string(tokens()[i].text));
      const bool member = at(i - 1, ".") || (at(i - 1, ">") && at(i - 2, "-"));
      if (tokens()[i].identifier() && at(i + 1, "(") && !member) {
        called.insert(std::string(tokens()[i].text));
        const std::size_t passed = parts_of(tokens(), {i + 2, tokens()[i + 1].close}, true).size();
        std::size_t& most = kernel.called_with[std::string(tokens()[i].text)];
        most = std::max(most, passed);
      }
      if (at(i, "extern")) kernel.dynamic_shared = true;
      const std::size_t close = at(i + 1, "[") ? tokens()[i + 1].close : declaration.body.end;
      if (!tokens()[i].identifier() || member || close >= declaration.body.end) continue;
      (at(close + 1, "=") ? kernel.assigned : read).insert(std::string(tokens()[i].text));
    }
    for (const std::string& name : read) kernel.assigned.erase(name);
    for (std::size_t i = declaration.whole.begin; i < declaration.parameters.begin; ++i) {
      if (!at(i, "__launch_bounds__") || !at(i + 1, "(") || tokens()[i + 1].close >= tokens().size())
        continue;
      const std::vector<TokenSpan> bounds = parts_of(tokens(), {i + 2, tokens()[i + 1].close}, false);
      if (!bounds.empty()) kernel.launch_bounds = text_of(tokens(), bounds[0]);
    }
    kernel.fetches = texture_fetches(tokens(), declaration.body);
    kernel.passed_textures =
        passed_arguments(tokens(), declaration.body, names_of_textures(kernel.parameters));
    kernel.passed_objects = passed_arguments(tokens(), declaration.body,
                                             names_of_objects(kernel.parameters, kernel.template_parameters));
    for (const TextParameter& parameter : kernel.template_parameters) {
      if (!parameter.name.empty()) find_uses(parameter.name, declaration.whole, kernel);
      const char last =
          parameter.name.empty() ? ' ' : last_component(kernel, parameter.name, declaration.body);
      if (last != ' ') kernel.components[parameter.name] = last;
    }
    kernel.names_in_body.assign(names.begin(), names.end());
    add_names_written_in(declaration.body, kernel.written);
    kernel.called_in_body.assign(called.begin(), called.end());
    const std::size_t begin = declaration.whole.begin;
    const bool specialisation = at(declaration.parameters.begin - 2, ">") ||
                                (at(begin, "template") && at(begin + 1, "<") && at(begin + 2, ">"));
    const bool has_primary = std::any_of(program_.kernels.begin(), program_.kernels.end(),
                                         [&](const TextKernel& other) { return other.name == kernel.name; });
    if (specialisation && has_primary) return;
    kernel.specialises = specialisation;
    if (specialisation) kernel.specialised_for = arguments_in_front(declaration.parameters.begin - 1);
    kernel.types = parameter_types(source_, declaration);
    const std::size_t offset = tokens()[declaration.whole.begin].offset;
    for (std::size_t i = 0; i < program_.kernels.size(); ++i) {
      TextKernel& other = program_.kernels[i];
      if (other.name != kernel.name) continue;
      const bool alike = other.parameters.size() == kernel.parameters.size();
      if (other.specialises && alike && !kernel.template_parameters.empty()) {  // the template itself
        other = std::move(kernel);
        offsets_[i] = offset;
        return;
      }
      if (other.types == kernel.types || are_alternatives(source_, offset, offsets_[i])) return;
    }
    for (TextKernel& other : program_.kernels) {
      if (other.name == kernel.name) other.overloaded = kernel.overloaded = true;
    }
    program_.kernels.push_back(std::move(kernel));
    offsets_.push_back(offset);
  }

  /// What a kernel needs of a parameter of its template.
  void find_uses(const std::string& name, TokenSpan whole, TextKernel& kernel) const {
    std::set<std::string_view> objects;
    for (const TextParameter& one : kernel.parameters) {
      if (bare_type(one.type) == name) objects.insert(one.name);
    }
    for (std::size_t i = whole.begin; i + 2 < whole.end; ++i) {
      const bool accesses = at(i + 1, ".") || at(i + 1, "->");
      if (accesses && objects.contains(tokens()[i].text) && tokens()[i + 2].identifier())
        kernel.needed_members[name].insert(std::string(tokens()[i + 2].text));
      if (!at(i, name) || at(i - 1, ".") || at(i - 1, "->") || at(i - 1, "::")) continue;
      if (at(i + 1, "::") && tokens()[i + 2].identifier() && !at(i + 2, "template"))
        kernel.needed_members[name].insert(std::string(tokens()[i + 2].text));
      const std::size_t behind = at(i + 1, "<") ? behind_angles(tokens(), i + 1, whole.end) : whole.end;
      if (behind + 1 < whole.end && at(behind, "::") && tokens()[behind + 1].identifier())  // of a template
        kernel.needed_members[name].insert(std::string(tokens()[behind + 1].text));
      if (at(i + 1, "/") || at(i + 1, "%")) kernel.divided.insert(name);
      if (at(i + 1, "==") && tokens()[i + 2].kind == Token::Kind::kNumber)
        kernel.compared.emplace(name, std::string(tokens()[i + 2].text));
    }
  }

  /// The last of x, y, z, w that the body reads of variables and elements of the type; ' ': none.
  [[nodiscard]] char last_component(const TextKernel& kernel, std::string_view type, TokenSpan body) const {
    std::set<std::string_view> variables;
    for (const TextParameter& one : kernel.parameters) {
      if (bare_type(one.type) == type) variables.insert(one.name);
    }
    for (std::size_t i = body.begin; i + 1 < body.end; ++i) {
      if (at(i, type) && tokens()[i + 1].identifier()) variables.insert(tokens()[i + 1].text);
    }
    constexpr std::string_view kComponents = "xyzw";
    std::size_t last = 0;
    for (std::size_t i = body.begin; i + 2 < body.end; ++i) {
      if (!variables.contains(tokens()[i].text) || at(i - 1, ".") || at(i - 1, "->")) continue;
      const std::size_t dot = at(i + 1, "[") ? tokens()[i + 1].close + 1 : i + 1;
      if (dot + 1 >= body.end || !at(dot, ".") || tokens()[dot + 1].text.size() != 1) continue;
      const std::size_t component = kComponents.find(tokens()[dot + 1].text);
      if (component != std::string_view::npos) last = std::max(last, component + 1);
    }
    return last == 0 ? ' ' : kComponents[last - 1];
  }

  [[nodiscard]] static std::vector<std::string> names_of_textures(
      const std::vector<TextParameter>& parameters) {
    std::vector<std::string> names;
    for (const TextParameter& parameter : parameters) {
      if (is_texture_type(parameter.type)) names.push_back(parameter.name);
    }
    return names;
  }

  /// Parameters that have a type of the template.
  [[nodiscard]] static std::vector<std::string> names_of_objects(
      const std::vector<TextParameter>& parameters, const std::vector<TextParameter>& template_parameters) {
    std::vector<std::string> names;
    for (const TextParameter& parameter : parameters) {
      const std::string type = bare_type(parameter.type);
      const bool of_template =
          pointers_in(parameter.type) == 0 &&
          std::any_of(template_parameters.begin(), template_parameters.end(),
                      [&](const TextParameter& one) { return one.name == type && !type.empty(); });
      if (of_template) names.push_back(parameter.name);
    }
    return names;
  }

  void add_object_user(const Declaration& declaration) {
    if (declaration.names.empty() || declaration.template_head.empty()) return;
    std::vector<TextParameter> parameters, of_template;
    for (const TokenSpan& part : parts_of(tokens(), declaration.parameters, true))
      parameters.push_back(parameter_of(tokens(), part));
    for (const TokenSpan& part : parts_of(tokens(), declaration.template_head, true))
      of_template.push_back(parameter_of(tokens(), part));
    const std::vector<std::string> objects = names_of_objects(parameters, of_template);
    if (objects.empty()) return;
    ObjectUser user;
    for (const TextParameter& parameter : parameters) user.parameters.push_back(parameter.name);
    user.called_with = object_calls(tokens(), declaration.body, objects);
    user.passed = passed_arguments(tokens(), declaration.body, objects);
    program_.object_users.emplace(std::string(declaration.names[0]), std::move(user));
  }

  void add_body(const Declaration& declaration) {
    if (!declaration.names.empty()) bodies_.emplace_back(declaration.names[0], declaration.body);
  }

  void add_texture_user(const Declaration& declaration) {
    if (declaration.names.empty()) return;
    std::vector<TextParameter> parameters;
    for (const TokenSpan& part : parts_of(tokens(), declaration.parameters, true))
      parameters.push_back(parameter_of(tokens(), part));
    const std::vector<std::string> textures = names_of_textures(parameters);
    if (textures.empty()) return;
    TextureUser user;
    for (const TextParameter& parameter : parameters) user.parameters.push_back(parameter.name);
    user.fetches = texture_fetches(tokens(), declaration.body);
    user.passed = passed_arguments(tokens(), declaration.body, textures);
    program_.texture_users.emplace(std::string(declaration.names[0]), std::move(user));
  }

  /// An enumeration is another name of the type that its values have; enumerators with plain values are
  /// constants.
  void add_enumeration(const Declaration& declaration) {
    const TokenSpan body = declaration.body;
    if (body.begin == 0) return;
    std::string type = "int";
    for (std::size_t i = declaration.whole.begin; i + 1 < body.begin; ++i) {
      if (at(i, ":")) type = text_of(tokens(), {i + 1, body.begin - 1});
    }
    std::set<std::string_view> enumerators;
    std::optional<std::int64_t> value = 0;
    for (const TokenSpan& part : parts_of(tokens(), body, false)) {
      if (part.empty() || !tokens()[part.begin].identifier()) continue;
      const std::string_view name = tokens()[part.begin].text;
      enumerators.insert(name);
      if (part.end > part.begin + 1) value = parse_integer(text_of(tokens(), {part.begin + 2, part.end}));
      if (!value) continue;
      program_.constants.emplace(name, std::to_string(*value));
      value = *value + 1;
    }
    const bool scoped = at(declaration.whole.begin + 1, "class") || at(declaration.whole.begin + 1, "struct");
    for (const std::string_view name : declaration.names) {
      if (enumerators.contains(name)) continue;
      program_.types.emplace(name, type);
      const std::string first(tokens()[body.begin].text);
      program_.enumerations.emplace(name, scoped ? std::string(name) + "::" + first : first);
    }
  }

  /// Of several in different branches of a conditional the first counts. Returns the name.
  std::string add_type(const Declaration& declaration) {
    const std::size_t offset = tokens()[declaration.whole.begin].offset;
    std::map<std::string, std::string> types;
    std::string name = add_alias(tokens(), declaration, types);
    if (!types.contains(name)) return name;
    const std::string& target = types[name];
    // `using Ray = math::Ray;`: the class itself; `using Vec = math::Vec<T>;`: what the other alias says.
    const bool of_template = target.find('<') != std::string::npos;
    const bool same_name = target != name && base_of(target.substr(0, target.find('<'))) == name;
    if (same_name && (!of_template || program_.types.contains(name))) return name;
    const auto [first, fresh] = type_offsets_.try_emplace(name, offset);
    if (!fresh && are_alternatives(source_, offset, first->second)) return name;
    program_.types.insert_or_assign(name, types[name]);
    for (const TokenSpan& part : parts_of(tokens(), declaration.template_head, true))
      program_.alias_parameters[name].push_back(parameter_of(tokens(), part));
    return name;
  }

  void add_variable(const Declaration& declaration, const std::string& scope) {
    const std::size_t begin = declaration.whole.begin, end = declaration.whole.end - 1;
    bool constant_memory = false, device_memory = false;
    for (std::size_t i = begin; i < end && !at(i, "="); ++i) {
      constant_memory = constant_memory || at(i, "__constant__");
      device_memory = device_memory || at(i, "__device__");
    }
    if (device_memory && at(begin, "extern") && !declaration.names.empty())
      external_variables_.insert(declaration.names.begin(), declaration.names.end());
    const bool external = at(begin, "extern");
    std::size_t type = external ? begin + 1 : begin;
    if (external && tokens()[type].kind == Token::Kind::kString) ++type;
    if (constant_memory || device_memory)
      add_variables_of_devices({type, end}, scope, constant_memory, external);
    scope_of_constants_ = scope;
    find_variables({begin, declaration.whole.end});
    scope_of_constants_.clear();
    VariableTypes(tokens(), program_.variables).add(declaration.whole);
  }

  /// `__constant__ float scale, weights[9];`, `__device__ int width;`. `external`: they are only declared,
  /// which is a definition where no text has one; not of `weights[]`.
  void add_variables_of_devices(TokenSpan declaration, const std::string& scope, bool constant_memory,
                                bool external) {
    std::string shared_type;  // of all the names
    std::string qualified;    // of the first
    for (const TokenSpan& part : parts_of(tokens(), declaration, true)) {
      TextParameter variable =
          shared_type.empty() ? parameter_of(tokens(), part) : later_name(part, shared_type);
      if (shared_type.empty()) {
        for (const std::string word : {"__constant__", "__device__", "__managed__", "static"}) {
          const std::size_t found = variable.type.find(word);
          if (found != std::string::npos) variable.type.erase(found, word.size());
        }
        qualified = take_scope(variable.type);
        shared_type = std::string(trim(variable.type.substr(0, variable.type.find_first_of("[*&"))));
      }
      if (external && variable.type.find("[]") != std::string::npos) continue;
      const std::string type(trim(variable.type));
      const bool first = program_.constant_variables.try_emplace(variable.name, type).second;
      if (external && !first) continue;
      program_.constant_variables[variable.name] = type;
      if (!constant_memory) device_variables_.insert(variable.name);
      for (std::size_t i = part.begin; i < part.end; ++i) {
        if (at(i, "=") || at(i, "{")) constants_with_values_.insert(variable.name);
      }
      program_.constant_scopes[variable.name] = scope + qualified;
      qualified.clear();
    }
  }

  /// Takes "ns::in::" out of "float ns::in::[4]", the type of `float ns::in::weights[4]`.
  static std::string take_scope(std::string& type) {
    const std::size_t end = std::min(type.find('['), type.size());
    std::size_t begin = type.find_last_not_of(' ', end == 0 ? 0 : end - 1) + 1;
    const std::size_t behind = begin;
    while (begin >= 3 && type.compare(begin - 2, 2, "::") == 0) {
      begin -= 2;
      while (begin > 0 &&
             (std::isalnum(static_cast<unsigned char>(type[begin - 1])) != 0 || type[begin - 1] == '_'))
        --begin;
    }
    std::string scope = type.substr(begin, behind - begin);
    type.erase(begin, behind - begin);
    return scope.starts_with("::") ? scope.substr(2) : scope;
  }

  /// `weights[9] = {1}` behind a comma of a declaration of variables of `type`.
  [[nodiscard]] TextParameter later_name(TokenSpan declarator, const std::string& type) const {
    TextParameter variable;
    std::size_t name = declarator.begin;
    while (name + 1 < declarator.end && !tokens()[name].identifier()) ++name;
    std::size_t end = name + 1;
    while (end < declarator.end && at(end, "[")) end = tokens()[end].close + 1;
    variable.name = std::string(tokens()[name].text);
    variable.type = type + text_of(tokens(), {declarator.begin, name}) +
                    text_of(tokens(), {name + 1, std::min(end, declarator.end)});
    return variable;
  }

  /// `static constexpr int n = 4;` of a class, which other code calls `A::n`.
  void add_member_constant(const Declaration& member, const std::string& scope) {
    const TokenSpan span = member.whole;
    bool constant = false;
    for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
      constant = constant || at(i, "static");
      if (!constant || !at(i + 1, "=") || !tokens()[i].identifier()) continue;
      program_.constants.emplace(scope + std::string(tokens()[i].text),
                                 text_of(tokens(), {i + 2, span.end - 1}));
      return;
    }
  }

  /// `name = value`, `name{value}`, `dim3 name(x, y)`, `dim3 name{x, y}` and `dim3 name = dim3(x, y)`; also
  /// the later names of a declaration.
  void find_variables(TokenSpan span) {
    std::size_t behind = span.begin;  // behind the comma of a declaration of several names
    bool of_shapes = false;           // its type is dim3
    std::vector<std::size_t> blocks = {span.end};
    std::size_t parentheses = span.begin;  // where the outermost ones end
    for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
      while (i >= blocks.back() && blocks.size() > 1) blocks.pop_back();
      if (at(i, "{") && tokens()[i].close < span.end) blocks.push_back(tokens()[i].close);
      if (at(i, "(") && i >= parentheses) parentheses = tokens()[i].close;
      if (!tokens()[i].identifier()) continue;
      add_loop(i, span.end);
      if (at(i + 1, ".") && at(i + 3, "=") && add_extent(i, span.end, blocks.back())) continue;
      const bool later = i == behind && i > span.begin;
      const bool typed =
          later || (i > span.begin && tokens()[i - 1].identifier() && !is_word_of_statements(i - 1));
      if (!typed) {
        if (is_changed(i, span.end)) add_change(i, span.end);
        const bool in_header = i < parentheses && blocks.back() > parentheses;  // of a for
        const std::size_t before = i > span.begin && is_increment(i - 1) ? i - 2 : i - 1;
        const bool statement = i > span.begin && (at(before, ";") || at(before, "{") || at(before, "}"));
        const bool chosen = i > span.begin && (at(before, ":") || at(before, "?"));
        if (statement && !in_header) add_assignment(i, span.end, blocks.back(), blocks.size() == 1);
        if (chosen && assignment_at(i, span.end) != Assignment::kNone) add_change(i, span.end);
        if (in_header && assignment_at(i, span.end) != Assignment::kNone)
          add_change_by_loop(i, parentheses, span.end);
        continue;
      }
      if (!later) of_shapes = at(type_in_front_of(i), "dim3");
      if (of_shapes) shapes_.emplace(tokens()[i].text);
      std::size_t end = i;  // of the declarator
      if (of_shapes && (at(i + 1, "(") || at(i + 1, "{"))) {
        add_shape(i, i + 1, blocks.back());
        end = tokens()[i + 1].close + 1;
      } else if (at(i + 1, "=") && at(i + 2, "dim3") && (at(i + 3, "(") || at(i + 3, "{"))) {
        add_shape(i, i + 3, blocks.back());
        end = tokens()[i + 3].close + 1;
      } else if (of_shapes && at(i + 1, "=") && at(i + 2, "{")) {
        add_shape(i, i + 2, blocks.back());
        end = tokens()[i + 2].close + 1;
      } else if (at(i + 1, "=")) {
        end = i + 2;
        while (end < span.end && !at(end, ";") && !at(end, ",")) {
          if (const std::size_t behind_list = behind_template_arguments(tokens(), end, span.end);
              behind_list != 0) {
            end = behind_list;
            continue;
          }
          if ((at(end, "(") || at(end, "[") || at(end, "{")) && tokens()[end].close < span.end)
            end = tokens()[end].close;
          ++end;
        }
        add_constant(i, {i + 2, std::min(end, span.end)}, blocks.back(), is_of_loop(i, span.begin));
      } else if (holds_one_value(i, span.end)) {
        add_constant(i, {i + 2, tokens()[i + 1].close}, blocks.back(), false);
        end = tokens()[i + 1].close + 1;
      }
      if (end > i && at(end, ",")) behind = end + 1;
    }
  }

  /// Whether it is the `i` or the `n` of `for (int i = 0, n = size(); ...)`.
  [[nodiscard]] bool is_of_loop(std::size_t name, std::size_t begin) const {
    std::size_t depth = 0;
    for (std::size_t i = name; i > begin; --i) {
      if (at(i, ")") || at(i, "]")) ++depth;
      if (at(i, ";") || at(i, "{") || at(i, "}")) return false;
      if ((at(i, "(") || at(i, "[")) && depth-- == 0) return at(i, "(") && at(i - 1, "for");
    }
    return false;
  }

  /// `return n = 3;`, `else n = 3;`: no type is in front of the name.
  [[nodiscard]] bool is_word_of_statements(std::size_t i) const {
    return at(i, "return") || at(i, "else") || at(i, "do") || at(i, "throw") || at(i, "delete");
  }

  [[nodiscard]] bool is_increment(std::size_t i) const { return at(i, "++") || at(i, "--"); }

  /// Whether a variable is set by the statement of an `if`, a loop or an `else` without braces, or by a
  /// function that gets its address.
  [[nodiscard]] bool is_changed(std::size_t name, std::size_t last) const {
    if (name < 2 || name + 2 >= last) return false;
    if (at(name - 1, "&")) return is_passed_to_change(name);
    if (at(name - 1, ">") && at(name - 2, ">")) return is_read_from_stream(name - 2);
    if (is_swapped(name)) return true;
    const std::size_t before = is_increment(name - 1) ? name - 2 : name - 1;
    const bool alone = at(before, ")") || at(before, "else") || at(before, "do");
    return alone && assignment_at(name, last) != Assignment::kNone;
  }

  /// `read(&n)`, but neither of `{&n}` nor of functions that only read what an address points to.
  [[nodiscard]] bool is_passed_to_change(std::size_t name) const {
    if (!(at(name - 2, "(") || at(name - 2, ",")) || !(at(name + 1, ",") || at(name + 1, ")"))) return false;
    std::size_t open = name;
    for (int depth = 0; open > 0; --open) {
      if (at(open, ")") || at(open, "]") || at(open, "}")) ++depth;
      if ((at(open, "(") || at(open, "[") || at(open, "{")) && depth-- == 0) break;
      if (at(open, ";")) return false;
    }
    if (!at(open, "(") || open == 0) return false;
    const std::string_view function = tokens()[open - 1].text;
    const bool copies = function.starts_with("cudaMemcpy") || function.starts_with("hipMemcpy") ||
                        function.starts_with("cublas") || function.starts_with("hipblas");
    return !copies || at(name - 2, "(");  // their targets come first
  }

  /// `std::cin >> n`, `file >> width >> height`, at a `>>`: neither a shift nor a launch.
  [[nodiscard]] bool is_read_from_stream(std::size_t shift) const {
    std::size_t i = shift;
    while (i > 0 && !at(i - 1, ";") && !at(i - 1, "{") && !at(i - 1, "}") && !at(i - 1, "(")) {
      --i;
      if (!tokens()[i].identifier() && !at(i, "::") && !at(i, ".") && !at(i, ">")) return false;
      if (at(i, "return")) return false;
    }
    return tokens()[i].identifier() && (at(i + 1, "::") || at(i + 1, ".") || at(i + 1, ">"));
  }

  /// `swap(n, m)`, `std::swap(n, m)`
  [[nodiscard]] bool is_swapped(std::size_t name) const {
    if (at(name - 1, "(")) return at(name - 2, "swap") && at(name + 1, ",");
    return at(name - 1, ",") && at(name + 1, ")") && name > 3 && at(name - 3, "(") && at(name - 4, "swap");
  }

  enum class Assignment { kNone, kPlain, kCompound, kShift, kIncrement };

  /// `name = value`, `name += value` and the like, `name <<= value` or `name >>= value`, `name++` or
  /// `--name`.
  [[nodiscard]] Assignment assignment_at(std::size_t name, std::size_t last) const {
    if (is_increment(name + 1) || (name > 0 && is_increment(name - 1))) return Assignment::kIncrement;
    const std::string_view sign = tokens()[name + 1].text;
    if (sign == "=" && !at(name + 2, "=")) return Assignment::kPlain;
    if (name + 2 < last && (sign == "<" || sign == ">") && at(name + 2, sign == "<" ? "<=" : ">="))
      return Assignment::kShift;
    const bool compound = sign.size() == 2 && sign[1] == '=' &&
                          std::string_view("+-*/%&|^").find(sign[0]) != std::string_view::npos;
    return compound ? Assignment::kCompound : Assignment::kNone;
  }

  /// The body of a `for (...) {`, `while (...) {` or `do {`.
  void add_loop(std::size_t word, std::size_t last) {
    std::size_t open = word + 1;
    if ((at(word, "for") || at(word, "while")) && at(open, "("))
      open = tokens()[open].close + 1;
    else if (!at(word, "do"))
      return;
    if (at(open, "{") && tokens()[open].close < last) loops_.push_back({open, tokens()[open].close});
  }

  /// What a loop changes behind a launch has changed before its next one.
  void find_changes_by_loops() {
    const std::vector<LocalChange> changes = local_changes_;
    for (const LocalChange& change : changes) {
      for (const TokenSpan& loop : loops_) {
        if (loop.begin < change.token && change.token < loop.end)
          local_changes_.push_back({change.name, loop.begin});
      }
    }
  }

  /// A statement that may change a variable. What the user may give on the command line is no change.
  void add_change(std::size_t name, std::size_t last) {
    for (std::size_t i = name + 1; i < last && !at(i, ";"); ++i) {
      const std::string_view word = tokens()[i].text;
      const bool reads = std::find(kReadsNumber.begin(), kReadsNumber.end(), word) != kReadsNumber.end();
      if (reads || word == "argv" || word == "optarg") return;
    }
    local_changes_.push_back({std::string(tokens()[name].text), name});
  }

  /// `for (; n < all; n *= 2) ...`: behind the loop, which begins behind `close`, the variable has another
  /// value.
  void add_change_by_loop(std::size_t name, std::size_t close, std::size_t last) {
    std::size_t end = close + 1;
    while (end < last && !at(end, ";") && !at(end, "{")) ++end;
    if (at(end, "{")) end = tokens()[end].close;
    local_changes_.push_back({std::string(tokens()[name].text), std::min(end, last)});
  }

  /// Of the type of the name at `i`, without `const` and the like on either side.
  [[nodiscard]] std::size_t type_in_front_of(std::size_t i) const {
    --i;
    while (i > 0 && (at(i, "const") || at(i, "constexpr") || at(i, "static"))) --i;
    return i;
  }

  /// Whether `{value}` and the end of a declaration are behind the name; the braces of a class or of a
  /// function are no value.
  [[nodiscard]] bool holds_one_value(std::size_t name, std::size_t end) const {
    const std::size_t close = at(name + 1, "{") ? tokens()[name + 1].close : end;
    if (close + 1 >= end || close == name + 2 || !(at(close + 1, ";") || at(close + 1, ","))) return false;
    static const std::set<std::string_view> no_types = {"struct", "class", "union", "enum", "namespace"};
    if (no_types.contains(tokens()[name - 1].text)) return false;
    for (std::size_t i = name + 2; i < close; ++i) {
      if (at(i, ",") || at(i, ";") || at(i, "{")) return false;
    }
    return true;
  }

  /// `end`: of the block in which the name is known. The counter of a loop (`of_loop`) and a variable of
  /// device code give no value to variables of the same name in other functions.
  void add_constant(std::size_t name, TokenSpan value, std::size_t end, bool of_loop) {
    std::string text = text_of(tokens(), value);
    local_values_.push_back({std::string(tokens()[name].text), {text}, false, name, end});
    if (of_loop || in_device_code_) return;
    if (!scope_of_constants_.empty())
      program_.constants.emplace(scope_of_constants_ + std::string(tokens()[name].text), text);
    program_.constants.emplace(tokens()[name].text, std::move(text));
  }

  /// `bytes = max(bytes, 2 * n);`, `blocks >>= 1;` or `blocks++;` in the block that declares the variable, or
  /// `bytes = 2 * n;` in the function's `outermost` block: from now on it has this value.
  void add_assignment(std::size_t name, std::size_t last, std::size_t end, bool outermost) {
    constexpr std::size_t kLongest = 2000;  // a value that names itself grows
    const Assignment kind = assignment_at(name, last);
    if (kind == Assignment::kNone) return;
    const bool shift = kind == Assignment::kShift, plain = kind == Assignment::kPlain;
    const std::string_view sign = tokens()[is_increment(name - 1) ? name - 1 : name + 1].text;
    const std::size_t begin = name + (shift ? 3 : 2);
    const std::string variable(tokens()[name].text);
    const LocalValue* before = nullptr;
    for (const LocalValue& value : local_values_) {
      if (!value.shape && value.name == variable && value.begin < name && name < value.end) before = &value;
    }
    const std::size_t function = scope_at(name);
    const bool first = before == nullptr && outermost && plain && function != TextScope::kNone &&
                       program_.scopes[function].variables.contains(variable);
    if (before == nullptr && !first) return;
    if (before != nullptr && before->end != end) {  // a condition or a loop decides
      add_change(name, last);
      return;
    }
    std::size_t behind = begin;
    while (behind < last && !at(behind, ";")) ++behind;
    const std::string old = first ? variable : before->texts.front();
    std::string text = kind == Assignment::kIncrement
                           ? "1"
                           : substituted(text_of(tokens(), {begin, behind}), {{variable, "(" + old + ")"}});
    if (!plain) {
      const std::string operation = shift ? std::string(2, sign[0]) : std::string(1, sign[0]);
      text = "(" + old + ")" + operation + "(" + text + ")";
    }
    if (text.size() > kLongest) return;
    if (first && has_word(text, variable)) return;
    local_values_.push_back({variable, {text}, false, name, end});
    const auto known = program_.constants.find(variable);
    if (!first && known != program_.constants.end() && known->second == old) known->second = std::move(text);
  }

  /// `grid.x = (n + 255) / 256;` of a variable of the type dim3: from now on it has this extent.
  bool add_extent(std::size_t name, std::size_t last, std::size_t end) {
    const std::size_t axis = std::string_view("xyz").find(tokens()[name + 2].text);
    const std::string shape(tokens()[name].text);
    if (axis == std::string_view::npos || tokens()[name + 2].text.size() != 1 || !shapes_.contains(shape))
      return false;
    std::size_t behind = name + 4;
    while (behind < last && !at(behind, ";")) ++behind;
    std::vector<std::string> extents;
    for (const LocalValue& value : local_values_) {
      if (value.shape && value.name == shape && value.begin < name && name < value.end) extents = value.texts;
    }
    if (extents.size() <= axis) extents.resize(axis + 1, "1");
    extents[axis] = text_of(tokens(), {name + 4, behind});
    local_values_.push_back({shape, extents, true, name, end});
    program_.shapes.insert_or_assign(shape, std::move(extents));
    return true;
  }

  void add_shape(std::size_t name, std::size_t open, std::size_t end) {
    if (open >= tokens().size() || tokens()[open].close >= tokens().size()) return;
    std::vector<std::string> extents;
    for (const TokenSpan& part : parts_of(tokens(), {open + 1, tokens()[open].close}, false))
      extents.push_back(text_of(tokens(), part));
    if (extents.empty()) return;
    local_values_.push_back({std::string(tokens()[name].text), extents, true, name, end});
    program_.shapes.emplace(tokens()[name].text, std::move(extents));
  }

  std::string text_;
  TokenizedText source_;
  std::vector<TokenSpan> spans_;          // of the scopes
  std::vector<std::size_t> offsets_;      // of the kernels
  std::vector<TokenSpan> device_bodies_;  // of kernels and functions for the device
  std::map<std::string, std::size_t> type_offsets_;
  std::vector<LocalValue> local_values_;  // in the text's order
  std::vector<LocalChange> local_changes_;
  std::vector<TokenSpan> loops_;                             // their bodies
  std::map<std::string, std::set<std::size_t>> references_;  // parameters that are ones, by functions' names
  std::map<std::size_t, std::set<std::string>> names_of_functions_;  // by scope
  std::map<std::string, std::set<std::string>> macro_words_;         // names in the texts of macros
  std::set<std::string> shapes_;                                     // names of variables of the type dim3
  std::set<std::string_view> specifier_macros_;
  std::string scope_of_constants_;  // "a::b::" while variables of a namespace are read
  bool in_device_code_ = false;     // while variables of such a function are read
  std::vector<std::pair<std::string_view, TokenSpan>> bodies_;  // of functions that are no kernels
  std::set<std::string> constants_with_values_, device_variables_, external_variables_;
  std::vector<Declaration> declarations_;
  ProgramText program_;
};

using Uses = std::map<std::string, std::set<std::string>>;

/// Whether code that writes `names` writes a variable of a type, and not only what a pointer points to.
bool writes_variable(const std::set<std::string>& names, const std::string& variable,
                     const std::string& type) {
  const bool pointer = type.find('*') != std::string::npos && type.find('[') == std::string::npos;
  return names.contains(variable) || (!pointer && names.contains(variable + "[]"));
}

/// Whether code with `names` uses an array, or a row of it, as a pointer, by which it may write.
bool passes_on(const std::set<std::string>& names, const std::string& variable, const std::string& type) {
  const auto dimensions = std::count(type.begin(), type.end(), '[');
  for (std::ptrdiff_t subscripts = 0; subscripts < dimensions; ++subscripts) {
    if (names.contains(variable + "/" + std::to_string(subscripts))) return true;
  }
  return false;
}

/// The variables in constant memory, and variables of the device, that a kernel names, or the functions that
/// it calls.
void find_constants(ProgramText& program, const Uses& uses, const Uses& writes) {
  for (TextKernel& kernel : program.kernels) {
    std::set<std::string> seen;
    for (std::vector<std::string> left = kernel.names_in_body; !left.empty();) {
      const std::string name = std::move(left.back());
      left.pop_back();
      if (!seen.insert(name).second) continue;
      if (program.constant_variables.contains(name)) kernel.constants.push_back(name);
      if (program.read_variables.contains(name)) kernel.read_variables.push_back(name);
      if (program.state_variables.contains(name)) kernel.state.insert(name);
      if (const auto also = writes.find(name); also != writes.end())
        kernel.written.insert(also->second.begin(), also->second.end());
      const auto used = uses.find(name);
      if (used != uses.end()) left.insert(left.end(), used->second.begin(), used->second.end());
    }
    std::sort(kernel.constants.begin(), kernel.constants.end());
    std::sort(kernel.read_variables.begin(), kernel.read_variables.end());
    std::set<std::string> written;
    for (const std::string& name : kernel.state) {
      const std::string& type = program.state_variables.at(name);
      if (writes_variable(kernel.written, name, type)) written.insert(name);
      if (passes_on(kernel.written, name, type)) kernel.passed_on.insert(name);
    }
    kernel.written = std::move(written);
  }
}

/// Classes with bases have the members of the bases first, as they lie in memory; of unions one form is
/// taken.
void add_members_of_bases(ProgramText& program) {
  const auto is_plain = [](const TextClass& one) {
    return one.bases.empty() && !one.is_union &&
           std::none_of(one.members.begin(), one.members.end(),
                        [](const TextParameter& member) { return member.name.empty(); });
  };
  for (const auto& [name, classes] : program.classes) {
    const auto record = program.records.find(name);
    if (record == program.records.end() || classes.size() != 1 || is_plain(classes.front())) continue;
    auto members = members_of_type(program, name);
    if (!members) continue;  // bases of a library, which mostly have none
    std::set<std::string> names;
    for (TextParameter& member : *members) {
      while (!names.insert(member.name).second) member.name += "_";
    }
    record->second = std::move(*members);
  }
}

/// Vectors of glm as members are arrays: they are aligned like their numbers.
void write_out_glm(ProgramText& program) {
  for (auto& [name, members] : program.records) {
    for (TextParameter& member : members) {
      const std::size_t open = member.type.find('[');
      const std::string type = member.type.substr(0, open);
      const auto row =
          type.find_first_of("*&") == std::string::npos ? numbers_of_library(program, type) : std::nullopt;
      if (!row) continue;
      member.type = row->type + " [" + std::to_string(row->count) + "]" +
                    (open == std::string::npos ? "" : member.type.substr(open));
    }
  }
}

/// Members of a type such as `typedef float Row[4];` are arrays: `Row rows[2]` is "float [2][4]".
void write_out_array_types(ProgramText& program) {
  constexpr int kMostAliases = 8;
  for (auto& [name, members] : program.records) {
    for (TextParameter& member : members) {
      std::string type(trim(member.type.substr(0, member.type.find('['))));
      std::string extents = member.type.substr(std::min(member.type.find('['), member.type.size()));
      bool arrays = false;
      for (int i = 0; i < kMostAliases; ++i) {
        const auto alias = program.types.find(type);
        if (alias == program.types.end() || alias->second.find_first_of("*&<(") != std::string::npos) break;
        const std::size_t open = std::min(alias->second.find('['), alias->second.size());
        arrays = arrays || open < alias->second.size();
        extents += alias->second.substr(open);
        type = std::string(trim(alias->second.substr(0, open)));
      }
      if (arrays) member.type = type + " " + extents;
    }
  }
}

/// A device function, and a prototype with another number of parameters, are overloads, too.
void find_other_overloads(ProgramText& program) {
  for (TextKernel& kernel : program.kernels) {
    const auto [first, last] = program.prototypes.equal_range(kernel.name);
    kernel.overloaded = kernel.overloaded || program.functions.contains(kernel.name) ||
                        std::any_of(first, last, [&](const auto& one) {
                          return one.second != kernel.parameters.size() && one.second > 0;
                        });
  }
}

}  // namespace

ProgramText read_program(const std::string& source, const std::vector<std::string>& other_texts,
                         const std::vector<std::pair<std::string, std::string>>& defines) {
  std::string text = source;
  std::vector<std::string> headers = other_texts;
  std::vector<std::string*> texts = {&text};
  for (std::string& header : headers) texts.push_back(&header);
  write_out_namespaces(texts);
  write_out_qualifiers(texts);
  write_out_macros(texts, defines);
  expand_parameter_macros(texts);
  const std::vector<const std::string*> all(texts.rbegin(), texts.rend());  // the program's own text is last
  const MacroExpander macros = launch_macros(all);
  const ConstantsOfMacros constants = constants_of_macros(all);
  std::deque<ProgramReader> readers;
  for (const std::string* one : texts)
    readers.emplace_back(expand_launch_macros(declare_constants_of_macros(*one, constants), macros));
  std::set<std::string> templates;
  std::set<std::string> used_names, written_symbols, with_values;
  std::set<std::string> copied_symbols, read_symbols, of_devices, written_on_devices, external;
  for (const ProgramReader& reader : readers) {
    reader.add_templates(templates);
    reader.add_used_names(used_names);
    reader.add_written_symbols(written_symbols);
    with_values.insert(reader.constants_with_values().begin(), reader.constants_with_values().end());
    reader.add_names_in_argument("MemcpyToSymbol", 0, copied_symbols);
    reader.add_names_in_argument("MemcpyFromSymbol", 1, read_symbols);
    external.insert(reader.external_variables().begin(), reader.external_variables().end());
    of_devices.insert(reader.device_variables().begin(), reader.device_variables().end());
    reader.add_names_written_on_devices(written_on_devices);
  }
  Uses uses, writes;
  const bool has_constants = std::any_of(readers.begin(), readers.end(),
                                         [](const ProgramReader& reader) { return reader.has_constants(); });
  for (const ProgramReader& reader : readers) {
    if (has_constants) reader.add_uses(used_names, uses, writes);
  }
  std::map<std::string, std::string> known_constants;
  std::map<std::string, std::vector<std::string>> known_shapes;
  for (const ProgramReader& reader : readers) {  // of one name the first counts
    known_constants.insert(reader.constants().begin(), reader.constants().end());
    known_shapes.insert(reader.shapes().begin(), reader.shapes().end());
  }
  ProgramText program = readers.front().run(templates, known_constants, known_shapes);
  for (auto reader = readers.begin() + 1; reader != readers.end(); ++reader) {
    ProgramText other = reader->run(templates, known_constants, known_shapes);
    const std::size_t scopes = program.scopes.size();
    const auto move_scope = [&](std::size_t& scope) {
      if (scope != TextScope::kNone) scope += scopes;
    };
    for (TextKernel& kernel : other.kernels) {
      kernel.line = 0;
      const auto known = std::find_if(program.kernels.begin(), program.kernels.end(),
                                      [&](const TextKernel& one) { return one.name == kernel.name; });
      if (known == program.kernels.end()) {
        program.kernels.push_back(std::move(kernel));
      } else if (known->specialises && !kernel.specialises) {
        *known = std::move(kernel);
      }
    }
    for (TextLaunch& launch : other.launches) {
      launch.line = 0;
      move_scope(launch.scope);
      program.launches.push_back(std::move(launch));
    }
    for (TextScope& scope : other.scopes) {
      move_scope(scope.outer);
      program.scopes.push_back(std::move(scope));
    }
    for (TextCall& call : other.calls) {
      move_scope(call.scope);
      program.calls.push_back(std::move(call));
    }
    program.variables.merge(other.variables);
    program.constants.merge(other.constants);
    program.shapes.merge(other.shapes);
    program.types.merge(other.types);
    program.enumerations.merge(other.enumerations);
    program.alias_parameters.merge(other.alias_parameters);
    for (auto& [name, classes] : other.classes) {
      std::vector<TextClass>& known = program.classes[name];
      std::move(classes.begin(), classes.end(), std::back_inserter(known));
    }
    program.records.merge(other.records);
    program.constant_variables.merge(other.constant_variables);
    program.constant_scopes.merge(other.constant_scopes);
    for (auto& [name, in_scopes] : other.class_scopes) program.class_scopes[name].merge(in_scopes);
    program.expressions.merge(other.expressions);
    program.functions.merge(other.functions);
    program.prototypes.merge(other.prototypes);
    program.texture_users.merge(other.texture_users);
    program.object_users.merge(other.object_users);
  }
  for (TextKernel& kernel : program.kernels) {
    add_passed_fetches(kernel.fetches, kernel.passed_textures, program.texture_users);
    add_passed_calls(kernel.called_with, kernel.passed_objects, program.object_users);
  }
  for (const auto& [name, type] : program.constant_variables) {
    if (of_devices.contains(name) && read_symbols.contains(name)) program.read_variables.emplace(name, type);
  }
  std::erase_if(program.constant_variables, [&](const auto& variable) {
    const std::string& name = variable.first;
    const bool written = writes_variable(written_on_devices, name, variable.second);
    const bool result = written && !program.read_variables.contains(name);
    if (of_devices.contains(name)) {
      const bool copied = copied_symbols.contains(name);
      const bool shared = !copied && external.contains(name) && !program.read_variables.contains(name);
      if (shared) program.shared_variables[name] = with_values.contains(name);
      if (result || shared || (!copied && passes_on(written_on_devices, name, variable.second)))
        program.state_variables.insert(variable);
      return !copied || result;
    }
    return with_values.contains(name) && !written_symbols.contains(name);
  });
  write_out_packs(program);
  add_enumerations_of_cuda(program);
  add_members_of_bases(program);
  write_out_array_types(program);
  write_out_glm(program);
  find_constants(program, uses, writes);
  find_other_overloads(program);
  return program;
}

}  // namespace kiln
