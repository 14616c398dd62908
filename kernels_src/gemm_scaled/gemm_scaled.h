#pragma once

#include "../gemm/gemm.h"
#include "../tiles/scaled.h"

/// Another operation's products with the scales of both operands.
template <class Inner, int Sets = 1, int Turns = 1>
KILN_DEVICE tiles::Scaled<Inner, Params::tile_n, Sets, Turns> scaled(const float* scale_a,
                                                                     const float* scale_b, const Params& p) {
  tiles::Scaled<Inner, Params::tile_n, Sets, Turns> operation;
  operation.scale_a = scale_a;
  operation.scale_b = scale_b;
  operation.rows = p.m;
  operation.columns = p.n;
  operation.depth = p.k;
  return operation;
}
