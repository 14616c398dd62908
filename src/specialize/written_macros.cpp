#include "specialize/written_macros.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/macro_expander.h"

namespace kiln {
namespace {

using Words = std::vector<std::string>;
using MacroNames = std::set<std::string, std::less<>>;
using TextPointers = std::vector<std::string*>;

/// The texts as they were, in tokens.
class Sources {
 public:
  explicit Sources(const TextPointers& texts) {
    for (const std::string* text : texts) tokens_.push_back(tokenize(originals_.emplace_back(*text)));
  }

  void teach(MacroExpander& expander) const {
    for (const TokenizedText& source : tokens_) {
      for (const Directive& directive : source.directives) {
        if (const auto macro = macro_of(directive)) expander.learn(directive.tokens[1].text, *macro);
      }
    }
  }

  /// Macros whose definitions all are words of `wanted`, or empty, and what they stand for.
  [[nodiscard]] std::map<std::string, std::string, std::less<>> macros_of(
      const std::set<std::string_view>& wanted) const {
    std::map<std::string, std::string, std::less<>> found;
    MacroNames others;
    for (const TokenizedText& source : tokens_) {
      for (const Directive& directive : source.directives) {
        const auto macro = macro_of(directive);
        if (!macro) continue;
        const std::string name(directive.tokens[1].text);
        const bool fits =
            !macro->function && std::all_of(macro->body.begin(), macro->body.end(),
                                            [&](const auto& word) { return wanted.contains(word); });
        if (!fits) others.insert(name);
        const std::string text = join(macro->body, " ");
        if (const auto [known, first] = found.try_emplace(name, text); !first && known->second != text)
          known->second.clear();
      }
    }
    std::erase_if(found, [&](const auto& one) { return others.contains(one.first); });
    return found;
  }

  /// Names behind #undef.
  [[nodiscard]] MacroNames undefined() const {
    MacroNames names;
    for (const TokenizedText& source : tokens_) {
      MacroNames here;
      for (const Directive& directive : source.directives) {
        if (directive.tokens.size() < 2) continue;
        const std::string name(directive.tokens[1].text);
        if (directive.tokens[0].is("undef")) here.insert(name);
        if (directive.tokens[0].is("define")) here.erase(name);  // `#undef` in front of it is for other files
      }
      names.merge(here);
    }
    return names;
  }

  /// Names behind `class` and `struct`, of definitions and of declarations.
  void add_class_names(MacroNames& names) const {
    for (const TokenizedText& source : tokens_) {
      const std::vector<Token>& tokens = source.tokens;
      for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const bool key = tokens[i].is("class") || tokens[i].is("struct") || tokens[i].is("union");
        const Token& behind = tokens[i + 2];
        if (key && (behind.is("{") || behind.is(":") || behind.is(";") || behind.is("final")))
          names.emplace(tokens[i + 1].text);
      }
    }
  }

  /// Whether as many braces close as open when these names are replaced, by text.
  [[nodiscard]] bool closes(std::size_t text, const std::map<std::string, int, std::less<>>& opened) const {
    int depth = 0;
    for (const Token& token : tokens_[text].tokens) {
      if (token.is("{")) ++depth;
      if (token.is("}")) --depth;
      if (const auto macro = opened.find(token.text); macro != opened.end()) depth += macro->second;
    }
    return depth == 0;
  }

  /// Writes other names in place of names, outside of preprocessor lines, in texts for which `wanted` holds,
  /// where it is given.
  void replace(const TextPointers& texts, const std::map<std::string, std::string, std::less<>>& names,
               const std::function<bool(std::size_t)>& wanted = {}) const {
    for (std::size_t t = 0; t < texts.size(); ++t) {
      if (wanted && !wanted(t)) continue;
      std::vector<TextEdit> edits;
      for (const Token& token : tokens_[t].tokens) {
        const auto name = token.identifier() ? names.find(token.text) : names.end();
        if (name != names.end()) edits.push_back({token.offset, token.text.size(), name->second});
      }
      *texts[t] = apply_edits(originals_[t], std::move(edits));
    }
  }

  void expand(const TextPointers& texts, const MacroExpander& expander, std::size_t longest,
              const MacroReplacement& replacement, const MacroUse& may_be_expanded = {}) const {
    for (std::size_t t = 0; t < texts.size(); ++t)
      *texts[t] =
          with_macros_expanded(originals_[t], tokens_[t], expander, longest, replacement, may_be_expanded);
  }

 private:
  std::deque<std::string> originals_;  // the tokens are views of them
  std::vector<TokenizedText> tokens_;
};

bool any_has(const TextPointers& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string* text) { return text->find(part) != std::string::npos; });
}

/// Whether the words define functions or variables for devices, with their bodies: not an expression that
/// holds a lambda, nor a head alone.
bool defines_for_devices(const Words& words) {
  const auto mark = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word == "__global__" || word == "__device__";
  });
  if (std::find(mark, words.end(), "{") == words.end()) return false;
  bool after_attribute = false;
  int depth = 0;
  for (auto word = words.begin(); word != mark; ++word) {
    if (*word == "(" && (after_attribute || depth > 0)) {
      ++depth;
    } else if (*word == ")" && depth > 0) {
      --depth;
    } else if (depth == 0 && (*word == "(" || *word == "{" || *word == "[" || *word == "=")) {
      return false;
    }
    after_attribute = *word == "__launch_bounds__" || *word == "__attribute__";
  }
  return true;
}

/// The macros with parameters for which `holds`, and those that use one of them.
MacroNames with_users(const MacroExpander& all, const std::function<bool(const TextMacro&)>& holds) {
  std::map<std::string, std::vector<std::string>, std::less<>> users;
  std::vector<std::string> found;
  for (const auto& [name, macro] : all.macros()) {
    if (!macro.function) continue;
    for (const std::string& word : macro.body) {
      if (all.find(word) != nullptr) users[word].push_back(name);
    }
    if (holds(macro)) found.push_back(name);
  }
  MacroNames names;
  while (!found.empty()) {
    const std::string name = std::move(found.back());
    found.pop_back();
    if (!names.insert(name).second) continue;
    const auto of_name = users.find(name);
    if (of_name != users.end()) found.insert(found.end(), of_name->second.begin(), of_name->second.end());
  }
  return names;
}

bool contains_word(const Words& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

/// Whether a use of one of `names` in the words has another macro among its arguments.
bool passes_macros(const Words& words, const MacroNames& names,
                   const std::function<bool(const std::string&)>& is_macro) {
  int depth = 0;  // of the brackets of a use
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (depth > 0 && is_macro(words[i])) return true;
    if (words[i] == "(" && (depth > 0 || (i > 0 && names.contains(words[i - 1])))) ++depth;
    if (words[i] == ")" && depth > 0) --depth;
  }
  return false;
}

/// Other macros stay, in what is written out, too.
void write_out_definitions(const TextPointers& texts,
                           const std::vector<std::pair<std::string, std::string>>& defines) {
  if (!any_has(texts, "__global__") && !any_has(texts, "__device__")) return;
  const Sources sources(texts);
  MacroExpander all, definers;
  sources.teach(all);
  const MacroNames undefined = sources.undefined();
  const auto is_given = [&](const std::string& name) {
    return std::any_of(defines.begin(), defines.end(), [&](const auto& define) {
      return define.first.substr(0, define.first.find('(')) == name;
    });
  };
  const MacroNames names =
      with_users(all, [](const TextMacro& macro) { return defines_for_devices(macro.body); });
  // An argument that is a macro is replaced before a macro inside pastes it or makes a text of it. One that
  // the macro itself pastes is not, and all others are replaced in what is written out.
  const auto pastes = [](const TextMacro& macro) { return macro.pastes() || contains_word(macro.body, "#"); };
  const MacroNames pasting = with_users(all, pastes);
  const auto is_macro = [&](const std::string& word) {
    return (all.find(word) != nullptr && !names.contains(word)) || is_given(word);
  };
  for (const auto& [name, macro] : all.macros()) {
    const bool clear =
        names.contains(name) && !all.several(name) && !undefined.contains(name) && !is_given(name);
    if (clear && !passes_macros(macro.body, pasting, is_macro)) definers.learn(name, macro);
  }
  if (definers.macros().empty()) return;
  const auto definition = [](const MacroExpander::Expansion& expansion) -> std::optional<std::string> {
    if (!defines_for_devices(expansion.words)) return std::nullopt;
    std::string text;
    for (const std::string& word : expansion.words) append_token(text, word);
    return text;
  };
  const auto may_be_written = [&](const Words& use) {
    const Words& body = definers.find(use.front())->body;
    const bool pastes_inside = std::any_of(body.begin(), body.end(),
                                           [&](const std::string& word) { return pasting.contains(word); });
    return !pastes_inside || !passes_macros(use, names, is_macro);
  };
  sources.expand(texts, definers, std::numeric_limits<std::size_t>::max(), definition, may_be_written);
}

void write_out_pasted_names(const TextPointers& texts,
                            const std::vector<std::pair<std::string, std::string>>& defines) {
  if (!any_has(texts, "##")) return;
  MacroExpander expander;
  for (const auto& [name, value] : defines)
    expander.learn(name, {false, false, {}, macro_words(tokenize(value).tokens)});
  const Sources sources(texts);
  sources.teach(expander);
  const auto& macros = expander.macros();
  if (std::none_of(macros.begin(), macros.end(), [](const auto& one) { return one.second.pastes(); })) return;
  const auto one_name = [](const MacroExpander::Expansion& expansion) -> std::optional<std::string> {
    const bool name =
        expansion.pasted && expansion.words.size() == 1 && is_identifier(expansion.words.front());
    return name ? std::optional(expansion.words.front()) : std::nullopt;
  };
  constexpr std::size_t kLongest = 32;  // tokens of a name
  sources.expand(texts, expander, kLongest, one_name);
}

/// `#define UNROLL #pragma unroll`: nvcc reads the text that its preprocessor has made, where that is a
/// pragma.
void write_pragmas_as_operators(const TextPointers& texts) {
  for (std::string* text : texts) {
    if (text->find("#pragma") == std::string::npos || text->find("define") == std::string::npos) continue;
    std::vector<TextEdit> edits;
    const TokenizedText source = tokenize(*text);
    for (const Directive& directive : source.directives) {
      const std::vector<Token>& words = directive.tokens;
      if (words.size() < 5 || !words[0].is("define") || !words[2].is("#") || !words[3].is("pragma")) continue;
      const std::size_t begin = words[2].offset, end = words.back().end();
      const std::string content = text->substr(words[4].offset, end - words[4].offset);
      if (content.find_first_of("\"\\\n") == std::string::npos)
        edits.push_back({begin, end - begin, "_Pragma(\"" + content + "\")"});
    }
    if (!edits.empty()) *text = apply_edits(*text, std::move(edits));
  }
}

/// `class FIELD {...};` with `#define FIELD fp_t` is the class fp_t, as kernels call it.
void write_out_class_names(const TextPointers& texts,
                           const std::vector<std::pair<std::string, std::string>>& defines) {
  if (!any_has(texts, "#define") || !(any_has(texts, "class") || any_has(texts, "struct"))) return;
  const Sources sources(texts);
  MacroExpander all;
  sources.teach(all);
  MacroNames names = sources.undefined(), classes;
  for (const auto& [name, value] : defines) names.insert(name);  // stay
  sources.add_class_names(classes);
  std::map<std::string, std::string, std::less<>> written;
  for (const std::string& name : classes) {
    const TextMacro* macro = all.find(name);
    if (macro == nullptr || macro->function || names.contains(name)) continue;
    const auto expansion = all.expanded({name});
    const bool one = expansion && expansion->words.size() == 1 && is_identifier(expansion->words.front()) &&
                     !classes.contains(expansion->words.front()) &&
                     !parse_element_type(expansion->words.front());
    if (one) written.emplace(name, expansion->words.front());
  }
  if (!written.empty()) sources.replace(texts, written);
}

/// How many braces stay open behind words that open namespaces (`namespace lib {`, `extern "C" {`), or close
/// them (`}`); 0: other words.
int opened_namespaces(const Words& words) {
  int depth = 0;
  bool names = false, only_closes = !words.empty();
  for (const std::string& word : words) {
    names = names || word == "namespace" || word == "extern";
    only_closes = only_closes && (word == "}" || word == ";");
    if (word == "(" || word == "class" || word == "struct") return 0;
    if (word == "{") ++depth;
    if (word == "}") --depth;
  }
  return names || only_closes ? depth : 0;
}

}  // namespace

void write_out_namespaces(const std::vector<std::string*>& texts) {
  const Sources sources(texts);
  MacroExpander all;
  sources.teach(all);
  const MacroNames undefined = sources.undefined();
  std::map<std::string, std::string, std::less<>> written;
  std::map<std::string, int, std::less<>> opened;
  for (const auto& [name, macro] : all.macros()) {
    if (macro.function || macro.body.empty() || all.several(name) || undefined.contains(name)) continue;
    const auto expansion = all.expanded({name});
    const int depth = expansion ? opened_namespaces(expansion->words) : 0;
    if (depth == 0) continue;
    std::string& text = written[name];
    for (const std::string& word : expansion->words) append_token(text, word);
    opened[name] = depth;
  }
  if (written.empty()) return;
  sources.replace(texts, written, [&](std::size_t text) { return sources.closes(text, opened); });
}

void write_out_qualifiers(const std::vector<std::string*>& texts) {
  const Sources sources(texts);
  const auto written =
      sources.macros_of({"const", "volatile", "__restrict__", "__restrict", "restrict", "register"});
  if (!written.empty()) sources.replace(texts, written);
}

void write_out_macros(const std::vector<std::string*>& texts,
                      const std::vector<std::pair<std::string, std::string>>& defines) {
  write_pragmas_as_operators(texts);
  write_out_class_names(texts, defines);
  write_out_definitions(texts, defines);
  write_out_pasted_names(texts, defines);
}

}  // namespace kiln
