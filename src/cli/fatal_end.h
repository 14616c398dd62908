#pragma once

#include <array>
#include <functional>
#include <string>

#include "base/alternate_stack.h"
#include "trial/run_watch.h"

namespace kiln {

/// The text about a variant that ends the process, kept where a signal handler can read it.
struct FatalVariant {
  const RunWatch* watch = nullptr;
  int mark = -1;  ///< the descriptor of the run's mark
  std::array<char, 512> text{};
};

/// While it lives, a signal that ends the process (SIGSEGV, SIGABRT, ...) first prints one line on standard
/// error that names variant and kernel, and adds its own to the run's mark; and a call of exit() that is not
/// Kiln's goes to `exited`, which does not return. Dispositions that are not the default stay. One at a time.
class FatalEnd {
 public:
  explicit FatalEnd(std::function<void()> exited);
  ~FatalEnd();
  FatalEnd(const FatalEnd&) = delete;
  FatalEnd& operator=(const FatalEnd&) = delete;

  /// The variant that the calling thread runs from now on; `variant` outlives the FatalEnd. A signal in a
  /// thread without a variant is attributed to the variant that was set last.
  static void set_variant(FatalVariant& variant, const std::string& text, int mark);

 private:
  AlternateStack stack_;
};

}  // namespace kiln
