// CUB for a host compiler, part 5: sorting the items of a block.
#pragma once

#include "kiln/cub_block_data.h"

namespace kiln::cub_detail {

/// A number of `kBits` bits whose order as an integer is the key's. Both zeros of floating point are one key.
template <class Key>
KILN_SHIM unsigned long long kiln_radix_key(Key key) {
  using Bits = typename Unsigned<sizeof(Key)>::type;
  static_assert(sizeof(Bits) == sizeof(Key), "keys of a radix sort have 1, 2, 4 or 8 bytes");
  constexpr unsigned long long kSign = 1ull << (8 * sizeof(Key) - 1);
  constexpr unsigned long long kAll = kSign | (kSign - 1);
  Bits raw;
  __builtin_memcpy(&raw, &key, sizeof raw);
  const unsigned long long bits = raw;
  if constexpr (__is_class(Key)) {
    return (bits & kSign) == 0 || bits == kSign ? (bits | kSign) : ~bits & kAll;
  } else if constexpr (static_cast<Key>(0.5) != static_cast<Key>(0) && !__is_enum(Key) &&
                       static_cast<Key>(2) != static_cast<Key>(1)) {
    return (bits & kSign) == 0 || bits == kSign ? (bits | kSign) : ~bits & kAll;
  } else if constexpr (static_cast<Key>(-1) < static_cast<Key>(0)) {
    return bits ^ kSign;
  } else {
    return bits;
  }
}

/// Keys and values of a block, and the order that they are to be in.
template <class Key, class Value, int kCount>
struct SortBoard {
  Slots<Key, kCount> keys;
  Slots<Value, kCount> values;
  unsigned long long bits[kCount];
  int order[kCount], spare[kCount];
  bool done;

  /// By the bits [begin, end) of the keys, eight at a time.
  void sort_by_bits(bool descending, int begin, int end) {
    const unsigned long long mask = end - begin >= 64 ? ~0ull : (1ull << (end - begin)) - 1;
    for (int i = 0; i < kCount; ++i) {
      const unsigned long long key = kiln_radix_key(keys.at(i));
      bits[i] = ((descending ? ~key : key) >> begin) & mask;
      order[i] = i;
    }
    for (int shift = 0; shift < end - begin; shift += 8) {
      int starts[257] = {};
      for (int i = 0; i < kCount; ++i) ++starts[(bits[i] >> shift & 255) + 1];
      for (int digit = 0; digit < 256; ++digit) starts[digit + 1] += starts[digit];
      for (int i = 0; i < kCount; ++i) spare[starts[bits[order[i]] >> shift & 255]++] = order[i];
      for (int i = 0; i < kCount; ++i) order[i] = spare[i];
    }
  }
};

}  // namespace kiln::cub_detail

namespace cub {

/// Stable, as CUB's.
template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int = 0>
class BlockRadixSort {
  using Places = kiln::cub_detail::Places<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, ITEMS_PER_THREAD>;
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr int kKeyBits = 8 * sizeof(KeyT);

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockRadixSort() = default;
  BlockRadixSort(TempStorage&) {}

#define KILN_CUB_RADIX_SORT(name, descending, striped)                                       \
  void name(KeyT(&keys)[N], int begin_bit = 0, int end_bit = kKeyBits) {                     \
    kiln_sort<descending, striped>(keys, nullptr, begin_bit, end_bit);                       \
  }                                                                                          \
  void name(KeyT(&keys)[N], ValueT(&values)[N], int begin_bit = 0, int end_bit = kKeyBits) { \
    kiln_sort<descending, striped>(keys, values, begin_bit, end_bit);                        \
  }
  KILN_CUB_RADIX_SORT(Sort, false, false)
  KILN_CUB_RADIX_SORT(SortDescending, true, false)
  KILN_CUB_RADIX_SORT(SortBlockedToStriped, false, true)
  KILN_CUB_RADIX_SORT(SortDescendingBlockedToStriped, true, true)
#undef KILN_CUB_RADIX_SORT

 private:
  template <bool kDescending, bool kStriped>
  static void kiln_sort(KeyT* keys, ValueT* values, int begin_bit, int end_bit) {
    const Places places;
    auto& board = boards_.next(places.me);
    kiln::cub_detail::kiln_block_step(
        board.done,
        [&] {
          for (int i = 0; i < N; ++i) {
            board.keys.at(places.blocked(i)) = keys[i];
            if (values != nullptr) board.values.at(places.blocked(i)) = values[i];
          }
        },
        [&] { board.sort_by_bits(kDescending, begin_bit, end_bit); },
        [&] {
          for (int i = 0; i < N; ++i) {
            const int from = board.order[kStriped ? places.striped(i) : places.blocked(i)];
            keys[i] = board.keys.at(from);
            if (values != nullptr) values[i] = board.values.at(from);
          }
        });
  }

  using Board = kiln::cub_detail::SortBoard<KeyT, ValueT, Places::kAll>;
  static inline thread_local kiln::cub_detail::Boards<Board, Places::kThreads> boards_;
};

/// By a comparison: true where the first of two keys has to be before the second.
template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockMergeSort {
  using Places = kiln::cub_detail::Places<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, ITEMS_PER_THREAD>;
  static constexpr int N = ITEMS_PER_THREAD;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockMergeSort() = default;
  explicit BlockMergeSort(TempStorage&) {}

  /// Of `valid` items where that is given; the others become `last`, which is not before any of them.
#define KILN_CUB_MERGE_SORT(name)                                                        \
  template <class Compare>                                                               \
  void name(KeyT(&keys)[N], Compare compare) {                                           \
    kiln_sort(keys, nullptr, compare, Places::kAll, nullptr);                            \
  }                                                                                      \
  template <class Compare>                                                               \
  void name(KeyT(&keys)[N], Compare compare, int valid, KeyT last) {                     \
    kiln_sort(keys, nullptr, compare, valid, &last);                                     \
  }                                                                                      \
  template <class Compare>                                                               \
  void name(KeyT(&keys)[N], ValueT(&values)[N], Compare compare) {                       \
    kiln_sort(keys, values, compare, Places::kAll, nullptr);                             \
  }                                                                                      \
  template <class Compare>                                                               \
  void name(KeyT(&keys)[N], ValueT(&values)[N], Compare compare, int valid, KeyT last) { \
    kiln_sort(keys, values, compare, valid, &last);                                      \
  }
  KILN_CUB_MERGE_SORT(Sort)
  KILN_CUB_MERGE_SORT(StableSort)
#undef KILN_CUB_MERGE_SORT

 private:
  template <class Compare>
  static void kiln_sort(KeyT* keys, ValueT* values, Compare compare, int valid, const KeyT* last) {
    const Places places;
    auto& board = boards_.next(places.me);
    kiln::cub_detail::kiln_block_step(
        board.done,
        [&] {
          for (int i = 0; i < N; ++i) {
            const int at = places.blocked(i);
            board.keys.at(at) = at < valid || last == nullptr ? keys[i] : *last;
            if (values != nullptr) board.values.at(at) = values[i];
          }
        },
        [&] {
          for (int i = 0; i < Places::kAll; ++i) board.order[i] = i;
          kiln::cub_detail::kiln_merge_sort(
              board.order, board.spare, valid < Places::kAll ? valid : Places::kAll,
              [&](int a, int b) { return compare(board.keys.at(a), board.keys.at(b)); });
        },
        [&] {
          for (int i = 0; i < N; ++i) {
            const int from = board.order[places.blocked(i)];
            keys[i] = board.keys.at(from);
            if (values != nullptr) values[i] = board.values.at(from);
          }
        });
  }

  using Board = kiln::cub_detail::SortBoard<KeyT, ValueT, Places::kAll>;
  static inline thread_local kiln::cub_detail::Boards<Board, Places::kThreads> boards_;
};

}  // namespace cub
