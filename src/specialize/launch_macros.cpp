#include "specialize/launch_macros.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace kiln {
namespace {

/// Or declares types, or instantiates a template. `launching`: macros that launch, whose uses do, too.
bool launches(const std::vector<Token>& tokens, const MacroExpander& launching) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].is("<") && tokens[i + 1].is("<") && tokens[i + 2].is("<")) return true;
    if (tokens[i].is("typedef") || (tokens[i].is("using") && !tokens[i + 1].is("namespace"))) return true;
    if (tokens[i].is("template") && !tokens[i + 1].is("<")) return true;
    if (i > 1 && tokens[i].identifier() && launching.find(tokens[i].text) != nullptr) return true;
  }
  return false;
}

/// `#define SWITCH(type, f, ...) ... f<char, int>(__VA_ARGS__); ... f<float, int>(__VA_ARGS__); ...`.
bool calls_template_by_parameter(const TextMacro& macro) {
  const std::vector<std::string>& words = macro.body;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool parameter =
        std::find(macro.parameters.begin(), macro.parameters.end(), words[i]) != macro.parameters.end();
    if (!parameter || words[i + 1] != "<") continue;
    std::size_t end = i + 2;
    while (end < words.size() && (words[end] == "::" || words[end] == "," || words[end] == "*" ||
                                  continues_identifier(words[end].front())))
      ++end;
    if (end + 1 < words.size() && end > i + 2 && words[end] == ">" && words[end + 1] == "(") return true;
  }
  return false;
}

/// `#define FOR_TYPES(DO) DO(float) DO(half)`.
bool uses_parameter(const TextMacro& macro) {
  for (std::size_t i = 0; i + 1 < macro.body.size(); ++i) {
    const bool parameter =
        std::find(macro.parameters.begin(), macro.parameters.end(), macro.body[i]) != macro.parameters.end();
    if (parameter && macro.body[i + 1] == "(") return true;
  }
  return false;
}

/// Whether a text passes a macro that launches to the macro `name`.
bool is_passed_a_launch(const std::vector<TokenizedText>& sources, std::string_view name,
                        const MacroExpander& launching) {
  for (const TokenizedText& source : sources) {
    const std::vector<Token>& tokens = source.tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is(name) || !tokens[i + 1].is("(") || tokens[i + 1].close >= tokens.size()) continue;
      for (const TokenSpan& part : parts_of(tokens, {i + 2, tokens[i + 1].close}, false)) {
        if (part.end == part.begin + 1 && launching.find(tokens[part.begin].text) != nullptr) return true;
      }
    }
  }
  return false;
}

/// Where the macro calls what it gets (`__VA_ARGS__()`) behind a place of its body, in the same block.
bool calls_behind(const std::vector<std::string>& words, std::size_t from) {
  for (std::size_t i = from; i + 1 < words.size() && words[i] != "}"; ++i) {
    if (words[i] == "__VA_ARGS__" && words[i + 1] == "(") return true;
  }
  return false;
}

/// `constexpr static int NAME = 4;` or `using NAME = half;` at `at`; absent: there is none. `at` is its end.
std::optional<DeclaredConstant> constant_at(const std::vector<std::string>& words, std::size_t& at) {
  DeclaredConstant constant;
  const bool alias = words[at] == "using";
  if (!alias && words[at] != "constexpr" && words[at] != "const") return std::nullopt;
  std::size_t name = at + 1;
  for (; name + 1 < words.size() && words[name + 1] != "="; ++name) {
    if (!continues_identifier(words[name].front()) && words[name] != "::") break;
    if (words[name] != "static" && words[name] != "const" && words[name] != "constexpr")
      append_token(constant.type, words[name]);
  }
  if (name + 1 >= words.size() || words[name + 1] != "=" || constant.type.empty() != alias)
    return std::nullopt;
  std::size_t end = name + 2;
  for (; end < words.size() && words[end] != ";"; ++end) append_token(constant.value, words[end]);
  if (end == words.size()) return std::nullopt;
  constant.name = words[name];
  at = end;
  return constant;
}

/// The first of each parameter and each name.
std::vector<DeclaredConstant> constants_of(const TextMacro& macro) {
  std::vector<DeclaredConstant> constants;
  const std::vector<std::string>& words = macro.body;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t begin = i;
    auto constant = constant_at(words, i);
    if (!constant) continue;
    const auto parameter = std::find(macro.parameters.begin(), macro.parameters.end(), constant->name);
    const bool of_library = constant->type.empty() && constant->value.find("::") != std::string::npos;
    if (parameter != macro.parameters.end()) {
      constant->parameter = static_cast<std::size_t>(parameter - macro.parameters.begin());
      constant->name.clear();
    } else if (!calls_behind(words, i) ||
               std::any_of(words.begin() + static_cast<std::ptrdiff_t>(begin),
                           words.begin() + static_cast<std::ptrdiff_t>(i), [&](const std::string& word) {
                             return std::find(macro.parameters.begin(), macro.parameters.end(), word) !=
                                    macro.parameters.end();
                           })) {
      continue;
    }
    const bool known = std::any_of(constants.begin(), constants.end(), [&](const DeclaredConstant& one) {
      return one.parameter == constant->parameter && one.name == constant->name;
    });
    if (!known && !of_library) constants.push_back(*std::move(constant));
  }
  return constants;
}

bool stands_for_several(const TextMacro* macro) {
  return macro != nullptr && !macro->function &&
         std::find(macro->body.begin(), macro->body.end(), ",") != macro->body.end();
}

/// Behind `__global__` at `i`; empty: none. Attributes have parentheses, too.
TokenSpan parameters_of_kernel(const std::vector<Token>& tokens, std::size_t i) {
  for (++i; i < tokens.size() && !tokens[i].is(";") && !tokens[i].is("{"); ++i) {
    if (!tokens[i].is("(")) continue;
    const std::string_view name = tokens[i - 1].text;
    if (tokens[i - 1].identifier() && !name.starts_with("__")) return {i + 1, tokens[i].close};
    i = tokens[i].close;
  }
  return {};
}

}  // namespace

void expand_parameter_macros(const std::vector<std::string*>& texts) {
  MacroExpander expander;
  std::deque<std::string> originals;  // the tokens are views of them
  std::vector<TokenizedText> sources;
  for (const std::string* text : texts) {
    sources.push_back(tokenize(originals.emplace_back(*text)));
    for (const Directive& directive : sources.back().directives) {
      const auto macro = macro_of(directive);
      if (macro) expander.learn(directive.tokens[1].text, *macro);
    }
  }
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const std::vector<Token>& tokens = sources[t].tokens;
    // Behind the use of a macro with which the part begins; 0: it begins with none that is written out.
    const auto end_of_use = [&](const TokenSpan& part) -> std::size_t {
      const TextMacro* macro = part.empty() ? nullptr : expander.find(tokens[part.begin].text);
      if (stands_for_several(macro)) return part.begin + 1;
      if (macro == nullptr || !macro->function || part.end < part.begin + 3) return 0;
      const Token& open = tokens[part.begin + 1];
      return open.is("(") && open.close < part.end ? open.close + 1 : 0;
    };
    const auto written_out = [&](const TokenSpan& use) -> std::optional<TextEdit> {
      std::vector<std::string> words;
      for (std::size_t i = use.begin; i < use.end; ++i) words.emplace_back(tokens[i].text);
      const auto expansion = expander.expanded(words);
      if (!expansion) return std::nullopt;
      std::string code;
      for (const std::string& one : expansion->words) append_token(code, one);
      const std::size_t begin = tokens[use.begin].offset, length = tokens[use.end - 1].end() - begin;
      const std::string_view written = std::string_view(originals[t]).substr(begin, length);
      code.append(static_cast<std::size_t>(std::count(written.begin(), written.end(), '\n')), '\n');
      return TextEdit{begin, length, std::move(code)};
    };
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is("__global__")) continue;
      const TokenSpan parameters = parameters_of_kernel(tokens, i);
      for (TokenSpan part : parts_of(tokens, parameters, true)) {
        // A macro may end with a comma, so that the next use is in the same part.
        for (std::size_t end = end_of_use(part); end != 0; end = end_of_use(part)) {
          if (auto edit = written_out({part.begin, end})) edits.push_back(*std::move(edit));
          part.begin = end;
        }
      }
    }
    if (!edits.empty()) *texts[t] = apply_edits(originals[t], std::move(edits));
  }
}

MacroExpander launch_macros(const std::vector<const std::string*>& texts) {
  std::vector<TokenizedText> sources;
  sources.reserve(texts.size());
  for (const std::string* text : texts) sources.push_back(tokenize(*text));
  MacroExpander expander;
  std::size_t known = 0;
  do {  // until no macro is known to use a macro that launches
    known = expander.macros().size();
    for (const TokenizedText& source : sources) {
      for (const Directive& directive : source.directives) {
        const auto macro = macro_of(directive);
        if (!macro || !macro->function) continue;
        const std::string_view name = directive.tokens[1].text;
        if (launches(directive.tokens, expander) || calls_template_by_parameter(*macro) ||
            (uses_parameter(*macro) && is_passed_a_launch(sources, name, expander)))
          expander.define(name, *macro);
      }
    }
  } while (expander.macros().size() != known);
  return expander;
}

std::string expand_launch_macros(const std::string& text, const MacroExpander& macros) {
  const auto joined = [](const MacroExpander::Expansion& expansion) {
    std::string code;
    for (const std::string& word : expansion.words) append_token(code, word);
    return std::optional(code);
  };
  const TokenizedText source = tokenize(text);
  return with_macros_expanded(text, source, macros, std::numeric_limits<std::size_t>::max(), joined);
}

ConstantsOfMacros constants_of_macros(const std::vector<const std::string*>& texts) {
  ConstantsOfMacros declared;
  for (const std::string* text : texts) {
    if (text->find("const") == std::string::npos && text->find("using") == std::string::npos) continue;
    const TokenizedText source = tokenize(*text);
    for (const Directive& directive : source.directives) {
      const auto macro = macro_of(directive);
      if (!macro || !macro->function) continue;
      std::vector<DeclaredConstant> constants = constants_of(*macro);
      if (!constants.empty()) declared[std::string(directive.tokens[1].text)] = std::move(constants);
    }
  }
  return declared;
}

std::string declare_constants_of_macros(const std::string& text, const ConstantsOfMacros& declared) {
  if (declared.empty()) return text;
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  std::map<std::size_t, std::string> constants;  // by the places in front of which they stand
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const auto found = tokens[i + 1].is("(") ? declared.find(tokens[i].text) : declared.end();
    if (found == declared.end() || tokens[i + 1].close >= tokens.size()) continue;
    const std::vector<TokenSpan> arguments = parts_of(tokens, {i + 2, tokens[i + 1].close}, false);
    std::size_t statement = i;
    while (statement > 0 && !tokens[statement - 1].is(";") && !tokens[statement - 1].is("{") &&
           !tokens[statement - 1].is("}"))
      --statement;
    for (const DeclaredConstant& constant : found->second) {
      std::string name = constant.name;
      if (name.empty()) {
        if (constant.parameter >= arguments.size()) continue;
        const TokenSpan given = arguments[constant.parameter];
        if (given.end != given.begin + 1 || !tokens[given.begin].identifier()) continue;
        name = tokens[given.begin].text;
      }
      constants[tokens[statement].offset] +=
          (constant.type.empty() ? "using " : "const " + constant.type + " ") + name + " = " +
          constant.value + "; ";
    }
  }
  std::vector<TextEdit> edits;
  edits.reserve(constants.size());
  for (auto& [offset, written] : constants) edits.push_back({offset, 0, std::move(written)});
  return apply_edits(text, std::move(edits));
}

}  // namespace kiln
