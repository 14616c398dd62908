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

/// Of the work-items of one of a set's words those that are not there.
template <class S>
KILN_SHIM unsigned absent(const Block<S>& block, const WarpBits&, int warp, unsigned alive) {
  const int lanes = static_cast<int>(block.count()) - warp * 32;
  return ~alive & (lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1u);
}
template <class S, class Set>
KILN_SHIM int absent(const Block<S>&, const Set&, int, int alive) {
  return alive ^ 1;
}

/// Work-items for which others did not wait at a barrier. They may end; at another barrier they do not meet.
template <class S, class Set>
struct Missed {
  Set set;
  unsigned line = 0, here = 0, all = 0;         // of the first barrier that some missed
  unsigned way = 0, way_here = 0, way_all = 0;  // of the statement at which they took another way
  KILN_INLINE_ALWAYS explicit Missed(const Block<S>& block) { clear(block, set); }
  /// In front of a barrier of those that are there.
  template <class Alive>
  KILN_INLINE_ALWAYS void at_barrier(const Block<S>& block, Alive& alive, unsigned barrier) {
    unsigned met = 0, out = 0;
    for (int i = 0, n = words_of(block, set); i < n; ++i) {
      met |= static_cast<unsigned>(set[i] & alive[i]);
      const auto others = absent(block, set, i, alive[i]);
      out |= static_cast<unsigned>(others);
      set[i] |= others;
    }
    if (__builtin_expect(met != 0, 0)) kiln_worker->services->barrier_diverged(kiln_worker, here, all, line);
    if (out == 0 || line != 0) return;
    line = way != 0 ? way : barrier;
    here = way != 0 ? way_here : count_of(block, alive);
    all = way != 0 ? way_all : static_cast<unsigned>(block.count());
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
  template <class Alive>
  KILN_INLINE_ALWAYS void join(Alive& alive, Missed<S, Set>& others) {
    join(alive);
    others.way = 0;
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
    if (others.line != 0) return;
    others.way = line;
    others.way_here = count_of(block, alive);
    others.way_all = others.way_here + count_of(block, out);
  }
};

}  // namespace kiln::cpu
