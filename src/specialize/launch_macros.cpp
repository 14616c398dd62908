#include "specialize/launch_macros.h"

#include <limits>
#include <optional>
#include <vector>

#include "specialize/macro_expander.h"

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

}  // namespace

std::string expand_launch_macros(const std::string& text) {
  const TokenizedText source = tokenize(text);
  MacroExpander expander;
  std::size_t known = 0;
  do {  // until no macro is known to use a macro that launches
    known = expander.macros().size();
    for (const Directive& directive : source.directives) {
      const auto macro = macro_of(directive);
      if (macro && macro->function && launches(directive.tokens, expander))
        expander.define(directive.tokens[1].text, *macro);
    }
  } while (expander.macros().size() != known);
  const auto joined = [](const MacroExpander::Expansion& expansion) {
    std::string code;
    for (const std::string& word : expansion.words) append_token(code, word);
    return std::optional(code);
  };
  return with_macros_expanded(text, source.tokens, expander, std::numeric_limits<std::size_t>::max(), joined);
}

}  // namespace kiln
