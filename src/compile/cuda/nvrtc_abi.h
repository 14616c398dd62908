#pragma once

#include <cstddef>

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

/// Addresses of NVRTC's functions. Those after `optional` came later than 11.0 and may be null.
struct Functions {
  Result (*version)(int* major, int* minor);
  const char* (*get_error_string)(Result result);
  Result (*create_program)(Program* program, const char* source, const char* name, int header_count,
                           const char* const* headers, const char* const* header_names);
  Result (*destroy_program)(Program* program);
  Result (*add_name_expression)(Program program, const char* expression);
  Result (*compile_program)(Program program, int option_count, const char* const* options);
  Result (*get_lowered_name)(Program program, const char* expression, const char** name);
  Result (*get_log_size)(Program program, std::size_t* bytes);
  Result (*get_log)(Program program, char* log);
  Result (*get_ptx_size)(Program program, std::size_t* bytes);
  Result (*get_ptx)(Program program, char* ptx);

  // optional
  Result (*get_cubin_size)(Program program, std::size_t* bytes);  // both 11.1
  Result (*get_cubin)(Program program, char* cubin);
  Result (*get_arch_count)(int* count);  // both 11.2
  Result (*get_archs)(int* archs);
  // 12.8
  Result (*set_flow_callback)(Program program, int (*callback)(void*, void*), void* payload);
};

}  // namespace kiln::nvrtc_abi
