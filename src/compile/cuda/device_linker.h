#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "device/cuda/cuda_folders.h"
#include "device/vendor_library.h"

namespace kiln {

/// The part of nvJitLink's binary interface that Kiln calls, declared by Kiln.
namespace nvjitlink_abi {

using Result = int;
using Handle = struct HandleTag*;
constexpr Result kSuccess = 0;
constexpr int kCubin = 1;
constexpr int kLibrary = 6;

struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  Import<Result(Handle*, std::uint32_t option_count, const char** options)> create = need("nvJitLinkCreate");
  Import<Result(Handle*)> destroy = need("nvJitLinkDestroy");
  Import<Result(Handle, int type, const void* data, std::size_t bytes, const char* name)> add_data =
      need("nvJitLinkAddData");
  Import<Result(Handle, int type, const char* path)> add_file = need("nvJitLinkAddFile");
  Import<Result(Handle)> complete = need("nvJitLinkComplete");
  Import<Result(Handle, std::size_t* bytes)> get_cubin_size = need("nvJitLinkGetLinkedCubinSize");
  Import<Result(Handle, void* cubin)> get_cubin = need("nvJitLinkGetLinkedCubin");
  Import<Result(Handle, std::size_t* bytes)> get_log_size = need("nvJitLinkGetErrorLogSize");
  Import<Result(Handle, char* log)> get_log = need("nvJitLinkGetErrorLog");
};

}  // namespace nvjitlink_abi

/// What kernels that launch kernels need: nvJitLink, opened at run time, and the runtime for the device.
struct DeviceLinker {
  nvjitlink_abi::Functions call;
  std::string library;            ///< the path of nvJitLink
  std::filesystem::path runtime;  ///< libcudadevrt.a
  std::string problem;            ///< a sentence that says what is missing; empty if nothing is

  /// Links relocatable machine code with the runtime; `arch_option` is "-arch=sm_90". On failure `error` is
  /// set and the result empty.
  [[nodiscard]] std::string link(const std::string& cubin, const std::string& arch_option,
                                 std::string& error) const;
};

/// Beside the NVRTC at `nvrtc`, then in CUDA's other folders.
[[nodiscard]] DeviceLinker open_device_linker(const CudaPlaces& places, const std::filesystem::path& nvrtc,
                                              int nvrtc_major, FileSystem& files);

/// The libcudadevrt.a that belongs to it; empty if there is none.
[[nodiscard]] std::filesystem::path find_device_runtime(const CudaPlaces& places,
                                                        const std::filesystem::path& nvrtc,
                                                        FileSystem& files);

}  // namespace kiln
