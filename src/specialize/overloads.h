#pragma once

#include <string>
#include <vector>

#include "specialize/declarations.h"
#include "specialize/specialization.h"

namespace kiln {

/// The types of a function's parameters, without names and defaults: "const float *, int".
[[nodiscard]] std::string parameter_types(const TokenizedText& text, const Declaration& function);

/// An entry "ns::update(float *, int)<4>" chooses one of a kernel's overloads by its parameters' types. It
/// gets a name of its own in the text and in its headers, which is in the result: "ns::update_float_int<4>".
/// All other expressions are returned as they are. Throws bad_input with the overloads that there are, if
/// there is no such one.
[[nodiscard]] std::string name_overload(Specialization& specialization, const std::string& expression);

}  // namespace kiln
