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

}  // namespace kiln
