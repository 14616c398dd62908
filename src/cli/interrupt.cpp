#include "cli/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace kiln {
namespace {

// A signal handler has no argument to pass a state in.
volatile std::sig_atomic_t first_signal = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t event_descriptor =
    -1;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void note(int signal) {
  const int code = errno;
  if (first_signal == 0) first_signal = signal;
  const std::uint64_t one = 1;
  if (event_descriptor >= 0 && ::write(event_descriptor, &one, sizeof one) < 0) errno = code;
  errno = code;
}

void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt() {
  first_signal = 0;
  event_descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // SA_RESETHAND: the second signal finds the default. SA_RESTART: this process's reads and waits continue.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal == SIGHUP && is_ignored(signal)) continue;
    set_handler(signal, note, static_cast<int>(SA_RESTART | SA_RESETHAND));
  }
}

Interrupt::~Interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal != SIGHUP || !is_ignored(signal)) set_handler(signal, SIG_DFL, 0);
  }
  const int descriptor = event_descriptor;
  event_descriptor = -1;
  if (descriptor >= 0) ::close(descriptor);
}

bool Interrupt::requested() {
  return first_signal != 0;
}

int Interrupt::exit_code() {
  constexpr int kOfSignals = 128;
  return kOfSignals + (first_signal != 0 ? static_cast<int>(first_signal) : SIGINT);
}

int Interrupt::descriptor() {
  return event_descriptor;
}

}  // namespace kiln
