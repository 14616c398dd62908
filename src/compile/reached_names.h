#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// The names that a kernel may reach: it follows names, not types, through the bodies of functions, classes,
/// variables, aliases and macros of texts, so it finds too many rather than too few. No name leads to a
/// kernel, which device code cannot call. The outlines outlive it.
class ReachedNames {
 public:
  explicit ReachedNames(const std::vector<const Outline*>& texts);

  /// Calls `visit` once for each identifier that the identifiers of an expression reach, until it returns
  /// true; returns whether it did. The expression outlives the call.
  bool find(std::string_view expression, const std::function<bool(std::string_view)>& visit) const;

  /// Whether a macro of this name pastes names together.
  [[nodiscard]] bool pastes(std::string_view name) const { return pasting_macros_.contains(name); }

 private:
  struct Place {
    const Token* begin;
    const Token* end;
  };
  void add(const Outline& text);
  void add_aliases(const std::vector<Token>& tokens);
  using Places = std::map<std::string_view, std::vector<Place>>;  // where a name's definitions' tokens are
  static void add(Places& places, std::string_view name, const std::vector<Token>& tokens, TokenRange range);

  Places by_name_, kernels_;
  std::set<std::string_view> pasting_macros_;
};

}  // namespace kiln
