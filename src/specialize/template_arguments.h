#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// A type without qualifiers, pointers, references, extents and `std::`.
[[nodiscard]] std::string bare_type(const std::string& type);

/// Levels of pointers and arrays; what stands in angle brackets does not count.
[[nodiscard]] std::ptrdiff_t pointers_in(const std::string& type);

/// "Vec" and {"float", "3"} of "Vec<float, 3>"; without arguments for all else.
struct TemplateId {
  std::string name;
  std::vector<std::string> arguments;
};
[[nodiscard]] TemplateId template_id(const std::string& type);

/// What a launch passes for a parameter of its kernel's template: as written, or deduced from the types of
/// its arguments. Names of templates around the launch are replaced by what the program's first
/// call of them passes. Empty where the program does not tell.
[[nodiscard]] std::string template_argument_of(const ProgramText& program, const TextKernel& kernel,
                                               const TextLaunch& launch, const std::string& parameter);

}  // namespace kiln
