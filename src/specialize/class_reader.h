#pragma once

#include <map>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// A parameter, a member or a variable: "float *x = nullptr", "int a[4]". A type without a name has none.
[[nodiscard]] TextParameter parameter_of(const std::vector<Token>& tokens, TokenSpan span);

/// Adds the target of a typedef or `using` by its name; returns the name, empty if there is none.
std::string add_alias(const std::vector<Token>& tokens, const Declaration& declaration,
                      std::map<std::string, std::string>& types);

/// Adds a class to the program's, with the classes inside it.
void add_class(const TokenizedText& source, const Declaration& declaration, ProgramText& program);

}  // namespace kiln
