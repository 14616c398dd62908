#pragma once

#include "pipeline_tma.h"
#include "wgmma.h"

namespace tiles {

/// Products of float by the instructions of a warpgroup, sm_90a, with nearly all bits: each number is the sum of
/// two of tf32, and three of the four products are added (as Split does for a warp). Elements of operand A go
/// through registers, whatever their order; operand B lies along the depth. A warpgroup has 64 x N sums of the
/// tile. With `Turned` the operands have changed places: A is b, and what is stored is the tile's transpose.
template <class A, class B, bool Turned>
struct WgmmaSplit : WgmmaOfRegisters<A::rows, B::rows, Turned> {
  using LayoutA = A;
  using LayoutB = B;
  using Base = WgmmaOfRegisters<A::rows, B::rows, Turned>;
  static constexpr int M = A::rows;
  static constexpr int N = B::rows;
  static constexpr int behind = 1;
  static constexpr int turns = 2;
  static constexpr int chain = 2;          // steps of which products are added by the instructions
  static constexpr int low_tiles = 3;      // of B's size in shared memory, behind the stages
  static_assert(B::k_contiguous && A::depth == 32 && B::depth == 32, "a step is 128 bytes of the depth");

  float* low;                                // what tf32 has no bits for, of tiles of B
  float part[N / 2];                         // of the last steps: the instructions round towards 0
  unsigned high[turns][4][4];                // a step's elements of A: of them tf32's bits count
  unsigned rest[turns][4][4];                // the others
  int steps, tile;                           // of `part`; the next of `low`

  KILN_DEVICE explicit WgmmaSplit(char* memory, int stages)
      : low(reinterpret_cast<float*>(align_shared(memory, 1024) + stages * (A::bytes + B::bytes))), tile(0) {}

  __device__ void begin(int, int, int, int) {
    steps = 0;
    KILN_UNROLL_ALL
    for (int n = 0; n < N / 2; ++n) this->sums[n] = part[n] = 0;
  }
  /// x without the bits that tf32 has; exact.
  __device__ static float low_of(float x) {
    return x - __uint_as_float(__float_as_uint(x) & ~0x1fffu);
  }
  template <int Turn>
  __device__ void step(const float* a, const float* b, int, int rank) {
    // Other warpgroups may still multiply what the two steps before left in `low`.
    float* const low_b = low + tile * (B::bytes / 4);
    tile = tile == low_tiles - 1 ? 0 : tile + 1;
    KILN_UNROLL_ALL
    for (int at = rank * 4; at < N * B::depth; at += Base::block * 4) {
      const auto x = kiln::load_pack<4>(b + at);
      auto y = x;
      KILN_UNROLL_ALL
      for (int e = 0; e < 4; ++e) y.at[e] = low_of(x.at[e]);
      kiln::store_pack(low_b + at, y);
    }
    KILN_UNROLL_ALL
    for (int k = 0; k < 4; ++k) {
      float x[4];
      read(a, rank, k, x);
      KILN_UNROLL_ALL
      for (int e = 0; e < 4; ++e) {
        high[Turn][k][e] = __float_as_uint(x[e]);
        rest[Turn][k][e] = __float_as_uint(low_of(x[e]));
      }
    }
    fence_shared_for_copies();  // the instructions read as copies do
    sync_computing<Base::block>();
    if (steps == chain) {
      detail::wait_products<0>();
      add_part();
      steps = 0;
    }
    detail::begin_products();
    using Multiply = detail::GroupInstructionOfRegisters<N>;
    KILN_UNROLL_ALL
    for (int k = 0; k < 4; ++k) {
      Multiply::multiply(part, rest[Turn][k], LayoutB::describe(b, 0, k), k > 0 || steps > 0);
      Multiply::multiply(part, high[Turn][k], LayoutB::describe(low_b, 0, k), 1);
      Multiply::multiply(part, high[Turn][k], LayoutB::describe(b, 0, k), 1);
    }
    detail::commit_products();
    detail::wait_products<behind>();
    ++steps;
  }
  __device__ void finish(int) {
    detail::wait_products<0>();
    add_part();
  }
  __device__ void add_part() {
    detail::keep_behind(part);
    KILN_UNROLL_ALL
    for (int n = 0; n < N / 2; ++n) this->sums[n] += part[n];
  }

  /// As in WgmmaOfRegisters; where A lies along the depth, 8 rows of 4 neighbours are in different banks.
  __device__ static void read(const float* a, int rank, int k, float (&x)[4]) {
    if constexpr (!A::k_contiguous) {
      Base::read(a, rank, k, x);
    } else {
      KILN_UNROLL_ALL
      for (int e = 0; e < 4; ++e) {
        const int row = Base::row_of(rank, e % 2), chunk = k * 2 + e / 2;
        x[e] = a[row * 32 + (chunk ^ row % 8) * 4 + rank % 4];
      }
    }
  }
  template <class Store>
  __device__ void store(int rank, int row, int column, const Store& store) const {
    if constexpr (!A::k_contiguous) {
      Base::store(rank, row, column, store);
    } else {
      static_assert(!Turned, "operands change places only where b does not lie along the depth");
      store_fragments<N / 8>(store, rank % 32, row + rank / 32 * 16, column,
                             [&](int j, int e) { return this->sums[j * 4 + e]; });
    }
  }
};

}  // namespace tiles
