#pragma once

#include <cstddef>
#include <cstdint>

#include "device/vendor_library.h"

/// The part of hipRTC's binary interface that Kiln calls, declared by Kiln: building needs no HIP header. It
/// is the same in 5.x, 6.x and 7.x. tests/compile/hip/hiprtc_abi_test.cpp proves it against hip/hiprtc.h and
/// amd_comgr.h where those are found.
namespace kiln::hiprtc_abi {

using Result = int;
using Program = struct ProgramTag*;

constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 1;
constexpr Result kCompilation = 6;
constexpr Result kBuiltinOperationFailure = 7;

/// Addresses of hipRTC's functions. The function below `optional` exists if hipRTC is inside libamdhip64.
struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  using Program = hiprtc_abi::Program;
  Import<Result(int* major, int* minor)> version = need("hiprtcVersion");
  Import<const char*(Result)> get_error_string = need("hiprtcGetErrorString");
  Import<Result(Program*, const char* source, const char* name, int header_count, const char** headers,
                const char** header_names)>
      create_program = need("hiprtcCreateProgram");
  Import<Result(Program*)> destroy_program = need("hiprtcDestroyProgram");
  Import<Result(Program, const char* expression)> add_name_expression = need("hiprtcAddNameExpression");
  Import<Result(Program, int option_count, const char** options)> compile_program =
      need("hiprtcCompileProgram");
  Import<Result(Program, const char* expression, const char** name)> get_lowered_name =
      need("hiprtcGetLoweredName");
  Import<Result(Program, std::size_t* bytes)> get_log_size = need("hiprtcGetProgramLogSize");
  Import<Result(Program, char* log)> get_log = need("hiprtcGetProgramLog");
  Import<Result(Program, std::size_t* bytes)> get_code_size = need("hiprtcGetCodeSize");
  Import<Result(Program, char* code)> get_code = need("hiprtcGetCode");

  // optional
  Import<int(int* version)> runtime_version = want("hipRuntimeGetVersion");
};

}  // namespace kiln::hiprtc_abi

/// comgr, AMD's code object manager: the compiler behind hipRTC.
namespace kiln::comgr_abi {

using Status = int;
using MetadataNode = std::uint64_t;  ///< a structure of one member, passed alike

constexpr Status kSuccess = 0;

struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  Import<void(std::size_t* major, std::size_t* minor)> get_version = need("amd_comgr_get_version");
  Import<Status(std::size_t* count)> get_isa_count = need("amd_comgr_get_isa_count");
  Import<Status(std::size_t index, const char** name)> get_isa_name = need("amd_comgr_get_isa_name");
  Import<Status(const char* name, MetadataNode*)> get_isa_metadata = need("amd_comgr_get_isa_metadata");
  Import<Status(MetadataNode)> destroy_metadata = need("amd_comgr_destroy_metadata");
};

}  // namespace kiln::comgr_abi
