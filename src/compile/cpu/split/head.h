#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/statements.h"

namespace kiln::fission {

/// The parts of a function's head that a call needs.
struct Head {
  TokenRange template_head;  ///< "template <...>", perhaps empty
  TokenRange result;         ///< type
  std::string_view name;
  std::vector<std::unique_ptr<Declarator>> parameters;
  std::vector<TokenRange> specifiers;  ///< of each parameter
  std::vector<TokenRange> whole;
  std::string trouble;
};

[[nodiscard]] Head parse_head(const std::vector<Token>& tokens, const DefinitionOutline& definition);

/// The changes that the functions of a text may make to their arguments, by name.
class Signatures {
 public:
  explicit Signatures(const Outline& text);
  /// Whether a function of this name takes an argument by reference, so that it may change it.
  [[nodiscard]] bool may_change(std::string_view name) const { return by_reference_.contains(name); }
  [[nodiscard]] bool defines(std::string_view name) const { return defined_.contains(name); }

 private:
  std::set<std::string_view> by_reference_, defined_;
};

}  // namespace kiln::fission
