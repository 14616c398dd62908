// CUB for a host compiler, part 2: reductions and scans of a warp, by shuffles in CUB's order.
#pragma once

#include "kiln/cub_common.h"

namespace kiln::cub_detail {

/// The calling work-item among the `kLanes` neighbours that its warp is divided into.
template <int kLanes>
struct LaneOf {
  static_assert(kLanes > 0 && kLanes <= 32, "a warp of cub has 1 to 32 lanes");
  int lane = static_cast<int>(KILN_LINEAR_THREAD() & 31u);
  int first = lane / kLanes * kLanes;
  int rank = lane - first;
  unsigned mask = (kLanes == 32 ? ~0u : (1u << (kLanes & 31)) - 1u) << first;

  template <class T>
  T kiln_from(const T& value, int source_rank) const {
    return kiln_value_of_lane(mask, value, first + source_rank);
  }
};

/// The first rank gets op over `value` of all ranks up to `last`, as each rank gets that of the ranks after
/// it.
template <int kLanes, class T, class Operation>
KILN_SHIM T kiln_warp_reduce(T value, Operation op, int last) {
  const LaneOf<kLanes> me;
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const T other = me.kiln_from(value, me.rank + distance < kLanes ? me.rank + distance : me.rank);
    if (me.rank + distance <= last) value = op(value, other);
  }
  return value;
}

template <int kLanes, class T, class Operation>
KILN_SHIM T kiln_warp_scan(T value, Operation op) {
  const LaneOf<kLanes> me;
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const T other = me.kiln_from(value, me.rank >= distance ? me.rank - distance : me.rank);
    if (me.rank >= distance) value = op(other, value);
  }
  return value;
}

}  // namespace kiln::cub_detail

namespace cub {

/// Results are those of the first lane, or of the first lane of each segment.
template <class T, int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpReduce {
  static constexpr int kLanes = LOGICAL_WARP_THREADS;
  using Lane = kiln::cub_detail::LaneOf<kLanes>;
  using Add = kiln::cub_detail::Add;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  WarpReduce(TempStorage&) {}

  T Sum(T input) { return Reduce(input, Add()); }
  T Sum(T input, int valid_items) { return Reduce(input, Add(), valid_items); }
  template <class Operation>
  T Reduce(T input, Operation op) {
    return Reduce(input, op, kLanes);
  }
  template <class Operation>
  T Reduce(T input, Operation op, int valid_items) {
    return kiln::cub_detail::kiln_warp_reduce<kLanes>(input, op, valid_items - 1);
  }

  template <class Flag>
  T HeadSegmentedSum(T input, Flag head) {
    return HeadSegmentedReduce(input, head, Add());
  }
  template <class Flag>
  T TailSegmentedSum(T input, Flag tail) {
    return TailSegmentedReduce(input, tail, Add());
  }
  template <class Flag, class Operation>
  T HeadSegmentedReduce(T input, Flag head, Operation op) {
    const Lane me;
    const unsigned later = kiln_flags(head) & ~((2u << me.rank) - 1u);
    return kiln::cub_detail::kiln_warp_reduce<kLanes>(input, op, kiln_first_of(later, kLanes) - 1);
  }
  template <class Flag, class Operation>
  T TailSegmentedReduce(T input, Flag tail, Operation op) {
    const Lane me;
    const unsigned from_here = kiln_flags(tail) & ~((1u << me.rank) - 1u);
    return kiln::cub_detail::kiln_warp_reduce<kLanes>(input, op, kiln_first_of(from_here, kLanes - 1));
  }

 private:
  template <class Flag>
  static unsigned kiln_flags(Flag flag) {
    const Lane me;
    return (__ballot_sync(me.mask, flag ? 1 : 0) & me.mask) >> me.first;
  }
  static int kiln_first_of(unsigned ranks, int otherwise) {
    return ranks != 0 ? __builtin_ctz(ranks) : otherwise;
  }
};

template <class T, int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpScan {
  static constexpr int kLanes = LOGICAL_WARP_THREADS;
  using Lane = kiln::cub_detail::LaneOf<kLanes>;
  using Add = kiln::cub_detail::Add;

 public:
  using TempStorage = kiln::cub_detail::NoStorage;
  WarpScan(TempStorage&) {}

  void InclusiveSum(T input, T& inclusive) { InclusiveScan(input, inclusive, Add()); }
  void InclusiveSum(T input, T& inclusive, T& aggregate) {
    InclusiveScan(input, inclusive, Add());
    aggregate = Broadcast(inclusive, kLanes - 1);
  }
  void ExclusiveSum(T input, T& exclusive) {
    T sum = input;
    Scan(input, sum, exclusive, Add());
    exclusive = Lane().rank == 0 ? T{} : exclusive;
  }
  void ExclusiveSum(T input, T& exclusive, T& aggregate) {
    T sum = input;
    Scan(input, sum, exclusive, Add());
    exclusive = Lane().rank == 0 ? T{} : exclusive;
    aggregate = Broadcast(sum, kLanes - 1);
  }

  template <class Operation>
  void InclusiveScan(T input, T& inclusive, Operation op) {
    inclusive = kiln::cub_detail::kiln_warp_scan<kLanes>(input, op);
  }
  template <class Operation>
  void InclusiveScan(T input, T& inclusive, Operation op, T& aggregate) {
    InclusiveScan(input, inclusive, op);
    aggregate = Broadcast(inclusive, kLanes - 1);
  }
  template <class Operation>
  void InclusiveScan(T input, T& inclusive, T initial, Operation op) {
    InclusiveScan(input, inclusive, op);
    inclusive = op(initial, inclusive);
  }
  template <class Operation>
  void InclusiveScan(T input, T& inclusive, T initial, Operation op, T& aggregate) {
    InclusiveScan(input, inclusive, op, aggregate);
    inclusive = op(initial, inclusive);
  }

  /// Without an initial value the first lane's result is not defined.
  template <class Operation>
  void ExclusiveScan(T input, T& exclusive, Operation op) {
    T inclusive = input;
    Scan(input, inclusive, exclusive, op);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& exclusive, Operation op, T& aggregate) {
    T inclusive = input;
    Scan(input, inclusive, exclusive, op);
    aggregate = Broadcast(inclusive, kLanes - 1);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& exclusive, T initial, Operation op) {
    T aggregate = input;
    ExclusiveScan(input, exclusive, initial, op, aggregate);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& exclusive, T initial, Operation op, T& aggregate) {
    ExclusiveScan(input, exclusive, op, aggregate);
    exclusive = Lane().rank == 0 ? initial : op(initial, exclusive);
  }

  template <class Operation>
  void Scan(T input, T& inclusive, T& exclusive, Operation op) {
    const T sum = kiln::cub_detail::kiln_warp_scan<kLanes>(input, op);
    const Lane me;
    exclusive = me.kiln_from(sum, me.rank == 0 ? 0 : me.rank - 1);
    inclusive = sum;
  }
  template <class Operation>
  void Scan(T input, T& inclusive, T& exclusive, T initial, Operation op) {
    Scan(input, inclusive, exclusive, op);
    inclusive = op(initial, inclusive);
    exclusive = Lane().rank == 0 ? initial : op(initial, exclusive);
  }

  T Broadcast(T input, unsigned source) { return Lane().kiln_from(input, static_cast<int>(source)); }
};

}  // namespace cub
