#pragma once

#include <string>

namespace kiln {

/// The workload's name of a type of C++, of CUDA or of the C library, in the form of bare_type(): "uchar" of
/// "uint8_t" and of "unsigned char"; empty for all else, such as a vector, whose name is the same.
[[nodiscard]] std::string workload_type(const std::string& name);

}  // namespace kiln
