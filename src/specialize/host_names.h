#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// Whether the identifier at `at` stands for something that device code cannot use: a call of the CUDA or HIP
/// run time, a container or a stream of std, a file; also for the first "<" of a kernel launch.
[[nodiscard]] bool names_host_only(const std::vector<Token>& tokens, std::size_t at);

/// Whether the identifier at `at` is, without `std::`, a container or a stream of std as host code uses it:
/// "vector<int>", "cout". For texts that have `using namespace std`.
[[nodiscard]] bool names_host_only_of_std(const std::vector<Token>& tokens, std::size_t at);

/// Members of std by which a text uses a C++ header that is for host code, or mostly; null for all other
/// headers.
[[nodiscard]] const std::vector<std::string_view>* names_of_host_header(std::string_view header);

/// Names by which a text uses a C++ header of types, such as <utility>, that device code may use, but that no
/// compiler at run time has to read if it does not; null for all other headers.
[[nodiscard]] const std::vector<std::string_view>* names_of_type_header(std::string_view header);

/// "sort" of <thrust/sort.h>: what a text that uses the header names; empty for all other headers.
[[nodiscard]] std::string_view algorithm_of_thrust(std::string_view header);

/// Whether it is a header of cuBLAS or cuSPARSE, which include <cuda_fp16.h> and <cuda_bf16.h>.
[[nodiscard]] bool declares_small_floats(std::string_view header);

/// Whether it is a header of a library of which device code can use nothing: <mpi.h>, <opencv2/core.hpp>.
[[nodiscard]] bool is_header_of_host_library(std::string_view header);

/// How the names of a library begin whose header is for host code: "cublas" of <cublas_v2.h>, "thrust" of
/// <thrust/sort.h>; empty for all other headers.
[[nodiscard]] std::string_view prefix_of_host_library(std::string_view header);

}  // namespace kiln
