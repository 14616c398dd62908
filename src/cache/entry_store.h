#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "cache/cache_key.h"
#include "cache/entry.h"

namespace kiln {

/// One folder of entries, `<root>/v1/<2 hex>/<62 hex>/`, as it is read: the writable one and each read-only
/// layer. Thread-safe.
class EntryStore {
 public:
  struct Absent {};
  using Lookup = std::variant<Absent, CodeObject, CacheEntryDamage>;
  /// Owners whose machine code is run: the user and root, or also the owner of a folder that the user named
  /// as maintained by others.
  enum class Owners { kSelfAndRoot, kAlsoOfTheFolder };

  EntryStore(FileSystem& files, std::filesystem::path root, Owners owners);

  /// The loaded part of the entry with this key, verified, under the rules of `read`; its documents are not
  /// read. Never throws for the state of the disk.
  [[nodiscard]] Lookup look_up(const CacheKey& key) const;
  /// Complete and verified; trusted users own it and its folder, and no other user may write to them. Never
  /// throws for the state of the disk.
  [[nodiscard]] std::variant<CacheEntry, CacheEntryDamage> read(const std::string& digest) const;
  [[nodiscard]] std::variant<EntryFiles, CacheEntryDamage> read_files(const std::string& digest) const;
  /// Whether entries may be put beside this digest's: no other user can replace them there.
  [[nodiscard]] bool has_sound_prefix(const std::string& digest) const;
  /// Why nothing from here may be run, naming the folder; `nullopt` if it is fine or not there. Asked before
  /// each use: the folder may be made, by anyone, at any time.
  struct Distrust {
    std::filesystem::path folder;
    std::string why;
  };
  [[nodiscard]] std::optional<Distrust> distrust() const;
  /// problem() for a folder that should exist.
  [[nodiscard]] std::optional<std::string> problem() const;

  [[nodiscard]] std::filesystem::path directory(const std::string& digest) const;
  /// Digests of all entries, sorted.
  [[nodiscard]] std::vector<std::string> digests() const;
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  [[nodiscard]] TrustedOwners trusted_owners() const;
  [[nodiscard]] std::optional<std::string> prefix_problem(const std::string& digest,
                                                          const TrustedOwners& owners) const;

  FileSystem& files_;
  std::filesystem::path root_;
  Owners owners_;
};

/// "v1", the folder of the entries below a root.
inline constexpr const char* kEntryFormatFolder = "v1";

/// `nullopt` unless `prefix` and `rest` are the names of an entry's two folders.
[[nodiscard]] std::optional<std::string> entry_digest(const std::string& prefix, const std::string& rest);

/// A folder in `<root>/tmp` for what is being written or removed; it says whose it is (see owner_prefix).
[[nodiscard]] ScratchFolder make_temporary(FileSystem& files, const std::filesystem::path& root,
                                           const std::string& purpose);

/// By rename first, so that no reader sees half an entry. The folder that holds it now, as "entry", goes with
/// the result; `nullopt` if there was none.
[[nodiscard]] std::optional<ScratchFolder> set_aside(FileSystem& files, const EntryStore& store,
                                                     const std::string& digest);

/// "PATH: No space left on device".
[[nodiscard]] std::string explain(const std::filesystem::filesystem_error& error);

}  // namespace kiln
