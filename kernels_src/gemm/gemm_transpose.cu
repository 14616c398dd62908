#include "gemm.h"

#include "../tiles/overlap.h"
#include "../tiles/square.h"

// The transpose of an operand, whose lines then lie along the depth: for instructions that take no other order.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_transpose_operand transpose_operand(T* __restrict__ to, const T* from,
                                                                                  int columns, const Params p) {
  using Element = tiles::ElementOf<sizeof(T)>::Type;
  constexpr int side = 64;
  using Squares = tiles::Squares<Element, side, side, 256, 4>;
  __shared__ Squares::Elements turned[side * side / 4];
  const int across = (columns - 1) / side + 1;
  const int row = int(blockIdx.x) / across * side, column = int(blockIdx.x) % across * side;
  tiles::let_next_start();
  tiles::wait_for_launches_before();
  Squares mine;
  mine.load(reinterpret_cast<const Element*>(from), row, column, p.k, columns, int(threadIdx.x));
  mine.put(turned, int(threadIdx.x));
  __syncthreads();
  Squares::store(reinterpret_cast<Element*>(to), turned, row, column, p.k, columns, int(threadIdx.x));
}
