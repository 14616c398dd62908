#include "specialize/host_libraries.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "specialize/torch_types.h"

namespace kiln {
namespace {

constexpr std::string_view kJson = "/json.hpp";  // nlohmann's, of which projects have copies in many folders

}  // namespace

const std::vector<std::string_view>* names_of_thrust_header(std::string_view header) {
  static const std::map<std::string_view, std::vector<std::string_view>> names = {
      {"sort", {"sort", "stable_sort", "sort_by_key", "stable_sort_by_key", "is_sorted", "is_sorted_until"}},
      {"reduce", {"reduce", "reduce_by_key"}},
      {"scan", {"inclusive_scan", "exclusive_scan", "inclusive_scan_by_key", "exclusive_scan_by_key"}},
      {"transform", {"transform", "transform_if"}},
      {"copy", {"copy", "copy_n", "copy_if"}},
      {"fill", {"fill", "fill_n"}},
      {"sequence", {"sequence"}},
      {"count", {"count", "count_if"}},
      {"unique", {"unique", "unique_copy", "unique_by_key", "unique_by_key_copy", "unique_count"}},
      {"merge", {"merge", "merge_by_key"}},
      {"partition",
       {"partition", "partition_copy", "stable_partition", "stable_partition_copy", "is_partitioned",
        "partition_point"}},
      {"for_each", {"for_each", "for_each_n"}},
      {"gather", {"gather", "gather_if"}},
      {"scatter", {"scatter", "scatter_if"}},
      {"remove", {"remove", "remove_if", "remove_copy", "remove_copy_if"}},
      {"replace", {"replace", "replace_if", "replace_copy", "replace_copy_if"}},
      {"binary_search", {"binary_search", "lower_bound", "upper_bound", "equal_range"}},
      {"transform_reduce", {"transform_reduce"}},
      {"transform_scan", {"transform_inclusive_scan", "transform_exclusive_scan"}},
      {"extrema", {"min_element", "max_element", "minmax_element"}},
      {"inner_product", {"inner_product"}},
      {"generate", {"generate", "generate_n"}},
      {"host_vector", {"host_vector"}},
      {"device_vector", {"device_vector"}},
      {"device_ptr", {"device_ptr"}},
      {"device_malloc", {"device_malloc"}},
      {"device_free", {"device_free"}},
      {"find", {"find", "find_if", "find_if_not"}},
      {"adjacent_difference", {"adjacent_difference"}},
      {"set_operations", {"set_union", "set_intersection", "set_difference", "set_symmetric_difference"}},
      {"tabulate", {"tabulate"}},
      {"reverse", {"reverse", "reverse_copy"}},
      {"logical", {"all_of", "any_of", "none_of"}},
      {"equal", {"equal"}},
      {"mismatch", {"mismatch"}},
      {"swap", {"swap", "swap_ranges"}}};
  constexpr std::string_view kFolder = "thrust/", kEnd = ".h";
  if (!header.starts_with(kFolder) || !header.ends_with(kEnd)) return nullptr;
  header.remove_prefix(kFolder.size());
  header.remove_suffix(kEnd.size());
  const auto found = names.find(header);
  return found == names.end() ? nullptr : &found->second;
}

const std::vector<std::string_view>& thrust_headers_of_algorithms() {
  static const std::vector<std::string_view> headers = {"thrust/execution_policy.h",
                                                        "thrust/sort.h",
                                                        "thrust/reduce.h",
                                                        "thrust/scan.h",
                                                        "thrust/transform.h",
                                                        "thrust/copy.h",
                                                        "thrust/fill.h",
                                                        "thrust/sequence.h",
                                                        "thrust/count.h",
                                                        "thrust/unique.h",
                                                        "thrust/merge.h",
                                                        "thrust/partition.h",
                                                        "thrust/for_each.h",
                                                        "thrust/gather.h",
                                                        "thrust/scatter.h",
                                                        "thrust/remove.h",
                                                        "thrust/replace.h",
                                                        "thrust/binary_search.h",
                                                        "thrust/transform_reduce.h",
                                                        "thrust/extrema.h",
                                                        "thrust/inner_product.h",
                                                        "thrust/generate.h",
                                                        "thrust/find.h",
                                                        "thrust/adjacent_difference.h",
                                                        "thrust/tabulate.h",
                                                        "thrust/reverse.h",
                                                        "thrust/logical.h",
                                                        "thrust/equal.h",
                                                        "thrust/swap.h"};
  return headers;
}

bool is_thrust_header_of_algorithms(std::string_view header) {
  const std::vector<std::string_view>& headers = thrust_headers_of_algorithms();
  return std::find(headers.begin(), headers.end(), header) != headers.end();
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
  return is_header_of_torch(header) ? types_of_torch() : std::vector<LibraryTypes>();
}

bool declares_complex_numbers(std::string_view header) {
  return declares_small_floats(header) || header.starts_with("cusolver") || header.starts_with("cufft");
}

bool is_header_of_host_library(std::string_view header) {
  static const std::array<std::string_view, 27> starts = {
      "opencv2/", "gtest/",    "benchmark/", "CLI/",    "GL/gl",     "GL/freeglut",      "GL/wgl",
      "X11/",     "SDL2/",     "mpi.h",      "nccl.h",  "cudnn.h",   "nvml.h",           "cupti.h",
      "GLFW/",    "nlohmann/", "json.hpp",   "spdlog/", "fmt/",      "yaml-cpp/",        "catch2/",
      "doctest/", "gmock/",    "cxxopts",    "imgui",   "argparse/", "torch/extension.h"};
  return header.ends_with(kJson) || std::any_of(starts.begin(), starts.end(), [&](std::string_view one) {
           return header.starts_with(one);
         });
}

bool is_of_eigen(std::string_view path) {
  return path.find("/Eigen/") != std::string_view::npos;
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
      {"nlohmann/", "nlohmann"},
      {"json.hpp", "nlohmann"},
      {"spdlog/", "spdlog"},
      {"yaml-cpp/", "YAML"},
      {"catch2/", "Catch"},
      {"doctest/", "doctest"},
      {"gmock/", "testing"},
      {"imgui", "Im"},
      {"argparse/", "argparse"},
      {"fmt/", "fmt"}};
  for (const auto& [start, prefix] : prefixes) {
    if (header.starts_with(start)) return prefix;
  }
  return header.ends_with(kJson) ? prefixes.at("json.hpp") : std::string_view();
}

}  // namespace kiln
