#pragma once

#include <cstddef>
#include <cstdint>

#include "base/small_float_limits.h"

/// The scalar types, one row each: enumerator, the names in workload files, the C++ name in kernels and the
/// header that defines it, the host's C++ type, from which come size, range, epsilon and conversions, and
/// what a tensor map sees. `long` has 64 bits on every device.
// clang-format off
#define KILN_SCALAR_ROWS(ROW)                                                                                  \
  ROW(kBool,         "bool",     "",       "bool",               "",            bool,            kU8)   \
  ROW(kInt8,         "char",     "int8",   "signed char",        "",            std::int8_t,     kU8)   \
  ROW(kUint8,        "uchar",    "uint8",  "unsigned char",      "",            std::uint8_t,    kU8)   \
  ROW(kInt16,        "short",    "int16",  "short",              "",            std::int16_t,    kU16)  \
  ROW(kUint16,       "ushort",   "uint16", "unsigned short",     "",            std::uint16_t,   kU16)  \
  ROW(kInt,          "int",      "int32",  "int",                "",            std::int32_t,    kI32)  \
  ROW(kUnsigned,     "unsigned", "uint32", "unsigned int",       "",            std::uint32_t,   kU32)  \
  ROW(kLong,         "long",     "int64",  "long long",          "",            std::int64_t,    kI64)  \
  ROW(kUnsignedLong, "ulong",    "uint64", "unsigned long long", "",            std::uint64_t,   kU64)  \
  ROW(kFloat,        "float",    "",       "float",              "",            float,           kF32)  \
  ROW(kDouble,       "double",   "",       "double",             "",            double,          kF64)  \
  ROW(kHalf,         "half",     "",       "__half",             "cuda_fp16.h", kiln::Half,      kF16)  \
  ROW(kBfloat16,     "bfloat16", "",       "__nv_bfloat16",      "cuda_bf16.h", kiln::Bfloat16,  kBf16) \
  ROW(kFp8E4m3,      "fp8_e4m3", "",       "__nv_fp8_e4m3",      "cuda_fp8.h",  kiln::Fp8E4m3,   kU8)   \
  ROW(kFp8E5m2,      "fp8_e5m2", "",       "__nv_fp8_e5m2",      "cuda_fp8.h",  kiln::Fp8E5m2,   kU8)   \
  ROW(kSize,         "size_t",   "",       "unsigned long",      "",            std::size_t,     kU64)
// clang-format on
