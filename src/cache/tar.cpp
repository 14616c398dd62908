#include "cache/tar.h"

#include <array>
#include <cstdio>

#include "kiln/error.h"

namespace kiln {
namespace {

struct Field {
  std::size_t at, length;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kOwner{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};
constexpr std::string_view kUstar{
    "ustar\0"
    "00",
    8};

void put(std::string& block, Field field, std::string_view text) {
  block.replace(field.at, text.size(), text);
}

/// Octal digits that fill the field up to its final zero.
void put_number(std::string& block, Field field, std::uint64_t number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%0*llo", static_cast<int>(field.length - 1),
                static_cast<unsigned long long>(number));
  put(block, field, digits.data());
}

std::string_view text_of(std::string_view block, Field field) {
  const std::string_view all = block.substr(field.at, field.length);
  return all.substr(0, all.find('\0'));
}

std::optional<std::uint64_t> number_of(std::string_view block, Field field) {
  std::string_view digits = text_of(block, field);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  if (digits.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '7') return std::nullopt;
    number = number * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

/// The sum of all bytes with blanks in the checksum's place.
std::uint64_t sum_of(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    const bool in_checksum = i >= kChecksum.at && i < kChecksum.at + kChecksum.length;
    sum += in_checksum ? std::uint64_t{' '} : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

}  // namespace

std::string tar_header(const std::string& name, std::uint64_t size) {
  if (name.size() > kName.length || size > kTarLargest)
    throw internal_error("'" + name + "' does not fit into a tar header");
  constexpr std::uint64_t kReadable = 0644;
  std::string block(kTarBlock, '\0');
  put(block, kName, name);
  put_number(block, kMode, kReadable);
  put_number(block, kOwner, 0);
  put_number(block, kGroup, 0);
  put_number(block, kSize, size);
  put_number(block, kTime, 0);
  put(block, kType, "0");
  put(block, kMagic, kUstar);
  put_number(block, {kChecksum.at, kChecksum.length - 1}, sum_of(block));
  block[kChecksum.at + kChecksum.length - 1] = ' ';
  return block;
}

std::string tar_padding(std::uint64_t size) {
  return std::string((kTarBlock - size % kTarBlock) % kTarBlock, '\0');
}

std::optional<TarHeader> parse_tar_header(std::string_view block) {
  if (block.size() != kTarBlock || block.substr(kMagic.at, kMagic.length) != kUstar) return std::nullopt;
  const auto checksum = number_of(block, kChecksum);
  const auto size = number_of(block, kSize);
  if (!checksum || !size || *checksum != sum_of(block)) return std::nullopt;
  if (!text_of(block, kPrefix).empty()) return std::nullopt;
  return TarHeader{std::string(text_of(block, kName)), *size, block[kType.at]};
}

}  // namespace kiln
