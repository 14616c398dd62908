#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/file.h"
#include "base/folder_trust.h"
#include "cache/cache_key.h"
#include "compile/compiler.h"

namespace kiln {

/// The facts of an entry that `kiln cache list` shows.
struct CacheEntryInfo {
  std::string digest;
  std::string label;  ///< "stencil7.cu laplacian", for people
  std::string target;
  std::string compiler;
  std::uint64_t bytes = 0;      ///< all files of the entry
  std::int64_t created_ns = 0;  ///< wall clock
  double compile_seconds = 0;
  std::optional<int> registers = {};  ///< the maximum over its kernels, if the compiler reports it
  std::uint64_t hits = 0;             ///< recorded in the folder, see access_record.h
  std::int64_t used_ns = 0;           ///< wall clock of the last recorded hit; 0: none
  std::string portable = {};          ///< see portable_digest; empty in entries of before there was one
};

/// Facts of the publisher beside the key and the code: shown to people, never part of the key.
struct CacheEntryLabel {
  std::string label, target, compiler, source_text;
};

/// An entry read back whole and found undamaged.
struct CacheEntry {
  CacheEntryInfo info;
  CodeObject code;
  std::string preimage;
};

/// One sentence fragment: "binary has 12 bytes, 40 are recorded".
struct CacheEntryDamage {
  std::string what;
};

/// The directory of one entry, format 1: `binary`, `log.txt`, the documents `source.cu` and `preimage.txt`,
/// and `entry.json`, which records the digest of the key, the size and SHA-256 of each other file and carries
/// a checksum of its own. Readers verify the recorded files that they read and ignore those that are not
/// recorded, so that later versions may add some. Nothing is followed through a symbolic link.

/// Writes all files into `directory`, which exists and is empty. Nothing is synced: what a crash of the
/// machine leaves of an entry is damage to its readers. Throws filesystem_error for a disk that fails,
/// bad_input for a name that is not UTF-8.
void write_cache_entry(FileSystem& files, const std::filesystem::path& directory, const CacheKey& key,
                       const CodeObject& code, const CacheEntryLabel& label, std::int64_t created_ns);

/// The part of an entry that a load reads.
struct EntryCode {
  CodeObject code;
  CacheEntryInfo info;
};
/// `entry.json`, the binary and the log, verified and owned by those owners; the documents are not read.
/// Never throws for the state of the disk: an unreadable file is damage, too.
[[nodiscard]] std::variant<EntryCode, CacheEntryDamage> read_entry_code(
    FileSystem& files, const std::filesystem::path& directory, const TrustedOwners& owners = {});

/// read_code() for files in memory, by name.
[[nodiscard]] std::variant<EntryCode, CacheEntryDamage> read_entry_code(
    const std::map<std::string, std::string_view>& contents);

/// Complete, verified and owned by those owners. Never throws for the state of the disk: an unreadable file
/// is damage, too.
[[nodiscard]] std::variant<CacheEntry, CacheEntryDamage> read_cache_entry(
    FileSystem& files, const std::filesystem::path& directory, const TrustedOwners& owners = {});

/// The recorded files and `entry.json` itself, by name, byte for byte as they are in a sound entry.
using EntryFiles = std::map<std::string, std::string>;
[[nodiscard]] std::variant<EntryFiles, CacheEntryDamage> read_entry_files(
    FileSystem& files, const std::filesystem::path& directory, const TrustedOwners& owners = {});

inline constexpr const char* kEntryMetadataFile = "entry.json";

/// Read from `entry.json` alone, for lists; `nullopt` if it is damaged.
[[nodiscard]] std::optional<CacheEntryInfo> read_cache_entry_info(FileSystem& files,
                                                                  const std::filesystem::path& directory);

}  // namespace kiln
