#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "cache/entry.h"

namespace kiln {

struct RecordedFile {
  std::uint64_t size = 0;
  std::string sha256;
};

/// The content of `entry.json`.
struct EntryMetadata {
  CacheEntryInfo info;                        ///< `bytes` and `registers` follow from the rest
  CodeObject code;                            ///< without binary and log, which are files of their own
  std::map<std::string, RecordedFile> files;  ///< name of the file in the entry's directory
};

/// JSON with a checksum: the SHA-256 of the text itself with zeros in the checksum's place.
/// Throws bad_input for a string that is not UTF-8.
[[nodiscard]] std::string to_json_text(const EntryMetadata& metadata);

/// The inverse. Any byte that differs is damage.
[[nodiscard]] std::variant<EntryMetadata, CacheEntryDamage> parse_entry_metadata(const std::string& text);

}  // namespace kiln
