#pragma once

#include <csignal>
#include <vector>

namespace kiln {

/// A stack for signal handlers of the current thread, so that an overflow of its own stack can be reported.
/// If the thread already has one (a sanitizer's), that one stays.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t known = {};
    if (::sigaltstack(nullptr, &known) != 0 || (known.ss_flags & SS_DISABLE) == 0) return;
    memory_.resize(kBytes);
    stack_t own = {};
    own.ss_sp = memory_.data();
    own.ss_size = memory_.size();
    if (::sigaltstack(&own, nullptr) != 0) memory_.clear();
  }
  ~AlternateStack() {
    if (memory_.empty()) return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  static constexpr std::size_t kBytes = std::size_t{64} << 10;
  std::vector<char> memory_;
};

}  // namespace kiln
