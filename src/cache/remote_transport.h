#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "config/remote_address.h"

namespace kiln {

/// A server that keeps values by name, on the other side of a network. Each call ends within the time limits
/// that the transport was made with, whatever the server does; a call that gets no proper answer throws
/// environment_error, one clause that says what the server did. Thread-safe.
class RemoteTransport {
 public:
  virtual ~RemoteTransport() = default;
  /// `nullopt`: the server has no such value. Throws bad_input for one of more than `most` bytes, which is
  /// not read.
  [[nodiscard]] virtual std::optional<std::string> get(const std::string& name, std::uint64_t most) = 0;
  [[nodiscard]] virtual bool has(const std::string& name) = 0;
  /// In place of what the server had. Why the server does not take it; `nullopt` if it does.
  [[nodiscard]] virtual std::optional<std::string> put(const std::string& name, std::string_view value) = 0;
};

/// Seconds.
struct RemoteTimeLimits {
  double connect = 0;
  double whole = 0;  ///< for a transfer, including its connect
};

/// Servers of Redis (https://redis.io/docs/latest/develop/reference/protocol-spec/, version 2 of the
/// protocol). Of the limits only the resolution of the host's name is exempt: it has the resolver's own.
[[nodiscard]] std::unique_ptr<RemoteTransport> make_redis_transport(const RemoteAddress& address,
                                                                    const RemoteTimeLimits& limits);

/// Servers of HTTP that take GET, HEAD and PUT, through libkiln_remote.so (cache/remote_plugin.h), which is
/// opened at the first call. `plugin`: its path; empty: searched.
[[nodiscard]] std::unique_ptr<RemoteTransport> make_http_transport(const RemoteAddress& address,
                                                                   const RemoteTimeLimits& limits,
                                                                   const std::string& plugin,
                                                                   FileSystem& files);

}  // namespace kiln
