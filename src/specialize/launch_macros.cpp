#include "specialize/launch_macros.h"

#include <algorithm>
#include <deque>
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
      if (macro && !macro->function) expander.learn(directive.tokens[1].text, *macro);
    }
  }
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const std::vector<Token>& tokens = sources[t].tokens;
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is("__global__")) continue;
      const TokenSpan parameters = parameters_of_kernel(tokens, i);
      for (const TokenSpan& part : parts_of(tokens, parameters, true)) {
        const Token& word = tokens[part.begin];
        if (part.end != part.begin + 1 || !stands_for_several(expander.find(word.text))) continue;
        const auto expansion = expander.expanded({std::string(word.text)});
        if (!expansion) continue;
        std::string code;
        for (const std::string& one : expansion->words) append_token(code, one);
        edits.push_back({word.offset, word.text.size(), std::move(code)});
      }
    }
    if (!edits.empty()) *texts[t] = apply_edits(originals[t], std::move(edits));
  }
}

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
