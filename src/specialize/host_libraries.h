#pragma once

#include <string_view>
#include <vector>

namespace kiln {

/// "sort", "stable_sort", ... of <thrust/sort.h>: a text that uses the header names one of these; null for
/// all other headers.
[[nodiscard]] const std::vector<std::string_view>* names_of_thrust_header(std::string_view header);

/// The headers of Thrust's algorithms that kernels may call, one element after the other; Kiln has a header
/// of its own in their place (compile/portable/thrust_seq.h).
[[nodiscard]] const std::vector<std::string_view>& thrust_headers_of_algorithms();
[[nodiscard]] bool is_thrust_header_of_algorithms(std::string_view header);

/// Whether it is a header of cuBLAS, cuSPARSE or PyTorch, which include <cuda_fp16.h> and <cuda_bf16.h>.
[[nodiscard]] bool declares_small_floats(std::string_view header);

/// Types of a library that device code uses by themselves: `uchar` of OpenCV, `at::Half` of PyTorch.
struct LibraryTypes {
  std::vector<std::string_view> names;  ///< a text that uses none of them needs no declarations
  std::string_view header;              ///< of their declarations, and of others of the library
  std::string_view text;
  std::string_view needs;  ///< a header that the declarations include, empty: none
};

/// Of the library of the header; empty for all other headers.
[[nodiscard]] std::vector<LibraryTypes> types_of_host_library(std::string_view header);

/// Whether it is a header of PyTorch's C++ interface: <torch/extension.h>, <ATen/ATen.h>, <c10/util/Half.h>.
[[nodiscard]] bool is_header_of_torch(std::string_view header);

/// Whether it is a header of one of CUDA's libraries that include <cuComplex.h>.
[[nodiscard]] bool declares_complex_numbers(std::string_view header);

/// Whether it is a header of a library of which device code can use nothing: <mpi.h>, <opencv2/core.hpp>.
[[nodiscard]] bool is_header_of_host_library(std::string_view header);

/// Whether a file is a part of a project's copy of Eigen, whose templates are for both sides.
[[nodiscard]] bool is_of_eigen(std::string_view path);

/// How the names of a library begin whose header is for host code: "cublas" of <cublas_v2.h>, "thrust" of
/// <thrust/sort.h>; empty for all other headers.
[[nodiscard]] std::string_view prefix_of_host_library(std::string_view header);

}  // namespace kiln
