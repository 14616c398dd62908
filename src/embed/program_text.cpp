#include "embed/program_text.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "compile/outline.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// A kernel's definition, with the places of its name and of its parameter list.
struct KernelDefinition {
  const DefinitionOutline* outline = nullptr;
  std::size_t name = 0, open = 0;  ///< tokens
};

std::vector<KernelDefinition> definitions_of(const Outline& outline, const std::string& kernel) {
  const std::vector<Token>& tokens = outline.source.tokens;
  std::vector<KernelDefinition> found;
  for (const DefinitionOutline& definition : outline.definitions) {
    if (!definition.kernel || definition.name != kernel) continue;
    for (std::size_t i = definition.head.begin; i < definition.head.end; ++i) {
      if (tokens[i].text.data() != definition.name.data()) continue;
      std::size_t open = i + 1;
      while (open < definition.head.end && !tokens[open].is("(")) ++open;  // over template arguments
      if (open < definition.head.end) found.push_back({&definition, i, open});
    }
  }
  return found;
}

std::vector<KernelDefinition> require_definitions(const Outline& outline, const std::string& kernel,
                                                  const std::string& purpose) {
  auto found = definitions_of(outline, kernel);
  if (!found.empty()) return found;
  throw bad_input(purpose + " of kernel '" + kernel + "': the program's own text does not define it");
}

/// The identifier that names each parameter, as a token; `npos` for one without a name.
std::vector<std::size_t> parameter_names(const std::vector<Token>& tokens, std::size_t open) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> names;
  const std::size_t close = std::min(tokens[open].close, tokens.size());
  std::size_t name = kNone, words = 0;
  int angles = 0;
  bool is_default = false;
  for (std::size_t i = open + 1; i <= close && i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (i == close || (token.is(",") && angles == 0)) {
      if (words > 0) names.push_back(words > 1 ? name : kNone);  // a lone word is a type
      name = kNone;
      words = 0;
      is_default = false;
    } else if (token.is("<")) {
      ++angles;
    } else if (token.is(">")) {
      --angles;
    } else if (token.is(">>")) {
      angles -= 2;
    } else if (token.is("=") || token.is("[")) {
      is_default = true;
    } else if (token.is("(")) {
      i = std::min(token.close, close);
    } else if (angles == 0 && !is_default) {
      ++words;
      name = token.identifier() ? i : name;
    }
  }
  return names;
}

}  // namespace

std::string with_constants(const std::string& text, const std::string& kernel,
                           const std::vector<ConstantText>& constants) {
  const Outline outlined = outline(text);
  const std::vector<Token>& tokens = outlined.source.tokens;
  std::vector<TextEdit> edits;
  for (const KernelDefinition& definition : require_definitions(outlined, kernel, "a constant")) {
    const std::vector<std::size_t> names = parameter_names(tokens, definition.open);
    std::string variables;
    for (const auto& [argument, value] : constants) {
      if (static_cast<std::size_t>(argument) >= names.size()) {
        throw bad_input("a constant of kernel '" + kernel + "': argument " + std::to_string(argument) +
                        " of " + std::to_string(names.size()) + "; they count from 0");
      }
      const std::size_t name = names[static_cast<std::size_t>(argument)];
      if (name >= tokens.size()) continue;  // a parameter without a name has no use
      const std::string parameter = std::string(tokens[name].text) + "_kiln_argument";
      edits.push_back({tokens[name].offset, tokens[name].text.size(), parameter});
      variables.append(" [[maybe_unused]] decltype(")
          .append(parameter)
          .append(") ")
          .append(tokens[name].text);
      variables.append(" = static_cast<decltype(").append(parameter).append(")>(").append(value).append(");");
    }
    edits.push_back({tokens[definition.outline->body.begin - 1].end(), 0, variables});
  }
  return apply_edits(text, std::move(edits));
}

std::string with_launch_bounds(const std::string& text, const std::string& kernel,
                               const std::string& bounds) {
  const Outline outlined = outline(text);
  const std::vector<Token>& tokens = outlined.source.tokens;
  std::vector<TextEdit> edits;
  for (const KernelDefinition& definition : require_definitions(outlined, kernel, "launch bounds")) {
    for (std::size_t i = definition.outline->head.begin; i < definition.name; ++i) {
      if (tokens[i].is("__launch_bounds__"))
        throw bad_input("launch bounds of kernel '" + kernel + "': the text gives it some already, in line " +
                        std::to_string(tokens[i].line));
    }
    edits.push_back({tokens[definition.name].offset, 0, "__launch_bounds__(" + bounds + ") "});
  }
  return apply_edits(text, std::move(edits));
}

std::string signature_check(const std::string& name_expression,
                            const std::vector<detail::ArgumentType>& arguments, const std::string& file) {
  std::vector<std::string> passed;
  passed.reserve(arguments.size());
  for (const detail::ArgumentType& argument : arguments)
    passed.push_back(argument.name.empty() ? "kiln_signature::Any" : argument.name);
  std::string whole;
  for (const char* type : {"char", "signed char", "unsigned char", "short", "unsigned short", "int",
                           "unsigned", "long", "unsigned long", "long long", "unsigned long long"}) {
    whole.append("template <> struct Meant<").append(type).append("> { using type = Whole<sizeof(");
    whole.append(type).append("), (static_cast<").append(type).append(">(-1) < 0)>; };\n");
  }
  const std::string count = std::to_string(arguments.size());
  return "\n#line 1 \"" + file + ", what the program passes to " + name_expression + "\"\n" +
         R"(namespace kiln_signature {
template <class... T> struct List { static constexpr int count = sizeof...(T); };
template <class F> struct Takes;
template <class... A> struct Takes<void (*)(A...)> { using type = List<A...>; };
template <unsigned Bytes, bool Signed> struct Whole {};
template <class T> struct Meant { using type = T; };
template <class T> struct Meant<const T> { using type = const typename Meant<T>::type; };
template <class T> struct Meant<T*> { using type = typename Meant<T>::type*; };
)" + whole +
         R"(template <class A, class B> struct Same { static constexpr bool value = false; };
template <class A> struct Same<A, A> { static constexpr bool value = true; };
template <class Kernel, class Program> struct Accepts {
  static constexpr bool value = Same<typename Meant<Kernel>::type, typename Meant<Program>::type>::value;
};
template <class Kernel, class Program> struct Accepts<const Kernel*, Program*> {
  static constexpr bool value = Same<typename Meant<const Kernel>::type, typename Meant<const Program>::type>::value;
};
struct Any {};
template <class Kernel> struct Accepts<Kernel, Any> { static constexpr bool value = true; };
template <int Argument, class Kernel, class Program> struct Check {
  static_assert(Accepts<Kernel, Program>::value, "Kiln: the program passes another type than the kernel takes");
  static constexpr bool value = true;
};
template <int Argument, class Kernel, class Program> struct All { static constexpr bool value = true; };
template <int Argument, class K, class... Ks, class P, class... Ps>
struct All<Argument, List<K, Ks...>, List<P, Ps...>> {
  static constexpr bool value = Check<Argument, K, P>::value && All<Argument + 1, List<Ks...>, List<Ps...>>::value;
};
}
using kiln_signature_of_kernel = kiln_signature::Takes<decltype(&)" +
         name_expression + R"()>::type;
static_assert(kiln_signature_of_kernel::count == )" +
         count + R"(, "Kiln: the program passes )" + count +
         R"( arguments, the kernel takes another number");
static_assert(kiln_signature::All<0, kiln_signature_of_kernel, kiln_signature::List<)" +
         join(passed, ", ") +
         R"(>>::value, "");
)";
}

std::optional<std::string> find_mismatch_in(const std::string& log) {
  constexpr std::string_view kCheck = "kiln_signature::Check<";
  if (log.find("Kiln: the program passes ") == std::string::npos) return std::nullopt;
  const std::size_t begin = log.find(kCheck);
  if (begin == std::string::npos) return "";  // another number of arguments
  // "Check<3, double*, float*>", or "Check<Argument, Kernel, Program> [with Argument=3, Kernel=double *,
  // ...]"
  std::string_view rest = std::string_view(log).substr(begin + kCheck.size());
  const std::size_t with = rest.starts_with("Argument") ? rest.find('[') : std::string_view::npos;
  if (with != std::string_view::npos) rest.remove_prefix(with);
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : rest.substr(0, rest.find('\n'))) {
    if ((c == '>' && depth == 0) || c == ']') break;
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = trim(std::string_view(part).substr(part.find('=') + 1));
  if (parts.size() != 3) return "";
  return "argument " + parts[0] + " is " + parts[1] + ", the program passes " + parts[2];
}

}  // namespace kiln
