#include "cli/fatal_end.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace kiln {
namespace {

struct FatalSignal {
  int number;
  const char* text;
};

constexpr std::array<FatalSignal, 5> kSignals = {{{SIGSEGV, "signal 11 (Segmentation fault)"},
                                                  {SIGBUS, "signal 7 (Bus error)"},
                                                  {SIGFPE, "signal 8 (Floating point exception)"},
                                                  {SIGILL, "signal 4 (Illegal instruction)"},
                                                  {SIGABRT, "signal 6 (Aborted)"}}};

// Signal handlers and functions for the process's end have no argument to pass a state in.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<const FatalVariant*> last_variant{nullptr};
thread_local const FatalVariant* own_variant = nullptr;
std::function<void()> exit_action;
std::atomic_flag process_ends;
thread_local bool ends_here = false;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// A line of several texts, put together without what a signal handler must not call.
class Line {
 public:
  void add(const char* text) {
    for (; *text != '\0' && size_ < text_.size(); ++text) text_[size_++] = *text;
  }
  void write(int descriptor) const {
    if (::write(descriptor, text_.data(), size_) < 0) return;  // no reader is left
  }

 private:
  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
};

void tell(int signal) {
  const auto found = std::find_if(kSignals.begin(), kSignals.end(),
                                  [&](const FatalSignal& known) { return known.number == signal; });
  const char* what = found == kSignals.end() ? "a signal" : found->text;
  const FatalVariant* variant = own_variant != nullptr ? own_variant : last_variant.load();
  const bool watched = variant != nullptr && variant->watch != nullptr;
  const std::string* kernel = watched ? variant->watch->kernel() : nullptr;
  Line how;
  how.add(what);
  if (kernel != nullptr) {
    how.add(" in kernel '");
    how.add(kernel->c_str());
    how.add("'");
  }
  Line line;
  line.add("\nkiln: error: ");
  line.add(what);
  line.add(kernel != nullptr ? " in kernel '" : " ");
  if (kernel != nullptr) line.add(kernel->c_str());
  line.add(kernel != nullptr ? "' of " : "in ");
  line.add(variant != nullptr ? variant->text.data() : "a variant");
  line.add(": the process ends\n");
  line.write(STDERR_FILENO);
  how.add("\n");
  if (variant != nullptr && variant->mark >= 0) how.write(variant->mark);
}

/// Work-items of several threads may fail at the same time: the first one reports it, the others wait for the
/// end. A second signal in the report itself ends the process.
void handle(int signal) {
  const bool again = std::exchange(ends_here, true);
  if (!again && process_ends.test_and_set()) {
    for (;;) ::pause();
  }
  if (!again) tell(signal);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

void at_exit() {
  if (exit_action) exit_action();
}

/// Once for each variant: exit() destroys static objects that are younger than the handler before it runs,
/// and the job that is to be finished uses them. Without memory for it, the process ends without its message.
void catch_exit() {
  static_cast<void>(std::atexit(at_exit) + std::at_quick_exit(at_exit));
}

bool replace(int signal, void (*from)(int), void (*to)(int)) {
  struct sigaction action = {};
  if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != from) return false;
  action = {};
  action.sa_handler = to;
  action.sa_flags = SA_ONSTACK;
  return sigaction(signal, &action, nullptr) == 0;
}

}  // namespace

FatalEnd::FatalEnd(std::function<void()> exited) {
  catch_exit();
  exit_action = std::move(exited);
  for (const FatalSignal& signal : kSignals) replace(signal.number, SIG_DFL, handle);
}

FatalEnd::~FatalEnd() {
  for (const FatalSignal& signal : kSignals) replace(signal.number, handle, SIG_DFL);
  last_variant = nullptr;
  own_variant = nullptr;
  exit_action = nullptr;
}

void FatalEnd::set_variant(FatalVariant& variant, const std::string& text, int mark) {
  catch_exit();
  variant.mark = mark;
  const std::size_t size = std::min(text.size(), variant.text.size() - 1);
  std::copy_n(text.begin(), size, variant.text.begin());
  variant.text.at(size) = '\0';
  own_variant = &variant;
  last_variant = &variant;
}

}  // namespace kiln
