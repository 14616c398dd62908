// Jumps of cuRAND's generators for a host compiler: by powers of the matrices of a step, which all threads
// share.
#pragma once

namespace kiln::curand_detail {

/// The powers M^(2^level) of the matrix of a step, made when they are first asked for.
template <class Matrix, int kLevels>
class Powers {
 public:
  static const Matrix& get(int level) {
    if (__atomic_load_n(&ready_, __ATOMIC_ACQUIRE) <= level) make(level);
    return table_[level];
  }

 private:
  static __attribute__((noinline, cold)) void make(int level) {
    while (__atomic_exchange_n(&busy_, true, __ATOMIC_ACQUIRE)) {
    }
    for (int i = ready_; i <= level; ++i) {
      if (i == 0)
        table_[i].set_step();
      else
        table_[i].set_square(table_[i - 1]);
      __atomic_store_n(&ready_, i + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
  }

  static inline Matrix table_[kLevels];
  static inline int ready_ = 0;
  static inline bool busy_ = false;
};

/// `state` after n * 2^first steps.
template <class Table, class State>
static __attribute__((noinline, unused)) void skip(State& state, unsigned long long n, int first) {
  for (int level = first; n != 0; n >>= 1, ++level) {
    if (n & 1) Table::get(level).apply(state);
  }
}

/// Over bits, modulo 2: column i is what bit i of the register becomes.
struct XorwowMatrix {
  XorwowRegister column[160];

  void set_step() {
    for (int i = 0; i < 160; ++i) {
      for (unsigned& word : column[i].v) word = 0;
      column[i].v[i / 32] = 1u << (i % 32);
      xorwow_step(column[i].v);
    }
  }
  void set_square(const XorwowMatrix& m) {
    for (int i = 0; i < 160; ++i) {
      column[i] = m.column[i];
      m.apply(column[i]);
    }
  }
  void apply(XorwowRegister& state) const {
    XorwowRegister sum = {};
    for (int word = 0; word < 5; ++word) {
      for (unsigned bits = state.v[word]; bits != 0; bits &= bits - 1) {
        const XorwowRegister& added = column[32 * word + __builtin_ctz(bits)];
        for (int i = 0; i < 5; ++i) sum.v[i] ^= added.v[i];
      }
    }
    state = sum;
  }
};

using XorwowPowers = Powers<XorwowMatrix, kXorwowSequence + 64>;

KILN_SHIM void skip_xorwow(curandStateXORWOW* state, unsigned long long n, int first) {
  XorwowRegister v;
  __builtin_memcpy(v.v, state->v, sizeof v);
  skip<XorwowPowers>(v, n, first);
  __builtin_memcpy(state->v, v.v, sizeof v);
}

/// The start of the subsequence that this thread began last.
struct XorwowStart {
  XorwowRegister seeded, here;  ///< of subsequence 0 and of `subsequence`
  unsigned long long subsequence;
};
static thread_local XorwowStart xorwow_start;

/// Neighbouring work-items mostly begin neighbouring subsequences: it goes on from the last one where that
/// takes fewer matrices.
static __attribute__((noinline, unused)) void start_xorwow(curandStateXORWOW* state,
                                                           unsigned long long subsequence) {
  XorwowStart& last = xorwow_start;
  const unsigned long long distance = subsequence - last.subsequence;
  const bool near = subsequence >= last.subsequence &&
                    __builtin_popcountll(distance) < __builtin_popcountll(subsequence) &&
                    __builtin_memcmp(last.seeded.v, state->v, sizeof state->v) == 0;
  if (!near) {
    __builtin_memcpy(last.seeded.v, state->v, sizeof state->v);
    last.here = last.seeded;
  }
  skip<XorwowPowers>(last.here, near ? distance : subsequence, kXorwowSequence);
  last.subsequence = subsequence;
  __builtin_memcpy(state->v, last.here.v, sizeof state->v);
}

using MrgPowers1 = Powers<MrgMatrix1, kMrgSequence + 64>;
using MrgPowers2 = Powers<MrgMatrix2, kMrgSequence + 64>;

KILN_SHIM void skip_mrg(curandStateMRG32k3a* state, unsigned long long n, int first) {
  skip<MrgPowers1>(state->s1, n, first);
  skip<MrgPowers2>(state->s2, n, first);
}

}  // namespace kiln::curand_detail
