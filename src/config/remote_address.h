#pragma once

#include <string>

namespace kiln {

/// A server that keeps values by name: `http://host[:port][/path]`, `https://...` or
/// `redis://host[:port][/database]`.
struct RemoteAddress {
  enum class Scheme { kHttp, kHttps, kRedis };
  Scheme scheme = Scheme::kHttp;
  std::string host;  ///< a name or an address; one of IPv6 without its brackets
  int port = 0;      ///< the scheme's own where none is stated
  int database = 0;  ///< of kRedis
  std::string text;  ///< the whole, without a slash at its end
};

/// Throws bad_input that says what was expected. Names and passwords of users are refused: an address is
/// shown in messages and by `kiln settings`.
[[nodiscard]] RemoteAddress parse_remote_address(const std::string& text);

}  // namespace kiln
