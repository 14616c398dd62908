#include "specialize/pasted_names.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Words = std::vector<std::string>;

/// "##" is one word, also where the tokens are two of "#".
Words words_of(const std::vector<Token>& tokens, std::size_t begin) {
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

struct PastingMacro {
  bool function = false;
  Words parameters, body;

  [[nodiscard]] bool operator==(const PastingMacro&) const = default;
};

std::optional<PastingMacro> macro_of(const std::vector<Token>& words) {
  if (words.size() < 2 || !words[0].is("define")) return std::nullopt;
  PastingMacro macro;
  macro.function = words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
  std::size_t body = 2;
  if (macro.function) {
    if (words[2].close >= words.size()) return std::nullopt;
    for (std::size_t i = 3; i < words[2].close; ++i) {
      if (words[i].identifier()) macro.parameters.emplace_back(words[i].text);
    }
    body = words[2].close + 1;
  }
  macro.body = words_of(words, body);
  return macro;
}

class Expander {
 public:
  void learn(std::string_view name, const PastingMacro& macro) {
    const auto [known, fresh] = macros_.try_emplace(std::string(name), macro);
    if (!fresh && known->second != macro) several_.insert(std::string(name));
  }

  /// Whether macros with parameters may paste names.
  [[nodiscard]] bool pastes() const {
    return std::any_of(macros_.begin(), macros_.end(), [](const auto& one) {
      const Words& body = one.second.body;
      return one.second.function && std::find(body.begin(), body.end(), "##") != body.end();
    });
  }

  [[nodiscard]] bool is_function(std::string_view name) const {
    const PastingMacro* macro = find(std::string(name));
    return macro != nullptr && macro->function;
  }

  /// The one name that the words become, if it is pasted together.
  [[nodiscard]] std::optional<std::string> pasted_name(const Words& words) {
    steps_ = 0;
    pasted_ = unclear_ = false;
    const Words result = expanded(words, 0);
    if (!pasted_ || unclear_ || result.size() != 1 || !is_identifier(result.front())) return std::nullopt;
    return result.front();
  }

 private:
  static constexpr int kDeepest = 8;
  static constexpr int kMostSteps = 256;  // of a name

  [[nodiscard]] const PastingMacro* find(const std::string& name) const {
    const auto found = macros_.find(name);
    return found == macros_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] Words expanded(const Words& words, int depth) {
    Words result;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const PastingMacro* macro = find(words[i]);
      const bool called = macro != nullptr && macro->function;
      if (macro == nullptr || (called && (i + 1 == words.size() || words[i + 1] != "("))) {
        result.push_back(words[i]);
        continue;
      }
      if (several_.contains(words[i]) || depth == kDeepest || ++steps_ > kMostSteps) {
        unclear_ = true;
        return result;
      }
      std::vector<Words> arguments;
      if (called) {
        const std::optional<std::size_t> close = read_arguments(words, i + 1, arguments);
        if (!close || arguments.size() != macro->parameters.size()) {
          unclear_ = true;
          return result;
        }
        i = *close;
      }
      const Words inner = expanded(replaced(*macro, arguments, depth), depth + 1);
      result.insert(result.end(), inner.begin(), inner.end());
    }
    return result;
  }

  /// Of the bracket at `open`; the index of the one that closes it.
  static std::optional<std::size_t> read_arguments(const Words& words, std::size_t open,
                                                   std::vector<Words>& arguments) {
    int depth = 0;
    arguments.emplace_back();
    for (std::size_t i = open; i < words.size(); ++i) {
      if (words[i] == ")" && --depth == 0) return i;
      if (words[i] == "," && depth == 1) {
        arguments.emplace_back();
      } else if (i > open) {
        arguments.back().push_back(words[i]);
      }
      if (words[i] == "(") ++depth;
    }
    return std::nullopt;
  }

  /// The macro's text with its arguments, pasted where "##" stands between.
  [[nodiscard]] Words replaced(const PastingMacro& macro, const std::vector<Words>& arguments, int depth) {
    Words result;
    bool paste = false;
    const Words& body = macro.body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] == "##") {
        paste = pasted_ = true;
        continue;
      }
      const auto parameter = std::find(macro.parameters.begin(), macro.parameters.end(), body[i]);
      Words piece = {body[i]};
      if (parameter != macro.parameters.end()) {
        piece = arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())];
        const bool pasted = paste || (i + 1 < body.size() && body[i + 1] == "##");
        if (!pasted) piece = expanded(piece, depth + 1);
      }
      std::size_t first = 0;
      if (paste && !result.empty() && !piece.empty()) {
        result.back() += piece.front();
        first = 1;
      }
      result.insert(result.end(), piece.begin() + static_cast<std::ptrdiff_t>(first), piece.end());
      paste = false;
    }
    return result;
  }

  std::map<std::string, PastingMacro, std::less<>> macros_;
  std::set<std::string, std::less<>> several_;  // that are defined in several ways
  int steps_ = 0;
  bool pasted_ = false, unclear_ = false;
};

}  // namespace

void write_out_pasted_names(const std::vector<std::string*>& texts,
                            const std::vector<std::pair<std::string, std::string>>& defines) {
  const auto may_paste = [](const std::string* text) { return text->find("##") != std::string::npos; };
  if (std::none_of(texts.begin(), texts.end(), may_paste)) return;
  Expander expander;
  std::deque<std::string> originals;
  std::deque<TokenizedText> sources;
  for (const auto& [name, value] : defines)
    expander.learn(name, {false, {}, words_of(tokenize(originals.emplace_back(value)).tokens, 0)});
  for (const std::string* text : texts) {
    sources.push_back(tokenize(originals.emplace_back(*text)));
    for (const Directive& directive : sources.back().directives) {
      if (const auto macro = macro_of(directive.tokens)) expander.learn(directive.tokens[1].text, *macro);
    }
  }
  if (!expander.pastes()) return;
  const std::size_t first = originals.size() - texts.size();
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const std::vector<Token>& tokens = sources[t].tokens;
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const std::size_t close = tokens[i + 1].close;
      if (!tokens[i].identifier() || !tokens[i + 1].is("(") || close >= tokens.size()) continue;
      if (!expander.is_function(tokens[i].text)) continue;
      constexpr std::size_t kLongest = 32;  // words of a name
      if (close - i > kLongest) continue;
      const std::vector<Token> use(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                   tokens.begin() + static_cast<std::ptrdiff_t>(close) + 1);
      const auto name = expander.pasted_name(words_of(use, 0));
      if (!name) continue;
      edits.push_back({tokens[i].offset, tokens[close].end() - tokens[i].offset, *name});
      i = close;
    }
    if (!edits.empty()) *texts[t] = apply_edits(originals[first + t], std::move(edits));
  }
}

}  // namespace kiln
