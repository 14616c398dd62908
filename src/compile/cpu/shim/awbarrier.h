// cuda_awbarrier_primitives.h for a host compiler: a barrier in a word of 64 bits, for the work-items of a
// block, which run on one thread.
#pragma once

#include <stdint.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

namespace kiln {

/// The content of the word.
struct Mbarrier {
  unsigned phase;
  unsigned short expected, pending;
};
static_assert(sizeof(Mbarrier) == sizeof(__mbarrier_t));
typedef Mbarrier __attribute__((may_alias)) MbarrierInPlace;

KILN_SHIM __mbarrier_token_t arrive_at(__mbarrier_t* barrier, unsigned count, bool drops) {
  MbarrierInPlace& state = *reinterpret_cast<MbarrierInPlace*>(barrier);
  const __mbarrier_token_t token = state.phase | static_cast<__mbarrier_token_t>(state.pending) << 32;
  if (drops) --state.expected;
  state.pending = static_cast<unsigned short>(state.pending - count);
  if (state.pending == 0) {
    state.pending = state.expected;
    ++state.phase;
  }
  return token;
}

/// Waits until the phase is another one.
KILN_SHIM void wait_behind(__mbarrier_t* barrier, unsigned phase, unsigned line) {
  const MbarrierInPlace& state = *reinterpret_cast<const MbarrierInPlace*>(barrier);
  if (state.phase == phase) kiln_wait_while(&state.phase, phase, line);
}

}  // namespace kiln

KILN_SHIM uint32_t __mbarrier_maximum_count() {
  return (1u << 16) - 1;
}
KILN_SHIM void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected_count) {
  const auto count = static_cast<unsigned short>(expected_count);
  *reinterpret_cast<kiln::MbarrierInPlace*>(barrier) = {0, count, count};
}
KILN_SHIM void __mbarrier_inval(__mbarrier_t*) {}
KILN_SHIM __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return kiln::arrive_at(barrier, 1, false);
}
KILN_SHIM __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return kiln::arrive_at(barrier, 1, true);
}
KILN_SHIM uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return static_cast<uint32_t>(token >> 32);
}
// These may wait, and do until the phase has ended: work-items run by turns.
KILN_SHIM bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token,
                                    unsigned line = __builtin_LINE()) {
  kiln::wait_behind(barrier, static_cast<unsigned>(token), line);
  return true;
}
KILN_SHIM bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool phase_parity,
                                           unsigned line = __builtin_LINE()) {
  const unsigned phase = reinterpret_cast<const kiln::MbarrierInPlace*>(barrier)->phase;
  if ((phase & 1u) == static_cast<unsigned>(phase_parity)) kiln::wait_behind(barrier, phase, line);
  return true;
}
KILN_SHIM bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, uint32_t,
                                   unsigned line = __builtin_LINE()) {
  return __mbarrier_test_wait(barrier, token, line);
}
KILN_SHIM bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool phase_parity, uint32_t,
                                          unsigned line = __builtin_LINE()) {
  return __mbarrier_test_wait_parity(barrier, phase_parity, line);
}
