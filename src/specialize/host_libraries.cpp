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

bool declares_small_floats(std::string_view header) {
  return header.starts_with("cublas") || header.starts_with("cusparse");
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
