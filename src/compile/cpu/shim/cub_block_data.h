// CUB for a host compiler, part 4: how items lie in a block. "Blocked": a work-item has neighbouring items;
// "striped": neighbouring work-items have neighbouring items, "warp-striped" in each warp.
#pragma once

#include "kiln/cub_common.h"

namespace kiln::cub_detail {

template <int X, int Y, int Z, int kItems>
struct Places {
  static constexpr int kThreads = X * Y * Z;
  static constexpr int kAll = kThreads * kItems;
  static constexpr int kWarp = kThreads < 32 ? kThreads : 32;
  int me = kiln_block_rank<X, Y, Z>();
  int blocked(int i) const { return me * kItems + i; }
  int striped(int i) const { return me + i * kThreads; }
  int warp_striped(int i) const { return me / kWarp * kWarp * kItems + me % kWarp + i * kWarp; }
};

}  // namespace kiln::cub_detail

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockLoad {
  using Places = kiln::cub_detail::Places<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, ITEMS_PER_THREAD>;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockLoad() = default;
  BlockLoad(TempStorage&) {}

  template <class Iterator>
  void Load(Iterator from, T (&items)[ITEMS_PER_THREAD]) {
    Load(from, items, Places::kAll);
  }
  /// Items from `valid` on stay as they are.
  template <class Iterator>
  void Load(Iterator from, T (&items)[ITEMS_PER_THREAD], int valid) {
    const Places places;
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      const int at = ALGORITHM == BLOCK_LOAD_STRIPED ? places.striped(i) : places.blocked(i);
      if (at < valid) items[i] = from[at];
    }
  }
  template <class Iterator, class Default>
  void Load(Iterator from, T (&items)[ITEMS_PER_THREAD], int valid, Default otherwise) {
    for (T& item : items) item = otherwise;
    Load(from, items, valid);
  }
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockStore {
  using Places = kiln::cub_detail::Places<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, ITEMS_PER_THREAD>;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockStore() = default;
  BlockStore(TempStorage&) {}

  template <class Iterator>
  void Store(Iterator to, T (&items)[ITEMS_PER_THREAD]) {
    Store(to, items, Places::kAll);
  }
  template <class Iterator>
  void Store(Iterator to, T (&items)[ITEMS_PER_THREAD], int valid) {
    const Places places;
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      const int at = ALGORITHM == BLOCK_STORE_STRIPED ? places.striped(i) : places.blocked(i);
      if (at < valid) to[at] = items[i];
    }
  }
};

// Item i of work-item `me`; the items at places from `valid` on stay as they are.
#define KILN_CUB_DIRECT(order, head, place)                                                             \
  template <head class T, class Iterator, int N>                                                        \
  KILN_SHIM void LoadDirect##order(int me, Iterator from, T(&items)[N], int valid) {                    \
    for (int i = 0; i < N; ++i) {                                                                       \
      if ((place) < valid) items[i] = from[place];                                                      \
    }                                                                                                   \
  }                                                                                                     \
  template <head class T, class Iterator, int N>                                                        \
  KILN_SHIM void LoadDirect##order(int me, Iterator from, T(&items)[N]) {                               \
    for (int i = 0; i < N; ++i) items[i] = from[place];                                                 \
  }                                                                                                     \
  template <head class T, class Iterator, class Default, int N>                                         \
  KILN_SHIM void LoadDirect##order(int me, Iterator from, T(&items)[N], int valid, Default otherwise) { \
    for (int i = 0; i < N; ++i) {                                                                       \
      items[i] = otherwise;                                                                             \
      if ((place) < valid) items[i] = from[place];                                                      \
    }                                                                                                   \
  }                                                                                                     \
  template <head class T, class Iterator, int N>                                                        \
  KILN_SHIM void StoreDirect##order(int me, Iterator to, T(&items)[N], int valid) {                     \
    for (int i = 0; i < N; ++i) {                                                                       \
      if ((place) < valid) to[place] = items[i];                                                        \
    }                                                                                                   \
  }                                                                                                     \
  template <head class T, class Iterator, int N>                                                        \
  KILN_SHIM void StoreDirect##order(int me, Iterator to, T(&items)[N]) {                                \
    for (int i = 0; i < N; ++i) to[place] = items[i];                                                   \
  }
#define KILN_CUB_THREADS int BLOCK_THREADS,
KILN_CUB_DIRECT(Blocked, , me* N + i)
KILN_CUB_DIRECT(BlockedVectorized, , me* N + i)
KILN_CUB_DIRECT(Striped, KILN_CUB_THREADS, me + i * BLOCK_THREADS)
KILN_CUB_DIRECT(WarpStriped, , me / 32 * 32 * N + me % 32 + i * 32)
#undef KILN_CUB_DIRECT
#undef KILN_CUB_THREADS

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockExchange {
  using Places = kiln::cub_detail::Places<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, ITEMS_PER_THREAD>;
  static constexpr int N = ITEMS_PER_THREAD;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockExchange() = default;
  BlockExchange(TempStorage&) {}

#define KILN_CUB_EXCHANGE(name, from, to)                                \
  template <class Output>                                                \
  void name(const T(&input)[N], Output(&output)[N]) {                    \
    const Places places;                                                 \
    kiln_exchange(                                                       \
        places.me, input, output, [&](int i) { return places.from(i); }, \
        [&](int i) { return places.to(i); });                            \
  }                                                                      \
  void name(T(&items)[N]) {                                              \
    name(items, items);                                                  \
  }
  KILN_CUB_EXCHANGE(StripedToBlocked, striped, blocked)
  KILN_CUB_EXCHANGE(BlockedToStriped, blocked, striped)
  KILN_CUB_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  KILN_CUB_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef KILN_CUB_EXCHANGE

  /// `ranks` are places in the blocked or striped order; negative ones (Guarded) and those whose flag is not
  /// set (Flagged) are left out.
#define KILN_CUB_SCATTER(name, to)                                                   \
  template <class Output, class Offset>                                              \
  void name(const T(&input)[N], Output(&output)[N], const Offset(&ranks)[N]) {       \
    const Places places;                                                             \
    kiln_exchange(                                                                   \
        places.me, input, output, [&](int i) { return static_cast<int>(ranks[i]); }, \
        [&](int i) { return places.to(i); });                                        \
  }                                                                                  \
  template <class Offset>                                                            \
  void name(T(&items)[N], const Offset(&ranks)[N]) {                                 \
    name(items, items, ranks);                                                       \
  }
  KILN_CUB_SCATTER(ScatterToBlocked, blocked)
  KILN_CUB_SCATTER(ScatterToStriped, striped)
  KILN_CUB_SCATTER(ScatterToStripedGuarded, striped)
#undef KILN_CUB_SCATTER

  template <class Output, class Offset, class Flag>
  void ScatterToStripedFlagged(const T (&input)[N], Output (&output)[N], const Offset (&ranks)[N],
                               const Flag (&flags)[N]) {
    const Places places;
    kiln_exchange(
        places.me, input, output, [&](int i) { return flags[i] ? static_cast<int>(ranks[i]) : -1; },
        [&](int i) { return places.striped(i); });
  }
  template <class Offset, class Flag>
  void ScatterToStripedFlagged(T (&items)[N], const Offset (&ranks)[N], const Flag (&flags)[N]) {
    ScatterToStripedFlagged(items, items, ranks, flags);
  }

 private:
  template <class Output, class From, class To>
  static void kiln_exchange(int me, const T* input, Output* output, From from, To to) {
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done,
        [&] {
          for (int i = 0; i < N; ++i) {
            if (from(i) >= 0) board.items.at(from(i)) = input[i];
          }
        },
        [] {},
        [&] {
          for (int i = 0; i < N; ++i) output[i] = board.items.at(to(i));
        });
  }

  struct Board {
    kiln::cub_detail::Slots<T, Places::kAll> items;
    bool done;
  };
  static inline thread_local kiln::cub_detail::Boards<Board, Places::kThreads> boards_;
};

/// Each item beside the one before it and the one after it, in blocked order.
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockDiscontinuity {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockDiscontinuity() = default;
  BlockDiscontinuity(TempStorage&) {}

  template <int N, class Flag, class Operation>
  void FlagHeads(Flag (&heads)[N], T (&input)[N], Operation op) {
    flag<N>(heads, static_cast<Flag*>(nullptr), input, op, nullptr, nullptr);
  }
  template <int N, class Flag, class Operation>
  void FlagHeads(Flag (&heads)[N], T (&input)[N], Operation op, T predecessor) {
    flag<N>(heads, static_cast<Flag*>(nullptr), input, op, &predecessor, nullptr);
  }
  /// Each item gets the one before it in `before`, too.
  template <int N, class Flag, class Operation>
  void FlagHeads(Flag (&heads)[N], T (&input)[N], T (&before)[N], Operation op) {
    flag<N>(heads, static_cast<Flag*>(nullptr), input, op, nullptr, nullptr, before);
  }
  template <int N, class Flag, class Operation>
  void FlagHeads(Flag (&heads)[N], T (&input)[N], T (&before)[N], Operation op, T predecessor) {
    flag<N>(heads, static_cast<Flag*>(nullptr), input, op, &predecessor, nullptr, before);
  }
  template <int N, class Flag, class Operation>
  void FlagTails(Flag (&tails)[N], T (&input)[N], Operation op) {
    flag<N>(static_cast<Flag*>(nullptr), tails, input, op, nullptr, nullptr);
  }
  template <int N, class Flag, class Operation>
  void FlagTails(Flag (&tails)[N], T (&input)[N], Operation op, T successor) {
    flag<N>(static_cast<Flag*>(nullptr), tails, input, op, nullptr, &successor);
  }
  template <int N, class Flag, class Operation>
  void FlagHeadsAndTails(Flag (&heads)[N], Flag (&tails)[N], T (&input)[N], Operation op) {
    flag<N>(heads, tails, input, op, nullptr, nullptr);
  }
  template <int N, class Flag, class Operation>
  void FlagHeadsAndTails(Flag (&heads)[N], Flag (&tails)[N], T successor, T (&input)[N], Operation op) {
    flag<N>(heads, tails, input, op, nullptr, &successor);
  }
  template <int N, class Flag, class Operation>
  void FlagHeadsAndTails(Flag (&heads)[N], T predecessor, Flag (&tails)[N], T (&input)[N], Operation op) {
    flag<N>(heads, tails, input, op, &predecessor, nullptr);
  }
  template <int N, class Flag, class Operation>
  void FlagHeadsAndTails(Flag (&heads)[N], T predecessor, Flag (&tails)[N], T successor, T (&input)[N],
                         Operation op) {
    flag<N>(heads, tails, input, op, &predecessor, &successor);
  }

 private:
  /// An operation may take the place of its second item, too.
  template <class Operation>
  static auto kiln_differs(Operation& op, const T& a, const T& b, int at, int)
      -> decltype(static_cast<bool>(op(a, b, at))) {
    return op(a, b, at);
  }
  template <class Operation>
  static bool kiln_differs(Operation& op, const T& a, const T& b, int, long) {
    return op(a, b);
  }

  template <int N, class Flag, class Operation>
  static void flag(Flag* heads, Flag* tails, const T* input, Operation op, const T* predecessor,
                   const T* successor, T* previous = nullptr) {
    const int me = kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done,
        [&] {
          board.firsts.at(me) = input[0];
          board.lasts.at(me) = input[N - 1];
        },
        [] {},
        [&] {
          if (me > 0) predecessor = &board.lasts.at(me - 1);
          if (me + 1 < kThreads) successor = &board.firsts.at(me + 1);
          for (int i = 0; i < N; ++i) {
            const T* before = i > 0 ? &input[i - 1] : predecessor;
            const T* after = i + 1 < N ? &input[i + 1] : successor;
            const int at = me * N + i;
            if (heads != nullptr) heads[i] = before == nullptr || kiln_differs(op, *before, input[i], at, 0);
            if (tails != nullptr)
              tails[i] = after == nullptr || kiln_differs(op, input[i], *after, at + 1, 0);
            if (previous != nullptr && before != nullptr) previous[i] = *before;
          }
        });
  }

  struct Board {
    kiln::cub_detail::Slots<T, kThreads> firsts, lasts;
    bool done;
  };
  static inline thread_local kiln::cub_detail::Boards<Board, kThreads> boards_;
};

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockAdjacentDifference {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockAdjacentDifference() = default;
  BlockAdjacentDifference(TempStorage&) {}

  /// The first item stays as it is, or is subtracted from `predecessor`'s; so are items from `valid` on.
  template <int N, class Output, class Operation>
  void SubtractLeft(T (&input)[N], Output (&output)[N], Operation op) {
    left<N>(input, output, op, N * kThreads, nullptr);
  }
  template <int N, class Output, class Operation>
  void SubtractLeft(T (&input)[N], Output (&output)[N], Operation op, T predecessor) {
    left<N>(input, output, op, N * kThreads, &predecessor);
  }
  template <int N, class Output, class Operation>
  void SubtractLeftPartialTile(T (&input)[N], Output (&output)[N], Operation op, int valid) {
    left<N>(input, output, op, valid, nullptr);
  }
  template <int N, class Output, class Operation>
  void SubtractLeftPartialTile(T (&input)[N], Output (&output)[N], Operation op, int valid, T predecessor) {
    left<N>(input, output, op, valid, &predecessor);
  }
  template <int N, class Output, class Operation>
  void SubtractRight(T (&input)[N], Output (&output)[N], Operation op) {
    right<N>(input, output, op, N * kThreads, nullptr);
  }
  template <int N, class Output, class Operation>
  void SubtractRight(T (&input)[N], Output (&output)[N], Operation op, T successor) {
    right<N>(input, output, op, N * kThreads, &successor);
  }
  template <int N, class Output, class Operation>
  void SubtractRightPartialTile(T (&input)[N], Output (&output)[N], Operation op, int valid) {
    right<N>(input, output, op, valid, nullptr);
  }

 private:
  template <int N, class Output, class Operation>
  static void left(const T* input, Output* output, Operation op, int valid, const T* predecessor) {
    const int me = kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done, [&] { board.edges.at(me) = input[N - 1]; }, [] {},
        [&] {
          if (me > 0) predecessor = &board.edges.at(me - 1);
          for (int i = N - 1; i >= 0; --i) {  // output and input may be one array
            const T* before = i > 0 ? &input[i - 1] : predecessor;
            if (me * N + i >= valid || before == nullptr)
              output[i] = input[i];
            else
              output[i] = op(input[i], *before);
          }
        });
  }
  template <int N, class Output, class Operation>
  static void right(const T* input, Output* output, Operation op, int valid, const T* successor) {
    const int me = kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done, [&] { board.edges.at(me) = input[0]; }, [] {},
        [&] {
          if (me + 1 < kThreads) successor = &board.edges.at(me + 1);
          for (int i = 0; i < N; ++i) {
            const T* after = i + 1 < N ? &input[i + 1] : successor;
            const bool last = me * N + i + 1 >= valid && valid < N * kThreads;
            if (last || after == nullptr)
              output[i] = input[i];
            else
              output[i] = op(input[i], *after);
          }
        });
  }

  struct Board {
    kiln::cub_detail::Slots<T, kThreads> edges;
    bool done;
  };
  static inline thread_local kiln::cub_detail::Boards<Board, kThreads> boards_;
};

}  // namespace cub
