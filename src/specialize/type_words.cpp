#include "specialize/type_words.h"

#include <map>
#include <set>

#include "specialize/tokens.h"

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

std::size_t words_of_container(std::string_view name) {
  static const std::map<std::string_view, std::size_t> words = {
      {"vector", 3},     {"string", 4},        {"list", 3},
      {"map", 6},        {"set", 6},           {"multimap", 6},
      {"multiset", 6},   {"unordered_map", 7}, {"unordered_set", 7},
      {"deque", 10},     {"queue", 10},        {"stack", 10},
      {"unique_ptr", 1}, {"shared_ptr", 2},    {"weak_ptr", 2},
      {"function", 4},   {"mutex", 5},         {"condition_variable", 6},
      {"thread", 1}};
  const auto found = words.find(name);
  return found == words.end() ? 0 : found->second;
}

namespace {

/// Without the words of `qualifiers`.
std::string without_words(const std::string& type, const std::set<std::string_view>& qualifiers) {
  std::string result;
  for (const Token& token : tokenize(type).tokens) {
    if (!qualifiers.contains(token.text)) append_token(result, token.text);
  }
  return result;
}

/// "unsigned int" of "int", or "int" of "unsigned int"; empty for what is no integer.
std::string with_sign(const std::string& type, bool is_signed) {
  static const std::map<std::string, std::string> names = {
      {"char", "char"},  {"short", "short"},  {"int", "int"},      {"long", "long"}, {"size_t", "long"},
      {"uchar", "char"}, {"ushort", "short"}, {"unsigned", "int"}, {"ulong", "long"}};
  const auto found = names.find(workload_type(type));
  if (found == names.end()) return "";
  return (is_signed ? found->second == "char" ? "signed " : "" : "unsigned ") + found->second;
}

}  // namespace

std::string type_of_trait(std::string_view name, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "";
  const std::string& type = arguments[0];
  const bool pointer = type.find('*') != std::string::npos;
  if (name == "type_identity") return type;
  if (name == "make_unsigned" || name == "make_signed") return with_sign(type, name == "make_signed");
  if (name == "remove_reference") return without_words(type, {"&", "&&"});
  if (name == "remove_cvref" || name == "decay")
    return pointer ? without_words(type, {"&", "&&"}) : without_words(type, {"const", "volatile", "&", "&&"});
  if (name == "remove_const" || name == "remove_cv")
    return pointer ? type : without_words(type, {"const", "volatile"});
  if (name == "add_const") return pointer ? type + " const" : "const " + type;
  if (name == "enable_if") return arguments.size() > 1 ? arguments[1] : "void";
  if (name == "conditional" && arguments.size() == 3 && (type == "true" || type == "false"))
    return arguments[type == "true" ? 1 : 2];
  const std::size_t star = type.rfind('*');
  return name == "remove_pointer" ? type.substr(0, star) : "";
}

}  // namespace kiln
