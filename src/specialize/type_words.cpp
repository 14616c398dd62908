#include "specialize/type_words.h"

#include <map>

namespace kiln {
namespace {

/// "uint32_t" of "__uint32_t" and "u_int32_t", which the C library has, too; else the name.
std::string plain_integer(const std::string& name) {
  if (name.starts_with("__") && name.ends_with("_t")) return name.substr(2);
  if (name.starts_with("u_"))
    return name.ends_with("_t") ? "u" + name.substr(2) : "unsigned " + name.substr(2);
  return name;
}

}  // namespace

std::string workload_type(const std::string& name) {
  static const std::map<std::string, std::string> names = {{"bool", "bool"},
                                                           {"char", "char"},
                                                           {"signed char", "char"},
                                                           {"int8_t", "char"},
                                                           {"unsigned char", "uchar"},
                                                           {"uint8_t", "uchar"},
                                                           {"uchar", "uchar"},
                                                           {"short", "short"},
                                                           {"short int", "short"},
                                                           {"int16_t", "short"},
                                                           {"unsigned short", "ushort"},
                                                           {"unsigned short int", "ushort"},
                                                           {"signed short", "short"},
                                                           {"signed short int", "short"},
                                                           {"signed long", "long"},
                                                           {"signed long long", "long"},
                                                           {"uint16_t", "ushort"},
                                                           {"ushort", "ushort"},
                                                           {"int", "int"},
                                                           {"int32_t", "int"},
                                                           {"signed", "int"},
                                                           {"signed int", "int"},
                                                           {"unsigned", "unsigned"},
                                                           {"unsigned int", "unsigned"},
                                                           {"uint", "unsigned"},
                                                           {"uint32_t", "unsigned"},
                                                           {"long", "long"},
                                                           {"long int", "long"},
                                                           {"long long", "long"},
                                                           {"long long int", "long"},
                                                           {"int64_t", "long"},
                                                           {"ptrdiff_t", "long"},
                                                           {"intptr_t", "long"},
                                                           {"unsigned long", "ulong"},
                                                           {"unsigned long long", "ulong"},
                                                           {"unsigned long int", "ulong"},
                                                           {"unsigned long long int", "ulong"},
                                                           {"__int8", "char"},
                                                           {"unsigned __int8", "uchar"},
                                                           {"__int16", "short"},
                                                           {"unsigned __int16", "ushort"},
                                                           {"__int32", "int"},
                                                           {"unsigned __int32", "unsigned"},
                                                           {"__int64", "long"},
                                                           {"unsigned __int64", "ulong"},
                                                           {"clock_t", "long"},
                                                           {"uint64_t", "ulong"},
                                                           {"ulong", "ulong"},
                                                           {"uintptr_t", "ulong"},
                                                           {"size_t", "size_t"},
                                                           {"float", "float"},
                                                           {"double", "double"},
                                                           {"dim3", "uint3"},
                                                           {"half", "half"},
                                                           {"__half", "half"},
                                                           {"__nv_bfloat16", "bfloat16"},
                                                           {"nv_bfloat16", "bfloat16"},
                                                           {"cudaStream_t", "ulong"},
                                                           {"cudaEvent_t", "ulong"},
                                                           {"hipStream_t", "ulong"},
                                                           {"hipEvent_t", "ulong"},
                                                           {"cublasHandle_t", "ulong"},
                                                           {"cusparseHandle_t", "ulong"},
                                                           {"cusolverDnHandle_t", "ulong"},
                                                           {"cusolverSpHandle_t", "ulong"},
                                                           {"curandGenerator_t", "ulong"},
                                                           {"cufftHandle", "int"},
                                                           {"cuComplex", "float2"},
                                                           {"cuFloatComplex", "float2"},
                                                           {"cuDoubleComplex", "double2"},
                                                           {"cufftReal", "float"},
                                                           {"cufftDoubleReal", "double"},
                                                           {"cufftComplex", "float2"},
                                                           {"cufftDoubleComplex", "double2"},
                                                           {"hipfftReal", "float"},
                                                           {"hipfftDoubleReal", "double"},
                                                           {"hipfftComplex", "float2"},
                                                           {"hipfftDoubleComplex", "double2"},
                                                           {"at BFloat16", "bfloat16"},
                                                           {"c10 BFloat16", "bfloat16"},
                                                           {"at Half", "half"},
                                                           {"c10 Half", "half"},
                                                           {"__half2", "half2"},
                                                           {"__nv_bfloat162", "bfloat162"}};
  const auto found = names.find(plain_integer(name));
  return found == names.end() ? "" : found->second;
}

}  // namespace kiln
