#include "cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace kiln {
namespace {

// A signal handler has no argument to pass a state in.
volatile std::sig_atomic_t requested_flag = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void note(int /*signal*/) {
  requested_flag = 1;
}

void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  requested_flag = 0;
  // SA_RESETHAND: the second signal finds the default. SA_RESTART: reads and waits of ours go on.
  for (const int signal : {SIGINT, SIGTERM})
    set_handler(signal, note, static_cast<int>(SA_RESTART | SA_RESETHAND));
}

Interrupt::~Interrupt() {
  for (const int signal : {SIGINT, SIGTERM}) set_handler(signal, SIG_DFL, 0);
}

bool Interrupt::requested() {
  return requested_flag != 0;
}

}  // namespace kiln
