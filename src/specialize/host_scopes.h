#pragma once

#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// Adds a parameter of a function or a lambda; the type of `auto x` becomes a parameter of its template.
void add_parameter_to_scope(TextParameter parameter, TextScope& scope);

/// Adds the types that a body defines, and the parameters that it calls.
void add_body_to_scope(const std::vector<Token>& tokens, TokenSpan body, TextScope& scope);

/// `[&](auto n) {...}` or `[]<int N>() {...}` in a function of the host.
struct GenericLambda {
  TextScope scope;  ///< without what is around it
  TokenSpan whole, body;
};

/// The generic lambdas of a body in its order, without lambdas inside of others.
[[nodiscard]] std::vector<GenericLambda> generic_lambdas(const std::vector<Token>& tokens, TokenSpan body);

}  // namespace kiln
