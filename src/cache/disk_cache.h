#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cache/cache_key.h"
#include "cache/collector.h"
#include "cache/entry.h"
#include "cache/entry_store.h"
#include "cache/key_lock.h"
#include "cache/remote_layer.h"
#include "cache/size_cap.h"
#include "cache/use_marks.h"
#include "compile/compiler.h"

namespace kiln {

struct CacheCounters {
  std::uint64_t hits = 0, misses = 0, damaged = 0, published = 0, lost_races = 0, failed_writes = 0;
  std::uint64_t waits = 0;      ///< for another process that was making the entry
  std::uint64_t read_only = 0;  ///< hits in read-only layers
  std::uint64_t remote = 0;     ///< hits from the server
};

struct DiskCacheOptions {
  std::filesystem::path root;
  bool locks = true;  ///< between processes
  double lease_seconds =
      600;  ///< after which an owner of a lock that cannot be seen from here counts as dead
  std::vector<std::filesystem::path> read_only = {};  ///< further folders, searched in order after `root`
  std::uint64_t max_bytes = 0;                        ///< cap of `root`; 0: no cap
  std::shared_ptr<RemoteLayer> remote = {};           ///< asked last; null: none
};

/// The result of `load_or_lock`: code, or the right to make it.
struct CacheTurn {
  std::optional<CodeObject> code;
  KeyLock lock;          ///< until the entry is published; empty where there are no locks
  bool waited = false;   ///< another process was making it
  bool remote = false;   ///< the code came from the server
  bool in_root = false;  ///< the code is of the root: `note_use` is due
};

struct VerifyReport {
  std::uint64_t entries = 0;         ///< of all layers
  std::vector<std::string> damaged;  ///< "digest: what is wrong"
  std::uint64_t repaired = 0;        ///< damaged entries that were removed
  std::uint64_t stale_temporaries = 0;
};

/// Content-addressed store of code objects on disk: one directory per entry at `<root>/v1/<2 hex>/<62 hex>/`,
/// holding `binary`, `source.cu`, `preimage.txt`, `log.txt` and `entry.json` (names, resources, sizes and
/// SHA-256 of each file). A rename of a private temporary directory publishes an entry; the loser of a race
/// uses the winner's. A hit reads and verifies `entry.json`, `binary` and `log.txt`; if they are damaged it
/// is a miss with a warning, and the entry is replaced. `verify` reads the other two as well. A folder that
/// another user owns or that anyone may write to disables the layer with one warning. A folder that is not
/// writable (full, read-only) disables publishing with one warning, and is still read. Entries that the root
/// lacks are looked up in read-only folders of the same form, which other users may own, and used in place;
/// then on the server, if there is one. An entry of the server is verified and put into the root or, if that
/// is not writable, used from memory. With a cap, publishing evicts the least recently used entries. Thread-
/// and process-safe. Knows no compiler.
class DiskCache {
 public:
  DiskCache(FileSystem& files, const Clock& clock, Log& log, DiskCacheOptions options);
  DiskCache(FileSystem& files, const Clock& clock, Log& log, const std::filesystem::path& root)
      : DiskCache(files, clock, log, DiskCacheOptions{root}) {}
  ~DiskCache() { cap_.finish(); }
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  /// With `note_use`.
  [[nodiscard]] std::optional<CodeObject> load(const CacheKey& key);
  /// Without it: the code, or an empty turn.
  [[nodiscard]] CacheTurn find(const CacheKey& key);
  /// The code, or else the lock of this key: while another process has that, waits for it to publish, or for
  /// `stop`: then neither of them. The server is asked under the lock: once by all processes that share the
  /// folder.
  [[nodiscard]] CacheTurn load_or_lock(const CacheKey& key, const std::stop_token& stop = {});
  /// The entries with this portable digest (cache/key_parts.h; empty: any) of all folders, for any
  /// architecture. Reads the
  /// `entry.json` of every entry, once: those that this process has published since are not seen.
  [[nodiscard]] std::vector<CacheEntryInfo> find_portable(const std::string& portable);
  /// The code of an entry that `find_portable` named.
  [[nodiscard]] std::optional<CodeObject> load_portable(const std::string& digest);
  /// Records for other processes that this one has loaded an entry of the root, and when: they evict others
  /// first. Due after `find` and `load_or_lock`, and left to the caller, because it writes two files.
  void note_use(const std::string& digest) noexcept;
  /// Gives the lock back of a key that could not be compiled.
  void give_up(KeyLock lock);
  /// Never throws for a disk that fails: it warns once, counts, and goes on without.
  bool publish(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label);
  /// Gives the server what was published. Apart from that, so that no lock is held meanwhile; takes as long
  /// as the server's time limits allow. False where there is no server, or it has the entry, or does not take
  /// it.
  bool upload(const std::string& digest);
  [[nodiscard]] bool has_server() const { return options_.remote != nullptr; }

  /// Sound entries of the root.
  [[nodiscard]] std::vector<CacheEntryInfo> list();
  /// Reads every entry of every layer; with `repair` removes the damaged ones of the root.
  [[nodiscard]] VerifyReport verify(bool repair = false);
  /// Makes room, see Collector. Throws environment_error if the disk refuses.
  CollectReport collect(const CollectOptions& options);
  /// Removes every entry, and what dead processes left; returns how many entries. Throws environment_error if
  /// the disk refuses.
  std::uint64_t clear();

  [[nodiscard]] CacheCounters counters() const;
  [[nodiscard]] const std::filesystem::path& root() const { return own_.root(); }
  /// Why the root, or only publishing, is off; empty while both are on.
  [[nodiscard]] std::string disabled_reason() const;

 private:
  using Path = std::filesystem::path;
  struct Layer {
    EntryStore store;
    std::string problem;  ///< why it is off; guarded by mutex_
  };

  [[nodiscard]] bool is_trusted();
  [[nodiscard]] bool is_usable(Layer& layer);
  [[nodiscard]] bool may_write() const;
  [[nodiscard]] CacheTurn look_in_folders(const CacheKey& key);
  void ask_server(const CacheKey& key, CacheTurn& turn);
  [[nodiscard]] bool unpack(const CacheKey& key, const std::string& bundle);
  void make_prefix(const CacheKey& key);
  void turn_writing_off(const std::filesystem::filesystem_error& error);
  [[nodiscard]] std::optional<CodeObject> load_read_only(const CacheKey& key);
  [[nodiscard]] std::optional<CodeObject> take(EntryStore::Lookup found, const CacheKey& key,
                                               const EntryStore& store);
  void write_and_commit(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label);
  void replace_prefix(const Path& prefix);
  [[nodiscard]] bool commit(const Path& temporary, const CacheKey& key);
  void keep_cap(std::uint64_t published_bytes);
  void verify_layer(const EntryStore& store, bool repair, VerifyReport& report);
  [[nodiscard]] Collector make_collector() { return {files_, clock_, own_, locks_}; }
  void count(std::uint64_t CacheCounters::*counter);
  void turn_off(std::string& reason_kept, const std::string& reason, const std::string& message);

  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  DiskCacheOptions options_;
  EntryStore own_;
  KeyLocks locks_;
  UseMark use_mark_;
  SizeCap cap_;
  mutable std::mutex mutex_;  // protects all members below; never held during input or output
  std::list<Layer> read_only_;
  CacheCounters counters_;
  std::string distrust_;
  std::string write_problem_;
  std::mutex portable_mutex_;                            // of `portable_`
  std::optional<std::vector<CacheEntryInfo>> portable_;  ///< entries of all folders; absent: not read yet
};

}  // namespace kiln
