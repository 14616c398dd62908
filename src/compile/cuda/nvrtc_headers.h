#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "compile/cuda/cuda_headers.h"

namespace kiln {

/// How NVRTC, which has no headers of its own, finds those that a text includes and Kiln did not find beside
/// it.
struct NvrtcHeaders {
  std::vector<std::pair<std::string, std::string>> in_memory;  ///< name in the #include, text
  std::vector<std::filesystem::path> folders;                  ///< of CUDA's own headers
};

/// The header that a unit begins with: what nvcc declares without an #include.
inline constexpr const char* kNvccHeader = "kiln/nvcc.h";

/// What a text uses of headers that it does not include, as nvcc brings them by its own headers.
struct ImpliedHeaders {
  std::string macros;              ///< text of <climits> and <cfloat>; empty: neither is used
  std::vector<std::string> names;  ///< of libcu++: "limits"
};

/// By the names in the text and its headers: INT_MAX, std::numeric_limits. Those of `unseen`, which the text
/// includes, are left out.
[[nodiscard]] ImpliedHeaders implied_headers(const std::string& text, const std::vector<std::string>& unseen);

/// C's headers are small ones of Kiln's; those of C++ are CUDA's libcu++, its names put into std; the headers
/// of the CUDA runtime, which NVRTC knows by itself, are empty where there is no toolkit, and those of the
/// host's C library always. Where CUDA's own headers are used, they find the same, and a <cub/cub.cuh> with
/// what device code can use. `unseen` are the names that the text and its headers include; `names_std`:
/// whether one of them has the word `std`.
[[nodiscard]] NvrtcHeaders make_nvrtc_headers(const std::vector<std::string>& unseen, bool names_std,
                                              const CudaHeaders& cuda, FileSystem& files);

/// What the code depends on outside the text: the versions of CUDA's headers if one of them is used, else
/// empty. Reads no header.
[[nodiscard]] std::string header_versions(const std::vector<std::string>& unseen, const CudaHeaders& cuda,
                                          FileSystem& files);

/// Why a header that the compiler could not open is not there, and what to install; a part of a sentence.
[[nodiscard]] std::string missing_header_advice(const std::string& name, const CudaHeaders& cuda,
                                                int nvrtc_major);

/// The headers' texts, for the compiler's fingerprint.
[[nodiscard]] std::string nvrtc_headers_fingerprint();

}  // namespace kiln
