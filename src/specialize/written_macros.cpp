#include "specialize/written_macros.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "specialize/macro_expander.h"

namespace kiln {
namespace {

using Words = std::vector<std::string>;
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

  template <class Replacement>
  void expand(const TextPointers& texts, const MacroExpander& expander, std::size_t longest,
              const Replacement& replacement) const {
    for (std::size_t t = 0; t < texts.size(); ++t)
      *texts[t] = with_macros_expanded(originals_[t], tokens_[t].tokens, expander, longest, replacement);
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

/// Other macros stay, in what is written out, too.
void write_out_definitions(const TextPointers& texts) {
  if (!any_has(texts, "__global__") && !any_has(texts, "__device__")) return;
  const Sources sources(texts);
  MacroExpander all, definers;
  sources.teach(all);
  std::set<std::string, std::less<>> names;
  const auto is_definer = [&](const TextMacro& macro) {
    return macro.function && (defines_for_devices(macro.body) ||
                              std::any_of(macro.body.begin(), macro.body.end(),
                                          [&](const std::string& word) { return names.contains(word); }));
  };
  bool more = true;
  while (more) {
    more = false;
    for (const auto& [name, macro] : all.macros()) more |= is_definer(macro) && names.insert(name).second;
  }
  if (names.empty()) return;
  for (const auto& [name, macro] : all.macros()) {
    if (!names.contains(name) || all.several(name)) continue;
    definers.learn(name, macro);
  }
  const auto definition = [](const MacroExpander::Expansion& expansion) -> std::optional<std::string> {
    if (!defines_for_devices(expansion.words)) return std::nullopt;
    std::string text;
    for (const std::string& word : expansion.words) append_token(text, word);
    return text;
  };
  sources.expand(texts, definers, std::numeric_limits<std::size_t>::max(), definition);
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

}  // namespace

void write_out_macros(const std::vector<std::string*>& texts,
                      const std::vector<std::pair<std::string, std::string>>& defines) {
  write_out_definitions(texts);
  write_out_pasted_names(texts, defines);
}

}  // namespace kiln
