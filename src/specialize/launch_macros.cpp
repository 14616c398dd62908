#include "specialize/launch_macros.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {
namespace {

struct Macro {
  std::vector<std::string> parameters;  ///< `__VA_ARGS__` for "..."
  std::vector<Token> body;
};

using Macros = std::map<std::string_view, Macro>;

/// Or declares types, or instantiates a template. `launching`: macros that launch, whose uses do, too.
bool launches(const std::vector<Token>& tokens, const Macros& launching) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].is("<") && tokens[i + 1].is("<") && tokens[i + 2].is("<")) return true;
    if (tokens[i].is("typedef") || (tokens[i].is("using") && !tokens[i + 1].is("namespace"))) return true;
    if (tokens[i].is("template") && !tokens[i + 1].is("<")) return true;
    if (i > 1 && tokens[i].identifier() && launching.contains(tokens[i].text)) return true;
  }
  return false;
}

/// Of "define NAME(a, b) body"; absent for all else.
std::optional<Macro> launching_macro(const std::vector<Token>& words, const Macros& launching) {
  const bool function_like = words.size() > 3 && words[0].is("define") && words[2].is("(") &&
                             words[2].offset == words[1].end() && words[2].close < words.size();
  if (!function_like || !launches(words, launching)) return std::nullopt;
  Macro macro;
  const std::size_t close = words[2].close;
  for (std::size_t i = 3; i < close; ++i) {
    if (words[i].identifier()) macro.parameters.emplace_back(words[i].text);
  }
  const bool variadic = close > 3 && words[close - 1].text.ends_with(".");
  if (variadic) macro.parameters.emplace_back("__VA_ARGS__");
  macro.body.assign(words.begin() + static_cast<std::ptrdiff_t>(close) + 1, words.end());
  return macro;
}

/// What stands between the commas of the brackets that open at `open`, `most` texts: the last has the rest.
std::vector<std::string> arguments_at(std::string_view text, const std::vector<Token>& tokens,
                                      std::size_t open, std::size_t most) {
  std::vector<std::string> arguments;
  const std::size_t close = tokens[open].close;
  const std::vector<TokenSpan> parts = parts_of(tokens, {open + 1, close}, false);
  for (std::size_t i = 0; i < parts.size() && i < most; ++i) {
    const std::size_t begin = parts[i].begin, end = i + 1 == most ? close : parts[i].end;
    const std::size_t offset = tokens[begin].offset;
    arguments.emplace_back(begin < end ? text.substr(offset, tokens[end - 1].end() - offset) : "");
  }
  return arguments;
}

std::string expanded(const Macro& macro, const std::vector<std::string>& arguments) {
  std::string result;
  bool paste = false, hash = false;
  for (const Token& token : macro.body) {
    if (token.is("##") || token.is("#")) {  // two of "#" paste; one makes a string, which no launch needs
      paste = token.is("##") || hash;
      hash = true;
      continue;
    }
    hash = false;
    const auto parameter = std::find(macro.parameters.begin(), macro.parameters.end(), token.text);
    const auto index = static_cast<std::size_t>(parameter - macro.parameters.begin());
    std::string word(token.text);
    if (parameter != macro.parameters.end()) word = index < arguments.size() ? arguments[index] : "";
    if (!paste && !result.empty() && (token.identifier() || token.kind == Token::Kind::kNumber))
      result += ' ';
    result += word;
    paste = false;
  }
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

}  // namespace

std::string expand_launch_macros(const std::string& text) {
  constexpr int kDeepest = 3;  // macros that use macros
  std::string result = text;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::string before = result;
    const TokenizedText source = tokenize(before);
    Macros macros;
    for (std::size_t known = 1; known != macros.size();) {
      known = macros.size();
      for (const Directive& directive : source.directives) {
        if (const auto macro = launching_macro(directive.tokens, macros))
          macros[directive.tokens[1].text] = *macro;
      }
    }
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i + 1 < source.tokens.size(); ++i) {
      const Token& name = source.tokens[i];
      const auto macro = name.identifier() ? macros.find(name.text) : macros.end();
      const std::size_t close = source.tokens[i + 1].close;
      if (macro == macros.end() || !source.tokens[i + 1].is("(") || close >= source.tokens.size()) continue;
      const auto arguments = arguments_at(before, source.tokens, i + 1, macro->second.parameters.size());
      edits.push_back(
          {name.offset, source.tokens[close].end() - name.offset, expanded(macro->second, arguments)});
      i = close;
    }
    if (edits.empty()) break;
    result = apply_edits(before, std::move(edits));
  }
  return result;
}

}  // namespace kiln
