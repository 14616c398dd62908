// cuda/semaphore and cuda/latch for a host compiler. The work-items of a block run on one thread; those of
// other blocks may change the counts, too.
#pragma once

namespace cuda {

template <thread_scope Scope = thread_scope_system, ptrdiff_t Most = 0x7fffffff>
class counting_semaphore {
 public:
  counting_semaphore() = default;
  constexpr explicit counting_semaphore(ptrdiff_t count) : count_(static_cast<unsigned>(count)) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;
  static constexpr ptrdiff_t max() { return Most; }

  KILN_INLINE_ALWAYS void release(ptrdiff_t count = 1) {
    __atomic_fetch_add(&count_, static_cast<unsigned>(count), __ATOMIC_SEQ_CST);
  }
  KILN_INLINE_ALWAYS bool try_acquire() {
    unsigned count = __atomic_load_n(&count_, __ATOMIC_SEQ_CST);
    while (count != 0) {
      if (__atomic_compare_exchange_n(&count_, &count, count - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return true;
    }
    return false;
  }
  KILN_INLINE_ALWAYS void acquire(unsigned line = __builtin_LINE()) {
    while (!try_acquire()) kiln_let_others_run(line);
  }
  template <class Duration>
  KILN_INLINE_ALWAYS bool try_acquire_for(const Duration&, unsigned line = __builtin_LINE()) {
    acquire(line);
    return true;
  }

 private:
  unsigned count_;
};

template <thread_scope Scope = thread_scope_system>
using binary_semaphore = counting_semaphore<Scope, 1>;

template <thread_scope Scope = thread_scope_system>
class latch {
 public:
  latch() = default;  // in shared memory, where a work-item constructs it
  constexpr explicit latch(ptrdiff_t expected) : left_(static_cast<unsigned>(expected)) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  static constexpr ptrdiff_t max() { return 0x7fffffff; }

  KILN_INLINE_ALWAYS void count_down(ptrdiff_t count = 1) {
    __atomic_fetch_sub(&left_, static_cast<unsigned>(count), __ATOMIC_SEQ_CST);
  }
  KILN_INLINE_ALWAYS bool try_wait() const { return __atomic_load_n(&left_, __ATOMIC_SEQ_CST) == 0; }
  KILN_INLINE_ALWAYS void wait(unsigned line = __builtin_LINE()) const {
    while (!try_wait()) kiln_let_others_run(line);
  }
  KILN_INLINE_ALWAYS void arrive_and_wait(ptrdiff_t count = 1, unsigned line = __builtin_LINE()) {
    count_down(count);
    wait(line);
  }

 private:
  unsigned left_;
};

namespace std {
template <ptrdiff_t Most = 0x7fffffff>
using counting_semaphore = cuda::counting_semaphore<thread_scope_system, Most>;
using binary_semaphore = cuda::binary_semaphore<thread_scope_system>;
using latch = cuda::latch<thread_scope_system>;
}  // namespace std

}  // namespace cuda
