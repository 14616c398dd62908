#pragma once

#include "../gemm/gemm.h"
#include "../tiles/scaled.h"

/// Another operation's products with the scales of both operands.
template <class Inner>
KILN_DEVICE tiles::Scaled<Inner, Params::tile_n> scaled(const float* scale_a, const float* scale_b,
                                                        const Params& p) {
  return {scale_a, scale_b, p.m, p.n, p.k};
}
