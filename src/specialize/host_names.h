#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// Whether the identifier at `at` stands for something that device code cannot use: a call of the CUDA or HIP
/// run time, a container or a stream of std, a file, an exception that is caught, a type at run time; also
/// for the first "<" of a kernel launch.
[[nodiscard]] bool names_host_only(const std::vector<Token>& tokens, std::size_t at);

/// Whether the identifier at `at` is, without `std::`, a container or a stream of std as host code uses it:
/// "vector<int>", "cout". For texts that have `using namespace std`.
[[nodiscard]] bool names_host_only_of_std(const std::vector<Token>& tokens, std::size_t at);

/// Whether the name marks functions that a run time calls back, without a meaning: CUDART_CB, CUDA_CB.
[[nodiscard]] bool is_callback_mark(std::string_view name);

/// Members of std by which a text uses a C++ header that is for host code, or mostly; null for all other
/// headers.
[[nodiscard]] const std::vector<std::string_view>* names_of_host_header(std::string_view header);

/// Names by which a text uses a C++ header of types, such as <utility>, that device code may use, but that no
/// compiler at run time has to read if it does not; null for all other headers.
[[nodiscard]] const std::vector<std::string_view>* names_of_type_header(std::string_view header);

}  // namespace kiln
