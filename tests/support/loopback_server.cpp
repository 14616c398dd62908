#include "support/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace kiln::test {
namespace {

UniqueFd new_socket() {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw std::runtime_error("no socket");
  return socket;
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// A port of the system's choice; returns it.
int bind_somewhere(int socket) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port on the loopback");
  return ntohs(address.sin_port);
}

}  // namespace

LoopbackServer::LoopbackServer(Serve serve) : serve_(std::move(serve)), listening_(new_socket()) {
  port_ = bind_somewhere(listening_.get());
  if (::listen(listening_.get(), SOMAXCONN) != 0) throw std::runtime_error("cannot listen on the loopback");
  accepting_ = std::thread([this] { accept_all(); });
}

LoopbackServer::~LoopbackServer() {
  ::shutdown(listening_.get(), SHUT_RDWR);
  accepting_.join();  // from here on nothing is added
  for (const UniqueFd& socket : sockets_) ::shutdown(socket.get(), SHUT_RDWR);
  for (std::thread& thread : threads_) thread.join();
}

int LoopbackServer::connections() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(threads_.size());
}

void LoopbackServer::accept_all() {
  for (;;) {
    UniqueFd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) return;
    const int number = socket.get();
    const std::lock_guard lock(mutex_);
    sockets_.push_back(std::move(socket));
    threads_.emplace_back([this, number] {
      serve_(number);
      ::shutdown(number, SHUT_RDWR);
    });
  }
}

std::string read_until(int socket, std::string_view end) {
  std::string text;
  std::array<char, 4096> part{};
  while (text.find(end) == std::string::npos) {
    const ssize_t got = ::recv(socket, part.data(), part.size(), 0);
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

void write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void wait_for_end(int socket) {
  std::array<char, 4096> part{};
  while (::recv(socket, part.data(), part.size(), 0) > 0) continue;
}

int free_port() {
  const UniqueFd socket = new_socket();
  return bind_somewhere(socket.get());
}

bool can_connect(int port) {
  const sockaddr_in address = loopback(port);
  const UniqueFd socket = new_socket();
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace kiln::test
