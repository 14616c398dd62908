#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln {

/// The subset of POSIX ustar that bundles use: plain files with names of at most 100 bytes.

inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::uint64_t kTarLargest = (std::uint64_t{1} << 33) - 1;  ///< eleven octal digits

/// A header block; the same for the same name and size, with no time or owner in it.
[[nodiscard]] std::string tar_header(const std::string& name, std::uint64_t size);

/// Zeros that fill a member's last block.
[[nodiscard]] std::string tar_padding(std::uint64_t size);

/// The end of an archive.
[[nodiscard]] inline std::string tar_end() {
  return std::string(2 * kTarBlock, '\0');
}

struct TarHeader {
  std::string name;
  std::uint64_t size = 0;
  char type = '0';  ///< '0': a plain file
};

/// Parses one block. `nullopt` if its checksum is wrong or it is not ustar.
[[nodiscard]] std::optional<TarHeader> parse_tar_header(std::string_view block);

}  // namespace kiln
