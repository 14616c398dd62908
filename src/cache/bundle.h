#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cache/entry_store.h"

namespace kiln {

/// A bundle: entries of a cache in one file, a POSIX tar (ustar, not compressed) whose members are plain
/// files `v1/<2 hex>/<62 hex>/<name>` and nothing else, ended by two blocks of zeros. `tar tf` lists it, and
/// what `kiln cache unpack` or `tar xf` makes of it is a folder for `cache_read_only`. Kiln reads this form
/// only, and nothing of what tar can say besides: no links, folders, sparse files, long names or extensions.

struct BundleMember {
  std::string digest;      ///< of the entry
  std::string name;        ///< name of the file in the entry's folder
  std::uint64_t at = 0;    ///< where its bytes begin in the bundle
  std::uint64_t size = 0;  ///< in bytes
};

/// The bytes of a bundle, read part by part: a bundle may be larger than the memory.
struct BundleSource {
  std::uint64_t size = 0;
  std::function<std::string(std::uint64_t at, std::uint64_t count)>
      read;  ///< fewer bytes where it is cut off
};
/// The text must outlive the source.
[[nodiscard]] BundleSource bundle_in_text(std::string_view text);
/// Throws bad_input for what is not a plain file.
[[nodiscard]] BundleSource bundle_in_file(FileSystem& files, const std::filesystem::path& file);

/// The members, by their headers alone. Throws bad_input, one sentence that names the member, for anything
/// but a whole bundle: another name or type, a name twice, a wrong checksum of a header, a member that is too
/// large or cut off.
[[nodiscard]] std::vector<BundleMember> parse_bundle(const BundleSource& bundle);

struct BundleSummary {
  std::uint64_t entries = 0, bytes = 0;
  std::vector<std::string> skipped;  ///< "digest: what is wrong", of damaged entries
};

/// Whether an entry goes into a bundle.
using EntryFilter = std::function<bool(const CacheEntryInfo&)>;

/// Writes the sound entries of `store` that `wanted` chooses into `file`, which appears whole or not at all.
/// Throws filesystem_error.
BundleSummary pack_bundle(FileSystem& files, const EntryStore& store, const EntryFilter& wanted,
                          const std::filesystem::path& file);
/// A bundle of one entry, in memory; absent where it is not there or not sound.
[[nodiscard]] std::optional<std::string> pack_entry(FileSystem& files, const EntryStore& store,
                                                    const std::string& digest);
/// pack() into a folder that can be used at once; the folder must not exist or be empty. Throws bad_input.
BundleSummary pack_folder(FileSystem& files, const EntryStore& store, const EntryFilter& wanted,
                          const std::filesystem::path& folder);

/// Puts every entry of a bundle into the cache folder `root`, or none: each is written into `root`/tmp and
/// verified before the first is put in its place, and what was put is taken back if a later one fails.
/// Entries that are there already stay. Throws bad_input for a bundle that is not sound, filesystem_error for
/// a disk that refuses. `sync`: what is put survives a loss of power.
BundleSummary unpack_bundle(FileSystem& files, const BundleSource& bundle, const std::filesystem::path& root,
                            bool sync = true);

}  // namespace kiln
