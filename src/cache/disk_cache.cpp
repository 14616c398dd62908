#include "cache/disk_cache.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "cache/folder_trust.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using std::filesystem::filesystem_error;

constexpr const char* kFormatFolder = "v1";
constexpr const char* kTemporaryFolder = "tmp";
constexpr const char* kLockFolder = "locks";
constexpr std::size_t kPrefixDigits = 2;
constexpr std::size_t kDigestDigits = 64;
constexpr std::int64_t kStaleAfterNs = 3'600'000'000'000;

/// Abandons a directory that was not renamed away.
struct RemoveDirectory {
  FileSystem* files;
  void operator()(const Path* path) const noexcept {
    try {
      files->remove_all(*path);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): clear() collects what stays behind
    }
    delete path;
  }
};
using TemporaryDirectory = std::unique_ptr<Path, RemoveDirectory>;

TemporaryDirectory make_temporary(FileSystem& files, const Path& root, const std::string& prefix) {
  files.make_directories(root / kTemporaryFolder, true);
  const Path path = files.make_unique_directory(root / kTemporaryFolder / (prefix + "-"));
  return {new Path(path), RemoveDirectory{&files}};
}

bool is_hexadecimal(const std::string& text, std::size_t length) {
  return text.size() == length && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isxdigit(c) != 0 && std::isupper(c) == 0;
         });
}

std::string explain(const filesystem_error& error) {
  return error.path1().string() + ": " + error.code().message();
}

}  // namespace

DiskCache::DiskCache(FileSystem& files, const Clock& clock, Log& log, DiskCacheOptions options)
    : files_(files),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      root_(options_.root),
      locks_(files, clock, root_ / kLockFolder, options_.lease_seconds) {}

std::optional<CodeObject> DiskCache::load(const CacheKey& key) {
  if (!is_trusted()) return std::nullopt;
  Lookup found = look_up(key);
  if (auto* entry = std::get_if<CacheEntry>(&found)) {
    count(&CacheCounters::hits);
    return std::move(entry->code);
  }
  count(&CacheCounters::misses);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&found)) {
    count(&CacheCounters::damaged);
    log_.warn("cache entry " + key.digest + " in '" + root_.string() + "' is damaged (" + damage->what +
              "); its kernel is compiled again and the entry replaced");
  }
  return std::nullopt;
}

CacheTurn DiskCache::load_or_lock(const CacheKey& key) {
  CacheTurn turn;
  turn.code = load(key);
  if (turn.code || !options_.locks || !may_write() || !is_trusted()) return turn;

  const auto look_again = [&] {
    Lookup found = look_up(key);
    if (auto* entry = std::get_if<CacheEntry>(&found)) turn.code = std::move(entry->code);
    return turn.code.has_value();
  };
  KeyTurn key_turn = locks_.take(key.digest, look_again);
  turn.waited = key_turn.waited;
  if (turn.waited) count(&CacheCounters::waits);
  // Whoever had the lock before may have published between our look and our lock.
  if (turn.code || look_again()) {
    count(&CacheCounters::hits);
  } else {
    turn.lock = std::move(key_turn.lock);
  }
  return turn;
}

void DiskCache::give_up(KeyLock lock) {
  locks_.give_up(std::move(lock));
}

void DiskCache::publish(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label) {
  if (!may_write() || !is_trusted()) return;
  try {
    write_and_commit(key, code, label);
  } catch (const filesystem_error& error) {
    count(&CacheCounters::failed_writes);
    turn_off(write_problem_, explain(error),
             "the kernel cache in '" + root_.string() + "' cannot be written (" + explain(error) +
                 "); kernels compiled from now on are not kept. Make room, or choose another folder with "
                 "cache_dir");
  } catch (const Error& error) {
    count(&CacheCounters::failed_writes);
    log_.warn("cache entry " + key.digest + " is not kept: " + error.what());
  }
}

std::vector<CacheEntryInfo> DiskCache::list() {
  std::vector<CacheEntryInfo> entries;
  if (!is_trusted()) return entries;
  for (const std::string& digest : all_digests()) {
    if (auto info = read_cache_entry_info(files_, entry_directory(digest))) {
      entries.push_back(*std::move(info));
    }
  }
  return entries;
}

VerifyReport DiskCache::verify() {
  VerifyReport report;
  if (!is_trusted()) return report;
  for (const std::string& digest : all_digests()) {
    ++report.entries;
    const auto read = read_cache_entry(files_, entry_directory(digest));
    if (const auto* damage = std::get_if<CacheEntryDamage>(&read)) {
      report.damaged.push_back(digest + ": " + damage->what);
    } else if (sha256_hex(std::get<CacheEntry>(read).preimage) != digest) {
      report.damaged.push_back(digest + ": its name is not the digest of its preimage");
    }
  }
  report.stale_temporaries = stale_temporaries().size();
  return report;
}

std::uint64_t DiskCache::clear() {
  if (!is_trusted()) return 0;
  try {
    const std::vector<std::string> digests = all_digests();
    for (const std::string& digest : digests) set_aside_and_remove(entry_directory(digest));
    for (const Path& path : stale_temporaries()) files_.remove_all(path);
    files_.remove_all(root_ / "sources");  // texts that compilers left for profilers
    static_cast<void>(locks_.remove_stale());
    return digests.size();
  } catch (const filesystem_error& error) {
    throw environment_error("cannot clear the kernel cache in '" + root_.string() + "': " + explain(error));
  }
}

CacheCounters DiskCache::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

std::string DiskCache::disabled_reason() const {
  const std::lock_guard lock(mutex_);
  return distrust_.empty() ? write_problem_ : distrust_;
}

Path DiskCache::entry_directory(const std::string& digest) const {
  if (!is_hexadecimal(digest, kDigestDigits))
    throw internal_error("'" + digest + "' is not a SHA-256 digest");
  return root_ / kFormatFolder / digest.substr(0, kPrefixDigits) / digest.substr(kPrefixDigits);
}

/// Whether no write has failed so far.
bool DiskCache::may_write() const {
  const std::lock_guard lock(mutex_);
  return write_problem_.empty();
}

/// Asked before each use: the folder may be made, by anyone, at any time.
bool DiskCache::is_trusted() {
  std::optional<std::string> problem;
  Path folder = root_;
  try {
    problem = find_distrust(files_, folder);
    if (!problem) problem = find_distrust(files_, folder = root_ / kFormatFolder);
  } catch (const filesystem_error& error) {
    problem = "it cannot be examined: " + error.code().message();
  }
  if (!problem) {
    const std::lock_guard lock(mutex_);
    return distrust_.empty();
  }
  turn_off(distrust_, *problem,
           "the kernel cache in '" + folder.string() + "' is not used: " + *problem +
               "; choose a folder that only you can write to with cache_dir");
  return false;
}

DiskCache::Lookup DiskCache::look_up(const CacheKey& key) {
  const Path directory = entry_directory(key.digest);
  try {
    const auto status = files_.status(directory);
    if (!status) return Absent{};
    if (!is_trusted_owner(status->owner)) {
      return CacheEntryDamage{"it belongs to user " + std::to_string(status->owner)};
    }
    auto read = read_cache_entry(files_, directory);
    if (auto* damage = std::get_if<CacheEntryDamage>(&read)) {
      if (!files_.status(directory)) return Absent{};  // removed while it was read
      return std::move(*damage);
    }
    auto& entry = std::get<CacheEntry>(read);
    if (entry.preimage != key.preimage) return CacheEntryDamage{"it is the entry of another key"};
    return std::move(entry);
  } catch (const filesystem_error& error) {
    return CacheEntryDamage{explain(error)};
  }
}

void DiskCache::write_and_commit(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label) {
  const Path directory = entry_directory(key.digest);
  files_.make_directories(root_, true);
  files_.make_directories(directory.parent_path(), true);
  if (!is_trusted()) return;
  const TemporaryDirectory temporary = make_temporary(files_, root_, key.digest.substr(0, 8));
  write_cache_entry(files_, *temporary, key, code, label, clock_.system_ns());
  count(commit(*temporary, key) ? &CacheCounters::published : &CacheCounters::lost_races);
}

/// False if a good entry of this key is there already, or others keep putting one there.
bool DiskCache::commit(const Path& temporary, const CacheKey& key) {
  constexpr int kAttempts = 4;
  const Path target = entry_directory(key.digest);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto there = files_.status(target);
    if (there && there->type != FileStatus::Type::kDirectory) files_.remove_all(target);
    if (files_.rename(temporary, target)) {
      files_.sync_directory(target.parent_path());
      return true;
    }
    if (std::holds_alternative<CacheEntry>(look_up(key))) return false;
    set_aside_and_remove(target);
  }
  return false;
}

/// By rename first, so that no reader sees half an entry.
void DiskCache::set_aside_and_remove(const Path& directory) {
  const TemporaryDirectory aside = make_temporary(files_, root_, "removed");
  try {
    (void)files_.rename(directory, *aside / "entry");
  } catch (const filesystem_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
  }
}

std::vector<std::string> DiskCache::all_digests() {
  std::vector<std::string> digests;
  const Path top = root_ / kFormatFolder;
  for (const std::string& prefix : files_.list(top)) {
    if (!is_hexadecimal(prefix, kPrefixDigits)) continue;
    for (const std::string& rest : files_.list(top / prefix)) {
      if (is_hexadecimal(rest, kDigestDigits - kPrefixDigits)) digests.push_back(prefix + rest);
    }
  }
  return digests;
}

std::vector<Path> DiskCache::stale_temporaries() {
  std::vector<Path> stale;
  const Path folder = root_ / kTemporaryFolder;
  for (const std::string& name : files_.list(folder)) {
    const auto status = files_.status(folder / name);
    if (status && clock_.system_ns() - status->modified_ns > kStaleAfterNs) stale.push_back(folder / name);
  }
  return stale;
}

void DiskCache::count(std::uint64_t CacheCounters::*counter) {
  const std::lock_guard lock(mutex_);
  ++(counters_.*counter);
}

/// Keeps the first reason and warns once.
void DiskCache::turn_off(std::string& reason_kept, const std::string& reason, const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (!reason_kept.empty()) return;
    reason_kept = reason;
  }
  log_.warn(message);
}

}  // namespace kiln
