#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace kiln {

/// Paths, names and options may be any bytes, the strings of JSON are UTF-8. What is not UTF-8 becomes an
/// object `{"hex": "6be92e6375"}`, so that nothing is lost.
[[nodiscard]] nlohmann::json bytes_to_json(const std::string& bytes);
/// The inverse. Throws nlohmann::json::exception for anything else.
[[nodiscard]] std::string bytes_from_json(const nlohmann::json& json);

/// The inverse of hex_digits. Throws bad_input for what is no even number of hexadecimal digits.
[[nodiscard]] std::string from_hex(const std::string& digits);

[[nodiscard]] bool is_utf8(const std::string& bytes);

}  // namespace kiln
