#include "compile/cuda/arch_name.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace kiln {
namespace {

constexpr const char* kDigits = "0123456789";

/// "90a" and "100"; no zero in front.
bool is_number_with_suffix(const std::string& text) {
  constexpr std::size_t kLeast = 2;
  constexpr std::size_t kMost = 3;
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string suffix = text.substr(digits);
  return digits >= kLeast && digits <= kMost && text.front() != '0' &&
         (suffix.empty() || suffix == "a" || suffix == "f");
}

}  // namespace

std::optional<ArchName> parse_arch_name(const std::string& text) {
  for (const std::string prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    const std::string rest = text.substr(prefix.size());
    if (!is_number_with_suffix(rest)) return std::nullopt;
    const std::size_t digits = std::min(rest.find_first_not_of(kDigits), rest.size());
    return ArchName{prefix, parse_integer(rest.substr(0, digits)).value_or(0), rest.substr(digits)};
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
  if (!is_number_with_suffix(rest)) return "";
  if (head == "compute") return "compute_" + rest;
  return head.empty() || head == "sm" ? "sm_" + rest : "";
}

}  // namespace kiln
