// The CUDA dialect for a host compiler, part 6: what kernels use that Kiln has split at their barriers into
// loops over work-items (compile/cpu/split/). A loop over the lanes of a warp stands in a loop over the warps
// of a block where the kernel has warp operations; else one loop runs over the block.
#pragma once

#if defined(__clang__)
#define KILN_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define KILN_ROLLED _Pragma("GCC unroll 1")
#endif

namespace kiln::cpu {

template <class V>
struct Same {
  using type = V;
};
template <class V>
struct Bare : Same<V> {};
template <class V>
struct Bare<const V> : Same<V> {};
template <class V>
struct Bare<volatile V> : Same<V> {};
template <class V>
struct Bare<const volatile V> : Same<V> {};
template <class V>
struct Bare<V&> : Bare<V> {};
template <class V>
struct Bare<V&&> : Bare<V> {};
template <class V>
struct Bare<V[]> : Same<V*> {};
template <class V, size_t N>
struct Bare<V[N]> : Same<V*> {};
template <class V, size_t N>
struct Bare<V (&)[N]> : Same<V*> {};
template <class V, size_t N>
struct Bare<const V[N]> : Same<const V*> {};
/// The type of a variable that a value of type V initialises by copy.
template <class V>
using Value = typename Bare<V>::type;

constexpr unsigned kMostItemBytes = 256 * 1024;  // of one variable, in a block

/// Bytes after the arrays of all work-items. Programs write past the end of an array of a work-item; a GPU's
/// compiler keeps it in registers and drops that. Past the last array the next variable does not change; past
/// another one the array of the next work-item does.
template <class V>
constexpr unsigned slack_bytes = 0;
template <class V, size_t N>
constexpr unsigned slack_bytes<V[N]> = 512;

/// A variable of N work-items. What it holds is not constructed, and never destroyed.
template <class V, unsigned N>
union Room {
  static_assert(__has_trivial_destructor(V), "a variable with a destructor lives across a barrier");
  static_assert(sizeof(V) * N <= kMostItemBytes, "a large array of each work-item lives across a barrier");
  alignas(64) V values[N + (slack_bytes<V> + sizeof(V) - 1) / sizeof(V)];
  KILN_INLINE_ALWAYS Room() {}
  KILN_INLINE_ALWAYS V& operator[](int i) { return values[i]; }
  KILN_INLINE_ALWAYS const V& operator[](int i) const { return values[i]; }
};

template <class V, class S>
struct Items {
  static constexpr unsigned count = S::baked ? S::fixed_block.x * S::fixed_block.y * S::fixed_block.z : 1024;
  Room<V, (count + 31) / 32 * 32> room;
  KILN_INLINE_ALWAYS Items() {}
  KILN_INLINE_ALWAYS V& operator[](int i) { return room[i]; }
  KILN_INLINE_ALWAYS const V& operator[](int i) const { return room[i]; }
  template <class W>
  KILN_INLINE_ALWAYS Items(const Items<W, S>& other) {
    for (unsigned i = 0; i < count; ++i)
      room[static_cast<int>(i)] = static_cast<V>(other[static_cast<int>(i)]);
  }
  KILN_INLINE_ALWAYS Items(const Items& other) {
    for (unsigned i = 0; i < count; ++i) room[static_cast<int>(i)] = other[static_cast<int>(i)];
  }
};

/// The element of a lane, or a value that all have.
template <class V, class S>
KILN_SHIM const V& at(const Items<V, S>& items, int i) {
  return items[i];
}
template <class V>
KILN_SHIM const V& at(const V& value, int) {
  return value;
}

/// Gives a variable its first value.
struct Place {
  void* at;
};
}  // namespace kiln::cpu
inline void* operator new(size_t, kiln::cpu::Place place) noexcept {
  return place.at;
}
namespace kiln::cpu {
template <class V>
struct Given {
  using type = V;
};
/// The variable alone decides the type: of pointers either may have __restrict__.
template <class V>
KILN_SHIM void keep(V& variable, const typename Given<V>::type& value) {
  ::new (Place{&variable}) V(value);
}
template <class V>
KILN_SHIM void keep(V*& variable, typename Given<V>::type* value) {
  variable = value;
}
template <class V>
KILN_SHIM void keep(V* __restrict__& variable, typename Given<V>::type* value) {
  variable = value;
}
template <class V, size_t N>
KILN_SHIM void keep(V (&variable)[N], const V (&value)[N]) {
  for (size_t i = 0; i < N; ++i) keep(variable[i], value[i]);
}
template <class V>
KILN_SHIM void start(V& variable) {
  if constexpr (!__has_trivial_constructor(V)) ::new (Place{&variable}) V;
}
template <class V, size_t N>
KILN_SHIM void start(V (&variable)[N]) {
  for (size_t i = 0; i < N; ++i) start(variable[i]);
}

/// One block. Its shape is a constant where it is baked in.
template <class S>
struct Block {
  Index3 shape, index, grid;
  KILN_INLINE_ALWAYS int x() const { return static_cast<int>(S::baked ? S::fixed_block.x : shape.x); }
  KILN_INLINE_ALWAYS int y() const { return static_cast<int>(S::baked ? S::fixed_block.y : shape.y); }
  KILN_INLINE_ALWAYS int z() const { return static_cast<int>(S::baked ? S::fixed_block.z : shape.z); }
  KILN_INLINE_ALWAYS int count() const { return x() * y() * z(); }
  KILN_INLINE_ALWAYS int warps() const { return (count() + 31) / 32; }
};

/// A whole number: one value for all lanes.
template <class V>
constexpr bool is_one = __is_same(V, int) || __is_same(V, unsigned) || __is_same(V, short) ||
                        __is_same(V, long);

/// The work-items of a row, or lanes of a warp, numbered from `origin`, that comparisons with bounds leave.
struct Range {
  int origin, first = 0, last;
  KILN_INLINE_ALWAYS Range(int origin_, int count) : origin(origin_), last(count) {}
  template <class T, class F>
  KILN_INLINE_ALWAYS int count(F holds) const {  // from the first on
    int low = 0, high = last;
    if (high == 0 || holds(static_cast<T>(origin + high - 1))) return high;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (holds(static_cast<T>(origin + middle)))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  /// The same where it holds below a whole number, or the next.
  template <class T, class B, class F>
  KILN_INLINE_ALWAYS int count_to(const B& bound, int more, F holds) const {
    if constexpr (is_one<B> || __is_same(B, unsigned long) || __is_same(B, long long)) {
      if (last == 0 || holds(static_cast<T>(origin + last - 1))) return last;
      return holds(static_cast<T>(origin)) ? static_cast<int>(bound) - origin + more : 0;
    } else {
      return count<T>(holds);
    }
  }
  template <class T, class B>
  KILN_INLINE_ALWAYS Range less(const B& bound) const {
    return to(count_to<T>(bound, 0, [&](T i) { return i < bound; }));
  }
  template <class T, class B>
  KILN_INLINE_ALWAYS Range less_equal(const B& bound) const {
    return to(count_to<T>(bound, 1, [&](T i) { return i <= bound; }));
  }
  template <class T, class B>
  KILN_INLINE_ALWAYS Range greater(const B& bound) const {
    return from(count_to<T>(bound, 1, [&](T i) { return !(i > bound); }));
  }
  template <class T, class B>
  KILN_INLINE_ALWAYS Range greater_equal(const B& bound) const {
    return from(count_to<T>(bound, 0, [&](T i) { return !(i >= bound); }));
  }
  template <class T, class B>
  KILN_INLINE_ALWAYS Range equal(const B& bound) const {
    return greater_equal<T>(bound).template less_equal<T>(bound);
  }
  KILN_INLINE_ALWAYS Range to(int end) const {
    Range result = *this;
    result.last = end < last ? end : last;
    return result;
  }
  KILN_INLINE_ALWAYS Range from(int begin) const {
    Range result = *this;
    result.first = begin > first ? begin : first;
    return result;
  }
};

/// Fetches the lines of a row that is about to be written, if its elements lie side by side.
KILN_SHIM void fetch_to_write(const char* first, const char* last) {
  constexpr long kLine = 64, kLongest = 4096;
  if (last < first || last - first > kLongest) return;
  for (; first <= last; first += kLine) __builtin_prefetch(first, 1);
}

template <int N>
struct Count {
  KILN_INLINE_ALWAYS constexpr explicit operator int() const { return N; }
};
/// Calls part(first, count) until all of the range is done. In a short row two vectors do it, which may
/// overlap: else the rest beyond the first one would be most of the work.
template <class S, class F>
KILN_SHIM void in_parts(const Range& row, const F& part) {
  constexpr int width = static_cast<int>(S::fixed_block.x) / 2;
  if constexpr (S::baked && (width == 8 || width == 16)) {
    if (row.last - row.first >= width) {
      // A loop that is not unrolled: two copies take longer to compile and are no faster.
      KILN_ROLLED
      for (int i = 0; i < 2; ++i) part(i == 0 ? row.first : row.last - width, Count<width>{});
    } else {
      for (int x = row.first; x < row.last; ++x) part(x, Count<1>{});
    }
  } else {
    part(row.first, row.last - row.first);
  }
}

/// How many of the numbers from 0 on a condition holds for that holds for no larger one where it does not for
/// one.
template <class F>
KILN_SHIM int count_first(int count, F holds) {
  return Range(0, count).count<int>(holds);
}

/// A whole number in 64 bits.
template <class V>
KILN_SHIM auto wide(const V& value) {
  if constexpr (__is_same(V, int) || __is_same(V, unsigned) || __is_same(V, short) ||
                __is_same(V, unsigned short))
    return static_cast<long>(value);
  else
    return value;
}

/// Whether whole numbers from `first` to `last` in steps of one are at least 0 and fit in 31 bits.
template <class V>
KILN_SHIM bool ascends(V first, V last) {
  if constexpr (__is_same(V, long) || __is_same(V, unsigned long) || __is_same(V, long long) ||
                __is_same(V, unsigned long long))
    return first >= 0 && first <= last && last <= 0x7fffffff;
  else
    return false;
}

/// A value that has to come out the same for every work-item, as a barrier depends on it: of a switch, or
/// (bool) of another condition.
template <class V>
struct Agreement {
  V first = {};
  unsigned same = 0, others = 0;
  KILN_INLINE_ALWAYS void add(V value) {
    if (same == 0) first = value;
    same += value == first ? 1u : 0u;
    others += value == first ? 0u : 1u;
  }
  KILN_INLINE_ALWAYS V result(unsigned line) const {
    if (__builtin_expect(others != 0, 0))
      kiln_worker->services->barrier_diverged(kiln_worker, same, same + others, line);
    return first;
  }
};
template <>
struct Agreement<bool> {
  unsigned yes = 0, no = 0;
  KILN_INLINE_ALWAYS void add(bool holds) {
    yes += holds ? 1u : 0u;
    no += holds ? 0u : 1u;
  }
  KILN_INLINE_ALWAYS bool result(unsigned line) const {
    if (__builtin_expect(yes != 0 && no != 0, 0))
      kiln_worker->services->barrier_diverged(kiln_worker, yes, yes + no, line);
    return yes != 0;
  }
};

// Sets of a block's work-items: each has an element, 1 or 0, or, in a kernel with warp operations, a bit of
// its warp's word.
template <class S>
KILN_SHIM int words_of(const Block<S>& block, const Items<int, S>&) {
  return block.count();
}
template <class S>
KILN_SHIM int words_of(const Block<S>& block, const unsigned*) {
  return block.warps();
}
template <class S, class Set>
KILN_SHIM bool any_of(const Block<S>& block, Set& set) {
  unsigned any = 0;
  for (int i = 0, n = words_of(block, set); i < n; ++i) any |= static_cast<unsigned>(set[i]);
  return any != 0;
}

/// The grid's sync: meanwhile other blocks run on this thread, which then have other variables of the thread.
template <class S>
KILN_SHIM void grid_sync(const Block<S>& block, int here, unsigned line) {
  kiln_worker->services->grid_sync(kiln_worker, line, static_cast<unsigned>(block.count() - here));
  kiln_set_dynamic_shared();
  ::blockIdx.x = block.index.x;
  ::blockIdx.y = block.index.y;
  ::blockIdx.z = block.index.z;
}

template <auto F, class S, class Signature>
struct SplitRunner;

template <auto F, class S, class... A>
struct SplitRunner<F, S, void (*)(Block<S>&, A...)> {
  static constexpr int count = sizeof...(A);
  static constexpr unsigned long long bytes[sizeof...(A) + 1] = {Passed<A>::bytes..., 0};
  using Arguments = typename MakeSequence<count>::type;

  template <int... I>
  KILN_SHIM void run_blocks(const Launch* launch, unsigned long long first, unsigned long long last,
                            Worker* worker, Sequence<I...>) {
    Block<S> block;
    block.shape = enter_launch<S>(launch, worker);
    block.grid = launch->grid;
    kiln_guard_mode = kiln_guard_test;
    kiln_lane_known = false;
    unsigned x = static_cast<unsigned>(first % launch->grid.x);
    unsigned y = static_cast<unsigned>(first / launch->grid.x % launch->grid.y);
    unsigned z = static_cast<unsigned>(first / launch->grid.x / launch->grid.y);
    for (; first < last; ++first) {
      blockIdx.x = x;
      blockIdx.y = y;
      blockIdx.z = z;
      block.index = {x, y, z};
      F(block, Passed<A>::get(launch->arguments[I])...);
      if (++x == launch->grid.x) {
        x = 0;
        if (++y == launch->grid.y) {
          y = 0;
          ++z;
        }
      }
    }
  }
};

template <auto F, class S>
using SplitRunnerOf = SplitRunner<F, S, decltype(F)>;

}  // namespace kiln::cpu

#if defined(__clang__)
#define KILN_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#define KILN_SIMD KILN_IVDEP
#else
#define KILN_IVDEP _Pragma("GCC ivdep")
// g++ 13 unrolls short loops before it looks for vectors, and then finds none. A loop with this pragma it
// leaves.
#define KILN_SIMD _Pragma("omp simd")
#endif

/// The index variables of a function that is split, as constants of its own.
#define KILN_SPLIT_BEGIN                                                                    \
  const uint3 blockIdx = {kiln_b.index.x, kiln_b.index.y, kiln_b.index.z};                  \
  const dim3 blockDim(static_cast<unsigned>(kiln_b.x()), static_cast<unsigned>(kiln_b.y()), \
                      static_cast<unsigned>(kiln_b.z()));                                   \
  const dim3 gridDim(kiln_b.grid.x, kiln_b.grid.y, kiln_b.grid.z);                          \
  const uint3 threadIdx = {0, 0, 0};                                                        \
  const int kiln_i = 0, kiln_lane = 0;                                                      \
  static_cast<void>(blockIdx), static_cast<void>(blockDim), static_cast<void>(gridDim);     \
  static_cast<void>(threadIdx), static_cast<void>(kiln_i), static_cast<void>(kiln_lane);

/// The names of the work-item `kiln_x` of a row.
#define KILN_ITEM_OF_ROW                                                                 \
  const uint3 threadIdx = {static_cast<unsigned>(kiln_x), static_cast<unsigned>(kiln_y), \
                           static_cast<unsigned>(kiln_z)};                               \
  const int kiln_i = (kiln_z * kiln_b.y() + kiln_y) * kiln_b.x() + kiln_x;               \
  static_cast<void>(threadIdx), static_cast<void>(kiln_i);

/// Each work-item of the block, row by row.
#define KILN_ITEMS                                                     \
  for (int kiln_z = 0; kiln_z < kiln_b.z(); ++kiln_z)                  \
    for (int kiln_y = 0; kiln_y < kiln_b.y(); ++kiln_y)                \
      KILN_IVDEP for (int kiln_x = 0; kiln_x < kiln_b.x(); ++kiln_x) { \
        KILN_ITEM_OF_ROW

/// Some of them.
#define KILN_ROWS_IN(rows)                              \
  for (int kiln_z = 0; kiln_z < kiln_b.z(); ++kiln_z) { \
    const kiln::cpu::Range kiln_rows = rows;            \
    for (int kiln_y = kiln_rows.first; kiln_y < kiln_rows.last; ++kiln_y) {
#define KILN_ROW_IN(row)                                                           \
  const kiln::cpu::Range kiln_row = row;                                           \
  KILN_IVDEP for (int kiln_x = kiln_row.first; kiln_x < kiln_row.last; ++kiln_x) { \
    KILN_ITEM_OF_ROW
/// The same for what a work-item may do twice: in parts of a vector, of which the last one starts early.
#define KILN_PARTS_IN(row)                                                                    \
  const kiln::cpu::Range kiln_row = row;                                                      \
  const auto kiln_part = [&](int kiln_from, auto kiln_count) __attribute__((always_inline)) { \
    KILN_SIMD for (int kiln_k = 0; kiln_k < static_cast<int>(kiln_count); ++kiln_k) {         \
      const int kiln_x = kiln_from + kiln_k;                                                  \
      KILN_ITEM_OF_ROW
#define KILN_PARTS_END                                 \
  }                                                    \
  }                                                    \
  ;                                                    \
  kiln::cpu::in_parts<KilnShape>(kiln_row, kiln_part); \
  }                                                    \
  }

/// Fetches what the next block along x writes to `place`, a row at a time.
#define KILN_FETCH_NEXT(place)                                                           \
  for (int kiln_z = 0; kiln_z < kiln_b.z(); ++kiln_z)                                    \
    for (int kiln_y = 0; kiln_y < kiln_b.y(); ++kiln_y) {                                \
      const auto kiln_place = [&](int kiln_x) __attribute__((always_inline)) {           \
        KILN_ITEM_OF_ROW                                                                 \
        return (const char*)&(place);                                                    \
      };                                                                                 \
      kiln::cpu::fetch_to_write(kiln_place(kiln_b.x()), kiln_place(2 * kiln_b.x() - 1)); \
    }

/// Around loops over work-items with subscripts that have the factor `name`: they get a version for the
/// factor 1, in which g++ sees elements at a fixed distance and makes vectors of them.
#define KILN_FACTOR(name)                                 \
  {                                                       \
    typedef kiln::cpu::Value<decltype(name)> kiln_factor; \
    const auto kiln_loops = [&](kiln_factor name) __attribute__((always_inline)) {
#define KILN_FACTOR_END(name) \
  }                           \
  ;                           \
  if (name == 1)              \
    kiln_loops(1);            \
  else                        \
    kiln_loops(name);         \
  }

/// All of a row, in two versions: in one the clamps leave the values of all its work-items as they are.
#define KILN_ROW_INSIDE                                                           \
  const auto kiln_row = [&](auto kiln_version) __attribute__((always_inline)) {   \
    constexpr bool kiln_inside = static_cast<int>(decltype(kiln_version)()) != 0; \
    KILN_IVDEP for (int kiln_x = 0; kiln_x < kiln_b.x(); ++kiln_x) {              \
      KILN_ITEM_OF_ROW
#define KILN_ROW_INSIDE_END          \
  }                                  \
  }                                  \
  ;                                  \
  if (kiln_row_inside)               \
    kiln_row(kiln::cpu::Count<1>()); \
  else                               \
    kiln_row(kiln::cpu::Count<0>()); \
  }                                  \
  }

#define KILN_ROW_TO(end)                           \
  for (int kiln_x = 0; kiln_x < (end); ++kiln_x) { \
    KILN_ITEM_OF_ROW

#define KILN_SET_THREAD        \
  ::threadIdx.x = threadIdx.x; \
  ::threadIdx.y = threadIdx.y; \
  ::threadIdx.z = threadIdx.z;

/// A kernel that was split at its barriers. `grid`: 1 where it has the grid's sync.
#define KILN_SPLIT_KERNEL(index, label, grid, ...)                                               \
  using kiln_runner_##index = kiln::cpu::SplitRunnerOf<&__VA_ARGS__, kiln_shape_##index>;        \
  static void kiln_blocks_##index(const kiln::cpu_abi::Launch* launch, unsigned long long first, \
                                  unsigned long long last, kiln::cpu_abi::Worker* worker) {      \
    using kiln_runner = kiln_runner_##index;                                                     \
    kiln_runner::run_blocks(launch, first, last, worker, kiln_runner::Arguments{});              \
  }                                                                                              \
  KILN_KERNEL_TABLE(index, label, 0, grid, "", kiln_runner_##index, &kiln_blocks_##index, nullptr, nullptr)
