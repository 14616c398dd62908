#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Which names a kernel may lead to: follows names, not types, through the bodies of functions, classes,
/// variables, aliases and macros of texts, so that it finds too many rather than too few. The outlines
/// outlive it.
class ReachedNames {
 public:
  explicit ReachedNames(const std::vector<const Outline*>& texts);

  /// Calls `visit` for each identifier that can be reached from those of an expression, once, until it says
  /// true; gives whether it did. The expression outlives the call.
  bool find(std::string_view expression, const std::function<bool(std::string_view)>& visit) const;

  /// Whether a macro of this name puts names together.
  [[nodiscard]] bool pastes(std::string_view name) const { return pasting_macros_.contains(name); }

 private:
  struct Place {
    const Token* begin;
    const Token* end;
  };
  void add(const Outline& text);
  void add_aliases(const std::vector<Token>& tokens);
  void add(std::string_view name, const std::vector<Token>& tokens, TokenRange range);

  std::map<std::string_view, std::vector<Place>> by_name_;  // where its definitions' tokens are
  std::set<std::string_view> pasting_macros_;
};

}  // namespace kiln
