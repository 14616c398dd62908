// The CUDA dialect for a host compiler, part 8: statements with a barrier, in kernels that Kiln has split,
// where work-items take different ways.
#pragma once

namespace kiln::cpu {

struct WarpBits {
  unsigned words[32];
  KILN_INLINE_ALWAYS unsigned& operator[](int warp) { return words[warp]; }
};
template <class S>
KILN_SHIM int words_of(const Block<S>& block, const WarpBits&) {
  return block.warps();
}
template <class S, class Set>
KILN_SHIM unsigned count_of(const Block<S>& block, Set& set) {
  unsigned count = 0;
  for (int i = 0, n = words_of(block, set); i < n; ++i)
    count += static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(set[i])));
  return count;
}
template <class S, class Set>
KILN_SHIM void clear(const Block<S>& block, Set& set) {
  for (int i = 0, n = words_of(block, set); i < n; ++i) set[i] = 0;
}

/// Work-items for which others did not wait at a barrier. They may end; at another barrier they do not meet.
template <class S, class Set>
struct Missed {
  Set set;
  unsigned line = 0, here = 0, all = 0;
  KILN_INLINE_ALWAYS explicit Missed(const Block<S>& block) { clear(block, set); }
  template <class Alive>
  KILN_INLINE_ALWAYS void at_barrier(const Block<S>& block, Alive& alive) const {
    if (__builtin_expect(line == 0, 1)) return;
    unsigned met = 0;
    for (int i = 0, n = words_of(block, set); i < n; ++i)
      met |= static_cast<unsigned>(const_cast<Set&>(set)[i] & alive[i]);
    if (met != 0) kiln_worker->services->barrier_diverged(kiln_worker, here, all, line);
  }
};
struct NoneMissed {};

/// A statement with a barrier at which work-items take different ways.
template <class S, class Set>
struct Parting {
  const Block<S>& block;
  Set stays, apart,
      waits;  // of those that are there: the ones that go on, went past, or wait for the next turn
  KILN_INLINE_ALWAYS explicit Parting(const Block<S>& block_) : block(block_) {
    clear(block, stays);
    clear(block, apart);
    clear(block, waits);
  }
  /// Of those that are there only the ones that stay go on.
  template <class Alive, class Others = NoneMissed>
  KILN_INLINE_ALWAYS bool keep(Alive& alive, unsigned line = 0, Others&& others = {}) {
    unsigned any = 0, left = 0;
    for (int i = 0, n = words_of(block, stays); i < n; ++i) {
      const auto out = alive[i] & ~stays[i];
      apart[i] |= out;
      alive[i] &= stays[i];
      any |= static_cast<unsigned>(alive[i]);
      left |= static_cast<unsigned>(out);
    }
    if (any != 0 && left != 0) pass(alive, apart, line, others);
    return any != 0;
  }
  /// The others in place of those that went on.
  template <class Alive, class Others = NoneMissed>
  KILN_INLINE_ALWAYS bool turn(Alive& alive, unsigned line = 0, Others&& others = {}) {
    for (int i = 0, n = words_of(block, stays); i < n; ++i) {
      const auto out = alive[i];
      alive[i] = apart[i];
      apart[i] = out;
    }
    const bool any = any_of(block, alive);
    if (any && any_of(block, apart)) pass(alive, apart, line, others);
    return any;
  }
  /// Those that are there leave the loop, or wait for its next turn.
  template <class Alive>
  KILN_INLINE_ALWAYS void leave(Alive& alive) {
    move(alive, apart);
  }
  template <class Alive>
  KILN_INLINE_ALWAYS void wait(Alive& alive) {
    move(alive, waits);
  }
  /// The next turn of a loop: those that wait for it are there again.
  template <class Alive>
  KILN_INLINE_ALWAYS bool resume(Alive& alive) {
    for (int i = 0, n = words_of(block, waits); i < n; ++i) {
      alive[i] |= waits[i];
      waits[i] = 0;
    }
    return any_of(block, alive);
  }
  /// All that have not left the kernel.
  template <class Alive>
  KILN_INLINE_ALWAYS void join(Alive& alive) {
    for (int i = 0, n = words_of(block, apart); i < n; ++i) alive[i] |= apart[i];
  }

 private:
  template <class Alive>
  KILN_INLINE_ALWAYS void move(Alive& alive, Set& to) {
    for (int i = 0, n = words_of(block, to); i < n; ++i) {
      to[i] |= alive[i];
      alive[i] = 0;
    }
  }
  template <class Alive>
  KILN_INLINE_ALWAYS void pass(Alive&, Set&, unsigned, NoneMissed&) {}
  template <class Alive>
  KILN_INLINE_ALWAYS void pass(Alive& alive, Set& out, unsigned line, Missed<S, Set>& others) {
    for (int i = 0, n = words_of(block, out); i < n; ++i) others.set[i] |= out[i];
    if (others.line != 0) return;
    others.line = line;
    others.here = count_of(block, alive);
    others.all = others.here + count_of(block, out);
  }
};

}  // namespace kiln::cpu
