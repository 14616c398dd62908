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

/// Of "Vec<float, 3>".
[[nodiscard]] TemplateId template_id(const std::string& type);

/// "thrust::plus<float>", "cub::Max": a class of a library without members that is called as a function.
[[nodiscard]] bool is_library_function_object(const std::string& type);

/// What the program passes for a parameter of a kernel's template, each value once: the launch's argument, as
/// written or deduced from the types of what it passes. Names of templates around the launch are replaced by
/// what calls and explicit instantiations of these pass. Empty where the program does not tell. `most`: how
/// many values are looked for.
[[nodiscard]] std::vector<std::string> template_arguments_of(const ProgramText& program,
                                                             const TextKernel& kernel,
                                                             const TextLaunch& launch,
                                                             const std::string& parameter, std::size_t most);

/// The same for a kernel that is instantiated or named (`&kernel<float>`).
[[nodiscard]] std::vector<std::string> named_arguments_of(const ProgramText& program,
                                                          const TextKernel& kernel,
                                                          const std::string& parameter, std::size_t most);

}  // namespace kiln
