// CUB for a host compiler, part 7: how items lie in a warp, and sorting them. "Blocked": a lane has
// neighbouring items; "striped": neighbouring lanes have neighbouring items.
#pragma once

#if defined(KILN_MORE_OF_CUB)  // of a text that names a class of it
#include "kiln/cub_warp.h"

namespace kiln::cub_detail {

/// `N` values of each work-item of a block; a warp's are neighbours. `kWhich`: one of several boards.
template <class T, int N, int kWhich = 0>
struct LaneBoard {
  static inline thread_local Slots<T, 1024 * N> values;
};

/// `from` and `to`: the places of a lane's items among its warp's, before and after.
template <int kLanes, int N, class T, class Output>
KILN_SHIM void kiln_warp_exchange(const T* input, Output* output, const int* from, const int* to) {
  const LaneOf<kLanes> me;
  const int first = static_cast<int>(KILN_LINEAR_THREAD() / 32) * 32 + me.first;
  T* const items = LaneBoard<T, N>::values.first() + first * N;
  for (int i = 0; i < N; ++i) items[from[i]] = input[i];
  __syncwarp(me.mask);
  for (int i = 0; i < N; ++i) output[i] = static_cast<Output>(items[to[i]]);
  __syncwarp(me.mask);
}

template <class Key, class Compare>
struct OrderOfKeys {
  Key* keys;
  Compare compare;
  bool operator()(int a, int b) { return compare(keys[a], keys[b]); }
};

/// Sorts the first `valid` of a warp's items.
template <int kLanes, int N, class Key, class Value, class Compare>
KILN_SHIM void kiln_warp_sort(Key* keys, Value* values, Compare compare, int valid, const Key* last) {
  const LaneOf<kLanes> me;
  const int first = (static_cast<int>(KILN_LINEAR_THREAD() / 32) * 32 + me.first) * N;
  Key* const all = LaneBoard<Key, N>::values.first() + first;
  Value* const all_values = LaneBoard<Value, N, 1>::values.first() + first;
  int* const order = LaneBoard<int, 2 * N, 2>::values.first() + 2 * first;
  for (int i = 0; i < N; ++i) {
    const int at = me.rank * N + i;
    all[at] = at < valid || last == nullptr ? keys[i] : *last;
    if (values != nullptr) all_values[at] = values[i];
    order[at] = at;
  }
  __syncwarp(me.mask);
  if (me.rank == 0)
    kiln_merge_sort(order, order + kLanes * N, valid < kLanes * N ? valid : kLanes * N,
                    OrderOfKeys<Key, Compare>{all, compare});
  __syncwarp(me.mask);
  for (int i = 0; i < N; ++i) {
    const int from = order[me.rank * N + i];
    keys[i] = all[from];
    if (values != nullptr) values[i] = all_values[from];
  }
  __syncwarp(me.mask);
}

}  // namespace kiln::cub_detail

namespace cub {

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int ITEMS_PER_THREAD, WarpLoadAlgorithm ALGORITHM = WARP_LOAD_DIRECT,
          int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpLoad {
  static constexpr int N = ITEMS_PER_THREAD;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  WarpLoad() = default;
  WarpLoad(TempStorage&) {}

  template <class Iterator>
  void Load(Iterator from, T (&items)[N]) {
    Load(from, items, N * LOGICAL_WARP_THREADS);
  }
  /// Items from `valid` on stay as they are.
  template <class Iterator>
  void Load(Iterator from, T (&items)[N], int valid) {
    const int lane = kiln::cub_detail::LaneOf<LOGICAL_WARP_THREADS>().rank;
    for (int i = 0; i < N; ++i) {
      const int at = ALGORITHM == WARP_LOAD_STRIPED ? lane + i * LOGICAL_WARP_THREADS : lane * N + i;
      if (at < valid) items[i] = from[at];
    }
  }
  template <class Iterator, class Default>
  void Load(Iterator from, T (&items)[N], int valid, Default otherwise) {
    for (T& item : items) item = otherwise;
    Load(from, items, valid);
  }
};

template <class T, int ITEMS_PER_THREAD, WarpStoreAlgorithm ALGORITHM = WARP_STORE_DIRECT,
          int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpStore {
  static constexpr int N = ITEMS_PER_THREAD;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  WarpStore() = default;
  WarpStore(TempStorage&) {}

  template <class Iterator>
  void Store(Iterator to, T (&items)[N]) {
    Store(to, items, N * LOGICAL_WARP_THREADS);
  }
  template <class Iterator>
  void Store(Iterator to, T (&items)[N], int valid) {
    const int lane = kiln::cub_detail::LaneOf<LOGICAL_WARP_THREADS>().rank;
    for (int i = 0; i < N; ++i) {
      const int at = ALGORITHM == WARP_STORE_STRIPED ? lane + i * LOGICAL_WARP_THREADS : lane * N + i;
      if (at < valid) to[at] = items[i];
    }
  }
};

template <class T, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32,
          WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM, int = 0>
class WarpExchange {
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr int kLanes = LOGICAL_WARP_THREADS;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  WarpExchange() = default;
  WarpExchange(TempStorage&) {}

  template <class Output>
  void BlockedToStriped(const T (&input)[N], Output (&output)[N]) {
    int blocked[N], striped[N];
    kiln_places(blocked, striped);
    kiln::cub_detail::kiln_warp_exchange<kLanes, N>(input, output, blocked, striped);
  }
  template <class Output>
  void StripedToBlocked(const T (&input)[N], Output (&output)[N]) {
    int blocked[N], striped[N];
    kiln_places(blocked, striped);
    kiln::cub_detail::kiln_warp_exchange<kLanes, N>(input, output, striped, blocked);
  }
  /// `ranks`: the places in the striped order.
  template <class Output, class Offset>
  void ScatterToStriped(const T (&input)[N], Output (&output)[N], Offset (&ranks)[N]) {
    int from[N], striped[N];
    kiln_places(from, striped);
    for (int i = 0; i < N; ++i) from[i] = static_cast<int>(ranks[i]);
    kiln::cub_detail::kiln_warp_exchange<kLanes, N>(input, output, from, striped);
  }
  template <class Offset>
  void ScatterToStriped(T (&items)[N], Offset (&ranks)[N]) {
    ScatterToStriped(items, items, ranks);
  }

  static void kiln_places(int* blocked, int* striped) {
    const kiln::cub_detail::LaneOf<kLanes> me;
    for (int i = 0; i < N; ++i) {
      blocked[i] = me.rank * N + i;
      striped[i] = me.rank + i * kLanes;
    }
  }
};

/// By a comparison: true where the first of two keys has to be before the second. Stable.
template <class KeyT, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32, class ValueT = NullType, int = 0>
class WarpMergeSort {
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr int kLanes = LOGICAL_WARP_THREADS;
  using Lane = kiln::cub_detail::LaneOf<kLanes>;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  WarpMergeSort() = default;
  WarpMergeSort(TempStorage&) {}
  unsigned get_member_mask() const { return Lane().mask; }

  /// Of `valid` items where that is given; the others become `last`, which is not before any of them.
#define KILN_CUB_MERGE_SORT(name)                                                                            \
  template <class Compare>                                                                                   \
  void name(KeyT(&keys)[N], Compare compare) {                                                               \
    kiln::cub_detail::kiln_warp_sort<kLanes, N>(keys, static_cast<ValueT*>(nullptr), compare, N * kLanes,    \
                                                static_cast<const KeyT*>(nullptr));                          \
  }                                                                                                          \
  template <class Compare>                                                                                   \
  void name(KeyT(&keys)[N], Compare compare, int valid, KeyT last) {                                         \
    kiln::cub_detail::kiln_warp_sort<kLanes, N>(keys, static_cast<ValueT*>(nullptr), compare, valid, &last); \
  }                                                                                                          \
  template <class Compare>                                                                                   \
  void name(KeyT(&keys)[N], ValueT(&values)[N], Compare compare) {                                           \
    kiln::cub_detail::kiln_warp_sort<kLanes, N>(keys, values, compare, N * kLanes,                           \
                                                static_cast<const KeyT*>(nullptr));                          \
  }                                                                                                          \
  template <class Compare>                                                                                   \
  void name(KeyT(&keys)[N], ValueT(&values)[N], Compare compare, int valid, KeyT last) {                     \
    kiln::cub_detail::kiln_warp_sort<kLanes, N>(keys, values, compare, valid, &last);                        \
  }
  KILN_CUB_MERGE_SORT(Sort)
  KILN_CUB_MERGE_SORT(StableSort)
#undef KILN_CUB_MERGE_SORT
};

}  // namespace cub
#endif
