#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// Types of expressions of a program's host, as far as their text shows them. The program must outlive it.
class ExpressionTypes {
 public:
  explicit ExpressionTypes(const ProgramText& program) : program_(program) {}

  /// Of a literal, a cast, a variable with or without an offset, a member of one, `this`, an object that is
  /// made, the pointer of a container. It may name types of the functions around `scope`. Empty: not known.
  [[nodiscard]] std::string of(const std::string& expression, std::size_t scope) const {
    return type_of(expression, scope, 0);
  }

  /// Of a variable or a parameter that is known in a scope; empty: there is none.
  [[nodiscard]] std::string of_variable(const std::string& name, std::size_t scope) const;

 private:
  [[nodiscard]] std::string type_of(const std::string& expression, std::size_t scope, int depth) const;

  /// Of an expression whose beginning has a type: behind it are members, subscripts and offsets.
  [[nodiscard]] std::string type_behind(std::string type, const std::vector<Token>& tokens,
                                        std::size_t i) const;

  /// What a variable of a function is declared with; empty: nothing, or not known.
  [[nodiscard]] std::string initialiser(const std::string& name, std::size_t scope) const;

  /// "ops::Add<float>" of `ops::Add<float>()`, and "Put" of `Put{1.0}`.
  [[nodiscard]] std::string made_type(const std::vector<Token>& tokens, std::size_t scope) const;

  /// What a function template returns that is called with its arguments: "std::unique_ptr<float>" of
  /// `make<float>(n)`; empty for all else.
  [[nodiscard]] std::string result_of_template(const std::vector<Token>& tokens) const;

  /// "float *" of `x.data<float>()`, of `raw_pointer_cast(&x[0])` and `x.data()` where x is a container of
  /// them; empty for all else.
  [[nodiscard]] std::string pointer_of_container(const std::vector<Token>& tokens, std::size_t scope,
                                                 int depth) const;

  /// What a member function of a class of the program returns; empty: not known.
  [[nodiscard]] std::string result_of_member(const std::string& type, const std::string& name,
                                             int depth = 0) const;

  /// Of the object in whose member function a scope is: "Field<T>"; empty: none.
  [[nodiscard]] std::string class_around(std::size_t scope) const;

  [[nodiscard]] std::string member(const std::string& type, const std::string& name) const;

  const ProgramText& program_;
};

/// "4" for a type that only holds a constant, such as std::integral_constant<int, 4>; "true" for
/// std::true_type; empty for all else.
[[nodiscard]] std::string value_of_constant_type(const std::string& type);

}  // namespace kiln
