#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// A macro of a text, in words: "##" is one, also where the tokens are two of "#".
struct TextMacro {
  bool function = false;
  bool variadic = false;  ///< the last parameter has all further arguments
  std::vector<std::string> parameters, body;

  [[nodiscard]] bool pastes() const;
  [[nodiscard]] bool operator==(const TextMacro&) const = default;
};

/// The words of the tokens from `begin`, as a macro has them.
[[nodiscard]] std::vector<std::string> macro_words(const std::vector<Token>& tokens, std::size_t begin = 0);

/// Of "define NAME body" and "define NAME(a, b) body"; absent for all other directives.
[[nodiscard]] std::optional<TextMacro> macro_of(const Directive& directive);

/// Replaces uses of macros as the preprocessor does, in words, for as many macros as it has learnt.
class MacroExpander {
 public:
  /// A macro with a second text is not expanded any more, if it is learnt here.
  void learn(std::string_view name, const TextMacro& macro);
  /// The last text counts, if it is learnt here.
  void define(std::string_view name, TextMacro macro);
  void forget(std::string_view name);

  [[nodiscard]] const TextMacro* find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, TextMacro, std::less<>>& macros() const { return macros_; }
  /// Whether it was learnt with a second text.
  [[nodiscard]] bool several(std::string_view name) const { return several_.contains(name); }

  struct Expansion {
    std::vector<std::string> words;
    bool pasted = false;  ///< by "##"
  };

  /// Absent for macros with several texts, uses with other numbers of arguments and what is too deep.
  [[nodiscard]] std::optional<Expansion> expanded(const std::vector<std::string>& words) const;

 private:
  std::map<std::string, TextMacro, std::less<>> macros_;
  std::set<std::string, std::less<>> several_;
};

/// What is written for a use of a macro; absent: the use stays.
using MacroReplacement = std::function<std::optional<std::string>(const MacroExpander::Expansion&)>;
/// Whether a use, "NAME", "(" and the rest in words, may be expanded at all.
using MacroUse = std::function<bool(const std::vector<std::string>&)>;

/// The text with uses of the expander's macros with parameters, outside of preprocessor lines, replaced by
/// what `replacement` makes of their expansion; a use of more than `longest` tokens and one without a
/// replacement stay, as do those with preprocessor lines between their brackets and those for which
/// `may_be_expanded`, where it is given, does not hold. Lines stay where they are. `source`: the text's
/// tokens.
[[nodiscard]] std::string with_macros_expanded(std::string_view text, const TokenizedText& source,
                                               const MacroExpander& expander, std::size_t longest,
                                               const MacroReplacement& replacement,
                                               const MacroUse& may_be_expanded = {});

}  // namespace kiln
