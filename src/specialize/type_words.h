#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The workload's name of a type of C++, of CUDA or of the C library, in the form of bare_type(): "uchar" of
/// "uint8_t" and of "unsigned char"; empty for all else, such as a vector, whose name is the same.
[[nodiscard]] std::string workload_type(const std::string& name);

/// How many numbers of 64 bits an object of a class for the host, such as "vector", takes in the GNU C++
/// library; `name` is without "std::". 0: not known.
[[nodiscard]] std::size_t words_of_container(std::string_view name);

/// What a transformation of <type_traits> makes of a type: "unsigned int" of "make_unsigned" and {"int"}.
/// Empty: none, or not known.
[[nodiscard]] std::string type_of_trait(std::string_view name, const std::vector<std::string>& arguments);

}  // namespace kiln
