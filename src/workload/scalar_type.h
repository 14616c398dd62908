#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// The C++ scalar types that parameters, arguments and buffers may have.
enum class ScalarType {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt,
  kUnsigned,
  kLong,
  kUnsignedLong,
  kFloat,
  kDouble
};

/// By the names that workload files use: "bool", "char", "uchar", "short", "ushort", "int", "unsigned",
/// "long", "ulong", "float", "double" (long: 64 bits on every device).
[[nodiscard]] std::optional<ScalarType> parse_scalar_type(const std::string& name);
[[nodiscard]] const std::vector<std::string>& scalar_type_names();
[[nodiscard]] std::string to_string(ScalarType type);
/// As C++ on every back end: "long long" for kLong.
[[nodiscard]] std::string cpp_name(ScalarType type);
[[nodiscard]] std::size_t size_of(ScalarType type);
[[nodiscard]] bool is_real(ScalarType type);
/// Machine epsilon: 2^-23, 2^-52; 0 for whole numbers.
[[nodiscard]] double epsilon_of(ScalarType type);

}  // namespace kiln
