#include "cache/disk_cache.h"

#include <utility>

#include "base/hash.h"
#include "cache/access_record.h"
#include "cache/bundle.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using std::filesystem::filesystem_error;

constexpr const char* kLockFolder = "locks";

std::uint64_t bytes_of(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label) {
  constexpr std::uint64_t kMetadata = 1500;  // about
  return code.binary.size() + code.log.size() + label.source_text.size() + key.preimage.size() + kMetadata;
}

}  // namespace

DiskCache::DiskCache(FileSystem& files, const Clock& clock, Log& log, DiskCacheOptions options)
    : files_(files),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      own_(files, options_.root, EntryStore::Owners::kSelfAndRoot),
      locks_(files, clock, options_.root / kLockFolder, options_.lease_seconds),
      use_mark_(files, options_.root / kUseMarkFolder),
      cap_(files, clock, options_.root, options_.max_bytes) {
  for (const Path& folder : options_.read_only)
    read_only_.push_back({EntryStore(files, folder, EntryStore::Owners::kAlsoOfTheFolder), ""});
}

std::optional<CodeObject> DiskCache::load(const CacheKey& key) {
  CacheTurn found = find(key);
  if (found.in_root) note_use(key.digest);
  return std::move(found.code);
}

CacheTurn DiskCache::find(const CacheKey& key) {
  CacheTurn found = look_in_folders(key);
  if (!found.code) ask_server(key, found);
  count(found.code ? &CacheCounters::hits : &CacheCounters::misses);
  return found;
}

CacheTurn DiskCache::load_or_lock(const CacheKey& key, const std::stop_token& stop) {
  if (!options_.locks || !may_write() || !is_trusted()) return find(key);
  CacheTurn turn = look_in_folders(key);
  count(turn.code ? &CacheCounters::hits : &CacheCounters::misses);
  if (turn.code) return turn;

  const auto look_again = [&] {
    EntryStore::Lookup found = own_.look_up(key);
    if (auto* code = std::get_if<CodeObject>(&found)) turn.code = std::move(*code);
    return turn.code.has_value();
  };
  KeyTurn key_turn = locks_.take(key.digest, [&] { return stop.stop_requested() || look_again(); });
  turn.waited = key_turn.waited;
  if (turn.waited) count(&CacheCounters::waits);
  // The former holder of the lock may have published between our look-up and our lock.
  if (turn.code || look_again())
    turn.in_root = true;
  else if (!stop.stop_requested())
    ask_server(key, turn);
  if (turn.code)
    count(&CacheCounters::hits);
  else
    turn.lock = std::move(key_turn.lock);
  return turn;
}

std::vector<CacheEntryInfo> DiskCache::find_portable(const std::string& portable) {
  const std::lock_guard lock(portable_mutex_);
  if (!portable_) {
    portable_.emplace();
    const auto add = [&](const EntryStore& store) {
      for (const std::string& digest : store.digests()) {
        auto info = read_cache_entry_info(files_, store.directory(digest));
        if (info && !info->portable.empty()) portable_->push_back(*std::move(info));
      }
    };
    if (is_trusted()) add(own_);
    for (Layer& layer : read_only_) {
      if (is_usable(layer)) add(layer.store);
    }
  }
  std::vector<CacheEntryInfo> found;
  for (const CacheEntryInfo& info : *portable_) {
    if (info.portable == portable || portable.empty()) found.push_back(info);
  }
  return found;
}

std::optional<CodeObject> DiskCache::load_portable(const std::string& digest) {
  return load(CacheKey{digest, ""});
}

void DiskCache::note_use(const std::string& digest) noexcept {
  try {
    use_mark_.add(digest);
    record_access(files_, clock_, own_.directory(digest));
  } catch (const std::exception&) {
    return;  // no memory: the entry may be evicted
  }
}

void DiskCache::give_up(KeyLock lock) {
  locks_.give_up(std::move(lock));
}

bool DiskCache::publish(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label) {
  if (!may_write() || !is_trusted()) return false;
  try {
    write_and_commit(key, code, label);
    use_mark_.add(key.digest);
  } catch (const filesystem_error& error) {
    turn_writing_off(error);
    return false;
  } catch (const Error& error) {
    count(&CacheCounters::failed_writes);
    log_.warn("cache entry " + key.digest + " is not kept: " + error.what());
    return false;
  }
  keep_cap(bytes_of(key, code, label));
  return true;
}

bool DiskCache::upload(const std::string& digest) {
  return options_.remote && is_trusted() && options_.remote->upload(files_, own_, digest);
}

std::vector<CacheEntryInfo> DiskCache::list() {
  std::vector<CacheEntryInfo> entries;
  if (!is_trusted()) return entries;
  for (const std::string& digest : own_.digests()) {
    auto info = read_cache_entry_info(files_, own_.directory(digest));
    if (!info) continue;
    const EntryAccess access = read_access(files_, own_.directory(digest));
    info->hits = access.hits;
    info->used_ns = access.last_ns;
    entries.push_back(*std::move(info));
  }
  return entries;
}

VerifyReport DiskCache::verify(bool repair) {
  VerifyReport report;
  if (is_trusted()) {
    verify_layer(own_, repair, report);
    report.stale_temporaries = make_collector().stale_temporaries().size();
  }
  for (Layer& layer : read_only_) {
    if (is_usable(layer)) verify_layer(layer.store, false, report);
  }
  return report;
}

CollectReport DiskCache::collect(const CollectOptions& options) {
  if (!is_trusted()) return {};
  try {
    return make_collector().collect(options);
  } catch (const filesystem_error& error) {
    throw environment_error("cannot make room in the kernel cache in '" + root().string() +
                            "': " + explain(error));
  }
}

std::uint64_t DiskCache::clear() {
  if (!is_trusted()) return 0;
  try {
    const std::vector<std::string> digests = own_.digests();
    for (const std::string& digest : digests) static_cast<void>(set_aside(files_, own_, digest));
    CollectReport report;
    make_collector().remove_leftovers(report, false);
    files_.remove_all(root() / "sources");  // texts that compilers left for profilers
    files_.remove_all(root() / "usage");
    return digests.size();
  } catch (const filesystem_error& error) {
    throw environment_error("cannot clear the kernel cache in '" + root().string() + "': " + explain(error));
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

/// Whether no write has failed so far.
bool DiskCache::may_write() const {
  const std::lock_guard lock(mutex_);
  return write_problem_.empty();
}

bool DiskCache::is_trusted() {
  const auto distrust = own_.distrust();
  if (!distrust) {
    const std::lock_guard lock(mutex_);
    return distrust_.empty();
  }
  turn_off(distrust_, distrust->why,
           "the kernel cache in '" + distrust->folder.string() + "' is not used: " + distrust->why +
               "; choose a folder that only you can write to with cache_dir");
  return false;
}

bool DiskCache::is_usable(Layer& layer) {
  {
    const std::lock_guard lock(mutex_);
    if (!layer.problem.empty()) return false;
  }
  const std::optional<std::string> problem = layer.store.problem();
  if (!problem) return true;
  turn_off(layer.problem, *problem,
           "'" + layer.store.root().string() + "' of cache_read_only is not used: " + *problem);
  return false;
}

CacheTurn DiskCache::look_in_folders(const CacheKey& key) {
  CacheTurn found;
  if (is_trusted()) found.code = take(own_.look_up(key), key, own_);
  found.in_root = found.code.has_value();
  if (!found.code && (found.code = load_read_only(key))) count(&CacheCounters::read_only);
  return found;
}

/// The server's answer is put into the root, for this process and others.
void DiskCache::ask_server(const CacheKey& key, CacheTurn& turn) {
  if (!options_.remote) return;
  std::optional<RemoteEntry> entry = options_.remote->fetch(key.digest);
  if (!entry) return;
  try {
    turn.in_root = may_write() && is_trusted() && unpack(key, entry->bundle);
  } catch (const Error& error) {  // the whole of it is not sound
    options_.remote->reject(key.digest, error.message());
    return;
  }
  turn.code = std::move(entry->code);
  turn.remote = true;
  count(&CacheCounters::remote);
}

/// False if the disk refuses. Throws bad_input.
bool DiskCache::unpack(const CacheKey& key, const std::string& bundle) {
  try {
    make_prefix(key);
    if (!is_trusted()) return false;
    unpack_bundle(files_, bundle_in_text(bundle), root(), false);
  } catch (const filesystem_error& error) {
    turn_writing_off(error);
    return false;
  }
  keep_cap(bundle.size());
  return true;
}

std::optional<CodeObject> DiskCache::load_read_only(const CacheKey& key) {
  for (Layer& layer : read_only_) {
    if (!is_usable(layer)) continue;
    if (auto code = take(layer.store.look_up(key), key, layer.store)) return code;
  }
  return std::nullopt;
}

/// The code, or a warning if the entry is damaged.
std::optional<CodeObject> DiskCache::take(EntryStore::Lookup found, const CacheKey& key,
                                          const EntryStore& store) {
  if (auto* code = std::get_if<CodeObject>(&found)) return std::move(*code);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&found)) {
    count(&CacheCounters::damaged);
    const std::string what = "cache entry " + key.digest + " in '" + store.root().string() +
                             "' is damaged (" + damage->what + "); ";
    log_.warn(what + (&store == &own_ ? "its kernel is compiled again and the entry replaced"
                                      : "it is looked for elsewhere"));
  }
  return std::nullopt;
}

void DiskCache::write_and_commit(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label) {
  make_prefix(key);
  if (!is_trusted()) return;
  const ScratchFolder temporary = make_temporary(files_, root(), "new");
  write_cache_entry(files_, temporary.get().path, key, code, label, clock_.system_ns());
  count(commit(temporary.get().path, key) ? &CacheCounters::published : &CacheCounters::lost_races);
}

/// The folder that the entry's own lies in.
void DiskCache::make_prefix(const CacheKey& key) {
  const Path prefix = own_.directory(key.digest).parent_path();
  files_.make_directories(root(), true);
  if (!own_.has_sound_prefix(key.digest)) replace_prefix(prefix);
  files_.make_directories(prefix, true);
}

/// A user with write permission may have put anything there.
void DiskCache::replace_prefix(const Path& prefix) {
  const ScratchFolder aside = make_temporary(files_, root(), "removed");
  (void)files_.rename(prefix, aside.get().path / "prefix");
}

/// False if a good entry of this key is there already, or others keep putting one there.
bool DiskCache::commit(const Path& temporary, const CacheKey& key) {
  constexpr int kAttempts = 4;
  const Path target = own_.directory(key.digest);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto there = files_.status(target);
    if (there && there->type != FileStatus::Type::kDirectory) files_.remove_all(target);
    if (files_.rename(temporary, target)) return true;
    if (std::holds_alternative<CodeObject>(own_.look_up(key))) return false;
    static_cast<void>(set_aside(files_, own_, key.digest));
  }
  return false;
}

/// A failure here costs only space.
void DiskCache::keep_cap(std::uint64_t published_bytes) {
  try {
    Collector collector = make_collector();
    cap_.published(published_bytes, collector);
  } catch (const filesystem_error& error) {
    log_.info("the size of the kernel cache in '" + root().string() + "' is not kept: " + explain(error));
  }
}

void DiskCache::verify_layer(const EntryStore& store, bool repair, VerifyReport& report) {
  const std::string place = &store == &own_ ? "" : " in '" + store.root().string() + "'";
  for (const std::string& digest : store.digests()) {
    ++report.entries;
    const auto read = store.read(digest);
    std::string what;
    if (const auto* damage = std::get_if<CacheEntryDamage>(&read)) {
      if (!files_.status(store.directory(digest))) continue;  // removed while it was read
      what = damage->what;
    } else if (sha256_hex(std::get<CacheEntry>(read).preimage) != digest) {
      what = "its name is not the digest of its preimage";
    } else {
      continue;
    }
    report.damaged.push_back(std::string(digest).append(place).append(": ").append(what));
    if (repair && set_aside(files_, store, digest)) ++report.repaired;
  }
}

void DiskCache::count(std::uint64_t CacheCounters::*counter) {
  const std::lock_guard lock(mutex_);
  ++(counters_.*counter);
}

void DiskCache::turn_writing_off(const filesystem_error& error) {
  count(&CacheCounters::failed_writes);
  turn_off(write_problem_, explain(error),
           "the kernel cache in '" + root().string() + "' cannot be written (" + explain(error) +
               "); kernels compiled from now on are not kept. Make room, or choose another folder with "
               "cache_dir");
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
