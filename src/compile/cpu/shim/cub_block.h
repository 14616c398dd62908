// CUB for a host compiler, part 3: reductions and scans of a block.
#pragma once

#include "kiln/cub_common.h"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/// The result is that of the first work-item. Each warp is summed in pairs, neighbours first, then the warps
/// one after the other.
template <class T, int BLOCK_DIM_X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockReduce {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Add = kiln::cub_detail::Add;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockReduce() = default;
  BlockReduce(TempStorage&) {}

  T Sum(T input) { return Reduce(input, Add()); }
  T Sum(T input, int num_valid) { return Reduce(input, Add(), num_valid); }
  template <int kItems>
  T Sum(T (&inputs)[kItems]) {
    return Reduce(inputs, Add());
  }

  template <class Operation>
  T Reduce(T input, Operation op) {
    return Reduce(input, op, kThreads);
  }
  template <int kItems, class Operation>
  T Reduce(T (&inputs)[kItems], Operation op) {
    T partial = inputs[0];
    for (int i = 1; i < kItems; ++i) partial = op(partial, inputs[i]);
    return Reduce(partial, op);
  }
  template <class Operation>
  T Reduce(T input, Operation op, int num_valid) {
    const int me = kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
    const int count = num_valid < kThreads ? num_valid : kThreads;
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done, [&] { board.values.at(me) = input; }, [&] { reduce_all(board.values, op, count); },
        [&] {
          if (me == 0) input = board.values.at(0);
        });
    return input;
  }

 private:
  struct Board {
    kiln::cub_detail::Slots<T, kThreads> values;
    bool done;
  };

  template <class Values, class Operation>
  static void reduce_all(Values& values, Operation op, int count) {
    for (int distance = 1; distance < 32; distance *= 2) {
      for (int i = 0; i + distance < count; i += 2 * distance)
        values.at(i) = op(values.at(i), values.at(i + distance));
    }
    for (int warp = 32; warp < count; warp += 32) values.at(0) = op(values.at(0), values.at(warp));
  }

  static inline thread_local kiln::cub_detail::Boards<Board, kThreads> boards_;
};

/// Work-items in their order; the items of one follow each other.
template <class T, int BLOCK_DIM_X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Add = kiln::cub_detail::Add;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  BlockScan() = default;
  BlockScan(TempStorage&) {}

  // One value a work-item.
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, Add()); }
  void ExclusiveSum(T input, T& output, T& aggregate) { ExclusiveScan(input, output, T{}, Add(), aggregate); }
  template <class Callback>
  void ExclusiveSum(T input, T& output, Callback& prefix) {
    ExclusiveScan(input, output, Add(), prefix);
  }
  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, Add()); }
  void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, Add(), aggregate); }
  template <class Callback>
  void InclusiveSum(T input, T& output, Callback& prefix) {
    InclusiveScan(input, output, Add(), prefix);
  }

  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation op) {
    kiln_scan<false, 1>(&input, &output, op, &initial);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation op, T& aggregate) {
    aggregate = kiln_scan<false, 1>(&input, &output, op, &initial);
  }
  /// Without an initial value the first result is not defined.
  template <class Operation>
  void ExclusiveScan(T input, T& output, Operation op) {
    kiln_scan<false, 1>(&input, &output, op, nullptr);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, Operation op, T& aggregate) {
    aggregate = kiln_scan<false, 1>(&input, &output, op, nullptr);
  }
  template <class Operation, class Callback>
  void ExclusiveScan(T input, T& output, Operation op, Callback& prefix) {
    kiln_scan_after<false, 1>(&input, &output, op, prefix);
  }
  template <class Operation>
  void InclusiveScan(T input, T& output, Operation op) {
    kiln_scan<true, 1>(&input, &output, op, nullptr);
  }
  template <class Operation>
  void InclusiveScan(T input, T& output, Operation op, T& aggregate) {
    aggregate = kiln_scan<true, 1>(&input, &output, op, nullptr);
  }
  template <class Operation, class Callback>
  void InclusiveScan(T input, T& output, Operation op, Callback& prefix) {
    kiln_scan_after<true, 1>(&input, &output, op, prefix);
  }

  // Several values a work-item.
  template <int N>
  void ExclusiveSum(T (&input)[N], T (&output)[N]) {
    ExclusiveScan(input, output, T{}, Add());
  }
  template <int N>
  void ExclusiveSum(T (&input)[N], T (&output)[N], T& aggregate) {
    ExclusiveScan(input, output, T{}, Add(), aggregate);
  }
  template <int N, class Callback>
  void ExclusiveSum(T (&input)[N], T (&output)[N], Callback& prefix) {
    ExclusiveScan(input, output, Add(), prefix);
  }
  template <int N>
  void InclusiveSum(T (&input)[N], T (&output)[N]) {
    InclusiveScan(input, output, Add());
  }
  template <int N>
  void InclusiveSum(T (&input)[N], T (&output)[N], T& aggregate) {
    InclusiveScan(input, output, Add(), aggregate);
  }
  template <int N, class Callback>
  void InclusiveSum(T (&input)[N], T (&output)[N], Callback& prefix) {
    InclusiveScan(input, output, Add(), prefix);
  }

  template <int N, class Operation>
  void ExclusiveScan(T (&input)[N], T (&output)[N], T initial, Operation op) {
    kiln_scan<false, N>(input, output, op, &initial);
  }
  template <int N, class Operation>
  void ExclusiveScan(T (&input)[N], T (&output)[N], T initial, Operation op, T& aggregate) {
    aggregate = kiln_scan<false, N>(input, output, op, &initial);
  }
  template <int N, class Operation>
  void ExclusiveScan(T (&input)[N], T (&output)[N], Operation op) {
    kiln_scan<false, N>(input, output, op, nullptr);
  }
  template <int N, class Operation>
  void ExclusiveScan(T (&input)[N], T (&output)[N], Operation op, T& aggregate) {
    aggregate = kiln_scan<false, N>(input, output, op, nullptr);
  }
  template <int N, class Operation, class Callback>
  void ExclusiveScan(T (&input)[N], T (&output)[N], Operation op, Callback& prefix) {
    kiln_scan_after<false, N>(input, output, op, prefix);
  }
  template <int N, class Operation>
  void InclusiveScan(T (&input)[N], T (&output)[N], T initial, Operation op) {
    kiln_scan<true, N>(input, output, op, &initial);
  }
  template <int N, class Operation>
  void InclusiveScan(T (&input)[N], T (&output)[N], T initial, Operation op, T& aggregate) {
    aggregate = kiln_scan<true, N>(input, output, op, &initial);
  }
  template <int N, class Operation>
  void InclusiveScan(T (&input)[N], T (&output)[N], Operation op) {
    kiln_scan<true, N>(input, output, op, nullptr);
  }
  template <int N, class Operation>
  void InclusiveScan(T (&input)[N], T (&output)[N], Operation op, T& aggregate) {
    aggregate = kiln_scan<true, N>(input, output, op, nullptr);
  }
  template <int N, class Operation, class Callback>
  void InclusiveScan(T (&input)[N], T (&output)[N], Operation op, Callback& prefix) {
    kiln_scan_after<true, N>(input, output, op, prefix);
  }

 private:
  static int kiln_rank() {
    return kiln::cub_detail::kiln_block_rank<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
  }

  /// Gives the sum of the block, without `initial`.
  template <bool kInclusive, int N, class Operation>
  T kiln_scan(const T* input, T* output, Operation op, const T* initial) {
    const int me = kiln_rank();
    T sum = total<N>(input, op), before = sum;
    auto& board = boards_.next(me);
    kiln::cub_detail::kiln_block_step(
        board.done, [&] { board.sums.at(me) = sum; }, [&] { sum_up(board.sums, op); },
        [&] {
          sum = board.sums.at(kThreads - 1);
          if (me > 0) before = board.sums.at(me - 1);
        });
    if (kiln_step_pass == 1) return sum;  // the output may be the input
    if (initial != nullptr) before = me > 0 ? op(*initial, before) : *initial;
    spread<kInclusive, N>(input, output, op, me > 0 || initial != nullptr, before);
    return sum;
  }

  /// `prefix` is called by the first warp with the sum of the block; what it gives the first lane stands
  /// before all.
  template <bool kInclusive, int N, class Operation, class Callback>
  void kiln_scan_after(const T* input, T* output, Operation op, Callback& prefix) {
    const int me = kiln_rank();
    const T mine = total<N>(input, op);
    T inclusive = mine, before = mine;
    const T sum = kiln_scan<true, 1>(&mine, &inclusive, op, nullptr);
    if (kiln_step_pass == 1) return;
    T first = sum;
    if (me < 32) first = prefix(sum);
    auto& board = boards_.next(me);
    const auto put = [&] {
      if (me == 0) board.prefix.at(0) = first;
    };
    const auto take = [&] {
      before = board.prefix.at(0);
      if (me > 0) before = op(before, board.sums.at(me - 1));
    };
    if (kiln_step_pass == 2) {  // the work-items take their results in order, the first one before all others
      put();
      take();
    } else {
      kiln::cub_detail::kiln_block_step(
          board.done,
          [&] {
            board.sums.at(me) = inclusive;
            put();
          },
          [] {}, take);
    }
    spread<kInclusive, N>(input, output, op, true, before);
  }

  template <int N, class Operation>
  static T total(const T* input, Operation op) {
    T sum = input[0];
    for (int i = 1; i < N; ++i) sum = op(sum, input[i]);
    return sum;
  }
  template <class Sums, class Operation>
  static void sum_up(Sums& sums, Operation op) {
    for (int i = 1; i < kThreads; ++i) sums.at(i) = op(sums.at(i - 1), sums.at(i));
  }
  template <bool kInclusive, int N, class Operation>
  static void spread(const T* input, T* output, Operation op, bool has_sum, T sum) {
    for (int i = 0; i < N; ++i) {
      const T next = has_sum || i > 0 ? op(sum, input[i]) : input[i];
      output[i] = kInclusive ? next : sum;
      sum = next;
    }
  }

  struct Board {
    kiln::cub_detail::Slots<T, kThreads> sums;
    kiln::cub_detail::Slots<T, 1> prefix;
    bool done;
  };
  static inline thread_local kiln::cub_detail::Boards<Board, kThreads> boards_;
};

}  // namespace cub
