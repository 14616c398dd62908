#include "cli/console.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace kiln {
namespace {

int terminal_width(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The first of these that is set decides, as in POSIX.
bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = read_environment(variable);
    if (!value) continue;
    for (const char* name : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value->find(name) != std::string::npos) return true;
    }
    return false;
  }
  return false;
}

/// A descriptor for the results alone; what else is printed to standard output goes to standard error from
/// here on. Empty, and nothing is changed, where one of the two streams is closed.
UniqueFd take_standard_output() {
  UniqueFd results(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (results && ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return UniqueFd();
  return results;
}

}  // namespace

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor), bytes_(kBytes) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

bool DescriptorBuffer::write_out() {
  std::string_view left(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (!write_out()) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return sputc(traits_type::to_char_type(c));
}

int DescriptorBuffer::sync() {
  return write_out() ? 0 : -1;
}

ProcessConsole::ProcessConsole()
    : out_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      results_(take_standard_output()),
      buffer_(results_ ? results_.get() : STDOUT_FILENO),
      out_(&buffer_) {
  if (out_is_terminal_) out_.setf(std::ios::unitbuf);
}

Console ProcessConsole::console() {
  return {out_,
          std::cerr,
          out_is_terminal_,
          ::isatty(STDERR_FILENO) == 1,
          out_is_terminal_ ? terminal_width(descriptor()) : 0,
          locale_is_utf8()};
}

bool ProcessConsole::reader_has_gone() const {
  pollfd polled{descriptor(), POLLOUT, 0};
  return ::poll(&polled, 1, 0) == 1 && (polled.revents & POLLERR) != 0;
}

int ProcessConsole::descriptor() const {
  return results_ ? results_.get() : STDOUT_FILENO;
}

}  // namespace kiln
