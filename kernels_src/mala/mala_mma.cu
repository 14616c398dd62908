#include "mma_order.h"

#include "../tiles/async.h"
#include "../tiles/mma.h"

// Warps walk over tiles of each_rows rows on their own. The sums of the first layer stay in registers, where
// they are operand A of the second (PTX ISA, fragments of mma.sync); a tile's rows are one piece of memory.
using Order = MmaOrder;
constexpr int tall = Params::each_rows / 16;
constexpr int warps = Params::block / 32;
constexpr int row_bytes = inputs * int(sizeof(T));
constexpr int out_bytes = outputs * int(sizeof(T));
constexpr int tile_bytes = Params::each_rows * row_bytes;
constexpr int out_tile_bytes = Params::each_rows * out_bytes;
// Reads along the last row's depth go on behind it; a stage holds the tile's rows, then its outputs.
constexpr int stage_bytes =
    round_to((tile_bytes > out_tile_bytes ? tile_bytes : out_tile_bytes) + Order::deep * int(sizeof(T)), 128);
constexpr int weight_bytes = round_to(Order::words * 4, 128);
static_assert(Params::each_rows % 16 == 0 && Params::block % 32 == 0, "whole fragments, whole warps");

using tiles::detail::Fragment;

template <bool Halves>
struct InstructionOf {
  using Type = tiles::detail::Instruction<T>;
};
template <>
struct InstructionOf<true> {  // without CUDA's header of halves, which takes time to compile
  struct Type {
    __device__ static unsigned rounded(unsigned word) { return word; }
    __device__ static void multiply(float (&c)[4], const Fragment& a, unsigned b0, unsigned b1) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b0), "r"(b1));
    }
  };
};
using Multiply = InstructionOf<Order::scaled>::Type;

/// Sums of a layer's tiles of 8 columns; with `halves` those of the rests apart, as they are larger.
constexpr int sets = Order::scaled ? 2 : 1;
template <int Tiles>
struct Sums {
  static constexpr int padded = (Tiles + 1) / 2 * 2;
  float of[sets][tall][padded][4];

  __device__ void start(const float* bias, int lane) {
    KILN_UNROLL_ALL
    for (int n = 0; n < padded; ++n) {
      const auto two = kiln::load_pack<2>(bias + n * 8 + lane % 4 * 2);
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) {
        KILN_UNROLL_ALL
        for (int e = 0; e < 4; ++e) {
          of[0][i][n][e] = two.at[e % 2];
          if constexpr (Order::scaled) of[1][i][n][e] = 0;
        }
      }
    }
  }
  /// relu of all products' sum.
  __device__ float result(int i, int n, int e) const {
    if constexpr (Order::scaled) return relu(of[0][i][n][e] + of[1][i][n][e] * (1 / Order::rest_scale));
    return relu(of[0][i][n][e]);
  }
};
using Units = Sums<Order::tiles1>;
using Outputs = Sums<Order::tiles2>;

__device__ inline void load_tile(char* to, const T* x, long long tile, const Params& p, int lane) {
  const char* from = reinterpret_cast<const char*>(x) + tile * tile_bytes;
  const long long left = p.rows * row_bytes - tile * tile_bytes;
  KILN_UNROLL_ALL
  for (int n = 0; n < (tile_bytes + 511) / 512; ++n) {
    const int i = n * 512 + lane * 16;
    if (n * 512 + 512 > tile_bytes && i >= tile_bytes) break;
    if (left >= tile_bytes || left - i >= 16) {
      tiles::AsyncCopy::move<16>(to + i, from + i);
    } else {  // the end of x
      for (int e = i; e < i + 16 && e < left; e += int(sizeof(T)))
        *reinterpret_cast<T*>(to + e) = *reinterpret_cast<const T*>(from + e);
    }
  }
}

/// Element (row, k), with `ends` 0 behind the row.
__device__ inline T element_of(const T* x, int row, int k, bool ends) {
  return !ends || k < inputs ? x[row * inputs + k] : T(0.0f);
}

/// A fragment of operand A as the instruction takes it; with `split` the sum of two, of which it drops the
/// bits of `low` that are too many.
struct Parts {
  unsigned high[4], low[4];
};
/// Word w of the parts: of the number `first`, or of two.
__device__ inline void take(Parts& parts, int w, T first, T next) {
  if constexpr (Order::scaled) {
    const auto both = Order::halves_of(float(first), float(next));
    parts.high[w] = both.high;
    parts.low[w] = both.low;
  } else if constexpr (Order::halves) {
    parts.high[w] = Order::pair_of(first, next);
  } else if constexpr (Order::split) {
    parts.high[w] = Order::bits_of(float(first)) & ~0x1fffu;
    parts.low[w] = __float_as_uint(float(first) - __uint_as_float(parts.high[w]));
  } else {
    parts.high[w] = Multiply::rounded(Order::bits_of(float(first)));
  }
}
__device__ inline void multiply(float (&sum)[4], const unsigned (&left)[4], const unsigned* right) {
  Multiply::multiply(sum, Fragment{{left[0], left[1], left[2], left[3]}}, right[0], right[1]);
}

/// sums[i][tile] += left[i] times the step's words of operand B, whose second part is `part_words` behind the
/// first. Products that are added to the same sums are some instructions apart, which they would wait for.
template <int Tiles>
__device__ inline void multiply_step(Sums<Tiles>& sums, const Parts (&left)[tall], const unsigned* words,
                                     int part_words, int step, int lane) {
  constexpr int pairs = (Tiles + 1) / 2;
  constexpr int group = Order::split ? 4 / tall : 1;
  KILN_UNROLL_ALL
  for (int first = 0; first < pairs; first += group) {
    kiln::Pack<unsigned, 4> high[group], low[group];
    KILN_UNROLL_ALL
    for (int g = 0; g < group && first + g < pairs; ++g) {
      const unsigned* at = words + ((step * pairs + first + g) * 32 + lane) * 4;
      high[g] = kiln::load_pack<4>(at);
      if constexpr (Order::split) low[g] = kiln::load_pack<4>(at + part_words);
    }
    const auto add = [&](const auto& right, bool of_low, int set) {
      KILN_UNROLL_ALL
      for (int n = 0; n < 2 * group; ++n) {
        if (first * 2 + n >= Tiles) break;
        KILN_UNROLL_ALL
        for (int i = 0; i < tall; ++i)
          multiply(sums.of[set][i][first * 2 + n], of_low ? left[i].low : left[i].high,
                   right[n / 2].at + n % 2 * 2);
      }
    };
    if constexpr (Order::split) {  // the smallest ones first
      add(high, true, sets - 1);
      add(low, false, sets - 1);
    }
    add(high, false, 0);
  }
}

__device__ inline void first_layer(Units& sums, const T* x, const unsigned* words, int lane) {
  const int row = lane / 4;
  KILN_UNROLL_ALL
  for (int step = 0; step < Order::steps1; ++step) {
    const int k = step * Order::deep + (Order::halves ? lane % 4 * 2 : lane % 4);
    const bool ends = (step + 1) * Order::deep > inputs;
    Parts left[tall];
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int w = 0; w < 4; ++w) {
        const int at_row = i * 16 + row + w % 2 * 8;
        const int at = k + w / 2 * (Order::deep / 2);
        take(left[i], w, element_of(x, at_row, at, ends),
             Order::halves ? element_of(x, at_row, at + 1, ends) : T(0.0f));
      }
    }
    multiply_step(sums, left, words, Order::part1, step, lane);
  }
}

__device__ inline Parts units_of(const Units& sums, int i, int step) {
  Parts parts;
  KILN_UNROLL_ALL
  for (int w = 0; w < 4; ++w) {
    if constexpr (Order::halves) {
      const int tile = step * 2 + w / 2;
      take(parts, w, T(sums.result(i, tile, w % 2 * 2)), T(sums.result(i, tile, w % 2 * 2 + 1)));
    } else {
      take(parts, w, T(sums.result(i, step, w % 2 * 2 + w / 2)), T(0.0f));
    }
  }
  return parts;
}

__device__ inline void second_layer(Outputs& results, const Units& sums, const unsigned* words, int lane) {
  KILN_UNROLL_ALL
  for (int step = 0; step < Order::steps2; ++step) {
    Parts left[tall];
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) left[i] = units_of(sums, i, step);
    multiply_step(results, left, words, Order::part2, step, lane);
  }
}

__device__ inline void store_tile(T* __restrict__ y, char* stage, const Outputs& results, long long tile,
                                  const Params& p, int lane) {
  T* rows = reinterpret_cast<T*>(stage);
  KILN_UNROLL_ALL
  for (int i = 0; i < tall; ++i) {
    KILN_UNROLL_ALL
    for (int n = 0; n < Order::tiles2; ++n) {
      KILN_UNROLL_ALL
      for (int e = 0; e < 4; ++e) {
        const int output = n * 8 + lane % 4 * 2 + e % 2;
        if (output < outputs)
          rows[(i * 16 + lane / 4 + e / 2 * 8) * outputs + output] = T(results.result(i, n, e));
      }
    }
  }
  __syncwarp();
  constexpr int count = 16 / int(sizeof(T));  // 16 rows are a multiple of 16 bytes
  const long long first = tile * Params::each_rows * outputs;
  const long long left = p.rows * outputs - first;
  for (int i = lane * count; i < Params::each_rows * outputs; i += 32 * count) {
    if (left - i >= count) {
      kiln::store_pack(y + first + i, kiln::load_pack<count>(rows + i));
    } else {
      for (int e = 0; e < count && i + e < left; ++e) y[first + i + e] = rows[i + e];
    }
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_mala_mma mala_mma(T* __restrict__ y, const T* __restrict__ x,
                                                                const unsigned* __restrict__ packed,
                                                                const Params p) {
  extern __shared__ __align__(128) char memory[];
  const unsigned* words = reinterpret_cast<const unsigned*>(memory);
  const int lane = int(threadIdx.x) % 32;
  const int warp = int(threadIdx.x) / 32;
  char* own = memory + weight_bytes + warp * Params::stages * stage_bytes;
  const long long tiles = (p.rows + Params::each_rows - 1) / Params::each_rows;
  const long long stride = (long long)gridDim.x * warps;
  long long tile = (long long)warp * gridDim.x + blockIdx.x;  // few tiles: on all multiprocessors

  for (int i = int(threadIdx.x) * 16; i < Order::words * 4; i += Params::block * 16)
    tiles::AsyncCopy::move<16>(memory + i, reinterpret_cast<const char*>(packed) + i);
  KILN_UNROLL_ALL
  for (int s = 0; s < Params::stages; ++s) {
    if (tile + s * stride < tiles) load_tile(own + s * stage_bytes, x, tile + s * stride, p, lane);
    tiles::AsyncCopy::commit();
  }
  tiles::AsyncCopy::wait<Params::stages - 1>();
  __syncthreads();
  const float* bias1 = reinterpret_cast<const float*>(words + Order::bias1);
  const float* bias2 = reinterpret_cast<const float*>(words + Order::bias2);
  const unsigned* words2 = words + Order::second;
  int here = 0;
  for (; tile < tiles; tile += stride) {
    char* stage = own + here * stage_bytes;
    tiles::AsyncCopy::wait<Params::stages - 1>();
    __syncwarp();
    Units sums;
    sums.start(bias1, lane);
    first_layer(sums, reinterpret_cast<const T*>(stage), words, lane);
    Outputs results;
    results.start(bias2, lane);
    second_layer(results, sums, words2, lane);
    __syncwarp();  // outputs take the place of the rows
    store_tile(y, stage, results, tile, p, lane);
    __syncwarp();
    if (tile + Params::stages * stride < tiles) load_tile(stage, x, tile + Params::stages * stride, p, lane);
    tiles::AsyncCopy::commit();
    here = here + 1 == Params::stages ? 0 : here + 1;
  }
}
