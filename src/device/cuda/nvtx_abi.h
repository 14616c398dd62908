#pragma once

#include <cstddef>
#include <cstdint>

/// The interface between a program and a profiler of NVIDIA: the part of NVTX 3's binary interface that Kiln
/// needs, declared by Kiln. NVTX 3 is not a library: each program brings tables of function pointers, and the
/// profiler's injection library, which the variable NVTX_INJECTION64_PATH names, fills them.
/// tests/device/cuda/nvtx_abi_test.cpp proves it against nvtx3's headers where they are found.
namespace kiln::nvtx_abi {

inline constexpr const char* kPathVariable = "NVTX_INJECTION64_PATH";
inline constexpr const char* kInitialize = "InitializeInjectionNvtx2";

/// NvtxCallbackModule; the modules are numbered from 1.
enum class CallbackModule : int {
  kCore = 1,
  kCuda = 2,
  kOpenCl = 3,
  kCudaRuntime = 4,
  kCore2 = 5,
  kSync = 6,
};
/// Entries of each module's table, including the unused first one.
constexpr unsigned kCoreSize = 16;
constexpr unsigned kCudaSize = 9;
constexpr unsigned kOpenClSize = 15;
constexpr unsigned kCudaRuntimeSize = 7;
constexpr unsigned kCore2Size = 16;
constexpr unsigned kSyncSize = 7;

// NvtxCallbackIdCore2: places in that module's table.
constexpr std::size_t kDomainRangePushEx = 4;
constexpr std::size_t kDomainRangePop = 5;
constexpr std::size_t kDomainCreateA = 12;

/// NvtxFunctionPointer: cast to its real type before a call.
using FunctionPointer = void (*)();
/// NvtxFunctionTable: addresses of function pointers; the first and the one after the last are null.
using FunctionTable = FunctionPointer**;

/// NvtxExportTableCallbacks
struct ExportTableCallbacks {
  std::size_t struct_size;
  int (*get_module_function_table)(CallbackModule module, FunctionTable* table, unsigned* size);
};

/// NvtxExportTableVersionInfo
struct ExportTableVersionInfo {
  std::size_t struct_size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_injection_version)(std::uint32_t version);
};

// NvtxExportTableID
constexpr std::uint32_t kCallbacksTable = 1;
constexpr std::uint32_t kVersionTable = 3;

using GetExportTable = const void* (*)(std::uint32_t id);
/// The function that the injection library exports; its result 0 means that it does not work.
using InitializeInjection = int (*)(GetExportTable get);

using Domain = struct DomainTag*;

constexpr std::uint16_t kVersion = 3;  // NVTX_VERSION
constexpr std::int32_t kAscii = 1;     // NVTX_MESSAGE_TYPE_ASCII

/// nvtxEventAttributes_v2
struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const char* message;
};

using DomainCreate = Domain (*)(const char* name);
using DomainRangePush = int (*)(Domain domain, const EventAttributes* attributes);
using DomainRangePop = int (*)(Domain domain);

}  // namespace kiln::nvtx_abi
