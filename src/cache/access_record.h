#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"

namespace kiln {

/// How an entry was used, as its file `accessed` says: a byte for each recorded hit, and the time of the last
/// one as its modification time. Whatever the number of processes, an append of one byte cannot tear, and the
/// file goes with its entry. atime is not used: most machines mount without it.
struct EntryAccess {
  std::uint64_t hits = 0;
  std::int64_t last_ns = 0;  ///< time of the last recorded hit; 0: none
};

/// Writes nothing if a hit was recorded, by anyone, in the minute before: hits of one minute count once. A
/// disk that refuses is no error.
void record_access(FileSystem& files, const Clock& clock, const std::filesystem::path& entry) noexcept;

/// Throws filesystem_error.
[[nodiscard]] EntryAccess read_access(FileSystem& files, const std::filesystem::path& entry);

}  // namespace kiln
