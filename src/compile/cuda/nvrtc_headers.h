#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "compile/cuda/cuda_headers.h"

namespace kiln {

/// The headers for NVRTC, which has none of its own, that a text includes and that Kiln did not find beside
/// it.
struct NvrtcHeaders {
  std::vector<std::pair<std::string, std::string>> in_memory;  ///< name in the #include, text
  std::vector<std::filesystem::path> folders;                  ///< the folders of CUDA's own headers
};

/// The header that a unit begins with: the declarations that nvcc has without an #include.
inline constexpr const char* kNvccHeader = "kiln/nvcc.h";

/// What a text uses of headers that it does not include, because nvcc's own headers bring it.
struct ImpliedHeaders {
  std::string macros;              ///< text of <climits> and <cfloat>; empty: neither is used
  std::vector<std::string> names;  ///< headers of libcu++: "limits"
};

/// Finds them by the names in the text and its headers: INT_MAX, std::numeric_limits. Headers in `unseen`,
/// which the text includes, are left out.
[[nodiscard]] ImpliedHeaders implied_headers(const std::vector<std::string_view>& texts,
                                             const std::vector<std::string>& unseen);

/// C's headers are small ones of Kiln; C++'s headers are CUDA's libcu++, with its names in std. The headers
/// of the CUDA runtime, whose content NVRTC has built in, are empty if there is no toolkit; the headers of
/// the host's C library are always empty. CUDA's own headers find the same headers, and a <cub/cub.cuh> with
/// the part for device code. `unseen`: the names that the text and its headers include. `names_std`: one of
/// them has the word `std`.
[[nodiscard]] NvrtcHeaders make_nvrtc_headers(const std::vector<std::string>& unseen, bool names_std,
                                              const CudaHeaders& cuda, FileSystem& files);

/// The inputs of the code outside the text: the versions of CUDA's headers if one of them is used, else
/// empty. Reads no header.
[[nodiscard]] std::string header_versions(const std::vector<std::string>& unseen, const CudaHeaders& cuda,
                                          FileSystem& files);

/// The reason why a header is missing that the compiler could not open, and what to install; a part of a
/// sentence.
[[nodiscard]] std::string missing_header_advice(const std::string& name, const CudaHeaders& cuda,
                                                int nvrtc_major);

/// The headers' texts, for the compiler's fingerprint.
[[nodiscard]] std::string nvrtc_headers_fingerprint();

}  // namespace kiln
