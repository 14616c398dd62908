#include "config/remote_address.h"

#include <gmock/gmock.h>

#include "kiln/error.h"

namespace kiln {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_remote_address(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.message();
  }
  return "none";
}

TEST(RemoteAddress, IsAHostWithAPortAndAPath) {
  const RemoteAddress plain = parse_remote_address("http://cache.site.example/kiln/v1/");
  EXPECT_EQ(plain.scheme, RemoteAddress::Scheme::kHttp);
  EXPECT_EQ(plain.host, "cache.site.example");
  EXPECT_EQ(plain.port, 80);
  EXPECT_EQ(plain.text, "http://cache.site.example/kiln/v1") << "names are put behind it with a slash";
  EXPECT_EQ(parse_remote_address("https://host").port, 443);
  EXPECT_EQ(parse_remote_address("https://host:8443/a%20b").port, 8443);
  const RemoteAddress six = parse_remote_address("http://[::1]:8080/x");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.port, 8080);
  const RemoteAddress redis = parse_remote_address("redis://10.0.0.1:7000/3");
  EXPECT_EQ(redis.scheme, RemoteAddress::Scheme::kRedis);
  EXPECT_EQ(redis.port, 7000);
  EXPECT_EQ(redis.database, 3);
  EXPECT_EQ(parse_remote_address("redis://host").port, 6379);
  EXPECT_EQ(parse_remote_address("redis://host/").database, 0);
}

TEST(RemoteAddress, WhatIsNoneIsRefusedWithWhatWasExpected) {
  EXPECT_EQ(refusal_of("cache.site"),
            "'cache.site' is not the address of a server: it begins with none of http://, https:// and "
            "redis://; expected 'http://host[:port]/path', 'https://host[:port]/path' or "
            "'redis://host[:port][/database]'");
  EXPECT_THAT(refusal_of("ftp://host/x"), HasSubstr("begins with none"));
  EXPECT_THAT(refusal_of("file:///etc"), HasSubstr("begins with none"));
  EXPECT_THAT(refusal_of("http://"), HasSubstr("it names no host"));
  EXPECT_THAT(refusal_of("http:///path"), HasSubstr("it names no host"));
  EXPECT_THAT(refusal_of("redis://:6379"), HasSubstr("it names no host"));
  EXPECT_THAT(refusal_of("http://[::1/x"), HasSubstr("'[' is not closed"));
  EXPECT_THAT(refusal_of("http://a b/x"), HasSubstr("'a b' is not the name of a host"));
  for (const char* port : {"http://h:0", "http://h:65536", "http://h:", "http://h:x", "http://[::1]8"})
    EXPECT_THAT(refusal_of(port), HasSubstr("port is not a number from 1 to 65535")) << port;
  EXPECT_THAT(refusal_of("redis://h/one"), HasSubstr("database is not a number from 0"));
  EXPECT_THAT(refusal_of("redis://h/-1"), HasSubstr("database is not a number from 0"));
  for (const char* path : {"http://h/a b", "http://h/a?b", "http://h/a#b", "http://h/a\nb"})
    EXPECT_THAT(refusal_of(path), HasSubstr("a character that a path of a URL does not")) << path;
}

TEST(RemoteAddress, PasswordsAreRefused) {
  EXPECT_THAT(refusal_of("redis://:secret@host"), HasSubstr("user names and passwords are not accepted"));
  EXPECT_THAT(refusal_of("http://me:secret@host/x"), HasSubstr("not accepted"));
}

}  // namespace
}  // namespace kiln
