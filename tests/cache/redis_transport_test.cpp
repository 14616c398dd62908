#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "cache/remote_transport.h"
#include "kiln/error.h"
#include "support/loopback_server.h"

namespace kiln {
namespace {

using test::LoopbackServer;
using test::read_until;
using test::wait_for_end;
using test::write_all;
using testing::HasSubstr;

constexpr RemoteTimeLimits kPatient{10, 30};
constexpr RemoteTimeLimits kHurried{0.1, 0.2};
constexpr std::uint64_t kMost = 1000;

std::unique_ptr<RemoteTransport> to(const LoopbackServer& server, const RemoteTimeLimits& limits = kPatient,
                                    const std::string& path = "") {
  return make_redis_transport(
      parse_remote_address("redis://127.0.0.1:" + std::to_string(server.port()) + path), limits);
}

/// Answers the n-th request of a connection, each of which ends with `name`, with the n-th text.
LoopbackServer::Serve answering(std::vector<std::string> answers) {
  return [answers = std::move(answers)](int socket) {
    for (const std::string& answer : answers) {
      read_until(socket, "name\r\n");
      write_all(socket, answer);
    }
    wait_for_end(socket);
  };
}

std::string failure_of(const LoopbackServer& server, const RemoteTimeLimits& limits = kPatient) {
  try {
    static_cast<void>(to(server, limits)->get("name", kMost));
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

TEST(RedisTransport, AValueComesAsItIsAndOneThatIsNotThereIsAbsent) {
  const std::string value("a\r\nb\0c", 6);
  const LoopbackServer server(
      answering({"$6\r\n" + value + "\r\n", "$-1\r\n", "$0\r\n\r\n", ":1\r\n", ":0\r\n"}));
  const auto transport = to(server);
  EXPECT_EQ(transport->get("name", kMost), value);
  EXPECT_EQ(transport->get("name", kMost), std::nullopt);
  EXPECT_EQ(transport->get("name", kMost), "");
  EXPECT_TRUE(transport->has("name"));
  EXPECT_FALSE(transport->has("name"));
  EXPECT_EQ(server.connections(), 1) << "connections are kept";
}

TEST(RedisTransport, AValueIsPutAsItIsAndARefusalIsSaid) {
  const std::string value("x\r\n\0y", 5);
  std::string request;
  const LoopbackServer server([&](int socket) {
    request = read_until(socket, std::string("\0y\r\n", 4));
    write_all(socket, "+OK\r\n");
    read_until(socket, "v\r\n");
    write_all(socket, "-OOM command not allowed\r\n");
    wait_for_end(socket);
  });
  const auto transport = to(server);
  EXPECT_EQ(transport->put("name", value), std::nullopt);
  EXPECT_EQ(request, "*3\r\n$3\r\nSET\r\n$4\r\nname\r\n$5\r\n" + value + "\r\n");
  EXPECT_EQ(transport->put("name", "v"), "it answers SET with '-OOM command not allowed'");
}

TEST(RedisTransport, ADatabaseIsSelectedOnce) {
  std::string first;
  const LoopbackServer server([&](int socket) {
    first = read_until(socket, "7\r\n");
    write_all(socket, "+OK\r\n");
    read_until(socket, "name\r\n");
    write_all(socket, "$-1\r\n");
    wait_for_end(socket);
  });
  EXPECT_EQ(to(server, kPatient, "/7")->get("name", kMost), std::nullopt);
  EXPECT_EQ(first, "*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n");
}

TEST(RedisTransport, AValueThatIsTooLargeIsNotRead) {
  const LoopbackServer server(answering({"$1001\r\n"}));
  try {
    static_cast<void>(to(server)->get("name", kMost));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  }
}

TEST(RedisTransport, WhatIsNoAnswerOfRedisIsAFailure) {
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n", "$many\r\n", "*2000000000\r\n", "\r\n"}) {
    const LoopbackServer server(answering({answer}));
    EXPECT_EQ(failure_of(server), "it does not answer as a Redis server does") << answer;
  }
  const LoopbackServer endless([](int socket) { write_all(socket, std::string(1 << 20, '+')); });
  EXPECT_EQ(failure_of(endless), "it does not answer as a Redis server does");
  const LoopbackServer locked(answering({"-NOAUTH Authentication required.\r\n"}));
  EXPECT_EQ(failure_of(locked), "it answers GET with '-NOAUTH Authentication required.'");
}

TEST(RedisTransport, AServerThatStallsIsGivenUpInTime) {
  const LoopbackServer silent([](int socket) { wait_for_end(socket); });
  EXPECT_EQ(failure_of(silent, kHurried), "it does not answer in time");
  const LoopbackServer halting(answering({"$900\r\nhalf of it"}));
  EXPECT_EQ(failure_of(halting, kHurried), "it does not answer in time");
  // Each byte comes soon, but there are too many: the limit is that of the whole.
  std::atomic<bool> ends{false};
  const LoopbackServer dripping([&](int socket) {
    write_all(socket, "$900\r\n");
    while (!ends) {
      write_all(socket, "x");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  EXPECT_EQ(failure_of(dripping, kHurried), "it does not answer in time");
  ends = true;
}

TEST(RedisTransport, AServerThatEndsInTheMiddleIsAFailure) {
  const LoopbackServer server([](int socket) {
    read_until(socket, "name\r\n");
    write_all(socket, "$900\r\nhalf of it");
  });
  EXPECT_EQ(failure_of(server), "it closed the connection before its answer was whole");
}

TEST(RedisTransport, AKeptConnectionThatTheServerHasClosedIsMadeAgain) {
  const LoopbackServer server([](int socket) {
    read_until(socket, "name\r\n");
    write_all(socket, ":1\r\n");
  });
  const auto transport = to(server);
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(transport->has("name")) << n;
  EXPECT_EQ(server.connections(), 3);
}

TEST(RedisTransport, AServerThatIsNotThereIsAFailure) {
  const auto transport = make_redis_transport(
      parse_remote_address("redis://127.0.0.1:" + std::to_string(test::free_port())), kPatient);
  try {
    static_cast<void>(transport->has("name"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.message(), HasSubstr("it cannot be reached: "));
  }
}

}  // namespace
}  // namespace kiln
