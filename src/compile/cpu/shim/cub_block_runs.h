// CUB for a host compiler, part 6: shuffles, histograms and runs of a block.
#pragma once

#if defined(KILN_MORE_OF_CUB)  // of a text that names a class of it
#include "kiln/cub_block.h"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

/// The values of other work-items, by their distance. A work-item whose source is outside of the block keeps
/// what it has.
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockShuffle {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockShuffle() = default;
  BlockShuffle(TempStorage&) {}

  void Offset(T input, T& output, int distance = 1) {
    kiln_share(input, [&](auto& values, int me) {
      if (me + distance >= 0 && me + distance < kThreads) output = values.at(me + distance);
    });
  }
  /// `distance`: less than the work-items of the block.
  void Rotate(T input, T& output, unsigned distance = 1) {
    kiln_share(input, [&](auto& values, int me) {
      output = values.at((me + static_cast<int>(distance)) % kThreads);
    });
  }

  // All items, in blocked order, move by one place; `edge` is the item that leaves the block.
  template <int N>
  void Up(T (&input)[N], T (&output)[N]) {
    T edge = input[0];
    Up(input, output, edge);
  }
  template <int N>
  void Up(T (&input)[N], T (&output)[N], T& edge) {
    kiln_share(input[N - 1], [&](auto& values, int me) {
      for (int i = N - 1; i > 0; --i) output[i] = input[i - 1];  // output may be the input
      if (me > 0) output[0] = values.at(me - 1);
      edge = values.at(kThreads - 1);
    });
  }
  template <int N>
  void Down(T (&input)[N], T (&output)[N]) {
    T edge = input[0];
    Down(input, output, edge);
  }
  template <int N>
  void Down(T (&input)[N], T (&output)[N], T& edge) {
    kiln_share(input[0], [&](auto& values, int me) {
      for (int i = 0; i + 1 < N; ++i) output[i] = input[i + 1];
      if (me + 1 < kThreads) output[N - 1] = values.at(me + 1);
      edge = values.at(0);
    });
  }

 private:
  template <class Take>
  static void kiln_share(const T& value, Take take) {
    const int me = kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done, [&] { board.values.at(me) = value; }, [] {}, [&] { take(board.values, me); });
  }

  struct Board {
    kiln::cub_detail::Slots<T, kThreads> values;
    bool done;
  };
  static inline thread_local kiln::cub_detail::Boards<Board, kThreads> boards_;
};

/// Counts of items, which are the places of their counters.
template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, int BINS,
          BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int = 0>
class BlockHistogram {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockHistogram() = default;
  BlockHistogram(TempStorage&) {}

  template <class Counter>
  void InitHistogram(Counter* histogram) {
    kiln_step([&](int me) { kiln_clear(histogram, me); }, [] {});
  }
  template <class Counter>
  void Histogram(T (&items)[ITEMS_PER_THREAD], Counter* histogram) {
    kiln_step([&](int me) { kiln_clear(histogram, me); }, [&] { kiln_add(items, histogram); });
  }
  /// Adds to the counts that are there.
  template <class Counter>
  void Composite(T (&items)[ITEMS_PER_THREAD], Counter* histogram) {
    kiln_step([](int) {}, [&] { kiln_add(items, histogram); });
  }

 private:
  template <class Put, class Take>
  static void kiln_step(Put put, Take take) {
    const int me = kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done, [&] { put(me); }, [] {}, take);
  }
  template <class Counter>
  static void kiln_clear(Counter* histogram, int me) {
    for (int bin = me; bin < BINS; bin += kThreads) histogram[bin] = 0;
  }
  /// Other blocks may add to the same counters where CUB adds by atomic operations.
  template <class Counter>
  static void kiln_add(const T* items, Counter* histogram) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      if constexpr (ALGORITHM == BLOCK_HISTO_ATOMIC)
        atomicAdd(&histogram[items[i]], Counter(1));
      else
        histogram[items[i]] = static_cast<Counter>(histogram[items[i]] + 1);
    }
  }

  struct Board {
    bool done;
  };
  static inline thread_local kiln::cub_detail::Boards<Board, kThreads> boards_;
};

/// Runs of equal items, from their values and lengths, which may be 0 (CUB loses items behind such a run).
/// The runs are in `TempStorage` from the constructor on, which waits for the whole block.
template <class ItemT, int BLOCK_DIM_X, int RUNS_PER_THREAD, int DECODED_ITEMS_PER_THREAD,
          class DecodedOffsetT = unsigned, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockRunLengthDecode {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int kRuns = kThreads * RUNS_PER_THREAD;
  using Scan = BlockScan<DecodedOffsetT, BLOCK_DIM_X, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_DIM_Y, BLOCK_DIM_Z>;

 public:
  struct TempStorage {
    kiln::cub_detail::Slots<ItemT, kRuns> values;
    kiln::cub_detail::Slots<DecodedOffsetT, kRuns> offsets;
  };

  template <class Length, class Total>
  BlockRunLengthDecode(TempStorage& storage, ItemT (&values)[RUNS_PER_THREAD],
                       Length (&lengths)[RUNS_PER_THREAD], Total& total)
      : storage_(storage) {
    kiln_start_by_lengths(values, lengths, total);
  }
  template <class Offset>
  BlockRunLengthDecode(TempStorage& storage, ItemT (&values)[RUNS_PER_THREAD],
                       Offset (&offsets)[RUNS_PER_THREAD])
      : storage_(storage) {
    kiln_start(values, offsets);
  }
  template <class Length, class Total>
  BlockRunLengthDecode(ItemT (&values)[RUNS_PER_THREAD], Length (&lengths)[RUNS_PER_THREAD], Total& total)
      : storage_(own_) {
    kiln_start_by_lengths(values, lengths, total);
  }
  template <class Offset>
  BlockRunLengthDecode(ItemT (&values)[RUNS_PER_THREAD], Offset (&offsets)[RUNS_PER_THREAD])
      : storage_(own_) {
    kiln_start(values, offsets);
  }

  /// The items from `from` on that the block's items have room for, in blocked order, with their places in
  /// their runs. Items behind the last run are of that run.
  template <class Place>
  void RunLengthDecode(ItemT (&items)[DECODED_ITEMS_PER_THREAD], Place (&places)[DECODED_ITEMS_PER_THREAD],
                       DecodedOffsetT from = 0) {
    const auto first =
        static_cast<DecodedOffsetT>(from + static_cast<DecodedOffsetT>(kiln_rank()) *
                                               static_cast<DecodedOffsetT>(DECODED_ITEMS_PER_THREAD));
    int run = 0;  // the last one that begins at `first` or before: an empty run begins where the next does
    for (int count = kRuns; count > 1;) {
      const int half = count / 2;
      if (!(first < storage_.offsets.at(run + half))) run += half;
      count -= half;
    }
    for (int i = 0; i < DECODED_ITEMS_PER_THREAD; ++i) {
      const auto at = static_cast<DecodedOffsetT>(first + static_cast<DecodedOffsetT>(i));
      while (run + 1 < kRuns && !(at < storage_.offsets.at(run + 1))) ++run;
      items[i] = storage_.values.at(run);
      places[i] = static_cast<Place>(at - storage_.offsets.at(run));
    }
  }
  void RunLengthDecode(ItemT (&items)[DECODED_ITEMS_PER_THREAD], DecodedOffsetT from = 0) {
    DecodedOffsetT places[DECODED_ITEMS_PER_THREAD];
    RunLengthDecode(items, places, from);
  }

 private:
  static int kiln_rank() {
    return kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
  }
  template <class Length, class Total>
  void kiln_start_by_lengths(ItemT (&values)[RUNS_PER_THREAD], Length (&lengths)[RUNS_PER_THREAD],
                             Total& total) {
    DecodedOffsetT offsets[RUNS_PER_THREAD], sum = 0;
    for (int i = 0; i < RUNS_PER_THREAD; ++i) offsets[i] = static_cast<DecodedOffsetT>(lengths[i]);
    Scan().ExclusiveSum(offsets, offsets, sum);
    total = static_cast<Total>(sum);
    kiln_start(values, offsets);
  }
  template <class Offset>
  void kiln_start(ItemT (&values)[RUNS_PER_THREAD], Offset (&offsets)[RUNS_PER_THREAD]) {
    for (int i = 0; i < RUNS_PER_THREAD; ++i) {
      const int run = kiln_rank() * RUNS_PER_THREAD + i;
      storage_.values.at(run) = values[i];
      storage_.offsets.at(run) = static_cast<DecodedOffsetT>(offsets[i]);
    }
    __syncthreads();
  }

  static inline thread_local TempStorage own_;
  TempStorage& storage_;
};

}  // namespace cub
#endif
