#include "cache/remote_layer.h"

#include <array>
#include <map>
#include <utility>
#include <variant>

#include "base/hash.h"
#include "base/text.h"
#include "cache/bundle.h"
#include "cache/entry.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr std::string_view kHeader = "kiln remote 1 ";
constexpr std::size_t kMacDigits = 64;
constexpr std::uint64_t kLargestValue = std::uint64_t{64} << 20;

std::string mac_of(const std::string& key, const std::string& digest, std::string_view bundle) {
  return hmac_sha256_hex(key, std::string(kHeader) + digest + "\n" + std::string(bundle));
}

/// The entry of a bundle that holds exactly this entry. Throws bad_input.
CodeObject read_single_entry(std::string_view bundle, const std::string& digest) {
  std::map<std::string, std::string_view> contents;
  for (const BundleMember& member : parse_bundle(bundle_in_text(bundle))) {
    if (member.digest != digest) throw bad_input("it holds entry " + member.digest);
    contents[member.name] = bundle.substr(member.at, member.size);
  }
  auto read = read_entry_code(contents);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&read)) throw bad_input(damage->what);
  auto& entry = std::get<EntryCode>(read);
  if (entry.info.digest != digest) throw bad_input("it is the entry of another key");
  return std::move(entry.code);
}

}  // namespace

std::string read_remote_key(FileSystem& files, const std::filesystem::path& file) {
  constexpr std::uint64_t kFewest = 32, kMost = 4096;
  constexpr std::uint32_t kOwnerReadsWrites = 0600, kOwnerReads = 0400;
  const std::string what = "the key file " + in_quotes(file.string()) + " of cache_remote_key ";
  try {
    const auto status = files.target_status(file);
    if (!status) throw bad_input(what + "is not there");
    if (status->type != FileStatus::Type::kFile) throw bad_input(what + "is no plain file");
    if (status->owner != current_user_id())
      throw bad_input(what + "belongs to user " + std::to_string(status->owner) + " and you are user " +
                      std::to_string(current_user_id()));
    if (status->mode != kOwnerReadsWrites && status->mode != kOwnerReads) {
      constexpr std::array<unsigned, 4> kShifts = {9, 6, 3, 0};
      std::string mode;
      for (const unsigned shift : kShifts) mode += static_cast<char>('0' + ((status->mode >> shift) & 7U));
      throw bad_input(what + "has mode " + mode + "; expected 0600 or 0400, so that no other user reads it");
    }
    if (status->size < kFewest || status->size > kMost)
      throw bad_input(what + "has " + std::to_string(status->size) + " bytes; expected " +
                      std::to_string(kFewest) + " to " + std::to_string(kMost));
    std::string key = files.read_file(file).value_or("");
    if (key.size() != status->size) throw bad_input(what + "changes while it is read");
    return key;
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input(what + "cannot be read: " + explain(error));
  }
}

std::string remote_name(const std::string& digest) {
  return "kiln-v1-" + digest;
}

std::string seal_remote_value(const std::string& key, const std::string& digest, std::string_view bundle) {
  return std::string(kHeader) + mac_of(key, digest, bundle) + "\n" + std::string(bundle);
}

RemoteLayer::RemoteLayer(std::unique_ptr<RemoteTransport> transport, Log& log, std::string place,
                         std::string key)
    : transport_(std::move(transport)), log_(log), place_(std::move(place)), key_(std::move(key)) {}

std::optional<RemoteEntry> RemoteLayer::fetch(const std::string& digest) {
  if (is_off()) return std::nullopt;
  try {
    auto value = transport_->get(remote_name(digest), kLargestValue);
    if (!value) return std::nullopt;
    RemoteEntry entry{checked_bundle(digest, *std::move(value)), {}};
    entry.code = read_single_entry(entry.bundle, digest);
    return entry;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBadInput)
      reject(digest, error.message());
    else
      turn_off(error.message());
  }
  return std::nullopt;
}

/// Before anything else is done with it. Throws bad_input.
std::string RemoteLayer::checked_bundle(const std::string& digest, std::string value) const {
  const std::size_t header = kHeader.size() + kMacDigits + 1;
  if (!value.starts_with(kHeader) || value.size() < header || value[header - 1] != '\n')
    throw bad_input("it does not begin with '" + std::string(kHeader) + "<HMAC>'");
  const std::string mac = value.substr(kHeader.size(), kMacDigits);
  value.erase(0, header);
  if (!key_.empty() && !is_same_secret(mac, mac_of(key_, digest, value)))
    throw bad_input("its HMAC is not that of your key: another key signed it, or it was changed");
  return value;
}

void RemoteLayer::reject(const std::string& digest, const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    ++counters_.damaged;
    rejected_.insert(digest);
  }
  log_.warn("cache entry " + digest + " of " + place_ + " is not used (" + what +
            "); its kernel is compiled" + (may_upload() ? " and the entry replaced" : ""));
}

bool RemoteLayer::upload(FileSystem& files, const EntryStore& store, const std::string& digest) {
  if (!may_upload()) return false;
  try {
    return try_upload(files, store, digest);
  } catch (const Error& error) {
    turn_off(error.message());
  } catch (const std::filesystem::filesystem_error& error) {
    log_.info("cache entry " + digest + " is not put to " + place_ + ": " + explain(error));
  }
  return false;
}

bool RemoteLayer::try_upload(FileSystem& files, const EntryStore& store, const std::string& digest) {
  bool replaces = false;
  {
    const std::lock_guard lock(mutex_);
    replaces = rejected_.contains(digest);
  }
  if (!replaces && transport_->has(remote_name(digest))) return false;
  const auto bundle = pack_entry(files, store, digest);
  if (!bundle) return false;  // another process has evicted it
  const std::string value = seal_remote_value(key_, digest, *bundle);
  if (value.size() > kLargestValue) {
    log_.info("cache entry " + digest + " is not put to " + place_ + ": it has " +
              format_bytes(value.size()) + ", more than " + format_bytes(kLargestValue));
    return false;
  }
  if (const auto refusal = transport_->put(remote_name(digest), value)) {
    turn_uploads_off(*refusal);
    return false;
  }
  const std::lock_guard lock(mutex_);
  ++counters_.uploads;
  rejected_.erase(digest);
  return true;
}

RemoteCounters RemoteLayer::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

std::string RemoteLayer::disabled_reason() const {
  const std::lock_guard lock(mutex_);
  return problem_.empty() ? upload_problem_ : problem_;
}

bool RemoteLayer::is_off() const {
  const std::lock_guard lock(mutex_);
  return !problem_.empty();
}

bool RemoteLayer::may_upload() const {
  const std::lock_guard lock(mutex_);
  return !key_.empty() && problem_.empty() && upload_problem_.empty();
}

/// Keeps the first reason and warns once, however many transfers fail together.
void RemoteLayer::turn_off(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!problem_.empty()) return;
    problem_ = reason;
  }
  log_.warn("the remote cache " + place_ + " is not used from now on: " + reason);
}

void RemoteLayer::turn_uploads_off(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!upload_problem_.empty()) return;
    upload_problem_ = reason;
  }
  log_.warn("the remote cache " + place_ + " takes no entries from here: " + reason + "; it is still read");
}

std::shared_ptr<RemoteLayer> make_remote_layer(const Settings& settings, FileSystem& files, Log& log) {
  if (settings.cache_remote.empty()) return nullptr;
  const RemoteAddress address = parse_remote_address(settings.cache_remote);
  std::string key;
  if (!settings.cache_remote_key.empty()) {
    key = read_remote_key(files, settings.cache_remote_key);
  } else if (!settings.cache_remote_unauthenticated) {
    throw bad_input(
        "cache_remote names a server, but there is no key to know its entries by: name a key file "
        "with cache_remote_key, or say 'cache_remote_unauthenticated: on' to run what the server "
        "has as it is");
  }
  if (settings.cache_remote_timeout <= 0)
    throw bad_input("cache_remote_timeout must be more than 0, so that a dead server does not stop a job");
  constexpr double kConnectShare = 0.25;
  const RemoteTimeLimits limits{settings.cache_remote_timeout * kConnectShare, settings.cache_remote_timeout};
  auto transport = address.scheme == RemoteAddress::Scheme::kRedis
                       ? make_redis_transport(address, limits)
                       : make_http_transport(address, limits, settings.cache_remote_plugin, files);
  return std::make_shared<RemoteLayer>(std::move(transport), log, address.text, std::move(key));
}

}  // namespace kiln
