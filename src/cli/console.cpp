#include "cli/console.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "config/settings.h"

namespace kiln {
namespace {

int terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
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

}  // namespace

Console make_process_console() {
  const bool out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  return {std::cout,
          std::cerr,
          out_is_terminal,
          ::isatty(STDERR_FILENO) == 1,
          out_is_terminal ? terminal_width() : 0,
          locale_is_utf8()};
}

bool standard_output_closed() {
  pollfd descriptor{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&descriptor, 1, 0) == 1 && (descriptor.revents & POLLERR) != 0;
}

}  // namespace kiln
