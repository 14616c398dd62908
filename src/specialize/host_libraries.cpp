#include "specialize/host_libraries.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace kiln {

std::string_view algorithm_of_thrust(std::string_view header) {
  static const std::set<std::string_view> names = {"sort",
                                                   "reduce",
                                                   "scan",
                                                   "transform",
                                                   "copy",
                                                   "fill",
                                                   "sequence",
                                                   "count",
                                                   "unique",
                                                   "merge",
                                                   "partition",
                                                   "for_each",
                                                   "gather",
                                                   "scatter",
                                                   "remove",
                                                   "replace",
                                                   "binary_search",
                                                   "transform_reduce",
                                                   "transform_scan",
                                                   "extrema",
                                                   "inner_product",
                                                   "generate",
                                                   "host_vector",
                                                   "device_vector",
                                                   "device_ptr",
                                                   "device_malloc",
                                                   "device_free",
                                                   "find",
                                                   "adjacent_difference",
                                                   "set_operations",
                                                   "tabulate",
                                                   "reverse",
                                                   "logical",
                                                   "equal",
                                                   "mismatch",
                                                   "swap"};
  constexpr std::string_view kFolder = "thrust/", kEnd = ".h";
  if (!header.starts_with(kFolder) || !header.ends_with(kEnd)) return {};
  header.remove_prefix(kFolder.size());
  header.remove_suffix(kEnd.size());
  return names.contains(header) ? header : std::string_view{};
}

bool is_header_of_torch(std::string_view header) {
  return header.starts_with("torch/") || header.starts_with("ATen/") || header.starts_with("c10/");
}

bool declares_small_floats(std::string_view header) {
  return header.starts_with("cublas") || header.starts_with("cusparse") || is_header_of_torch(header);
}

std::vector<LibraryTypes> types_of_host_library(std::string_view header) {
  if (header.starts_with("opencv2/")) {
    return {{{"uchar", "schar", "ushort", "uint"},
             "kiln/opencv_types.h",
             "typedef unsigned char uchar;\ntypedef signed char schar;\n"
             "typedef unsigned short ushort;\ntypedef unsigned int uint;\n",
             ""}};
  }
  if (!is_header_of_torch(header)) return {};
  constexpr std::string_view kHeader = "kiln/torch_types.h";
  return {{{"Half"},
           kHeader,
           "#include <cuda_fp16.h>\nnamespace c10 { using Half = __half; }\n"
           "namespace at { using c10::Half; }\nnamespace torch { using c10::Half; }\n",
           "cuda_fp16.h"},
          {{"BFloat16"},
           kHeader,
           "#include <cuda_bf16.h>\nnamespace c10 { using BFloat16 = __nv_bfloat16; }\n"
           "namespace at { using c10::BFloat16; }\nnamespace torch { using c10::BFloat16; }\n",
           "cuda_bf16.h"}};
}

bool declares_complex_numbers(std::string_view header) {
  return declares_small_floats(header) || header.starts_with("cusolver") || header.starts_with("cufft");
}

bool is_header_of_host_library(std::string_view header) {
  static const std::array<std::string_view, 16> starts = {
      "opencv2/", "gtest/", "benchmark/", "CLI/",   "GL/gl",   "GL/freeglut", "GL/wgl",  "GLFW/glfw3",
      "X11/",     "SDL2/",  "mpi.h",      "nccl.h", "cudnn.h", "nvml.h",      "cupti.h", "torch/extension.h"};
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view one) { return header.starts_with(one); });
}

std::string_view prefix_of_host_library(std::string_view header) {
  static const std::map<std::string_view, std::string_view> prefixes = {
      {"cublas", "cublas"},
      {"cusparse", "cusparse"},
      {"cusolver", "cusolver"},
      {"cufft", "cufft"},
      {"curand.h", "curand"},
      {"cudnn", "cudnn"},
      {"nccl", "nccl"},
      {"cutensor", "cutensor"},
      {"nvToolsExt", "nvtx"},
      {"nvtx3/", "nvtx"},
      {"cuda_profiler_api.h", "cudaProfiler"},
      {"cuda_gl_interop.h", "cudaG"},
      {"cuda_egl_interop.h", "cudaE"},
      {"cuda_vdpau_interop.h", "cudaVDPAU"},
      {"cudaGL.h", "cuG"},
      {"cudaTypedefs.h", "PFN_"},
      {"cudaEGL.h", "cuE"},
      {"nvml", "nvml"},
      {"cupti", "cupti"},
      {"mpi.h", "MPI_"},
      {"omp.h", "omp_"},
      {"thrust/", "thrust"},
      {"cub/device/", "cub"},
      {"cub/util_allocator.cuh", "CachingDeviceAllocator"},
      {"hipblas", "hipblas"},
      {"rocblas", "rocblas"},
      {"hipcub/", "hipcub"},
      {"rocprim/", "rocprim"},
      {"hipfft", "hipfft"},
      {"hip/hiprtc.h", "hiprtc"},
      {"hip/hip_gl_interop.h", "hipG"},
      {"rocrand/rocrand.h", "rocrand"},
      {"hiprand/hiprand.h", "hiprand"},
      {"cxxopts", "cxxopts"},
      {"gtest/", "testing"},
      {"benchmark/", "benchmark"},
      {"opencv2/", "cv"},
      {"boost/", "boost"},
      {"CLI/", "CLI"},
      {"GL/", "GL"},
      {"GLFW/", "GLFW"},
      {"X11/", "X"},
      {"SDL2/", "SDL"},
      {"fmt/", "fmt"}};
  for (const auto& [start, prefix] : prefixes) {
    if (header.starts_with(start)) return prefix;
  }
  return {};
}

}  // namespace kiln
