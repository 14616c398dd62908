#pragma once

#include <cstddef>

#include "device/vendor_library.h"

/// The part of NVRTC's binary interface that Kiln calls, declared by Kiln: building needs no CUDA header.
/// tests/compile/cuda/nvrtc_abi_test.cpp proves it against nvrtc.h where that is found.
namespace kiln::nvrtc_abi {

using Result = int;
using Program = struct ProgramTag*;

constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 1;
constexpr Result kInvalidOption = 5;
constexpr Result kCompilation = 6;
constexpr Result kBuiltinOperationFailure = 7;
constexpr Result kNameExpressionNotValid = 10;
constexpr Result kCancelled = 16;

/// Addresses of NVRTC's functions. The functions below `optional` came after 11.0 and may be null.
struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  using Program = nvrtc_abi::Program;
  Import<Result(int* major, int* minor)> version = need("nvrtcVersion");
  Import<const char*(Result)> get_error_string = need("nvrtcGetErrorString");
  Import<Result(Program*, const char* source, const char* name, int header_count, const char* const* headers,
                const char* const* header_names)>
      create_program = need("nvrtcCreateProgram");
  Import<Result(Program*)> destroy_program = need("nvrtcDestroyProgram");
  Import<Result(Program, const char* expression)> add_name_expression = need("nvrtcAddNameExpression");
  Import<Result(Program, int option_count, const char* const* options)> compile_program =
      need("nvrtcCompileProgram");
  Import<Result(Program, const char* expression, const char** name)> get_lowered_name =
      need("nvrtcGetLoweredName");
  Import<Result(Program, std::size_t* bytes)> get_log_size = need("nvrtcGetProgramLogSize");
  Import<Result(Program, char* log)> get_log = need("nvrtcGetProgramLog");
  Import<Result(Program, std::size_t* bytes)> get_ptx_size = need("nvrtcGetPTXSize");
  Import<Result(Program, char* ptx)> get_ptx = need("nvrtcGetPTX");

  // optional
  Import<Result(Program, std::size_t* bytes)> get_cubin_size = want("nvrtcGetCUBINSize");  // both 11.1
  Import<Result(Program, char* cubin)> get_cubin = want("nvrtcGetCUBIN");
  Import<Result(int* count)> get_arch_count = want("nvrtcGetNumSupportedArchs");  // both 11.2
  Import<Result(int* archs)> get_archs = want("nvrtcGetSupportedArchs");
  // 12.8
  Import<Result(Program, int (*callback)(void*, void*), void* payload)> set_flow_callback =
      want("nvrtcSetFlowCallback");
};

}  // namespace kiln::nvrtc_abi
