#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// Adds the types of variables, by name, as their declarations are written. The tokens and the map must
/// outlive it.
class VariableTypes {
 public:
  VariableTypes(const std::vector<Token>& tokens, std::map<std::string, std::string>& types)
      : tokens_(tokens), types_(types) {}

  /// Of what statements declare: "float *" for `float *a, b[4];`.
  void add(TokenSpan span) const;

  /// Of what the body of a function declares, and of the parameters of its lambdas and their templates,
  /// `[&]<bool Even>(auto size)`, which nothing outside knows.
  void add_body(TokenSpan span) const;

 private:
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  /// Index of the name that the declaration from `begin` on declares first; 0 if it is no declaration.
  [[nodiscard]] std::size_t declared_name(std::size_t begin, std::size_t end) const;

  /// The token behind the declaration.
  std::size_t add_declaration(std::size_t begin, std::size_t name, std::size_t end) const;

  const std::vector<Token>& tokens_;
  std::map<std::string, std::string>& types_;
};

}  // namespace kiln
