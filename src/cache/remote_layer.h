#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/log.h"
#include "cache/entry_store.h"
#include "cache/remote_transport.h"
#include "compile/compiler.h"
#include "kiln/settings.h"

namespace kiln {

/// The bytes of a key file. Throws bad_input, which says why, for a file that is not there, is no plain file,
/// belongs to another user, has a mode other than 0600 and 0400, or holds less than 32 bytes.
[[nodiscard]] std::string read_remote_key(FileSystem& files, const std::filesystem::path& file);

/// "kiln-v1-<digest>": the name that a server keeps an entry under.
[[nodiscard]] std::string remote_name(const std::string& digest);
/// A value on the server: the line "kiln remote 1 <HMAC-SHA256, 64 hexadecimal digits>" and a bundle of the
/// one entry (cache/bundle.h). The HMAC is over that line's beginning, the digest and the bundle, so that a
/// value is valid under its own name alone.
[[nodiscard]] std::string seal_remote_value(const std::string& key, const std::string& digest,
                                            std::string_view bundle);

/// An entry that a server had: authentic, and sound as its own `entry.json` records it.
struct RemoteEntry {
  std::string bundle;
  CodeObject code;
};

struct RemoteCounters {
  std::uint64_t uploads = 0, damaged = 0;
};

/// A server of cache entries, the last place that a cache looks in. What comes is authenticated by a key that
/// those who share the server have, and then verified as any entry is; what is not authentic, or damaged, is
/// a warning and a miss, and the next upload from here replaces it. A server that does not answer in time or
/// does not answer properly costs one warning and turns the layer off; one that does not take uploads turns
/// those off. Neither ever costs more, and nothing here throws. Without a key, values are taken as they are,
/// and none is uploaded. Thread-safe.
class RemoteLayer {
 public:
  /// `place`: the server's address, for messages. `key`: empty for none.
  RemoteLayer(std::unique_ptr<RemoteTransport> transport, Log& log, std::string place, std::string key);

  [[nodiscard]] std::optional<RemoteEntry> fetch(const std::string& digest);
  /// Says so, and remembers to replace it; for what is found out about an entry after `fetch`.
  void reject(const std::string& digest, const std::string& what);
  /// Puts an entry of `store` there unless the server has it. False if it did not.
  bool upload(FileSystem& files, const EntryStore& store, const std::string& digest);

  [[nodiscard]] RemoteCounters counters() const;
  /// Why it, or only uploading, is off; empty while both are on.
  [[nodiscard]] std::string disabled_reason() const;

 private:
  [[nodiscard]] bool is_off() const;
  [[nodiscard]] bool may_upload() const;
  void turn_off(const std::string& reason);
  void turn_uploads_off(const std::string& reason);
  [[nodiscard]] std::string checked_bundle(const std::string& digest, std::string value) const;
  bool try_upload(FileSystem& files, const EntryStore& store, const std::string& digest);

  std::unique_ptr<RemoteTransport> transport_;
  Log& log_;
  std::string place_, key_;
  mutable std::mutex mutex_;  // protects all members below; never held during a transfer
  std::string problem_, upload_problem_;
  std::set<std::string> rejected_;  ///< digests of values to replace
  RemoteCounters counters_;
};

/// Made from the settings; null if they name no server. Throws bad_input if they are incomplete or the key
/// file is refused.
[[nodiscard]] std::shared_ptr<RemoteLayer> make_remote_layer(const Settings& settings, FileSystem& files,
                                                             Log& log);

}  // namespace kiln
