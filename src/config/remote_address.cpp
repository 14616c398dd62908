#include "config/remote_address.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Scheme = RemoteAddress::Scheme;

struct SchemeRow {
  std::string_view prefix;
  Scheme scheme;
  int port;
};
constexpr std::array<SchemeRow, 3> kSchemes = {
    {{"http://", Scheme::kHttp, 80}, {"https://", Scheme::kHttps, 443}, {"redis://", Scheme::kRedis, 6379}}};

bool consists_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw bad_input(in_quotes(text) + " is not the address of a server: " + why +
                  "; expected 'http://host[:port]/path', 'https://host[:port]/path' or "
                  "'redis://host[:port][/database]'");
}

/// "host", "host:port", "[::1]:port".
void take_place(const std::string& text, std::string_view place, RemoteAddress& address) {
  constexpr std::int64_t kMostPorts = 65535;
  const bool bracketed = place.starts_with('[');
  const std::size_t end = bracketed ? place.find(']') : place.find(':');
  if (bracketed && end == std::string_view::npos) refuse(text, "its '[' is not closed");
  address.host = place.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
  if (address.host.empty()) refuse(text, "it names no host");
  if (!consists_of(address.host, bracketed ? ":." : ".-_"))
    refuse(text, in_quotes(address.host) + " is not the name of a host");
  const std::size_t after = bracketed ? end + 1 : end;
  if (after >= place.size()) return;
  const auto port = parse_integer(place.substr(after + 1));
  if (place[after] != ':' || !port || *port < 1 || *port > kMostPorts)
    refuse(text, "its port is not a number from 1 to 65535");
  address.port = static_cast<int>(*port);
}

}  // namespace

RemoteAddress parse_remote_address(const std::string& text) {
  constexpr std::int64_t kMostDatabases = 1'000'000;
  const auto* row = std::find_if(kSchemes.begin(), kSchemes.end(),
                                 [&](const SchemeRow& one) { return text.starts_with(one.prefix); });
  if (row == kSchemes.end()) refuse(text, "it begins with none of http://, https:// and redis://");
  RemoteAddress address{row->scheme, "", row->port, 0, text};
  while (address.text.ends_with('/') && address.text.size() > row->prefix.size()) address.text.pop_back();
  const std::string_view rest = std::string_view(address.text).substr(row->prefix.size());
  if (rest.find('@') != std::string_view::npos)
    refuse(text, "user names and passwords are not accepted (messages show the address)");
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  take_place(text, rest.substr(0, slash), address);
  const std::string_view path = rest.substr(slash);
  if (row->scheme == Scheme::kRedis) {
    const auto database = parse_integer(path.empty() ? "0" : path.substr(1));
    if (!database || *database < 0 || *database > kMostDatabases)
      refuse(text, "its database is not a number from 0");
    address.database = static_cast<int>(*database);
  } else if (!consists_of(path, "/.-_~%+,=:")) {
    refuse(text, "its path holds a character that a path of a URL does not");
  }
  return address;
}

}  // namespace kiln
