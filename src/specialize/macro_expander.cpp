#include "specialize/macro_expander.h"

#include <algorithm>
#include <utility>

namespace kiln {
namespace {

using Words = std::vector<std::string>;
using Macros = std::map<std::string, TextMacro, std::less<>>;

std::string string_literal(const Words& words) {
  std::string text, literal = "\"";
  for (const std::string& word : words) append_token(text, word);
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

/// Expands one use.
class Expanding {
 public:
  Expanding(const Macros& macros, const std::set<std::string, std::less<>>& several)
      : macros_(macros), several_(several) {}

  [[nodiscard]] Words expanded(const Words& words, int depth) {
    Words result;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto found = macros_.find(words[i]);
      const bool called = found != macros_.end() && found->second.function;
      if (found == macros_.end() || active_.contains(words[i]) ||
          (called && (i + 1 == words.size() || words[i + 1] != "("))) {
        result.push_back(words[i]);
        continue;
      }
      if (several_.contains(words[i]) || depth == kDeepest || ++steps_ > kMostSteps) {
        unclear_ = true;
        return result;
      }
      std::vector<Words> arguments;
      if (called) {
        const std::optional<std::size_t> close = read_arguments(words, i + 1, found->second, arguments);
        if (!close) {
          unclear_ = true;
          return result;
        }
        i = *close;
      }
      const Words text = replaced(found->second, arguments, depth);
      active_.insert(found->first);  // a macro's text does not use the macro
      const Words inner = expanded(text, depth + 1);
      active_.erase(found->first);
      result.insert(result.end(), inner.begin(), inner.end());
    }
    return result;
  }

  [[nodiscard]] bool pasted() const { return pasted_; }
  [[nodiscard]] bool unclear() const { return unclear_; }

 private:
  static constexpr int kDeepest = 8;
  static constexpr int kMostSteps = 256;

  /// Of the bracket at `open`, as many as the macro has parameters; the index of the bracket that closes it.
  static std::optional<std::size_t> read_arguments(const Words& words, std::size_t open,
                                                   const TextMacro& macro, std::vector<Words>& arguments) {
    const std::size_t expected = macro.parameters.size();
    int depth = 0;
    arguments.emplace_back();
    for (std::size_t i = open; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == ")" && --depth == 0) {
        if (expected == 0 && arguments.front().empty()) arguments.clear();
        if (macro.variadic && arguments.size() + 1 == expected) arguments.emplace_back();
        return arguments.size() == expected ? std::optional(i) : std::nullopt;
      }
      const bool rest = macro.variadic && arguments.size() == expected;
      if (word == "," && depth == 1 && !rest) {
        arguments.emplace_back();
      } else if (i > open) {
        arguments.back().push_back(word);
      }
      if (word == "(") ++depth;
    }
    return std::nullopt;
  }

  /// The macro's text with its arguments, pasted where "##" stands between.
  [[nodiscard]] Words replaced(const TextMacro& macro, const std::vector<Words>& arguments, int depth) {
    Words result;
    const auto argument_of = [&](const std::string& word) -> const Words* {
      const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), word);
      if (found == macro.parameters.end()) return nullptr;
      return &arguments[static_cast<std::size_t>(found - macro.parameters.begin())];
    };
    bool paste = false;
    const Words& body = macro.body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] == "##") {
        paste = pasted_ = true;
        continue;
      }
      Words piece = {body[i]};
      const Words* argument = argument_of(body[i]);
      if (macro.function && body[i] == "#" && i + 1 < body.size() && argument_of(body[i + 1]) != nullptr) {
        piece = {string_literal(*argument_of(body[++i]))};
      } else if (argument != nullptr) {
        const bool pasted = paste || (i + 1 < body.size() && body[i + 1] == "##");
        piece = pasted ? *argument : expanded(*argument, depth + 1);
      }
      // ", ##__VA_ARGS__" joins nothing, and drops the comma where no argument is there.
      const bool rest = macro.variadic && body[i] == macro.parameters.back();
      if (paste && rest && !result.empty() && result.back() == ",") {
        paste = false;
        if (piece.empty()) result.pop_back();
      }
      auto from = piece.begin();
      if (paste && !result.empty() && from != piece.end()) result.back() += *from++;
      result.insert(result.end(), from, piece.end());
      paste = false;
    }
    return result;
  }

  const Macros& macros_;
  const std::set<std::string, std::less<>>& several_;
  std::set<std::string_view> active_;
  int steps_ = 0;
  bool pasted_ = false, unclear_ = false;
};

}  // namespace

bool TextMacro::pastes() const {
  return function && std::find(body.begin(), body.end(), "##") != body.end();
}

std::vector<std::string> macro_words(const std::vector<Token>& tokens, std::size_t begin) {
  Words words;
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    const bool second = tokens[i].is("#") && i > begin && tokens[i - 1].is("#");
    if (second && words.back() == "#")
      words.back() = "##";
    else
      words.emplace_back(tokens[i].text);
  }
  return words;
}

std::optional<TextMacro> macro_of(const Directive& directive) {
  const std::vector<Token>& words = directive.tokens;
  if (words.size() < 2 || !words[0].is("define")) return std::nullopt;
  TextMacro macro;
  macro.function = words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
  std::size_t body = 2;
  if (macro.function) {
    const std::size_t close = words[2].close;
    if (close >= words.size()) return std::nullopt;
    for (std::size_t i = 3; i < close; ++i) {
      if (words[i].identifier()) macro.parameters.emplace_back(words[i].text);
    }
    macro.variadic = close > 3 && words[close - 1].text.ends_with(".");
    const bool named = macro.variadic && [&] {  // "args..."
      std::size_t dots = close - 1;
      while (dots > 3 && words[dots].text.ends_with(".")) --dots;
      return words[dots].identifier();
    }();
    if (macro.variadic && !named) macro.parameters.emplace_back("__VA_ARGS__");
    body = close + 1;
  }
  macro.body = macro_words(words, body);
  return macro;
}

void MacroExpander::learn(std::string_view name, const TextMacro& macro) {
  const auto [known, fresh] = macros_.try_emplace(std::string(name), macro);
  if (!fresh && known->second != macro) several_.insert(std::string(name));
}

void MacroExpander::define(std::string_view name, TextMacro macro) {
  macros_.insert_or_assign(std::string(name), std::move(macro));
}

void MacroExpander::forget(std::string_view name) {
  if (const auto found = macros_.find(name); found != macros_.end()) macros_.erase(found);
}

const TextMacro* MacroExpander::find(std::string_view name) const {
  const auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : &found->second;
}

std::optional<MacroExpander::Expansion> MacroExpander::expanded(const Words& words) const {
  Expanding expanding(macros_, several_);
  Expansion result;
  result.words = expanding.expanded(words, 0);
  result.pasted = expanding.pasted();
  if (expanding.unclear()) return std::nullopt;
  return result;
}

std::string with_macros_expanded(std::string_view text, const TokenizedText& source,
                                 const MacroExpander& expander, std::size_t longest,
                                 const MacroReplacement& replacement, const MacroUse& may_be_expanded) {
  const std::vector<Token>& tokens = source.tokens;
  const auto has_directive = [&](std::size_t begin, std::size_t end) {
    return std::any_of(source.directives.begin(), source.directives.end(), [&](const Directive& directive) {
      return begin < directive.offset && directive.offset < end;
    });
  };
  std::vector<TextEdit> edits;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::size_t close = tokens[i + 1].close;
    if (!tokens[i].identifier() || !tokens[i + 1].is("(") || close >= tokens.size()) continue;
    const TextMacro* macro = expander.find(tokens[i].text);
    if (macro == nullptr || !macro->function || close - i > longest ||
        has_directive(tokens[i].offset, tokens[close].offset))
      continue;
    const std::vector<Token> use(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                 tokens.begin() + static_cast<std::ptrdiff_t>(close) + 1);
    const std::vector<std::string> words = macro_words(use);
    if (may_be_expanded && !may_be_expanded(words)) continue;
    const auto expansion = expander.expanded(words);
    if (!expansion) continue;
    if (auto written = replacement(*expansion)) {
      edits.push_back({tokens[i].offset, tokens[close].end() - tokens[i].offset, std::move(*written)});
      i = close;
    }
  }
  return apply_edits(text, std::move(edits));
}

}  // namespace kiln
