#include "specialize/pasted_names.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/text.h"
#include "specialize/macro_expander.h"

namespace kiln {

void write_out_pasted_names(const std::vector<std::string*>& texts,
                            const std::vector<std::pair<std::string, std::string>>& defines) {
  const auto may_paste = [](const std::string* text) { return text->find("##") != std::string::npos; };
  if (std::none_of(texts.begin(), texts.end(), may_paste)) return;
  MacroExpander expander;
  for (const auto& [name, value] : defines)
    expander.learn(name, {false, false, {}, macro_words(tokenize(value).tokens)});
  std::deque<std::string> originals;  // the tokens are views of them
  std::vector<TokenizedText> sources;
  for (const std::string* text : texts) {
    sources.push_back(tokenize(originals.emplace_back(*text)));
    for (const Directive& directive : sources.back().directives) {
      if (const auto macro = macro_of(directive)) expander.learn(directive.tokens[1].text, *macro);
    }
  }
  const auto& macros = expander.macros();
  if (std::none_of(macros.begin(), macros.end(), [](const auto& one) { return one.second.pastes(); })) return;
  const auto one_name = [](const MacroExpander::Expansion& expansion) -> std::optional<std::string> {
    const bool name =
        expansion.pasted && expansion.words.size() == 1 && is_identifier(expansion.words.front());
    return name ? std::optional(expansion.words.front()) : std::nullopt;
  };
  constexpr std::size_t kLongest = 32;  // tokens of a name
  for (std::size_t t = 0; t < texts.size(); ++t)
    *texts[t] = with_macros_expanded(originals[t], sources[t].tokens, expander, kLongest, one_name);
}

}  // namespace kiln
