// The CUDA dialect for a host compiler, part 7: the lanes of warps, for kernels that Kiln has split and that
// have warp operations. A loop over the lanes of a warp stands in a loop over the warps of a block.
#pragma once

namespace kiln::cpu {

template <class V>
struct Lanes : Same<V> {
  Room<V, 32> room;
  KILN_INLINE_ALWAYS Lanes() {}
  KILN_INLINE_ALWAYS V& operator[](int lane) { return room[lane]; }
  KILN_INLINE_ALWAYS const V& operator[](int lane) const { return room[lane]; }
  template <class W>
  KILN_INLINE_ALWAYS Lanes(const Lanes<W>& other) {
    for (int lane = 0; lane < 32; ++lane) room[lane] = static_cast<V>(other[lane]);
  }
  KILN_INLINE_ALWAYS Lanes(const Lanes& other) {
    if constexpr (__is_trivially_copyable(V)) {
      __builtin_memcpy(static_cast<void*>(&room[0]), &other[0], 32 * sizeof(V));
    } else {
      for (int lane = 0; lane < 32; ++lane) room[lane] = other[lane];
    }
  }
};

/// The lanes of a warp in an array.
template <class V>
struct View {
  const V* values;
  KILN_INLINE_ALWAYS const V& operator[](int lane) const { return values[lane]; }
};
template <class V>
KILN_SHIM View<V> view(const Lanes<V>& lanes, int) {
  return {&lanes[0]};
}
template <class V, class S>
KILN_SHIM View<V> view(const Items<V, S>& items, int base) {
  return {&items[base]};
}

template <class V>
KILN_SHIM const V& at(const Lanes<V>& lanes, int lane) {
  return lanes[lane];
}
template <class V>
KILN_SHIM const V& at(const View<V>& lanes, int lane) {
  return lanes[lane];
}
template <class V>
struct Element : Same<V> {};
template <class V>
struct Element<Lanes<V>> : Same<V> {};
template <class V>
struct Element<View<V>> : Same<V> {};
template <class V>
using ElementOf = typename Element<V>::type;

/// Whether a value is one of each lane.
template <class V>
struct Varies {
  static constexpr bool value = false;
};
template <class V>
struct Varies<Lanes<V>> {
  static constexpr bool value = true;
};
template <class V>
struct Varies<View<V>> {
  static constexpr bool value = true;
};

/// The warp whose first lane is the block's work-item number `base`.
template <class S>
struct Warp {
  const Block<S>& block;
  int base;
  static constexpr bool full = S::baked && S::fixed_block.x * S::fixed_block.y * S::fixed_block.z % 32 == 0;
  static constexpr bool flat = S::baked && S::fixed_block.y * S::fixed_block.z == 1;
  static constexpr bool rows = S::baked && S::fixed_block.x % 32 == 0;
  KILN_INLINE_ALWAYS int lanes() const {
    const int rest = block.count() - base;
    return full || rest > 32 ? 32 : rest;
  }
  /// threadIdx.x of its first lane, where a warp lies in one row.
  KILN_INLINE_ALWAYS int first_x() const { return flat ? base : base % block.x(); }
  KILN_INLINE_ALWAYS unsigned all() const { return 0xffffffffu >> (32 - lanes()); }
  KILN_INLINE_ALWAYS uint3 thread(int lane) const {
    const int i = base + lane;
    if (flat) return {static_cast<unsigned>(i), 0, 0};
    if (rows) {
      const int row = base / block.x();
      return {static_cast<unsigned>(base % block.x() + lane), static_cast<unsigned>(row % block.y()),
              static_cast<unsigned>(row / block.y())};
    }
    if (block.y() * block.z() == 1) return {static_cast<unsigned>(i), 0, 0};
    const int row = i / block.x();
    return {static_cast<unsigned>(i % block.x()), static_cast<unsigned>(row % block.y()),
            static_cast<unsigned>(row / block.y())};
  }
};

KILN_SHIM bool holds(unsigned mask, int lane) {
  return (mask >> lane & 1u) != 0;
}
KILN_SHIM int first_of(unsigned mask) {
  return mask == 0 ? 0 : __builtin_ctz(mask);
}

// ------------------------------------------------------------------------------------------ warp operations
/// The value that __shfl_sync and the like move. Tiles of cooperative groups move larger ones, too.
template <class V>
KILN_SHIM const V& small(const V& value) {
  static_assert(sizeof(ElementOf<V>) <= 8, "a shuffle moves at most 8 bytes");
  return value;
}

// `active`: the lanes that take part. A lane that asks for one that does not gets its own value, as on
// fibers.

template <class M, class V, class F>
KILN_SHIM Lanes<ElementOf<V>> exchange(unsigned active, const M& mask, const V& value, F source) {
  Lanes<ElementOf<V>> result;
  if (active == 0xffffffffu) {
#pragma GCC ivdep
    for (int lane = 0; lane < 32; ++lane) {
      const int from = source(lane);
      if constexpr (__is_same(M, unsigned) || __is_same(M, int))
        result[lane] = at(value, (static_cast<unsigned>(mask) >> from & 1u) != 0 ? from : lane);
      else
        result[lane] = at(value, holds(static_cast<unsigned>(at(mask, lane)), from) ? from : lane);
    }
    return result;
  }
  for (int lane = 0; lane < 32; ++lane) {
    if (!holds(active, lane)) continue;
    const int from = source(lane);
    const unsigned there = active & (static_cast<unsigned>(at(mask, lane)) | 1u << lane);
    result[lane] = at(value, holds(there, from) ? from : lane);
  }
  return result;
}

template <class M, class V, class I, class W = int>
KILN_SHIM auto shfl(unsigned active, const M& mask, const V& value, const I& source, const W& width = 32) {
  return exchange(active, mask, value, [&](int lane) {
    const unsigned low = static_cast<unsigned>(at(width, lane)) - 1u;
    return static_cast<int>((static_cast<unsigned>(lane) & ~low) |
                            (static_cast<unsigned>(at(source, lane)) & low));
  });
}
/// Whether an operation is one of a whole warp, of values that vectors hold.
template <class V, class I, class M, class W>
KILN_SHIM bool whole(unsigned active, const M& mask, const W& width) {
  if constexpr (Varies<V>::value && sizeof(ElementOf<V>) == 4 && is_one<I> && is_one<M> && is_one<W>)
    return active == 0xffffffffu && static_cast<unsigned>(mask) == 0xffffffffu &&
           static_cast<int>(width) == 32;
  else
    return false;
}

// Values of 4 bytes of the lanes that one vector holds. A vector that is loaded as it was stored comes from
// the store itself; one that was stored in two halves waits until both are in the cache.
#if defined(__AVX512F__) && !defined(__clang__)
typedef int Part __attribute__((vector_size(64)));
constexpr Part kFirstLanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
typedef int Part __attribute__((vector_size(32)));
constexpr Part kFirstLanes = {0, 1, 2, 3, 4, 5, 6, 7};
#endif
constexpr int kPartLanes = sizeof(Part) / 4;
#if defined(__clang__)
KILN_SHIM Part permuted(const Part& v, const Part& by) {
  return Part{v[by[0]], v[by[1]], v[by[2]], v[by[3]], v[by[4]], v[by[5]], v[by[6]], v[by[7]]};
}
#else
KILN_SHIM Part permuted(const Part& v, const Part& by) {
  return __builtin_shuffle(v, by);
}
#endif

/// The lanes of a warp of values of 4 bytes, in an array from `from` on.
template <class V>
struct Bits {
  int lane[64];
  KILN_INLINE_ALWAYS Bits(const V& value, int from) { __builtin_memcpy(&lane[from], &at(value, 0), 128); }
};
template <class M, class V, class I, class W = int>
KILN_SHIM auto shfl_up(unsigned active, const M& mask, const V& value, const I& delta, const W& width = 32) {
  if constexpr (is_one<I> && Varies<V>::value && sizeof(ElementOf<V>) == 4) {
    if (whole<V, I>(active, mask, width) && static_cast<unsigned>(delta) < 32) {
      const Bits<V> bits(value, 32);
      Lanes<ElementOf<V>> result;
      const int d = static_cast<int>(delta);
      for (int lane = 0; lane < 32; ++lane) {
        const int moved = bits.lane[32 + lane - d], own = bits.lane[32 + lane];
        const int chosen = lane >= d ? moved : own;
        __builtin_memcpy(&result[lane], &chosen, 4);
      }
      return result;
    }
  }
  return exchange(active, mask, value, [&](int lane) {
    const int first = lane & ~(static_cast<int>(at(width, lane)) - 1);
    const unsigned d = static_cast<unsigned>(at(delta, lane)) & 31u;
    return static_cast<unsigned>(lane - first) >= d ? lane - static_cast<int>(d) : lane;
  });
}
template <class M, class V, class I, class W = int>
KILN_SHIM auto shfl_down(unsigned active, const M& mask, const V& value, const I& delta,
                         const W& width = 32) {
  if constexpr (is_one<I> && Varies<V>::value && sizeof(ElementOf<V>) == 4) {
    if (whole<V, I>(active, mask, width) && static_cast<unsigned>(delta) < 32) {
      const Bits<V> bits(value, 0);
      Lanes<ElementOf<V>> result;
      const int d = static_cast<int>(delta);
      for (int lane = 0; lane < 32; ++lane) {
        const int moved = bits.lane[lane + d], own = bits.lane[lane];
        const int chosen = lane < 32 - d ? moved : own;
        __builtin_memcpy(&result[lane], &chosen, 4);
      }
      return result;
    }
  }
  return exchange(active, mask, value, [&](int lane) {
    const int last = lane | (static_cast<int>(at(width, lane)) - 1);
    const unsigned d = static_cast<unsigned>(at(delta, lane)) & 31u;
    return d <= static_cast<unsigned>(last - lane) ? lane + static_cast<int>(d) : lane;
  });
}
template <class M, class V, class I, class W>
KILN_SHIM auto any_shfl_xor(unsigned active, const M& mask, const V& value, const I& bits, const W& width) {
  return exchange(active, mask, value, [&](int lane) {
    const int last = lane | (static_cast<int>(at(width, lane)) - 1);
    const unsigned from = static_cast<unsigned>(lane) ^ (static_cast<unsigned>(at(bits, lane)) & 31u);
    return from <= static_cast<unsigned>(last) ? static_cast<int>(from) : lane;
  });
}
/// One function for all calls: a compiler would spend its time on copies that seldom run.
template <class T>
static __attribute__((noinline, unused)) void rare_shfl_xor(T* result, const T* values, unsigned active,
                                                            unsigned mask, unsigned bits, int width) {
  const Lanes<T> lanes = any_shfl_xor(active, mask, View<T>{values}, bits, width);
  __builtin_memcpy(static_cast<void*>(result), &lanes[0], 32 * sizeof(T));
}
template <class M, class V, class I, class W = int>
KILN_SHIM auto shfl_xor(unsigned active, const M& mask, const V& value, const I& bits, const W& width = 32) {
  using T = ElementOf<V>;
  if constexpr (Varies<V>::value && sizeof(T) == 4 && is_one<I> && is_one<M> && is_one<W>) {
    if (active == 0xffffffffu && static_cast<unsigned>(mask) == 0xffffffffu &&
        static_cast<unsigned>(bits) < static_cast<unsigned>(width)) {
      const int low = static_cast<int>(bits) % kPartLanes, high = static_cast<int>(bits) / kPartLanes;
      const Part order = kFirstLanes ^ low;
      Lanes<T> result;
      for (int i = 0; i < 32 / kPartLanes; ++i) {
        Part part;
        __builtin_memcpy(&part, &at(value, kPartLanes * (i ^ high)), sizeof part);
        part = permuted(part, order);
        __builtin_memcpy(&result[kPartLanes * i], &part, sizeof part);
      }
      return result;
    }
    Lanes<T> result;
    rare_shfl_xor(&result[0], &at(value, 0), active, static_cast<unsigned>(mask), static_cast<unsigned>(bits),
                  static_cast<int>(width));
    return result;
  } else {
    return any_shfl_xor(active, mask, value, bits, width);
  }
}

/// The lanes of `active` whose predicate holds.
template <class P>
KILN_SHIM unsigned votes(unsigned active, const P& predicate) {
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane) {
    result |= holds(active, lane) && at(predicate, lane) ? 1u << lane : 0u;
  }
  return result;
}

/// What each lane gets of a vote among the lanes of its mask: one value where all have the same mask.
template <class M, class F>
KILN_SHIM auto of_votes(unsigned active, const M& mask, F result) {
  if constexpr (Varies<M>::value) {
    Lanes<decltype(result(0u, 0u))> all;
    for (int lane = 0; lane < 32; ++lane) {
      if (holds(active, lane))
        all[lane] = result(active & (static_cast<unsigned>(at(mask, lane)) | 1u << lane), 1u << lane);
    }
    return all;
  } else {
    return result(active & static_cast<unsigned>(mask), 0u);
  }
}

template <class M, class P>
KILN_SHIM auto ballot(unsigned active, const M& mask, const P& predicate) {
  const unsigned set = votes(active, predicate);
  return of_votes(active, mask, [&](unsigned lanes, unsigned) { return set & lanes; });
}
template <class M, class P>
KILN_SHIM auto any(unsigned active, const M& mask, const P& predicate) {
  const unsigned set = votes(active, predicate);
  return of_votes(active, mask, [&](unsigned lanes, unsigned) { return (set & lanes) != 0 ? 1 : 0; });
}
template <class M, class P>
KILN_SHIM auto all(unsigned active, const M& mask, const P& predicate) {
  const unsigned set = votes(active, predicate);
  return of_votes(active, mask, [&](unsigned lanes, unsigned) { return (~set & lanes) == 0 ? 1 : 0; });
}

/// The masks of the tiles of a warp, for tiles of fewer lanes than a warp.
template <unsigned Size>
KILN_SHIM auto tile_mask() {
  if constexpr (Size == 32) {
    return 0xffffffffu;
  } else {
    Lanes<unsigned> masks;
    for (int lane = 0; lane < 32; ++lane)
      masks[lane] = ((1u << Size) - 1u) << (static_cast<unsigned>(lane) & ~(Size - 1u));
    return masks;
  }
}
template <unsigned Size, class P>
KILN_SHIM auto tile_ballot(unsigned active, const P& predicate) {
  const auto set = ballot(active, tile_mask<Size>(), predicate);
  if constexpr (Size == 32) {
    return set;
  } else {
    Lanes<unsigned> shifted;
    for (int lane = 0; lane < 32; ++lane)
      shifted[lane] = holds(active, lane) ? set[lane] >> (static_cast<unsigned>(lane) & ~(Size - 1u)) : 0u;
    return shifted;
  }
}

template <class M, class V>
KILN_SHIM Lanes<unsigned> match_any(unsigned active, const M& mask, const V& value) {
  Lanes<unsigned> result;
  for (int lane = 0; lane < 32; ++lane) {
    if (!holds(active, lane)) continue;
    const unsigned there = active & (static_cast<unsigned>(at(mask, lane)) | 1u << lane);
    unsigned equal = 0;
    for (int other = 0; other < 32; ++other) {
      if (holds(there, other) &&
          __builtin_memcmp(&at(value, lane), &at(value, other), sizeof(at(value, 0))) == 0)
        equal |= 1u << other;
    }
    result[lane] = equal;
  }
  return result;
}
template <class M, class V, class P>
KILN_SHIM Lanes<unsigned> match_all(unsigned active, const M& mask, const V& value, const P& equal) {
  Lanes<unsigned> result = match_any(active, mask, value);
  for (int lane = 0; lane < 32; ++lane) {
    if (!holds(active, lane)) continue;
    const unsigned there = active & (static_cast<unsigned>(at(mask, lane)) | 1u << lane);
    *at(equal, lane) = result[lane] == there;
    if (result[lane] != there) result[lane] = 0;
  }
  return result;
}

template <class M, class V, class F>
KILN_SHIM auto reduced(unsigned active, const M& mask, const V& value, F combine) {
  using T = ElementOf<V>;
  return of_votes(active, mask, [&](unsigned lanes, unsigned own) {
    lanes |= own;
    T sum = at(value, first_of(lanes));
    for (unsigned rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
      sum = static_cast<T>(combine(sum, at(value, __builtin_ctz(rest))));
    }
    return sum;
  });
}
#define KILN_SPLIT_REDUCE(name, expression)                                           \
  template <class M, class V>                                                         \
  KILN_SHIM auto reduce_##name(unsigned active, const M& mask, const V& value) {      \
    return reduced(active, mask, value, [](auto a, auto b) { return (expression); }); \
  }
KILN_SPLIT_REDUCE(add, a + b)
KILN_SPLIT_REDUCE(min, b < a ? b : a)
KILN_SPLIT_REDUCE(max, a < b ? b : a)
KILN_SPLIT_REDUCE(and, a& b)
KILN_SPLIT_REDUCE(or, a | b)
KILN_SPLIT_REDUCE(xor, a ^ b)

/// The values of the lanes that take part; the others have the first one's.
template <class T>
static __attribute__((noinline, unused)) void rare_first_value(T* result, const T* values, unsigned active,
                                                               bool vary) {
  for (int lane = 0; lane < 32; ++lane)
    result[lane] = values[!vary ? 0 : holds(active, lane) ? lane : first_of(active)];
}

// A group of coalesced_threads(): `members` are the lanes that came, ranks number them.
KILN_SHIM unsigned rank_of(unsigned members, int lane) {
  return static_cast<unsigned>(__builtin_popcount(members & ((1u << lane) - 1u)));
}
/// The lane of a rank; `otherwise` for a rank that no lane has.
KILN_SHIM int lane_of_rank(unsigned members, unsigned rank, int otherwise) {
  for (; members != 0; members &= members - 1, --rank) {
    if (rank == 0) return __builtin_ctz(members);
  }
  return otherwise;
}
/// A mask of lanes as one of ranks.
KILN_SHIM unsigned ranks_of(unsigned members, unsigned lanes) {
  unsigned result = 0, rank = 0;
  for (unsigned rest = members; rest != 0; rest &= rest - 1, ++rank)
    result |= (lanes >> __builtin_ctz(rest) & 1u) << rank;
  return result;
}
/// `source(rank)` is the rank from which a lane takes the value.
template <class V, class F>
KILN_SHIM Lanes<ElementOf<V>> members_exchange(unsigned active, unsigned members, const V& value, F source) {
  Lanes<ElementOf<V>> result;
  for (int lane = 0; lane < 32; ++lane) {
    if (!holds(active, lane)) continue;
    const int from = lane_of_rank(members, static_cast<unsigned>(source(rank_of(members, lane), lane)), lane);
    result[lane] = at(value, from);
  }
  return result;
}
template <class V, class I>
KILN_SHIM auto members_shfl(unsigned active, unsigned members, const V& value, const I& rank) {
  return members_exchange(active, members, value, [&](unsigned, int lane) {
    return static_cast<unsigned>(at(rank, lane)) % static_cast<unsigned>(__builtin_popcount(members));
  });
}
template <class V, class I>
KILN_SHIM auto members_shfl_xor(unsigned active, unsigned members, const V& value, const I& bits) {
  return members_exchange(active, members, value, [&](unsigned own, int lane) {
    return own ^ static_cast<unsigned>(at(bits, lane));
  });
}
template <class V, class I>
KILN_SHIM auto members_shfl_up(unsigned active, unsigned members, const V& value, const I& delta) {
  return members_exchange(active, members, value, [&](unsigned own, int lane) {
    const unsigned by = static_cast<unsigned>(at(delta, lane));
    return by <= own ? own - by : own;
  });
}
template <class V, class I>
KILN_SHIM auto members_shfl_down(unsigned active, unsigned members, const V& value, const I& delta) {
  return members_exchange(active, members, value, [&](unsigned own, int lane) {
    const unsigned to = own + static_cast<unsigned>(at(delta, lane));
    return to < static_cast<unsigned>(__builtin_popcount(members)) ? to : own;
  });
}
template <class P>
KILN_SHIM unsigned members_ballot(unsigned active, unsigned members, const P& predicate) {
  return ranks_of(members, votes(active, predicate));
}
template <class P>
KILN_SHIM int members_any(unsigned active, unsigned members, const P& predicate) {
  return (votes(active, predicate) & members) != 0 ? 1 : 0;
}
template <class P>
KILN_SHIM int members_all(unsigned active, unsigned members, const P& predicate) {
  return (~votes(active, predicate) & members & active) == 0 ? 1 : 0;
}
template <class V, class Operation>
KILN_SHIM auto members_reduce(unsigned active, unsigned members, const V& value, const Operation& of_lanes) {
  auto operation = at(of_lanes, first_of(active));
  ElementOf<V> result = at(value, first_of(members));
  for (unsigned rest = members & (members - 1); rest != 0; rest &= rest - 1)
    result = operation(result, at(value, __builtin_ctz(rest)));
  return result;
}

/// cooperative_groups::reduce, in the order of steps that the fibers take.
template <unsigned Size, class V, class Operation>
KILN_SHIM auto tile_reduce(unsigned active, const V& value, const Operation& of_lanes) {
  auto operation = at(of_lanes, first_of(active));
  using T = ElementOf<V>;
  Lanes<T> sums;
  if (active == 0xffffffffu) {
    for (int lane = 0; lane < 32; ++lane) sums[lane] = at(value, lane);
  } else {
    rare_first_value(&sums[0], &at(value, 0), active, Varies<V>::value);
  }
  // What the lanes that do not take part add up is not read.
  for (int step = static_cast<int>(Size) / 2; step > 0; step /= 2) {
    const Lanes<T> others = shfl_xor(active, 0xffffffffu, sums, step, static_cast<int>(Size));
    for (int lane = 0; lane < 32; ++lane) sums[lane] = operation(sums[lane], others[lane]);
  }
  return sums;
}

}  // namespace kiln::cpu

#if defined(__clang__)
#define KILN_LANE_LOOP KILN_IVDEP
#else
// A loop of constant length is not unrolled before it becomes vectors. g++ ignores these pragmas where the
// condition of the loop calls a function.
#define KILN_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

/// Each warp of the block.
#define KILN_WARPS                                          \
  for (int kiln_w = 0; kiln_w < kiln_b.warps(); ++kiln_w) { \
    const kiln::cpu::Warp<KilnShape> kiln_wp{kiln_b, kiln_w * 32};

/// What the text around the lanes of a warp uses: the first lane stands for all.
#define KILN_WARP_BEGIN                                                                  \
  const int kiln_base = kiln_wp.base;                                                    \
  const int kiln_first = kiln::cpu::first_of(kiln_m);                                    \
  const int kiln_lane = kiln_first, kiln_i = kiln_base + kiln_first;                     \
  const uint3 threadIdx = kiln_wp.thread(kiln_first);                                    \
  const unsigned kiln_x32 = kiln_wp.thread(0).x / 32;                                    \
  static_cast<void>(kiln_lane), static_cast<void>(kiln_i), static_cast<void>(threadIdx), \
      static_cast<void>(kiln_x32);

#define KILN_LANES KILN_LANES_TO(kiln_wp.lanes())
#define KILN_LANES_TO(end) KILN_LANES_FROM(0, end)
#define KILN_LANES_FROM(begin, end)                                                                   \
  KILN_LANE_LOOP for (int kiln_lane = begin, kiln_lanes = end; kiln_lane < kiln_lanes; ++kiln_lane) { \
    const int kiln_i = kiln_base + kiln_lane;                                                         \
    const uint3 threadIdx = kiln_wp.thread(kiln_lane);                                                \
    static_cast<void>(threadIdx), static_cast<void>(kiln_i);

/// Some lanes: of those that both ranges have.
#define KILN_LANES_IN(along_x, along_lanes)                                     \
  KILN_LANES_FROM((along_lanes).from((along_x).first).to((along_x).last).first, \
                  (along_lanes).from((along_x).first).to((along_x).last).last)
