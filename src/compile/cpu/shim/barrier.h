// cuda/barrier for a host compiler. The work-items of a block run on one thread, so a count is no atomic
// variable. A copy of memcpy_async is made at once; the barrier that it is bound to has nothing more to wait
// for.
#pragma once

namespace cuda {

struct kiln_no_completion {
  void operator()() const {}
};

template <thread_scope Scope = thread_scope_system, class Completion = kiln_no_completion>
class barrier {
 public:
  struct arrival_token {
    unsigned phase;
  };

  barrier() = default;
  KILN_INLINE_ALWAYS constexpr explicit barrier(ptrdiff_t expected, Completion completion = Completion())
      : expected_(static_cast<unsigned>(expected)),
        pending_(static_cast<unsigned>(expected)),
        phase_(0),
        completion_(completion) {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  friend KILN_INLINE_ALWAYS void init(barrier* self, ptrdiff_t expected,
                                      Completion completion = Completion()) {
    self->expected_ = self->pending_ = static_cast<unsigned>(expected);
    self->phase_ = 0;
    self->completion_ = completion;
  }
  static constexpr ptrdiff_t max() { return 0xfffff; }

  KILN_INLINE_ALWAYS arrival_token arrive(ptrdiff_t count = 1) {
    const arrival_token token = {phase_};
    pending_ -= static_cast<unsigned>(count);
    if (pending_ == 0) {
      completion_();
      pending_ = expected_;
      ++phase_;
    }
    return token;
  }
  KILN_INLINE_ALWAYS void wait(arrival_token token, unsigned line = __builtin_LINE()) const {
    if (phase_ == token.phase) kiln_wait_while(&phase_, token.phase, line);
  }
  KILN_INLINE_ALWAYS void wait_parity(bool parity, unsigned line = __builtin_LINE()) const {
    if ((phase_ & 1u) == static_cast<unsigned>(parity)) kiln_wait_while(&phase_, phase_, line);
  }
  KILN_INLINE_ALWAYS void arrive_and_wait(unsigned line = __builtin_LINE()) { wait(arrive(), line); }
  KILN_INLINE_ALWAYS void arrive_and_drop() {
    --expected_;
    arrive();
  }
  // These may wait, and do until the phase has ended: work-items run by turns.
  KILN_INLINE_ALWAYS bool try_wait(arrival_token token, unsigned line = __builtin_LINE()) const {
    wait(token, line);
    return true;
  }
  KILN_INLINE_ALWAYS bool test_wait(arrival_token token, unsigned line = __builtin_LINE()) const {
    return try_wait(token, line);
  }
  KILN_INLINE_ALWAYS bool try_wait_parity(bool parity, unsigned line = __builtin_LINE()) const {
    wait_parity(parity, line);
    return true;
  }
  template <class Duration>
  KILN_INLINE_ALWAYS bool try_wait_for(arrival_token token, const Duration&,
                                       unsigned line = __builtin_LINE()) const {
    return try_wait(token, line);
  }

 private:
  unsigned expected_, pending_, phase_;
  Completion completion_;
};

template <class Group, class To, class From, class Size, thread_scope Scope, class Completion>
KILN_SHIM void memcpy_async(const Group& group, To* to, const From* from, Size bytes,
                            barrier<Scope, Completion>&) {
  kiln::copy_part(group, to, from, bytes);
}
template <class To, class From, class Size, thread_scope Scope, class Completion>
KILN_SHIM void memcpy_async(To* to, const From* from, Size bytes, barrier<Scope, Completion>&) {
  kiln::copy_part(kiln::Alone(), to, from, bytes);
}

namespace device {
template <thread_scope Scope, class Completion>
KILN_SHIM auto barrier_arrive_tx(barrier<Scope, Completion>& b, ptrdiff_t arrivals, ptrdiff_t) {
  return b.arrive(arrivals);
}
template <thread_scope Scope, class Completion>
KILN_SHIM void barrier_expect_tx(barrier<Scope, Completion>&, ptrdiff_t) {}
template <class To, class From, class Size, thread_scope Scope, class Completion>
KILN_SHIM void memcpy_async_tx(To* to, const From* from, Size bytes, barrier<Scope, Completion>&) {
  kiln::copy_part(kiln::Alone(), to, from, bytes);
}
}  // namespace device

}  // namespace cuda
