#pragma once

#include <cstddef>
#include <cstdint>

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

/// Addresses of hipRTC's functions. The one after `optional` is there where hipRTC lies inside libamdhip64.
struct Functions {
  Result (*version)(int* major, int* minor);
  const char* (*get_error_string)(Result result);
  Result (*create_program)(Program* program, const char* source, const char* name, int header_count,
                           const char** headers, const char** header_names);
  Result (*destroy_program)(Program* program);
  Result (*add_name_expression)(Program program, const char* expression);
  Result (*compile_program)(Program program, int option_count, const char** options);
  Result (*get_lowered_name)(Program program, const char* expression, const char** name);
  Result (*get_log_size)(Program program, std::size_t* bytes);
  Result (*get_log)(Program program, char* log);
  Result (*get_code_size)(Program program, std::size_t* bytes);
  Result (*get_code)(Program program, char* code);

  // optional
  int (*runtime_version)(int* version);
};

}  // namespace kiln::hiprtc_abi

/// comgr, AMD's code object manager: the compiler behind hipRTC.
namespace kiln::comgr_abi {

using Status = int;
using MetadataNode = std::uint64_t;  ///< a structure of one member, passed alike

constexpr Status kSuccess = 0;

struct Functions {
  void (*get_version)(std::size_t* major, std::size_t* minor);
  Status (*get_isa_count)(std::size_t* count);
  Status (*get_isa_name)(std::size_t index, const char** name);
  Status (*get_isa_metadata)(const char* name, MetadataNode* node);
  Status (*destroy_metadata)(MetadataNode node);
};

}  // namespace kiln::comgr_abi
