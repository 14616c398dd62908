#include "device/cuda/arch_name.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace kiln {
namespace {

constexpr const char* kDigits = "0123456789";

/// Parses "90a" or "100" after the prefix; a leading zero is refused.
std::optional<ArchName> parse_number(const std::string& prefix, const std::string& text) {
  constexpr std::size_t kLeast = 2;
  constexpr std::size_t kMost = 3;
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string suffix = text.substr(digits);
  const bool is_name = digits >= kLeast && digits <= kMost && text.front() != '0' &&
                       (suffix.empty() || suffix == "a" || suffix == "f");
  if (!is_name) return std::nullopt;
  return ArchName{prefix, parse_integer(text.substr(0, digits)).value_or(0), suffix};
}

}  // namespace

std::optional<ArchName> parse_arch_name(const std::string& text) {
  for (const std::string prefix : {"sm_", "compute_"}) {
    if (text.starts_with(prefix)) return parse_number(prefix, text.substr(prefix.size()));
  }
  return std::nullopt;
}

std::string likely_arch_name(const std::string& text) {
  std::string compact;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) compact += static_cast<char>(std::tolower(letter));
  }
  const std::size_t number = compact.find_first_of("123456789");
  if (number == std::string::npos) return "";
  const std::string head = compact.substr(0, std::min(compact.find('0'), number));
  const std::string rest = compact.substr(number);
  const std::string prefix = head == "compute" ? "compute_" : "sm_";
  const bool has_head = head.empty() || head == "sm" || head == "compute";
  return has_head && parse_number(prefix, rest) ? prefix + rest : "";
}

}  // namespace kiln
