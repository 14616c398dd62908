#include "isolate/byte_text.h"

#include <string_view>

#include "base/hash.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr unsigned kBase = 16;

}  // namespace

bool is_utf8(const std::string& bytes) {
  try {
    static_cast<void>(nlohmann::json(bytes).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string from_hex(const std::string& digits) {
  if (digits.size() % 2 != 0) throw bad_input("expected an even number of hexadecimal digits");
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::size_t high = kDigits.find(digits[i]);
    const std::size_t low = kDigits.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
      throw bad_input("expected hexadecimal digits; found '" + digits.substr(i, 2) + "'");
    bytes += static_cast<char>(high * kBase + low);
  }
  return bytes;
}

nlohmann::json bytes_to_json(const std::string& bytes) {
  if (is_utf8(bytes)) return bytes;
  return {{"hex", hex_digits(bytes)}};
}

std::string bytes_from_json(const nlohmann::json& json) {
  if (json.is_object()) return from_hex(json.at("hex").get<std::string>());
  return json.get<std::string>();
}

}  // namespace kiln
