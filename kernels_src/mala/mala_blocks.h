#pragma once

#include "dense_order.h"

#include "../tiles/copy.h"

// Blocks stay and walk over tiles of rows. A work-item has each_rows rows and quads x 4 units of a tile in
// registers: rows rank / across + n groups, units in groups of 4 that are `across` groups apart.
constexpr int each_rows = Params::each_rows;
constexpr int across = Params::across;
constexpr int groups = Params::block / across;
constexpr int tile_rows = groups * each_rows;
// A row has an odd number of 4 words, so that 8 neighbouring rows are in different banks.
constexpr int pitch = FmaOrder::depth + (FmaOrder::depth / 4 % 2 == 0 ? 4 : 0);
constexpr int weight_bytes = round_to(FmaOrder::words * 4, 128);
// A stage holds the tile's rows, and then the parts of its outputs.
constexpr int row_bytes = pitch * int(sizeof(T)) > across* FmaOrder::outs * 4 ? pitch* int(sizeof(T))
                                                                              : across* FmaOrder::outs * 4;
constexpr int stage_bytes = round_to(tile_rows * row_bytes, 128);

template <class Copy>
__device__ inline void load_rows(T* to, const T* __restrict__ x, long long tile, const Params& p, int rank) {
  const long long first = tile * tile_rows;
  const int rows = p.rows - first < tile_rows ? int(p.rows - first) : tile_rows;
  constexpr int lanes = Params::block < 32 ? Params::block : 32;
  for (int row = rank / lanes; row < rows; row += Params::block / lanes) {
    const T* from = x + (first + row) * inputs;
    KILN_UNROLL_ALL
    for (int n = 0; n < (inputs + lanes - 1) / lanes; ++n) {
      const int i = n * lanes + rank % lanes;
      if (i < inputs) Copy::template move<1>(to + row * pitch + i, from + i);
    }
  }
}

/// sums[row][unit] of the work-item, for the rows in `x`.
__device__ inline void first_layer(float (&sums)[each_rows][quads * 4], const T* x, const float* weights,
                                   int group, int column) {
  KILN_UNROLL_ALL
  for (int q = 0; q < quads; ++q) {
    const auto bias = kiln::load_pack<4>(weights + FmaOrder::bias1 + (q * across + column) * 4);
    KILN_UNROLL_ALL
    for (int i = 0; i < each_rows; ++i) {
      KILN_UNROLL_ALL
      for (int e = 0; e < 4; ++e) sums[i][q * 4 + e] = bias.at[e];
    }
  }
  KILN_UNROLL(Params::unroll)
  for (int k = 0; k < FmaOrder::depth; k += 4) {
    kiln::Pack<T, 4> left[each_rows];
    KILN_UNROLL_ALL
    for (int i = 0; i < each_rows; ++i) left[i] = kiln::load_pack<4>(x + (group + i * groups) * pitch + k);
    KILN_UNROLL_ALL
    for (int d = 0; d < 4; ++d) {
      KILN_UNROLL_ALL
      for (int q = 0; q < quads; ++q) {
        const auto right =
            kiln::load_pack<4>(weights + (k + d) * FmaOrder::units + (q * across + column) * 4);
        KILN_UNROLL_ALL
        for (int i = 0; i < each_rows; ++i) {
          KILN_UNROLL_ALL
          for (int e = 0; e < 4; ++e) sums[i][q * 4 + e] += float(left[i].at[d]) * right.at[e];
        }
      }
    }
  }
}

/// What the work-item's units add to its rows' outputs: parts[row][column][output].
__device__ inline void second_layer(float* parts, const float (&sums)[each_rows][quads * 4],
                                    const float* weights, int group, int column) {
  KILN_UNROLL_ALL
  for (int o = 0; o < FmaOrder::outs; o += 4) {
    kiln::Pack<float, 4> part[each_rows] = {};
    KILN_UNROLL_ALL
    for (int u = 0; u < quads * 4; ++u) {
      const int unit = (u / 4 * across + column) * 4 + u % 4;
      const auto right = kiln::load_pack<4>(weights + FmaOrder::second + unit * FmaOrder::outs + o);
      KILN_UNROLL_ALL
      for (int i = 0; i < each_rows; ++i) {
        KILN_UNROLL_ALL
        for (int e = 0; e < 4; ++e) part[i].at[e] += sums[i][u] * right.at[e];
      }
    }
    KILN_UNROLL_ALL
    for (int i = 0; i < each_rows; ++i)
      kiln::store_pack(parts + ((group + i * groups) * across + column) * FmaOrder::outs + o, part[i]);
  }
}

template <class Copy>
__device__ void mala_block(T* __restrict__ y, const T* __restrict__ x, const unsigned* __restrict__ packed,
                           const Params& p) {
  extern __shared__ __align__(128) char memory[];
  float* weights = reinterpret_cast<float*>(memory);
  const auto stage = [&](int s) { return memory + weight_bytes + s * stage_bytes; };
  const auto rows_in = [&](int s) { return reinterpret_cast<T*>(stage(s)); };
  const int rank = int(threadIdx.x);
  const int group = rank / across;
  const int column = rank % across;
  const long long tiles = (p.rows + tile_rows - 1) / tile_rows;
  long long tile = blockIdx.x;

  for (int i = rank * 4; i < FmaOrder::words; i += Params::block * 4)
    Copy::template move<4>(weights + i, reinterpret_cast<const float*>(packed) + i);
  if (tile < tiles) load_rows<Copy>(rows_in(0), x, tile, p, rank);
  Copy::commit();
  int here = 0;
  for (; tile < tiles; tile += gridDim.x) {
    // What stands behind a row is multiplied by 0, and must be a number: copies leave it, parts do not.
    constexpr int behind = FmaOrder::depth - inputs;
    for (int i = rank; i < tile_rows * behind; i += Params::block)
      rows_in(here)[i / (behind > 0 ? behind : 1) * pitch + inputs + i % (behind > 0 ? behind : 1)] = T(0.0f);
    Copy::template wait<0>();
    __syncthreads();
    const long long next = tile + gridDim.x;
    if (Params::stages == 2 && next < tiles) load_rows<Copy>(rows_in(1 - here), x, next, p, rank);
    Copy::commit();
    float sums[each_rows][quads * 4];
    if (group < groups) first_layer(sums, rows_in(here), weights, group, column);
    __syncthreads();  // parts take the place of the rows
    float* parts = reinterpret_cast<float*>(stage(here));
    if (group < groups) {
      KILN_UNROLL_ALL
      for (int i = 0; i < each_rows; ++i) {
        KILN_UNROLL_ALL
        for (int u = 0; u < quads * 4; ++u) sums[i][u] = relu(sums[i][u]);
      }
      second_layer(parts, sums, weights, group, column);
    }
    __syncthreads();
    const long long first = tile * tile_rows;
    const int rows = p.rows - first < tile_rows ? int(p.rows - first) : tile_rows;
    for (int i = rank; i < rows * outputs; i += Params::block) {
      const int row = i / outputs;
      const int output = i % outputs;
      float sum = weights[FmaOrder::bias2 + output];
      KILN_UNROLL_ALL
      for (int c = 0; c < across; ++c) sum += parts[(row * across + c) * FmaOrder::outs + output];
      y[first * outputs + i] = T(relu(sum));
    }
    if (Params::stages == 2) {
      here = 1 - here;
    } else {
      __syncthreads();
      if (next < tiles) load_rows<Copy>(rows_in(0), x, next, p, rank);
      Copy::commit();
    }
  }
}
