#pragma once

#include <functional>
#include <string>

#include "base/alternate_stack.h"
#include "trial/run_watch.h"

namespace kiln {

/// While it lives, a signal that ends the process (SIGSEGV, SIGABRT, ...) first prints one line on standard
/// error that names variant and kernel, and adds its own to the run's mark; and a call of exit() that is not
/// Kiln's goes to `exited`, which does not return. Dispositions that are not the default stay. One at a time.
class FatalEnd {
 public:
  FatalEnd(const RunWatch& watch, std::function<void()> exited);
  ~FatalEnd();
  FatalEnd(const FatalEnd&) = delete;
  FatalEnd& operator=(const FatalEnd&) = delete;

  /// What runs from now on, for the line; `mark`: the descriptor of the run's mark, or -1.
  static void set_variant(const std::string& text, int mark);

 private:
  AlternateStack stack_;
};

}  // namespace kiln
