#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln::fission {

/// The innermost classes around a text's definitions. The text must outlive it.
class ClassesAround {
 public:
  explicit ClassesAround(const Outline& text);
  /// Null for a definition of the text that is not a member.
  [[nodiscard]] const DefinitionOutline* of(const DefinitionOutline& definition) const {
    return owners_[static_cast<std::size_t>(&definition - first_)];
  }

 private:
  const DefinitionOutline* first_;
  std::vector<const DefinitionOutline*> owners_;  // by the definition's number
};
/// Whether a member function is declared static.
[[nodiscard]] bool is_static(const Outline& text, const DefinitionOutline& definition);

/// The names that a class declares for its objects: fields and member functions that are not static. Names
/// that its base classes declare are not known.
class ClassScope {
 public:
  ClassScope(const Outline& text, const DefinitionOutline& definition);

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] bool object_name(std::string_view word) const {
    return fields_.contains(word) || functions_.contains(word);
  }
  [[nodiscard]] bool function(std::string_view word) const { return functions_.contains(word); }

 private:
  void read(TokenRange statement);

  const std::vector<Token>& tokens_;
  std::string_view name_;
  std::set<std::string_view> fields_, functions_;
};

}  // namespace kiln::fission
