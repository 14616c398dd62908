#include "workload/scalar_type.h"

#include <array>

namespace kiln {
namespace {

struct Row {
  ScalarType type;
  const char* name;
  const char* cpp;
  std::size_t bytes;
  bool real;
  double epsilon;
};

// In the order of the enumeration.
constexpr std::array<Row, 11> kRows{{{ScalarType::kBool, "bool", "bool", 1, false, 0},
                                     {ScalarType::kInt8, "char", "signed char", 1, false, 0},
                                     {ScalarType::kUint8, "uchar", "unsigned char", 1, false, 0},
                                     {ScalarType::kInt16, "short", "short", 2, false, 0},
                                     {ScalarType::kUint16, "ushort", "unsigned short", 2, false, 0},
                                     {ScalarType::kInt, "int", "int", 4, false, 0},
                                     {ScalarType::kUnsigned, "unsigned", "unsigned int", 4, false, 0},
                                     {ScalarType::kLong, "long", "long long", 8, false, 0},
                                     {ScalarType::kUnsignedLong, "ulong", "unsigned long long", 8, false, 0},
                                     {ScalarType::kFloat, "float", "float", 4, true, 0x1p-23},
                                     {ScalarType::kDouble, "double", "double", 8, true, 0x1p-52}}};

const Row& row(ScalarType type) {
  return kRows.at(static_cast<std::size_t>(type));
}

}  // namespace

std::optional<ScalarType> parse_scalar_type(const std::string& name) {
  for (const Row& candidate : kRows) {
    if (name == candidate.name) return candidate.type;
  }
  return std::nullopt;
}

const std::vector<std::string>& scalar_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    list.reserve(kRows.size());
    for (const Row& candidate : kRows) list.emplace_back(candidate.name);
    return list;
  }();
  return names;
}

std::string to_string(ScalarType type) {
  return row(type).name;
}
std::string cpp_name(ScalarType type) {
  return row(type).cpp;
}
std::size_t size_of(ScalarType type) {
  return row(type).bytes;
}
bool is_real(ScalarType type) {
  return row(type).real;
}
double epsilon_of(ScalarType type) {
  return row(type).epsilon;
}

}  // namespace kiln
