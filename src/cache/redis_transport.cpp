#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"
#include "cache/idle_pool.h"
#include "cache/remote_transport.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// The other end closed the connection, or it broke.
class ConnectionLost : public Error {
 public:
  explicit ConnectionLost(const std::string& how) : Error(ErrorKind::kEnvironment, how) {}
};

/// When something must be done.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : at_(Time::now() +
            std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds))) {}

  /// Until the socket can do `events`; throws at the deadline.
  void wait(int socket, short events) const {
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Time::now()).count();
      if (left <= 0) throw environment_error("it does not answer in time");
      pollfd wanted{socket, events, 0};
      const int ready = ::poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(left, kLongestPollMs)));
      if (ready > 0) return;
      if (ready < 0 && errno != EINTR) throw ConnectionLost(std::strerror(errno));
    }
  }

 private:
  using Time = std::chrono::steady_clock;
  static constexpr std::int64_t kLongestPollMs = 3'600'000;
  Time::time_point at_;
};

struct AddressListTraits {
  using Handle = addrinfo*;
  static Handle null() { return nullptr; }
  static void close(Handle list) noexcept { ::freeaddrinfo(list); }
};

UniqueFd connect_to(const addrinfo& place, const Deadline& deadline) {
  UniqueFd socket(
      ::socket(place.ai_family, place.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, place.ai_protocol));
  if (!socket) throw ConnectionLost(std::strerror(errno));
  const int on = 1;
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int failure = ::connect(socket.get(), place.ai_addr, place.ai_addrlen) == 0 ? 0 : errno;
  if (failure == EINPROGRESS) {
    deadline.wait(socket.get(), POLLOUT);
    socklen_t size = sizeof failure;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0) failure = errno;
  }
  if (failure != 0) throw ConnectionLost(std::strerror(failure));
  return socket;
}

UniqueFd connect_to(const RemoteAddress& address, double seconds) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failure =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &list);
  if (failure != 0)
    throw environment_error("host '" + address.host + "' is not found: " + ::gai_strerror(failure));
  const UniqueHandle<AddressListTraits> places(list);
  const Deadline deadline(seconds);
  std::string why;
  for (const addrinfo* place = list; place != nullptr; place = place->ai_next) {
    try {
      return connect_to(*place, deadline);
    } catch (const ConnectionLost& error) {
      why = error.message();
    }
  }
  throw environment_error("it cannot be reached: " + why);
}

/// One answer of the server.
struct RedisReply {
  char kind = '\0';  ///< '+' or '-' with a text, ':' with a number, '$' with a value, which may be absent
  std::optional<std::string> text;
};

/// One connection; a call that throws leaves it of no use.
class RedisConnection {
 public:
  explicit RedisConnection(UniqueFd socket) : socket_(std::move(socket)) {}

  /// Throws bad_input for a value of more than `most` bytes.
  RedisReply ask(std::initializer_list<std::string_view> command, std::uint64_t most,
                 const Deadline& deadline) {
    send("*" + std::to_string(command.size()) + "\r\n", deadline);
    for (const std::string_view word : command) {
      send("$" + std::to_string(word.size()) + "\r\n", deadline);
      send(word, deadline);
      send("\r\n", deadline);
    }
    return receive(most, deadline);
  }

 private:
  void send(std::string_view bytes, const Deadline& deadline) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        deadline.wait(socket_.get(), POLLOUT);
      } else if (errno != EINTR) {
        throw ConnectionLost(std::string("the connection broke: ") + std::strerror(errno));
      }
    }
  }

  /// At least one byte more in `received_`.
  void receive_more(const Deadline& deadline) {
    constexpr std::size_t kPart = std::size_t{64} << 10;
    deadline.wait(socket_.get(), POLLIN);
    const std::size_t before = received_.size();
    received_.resize(before + kPart);
    const ssize_t got = ::recv(socket_.get(), received_.data() + before, kPart, 0);
    const int failure = errno;
    received_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) throw ConnectionLost("it closed the connection before its answer was whole");
    if (got < 0 && failure != EAGAIN && failure != EINTR)
      throw ConnectionLost(std::string("the connection broke: ") + std::strerror(failure));
  }

  std::string receive_line(const Deadline& deadline) {
    constexpr std::size_t kLongestLine = 4096;
    std::size_t end = std::string::npos;
    while ((end = received_.find("\r\n")) == std::string::npos) {
      if (received_.size() > kLongestLine)
        throw environment_error("it does not answer as a Redis server does");
      receive_more(deadline);
    }
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 2);
    return line;
  }

  RedisReply receive(std::uint64_t most, const Deadline& deadline) {
    const std::string line = receive_line(deadline);
    if (line.empty() || std::string_view("+-:$").find(line.front()) == std::string_view::npos)
      throw environment_error("it does not answer as a Redis server does");
    if (line.front() != '$') return {line.front(), line.substr(1)};
    const auto size = parse_integer(std::string_view(line).substr(1));
    if (!size) throw environment_error("it does not answer as a Redis server does");
    if (*size < 0) return {'$', std::nullopt};
    const auto bytes = static_cast<std::uint64_t>(*size);
    if (bytes > most) throw bad_input("it has " + format_bytes(bytes) + ", more than " + format_bytes(most));
    while (received_.size() < bytes + 2) receive_more(deadline);
    std::string value = received_.substr(0, bytes);
    received_.erase(0, bytes + 2);
    return {'$', std::move(value)};
  }

  UniqueFd socket_;
  std::string received_;  ///< and not used yet
};

class RedisTransport final : public RemoteTransport {
 public:
  RedisTransport(RemoteAddress address, const RemoteTimeLimits& limits)
      : address_(std::move(address)), limits_(limits) {}

  std::optional<std::string> get(const std::string& name, std::uint64_t most) override {
    RedisReply reply = ask({"GET", name}, most);
    if (reply.kind != '$') throw refusal("GET", reply);
    return std::move(reply.text);
  }

  bool has(const std::string& name) override {
    const RedisReply reply = ask({"EXISTS", name}, 0);
    if (reply.kind != ':') throw refusal("EXISTS", reply);
    return reply.text != "0";
  }

  std::optional<std::string> put(const std::string& name, std::string_view value) override {
    const RedisReply reply = ask({"SET", name, value}, 0);
    if (reply.kind == '-') return refusal("SET", reply).message();
    if (reply.kind != '+') throw refusal("SET", reply);
    return std::nullopt;
  }

 private:
  static Error refusal(const char* command, const RedisReply& reply) {
    return environment_error(std::string("it answers ") + command + " with " +
                             in_quotes(reply.kind + reply.text.value_or("")));
  }

  RedisConnection connect(const Deadline& deadline) {
    RedisConnection connection(connect_to(address_, limits_.connect));
    if (address_.database == 0) return connection;
    const RedisReply reply = connection.ask({"SELECT", std::to_string(address_.database)}, 0, deadline);
    if (reply.kind != '+') throw refusal("SELECT", reply);
    return connection;
  }

  /// A server closes idle connections. That shows only when one is used, and is not a failure.
  RedisReply ask(std::initializer_list<std::string_view> command, std::uint64_t most) {
    const Deadline deadline(limits_.whole);
    while (std::optional<RedisConnection> connection = idle_.take()) {
      try {
        RedisReply reply = connection->ask(command, most, deadline);
        idle_.give(*std::move(connection));
        return reply;
      } catch (const ConnectionLost&) {
        continue;
      }
    }
    RedisConnection connection = connect(deadline);
    RedisReply reply = connection.ask(command, most, deadline);
    idle_.give(std::move(connection));
    return reply;
  }

  RemoteAddress address_;
  RemoteTimeLimits limits_;
  IdlePool<RedisConnection> idle_;
};

}  // namespace

std::unique_ptr<RemoteTransport> make_redis_transport(const RemoteAddress& address,
                                                      const RemoteTimeLimits& limits) {
  return std::make_unique<RedisTransport>(address, limits);
}

}  // namespace kiln
