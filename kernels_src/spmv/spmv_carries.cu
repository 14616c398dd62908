#include "kiln/params.h"

// Parts of rows that go on from one share of the entries to the next: the first share that has a part of a row
// adds the parts of all, in their order.
extern "C" __global__ void add_carries(T* __restrict__ y, const int* __restrict__ carry_rows,
                                       const T* __restrict__ carries, int blocks, const Params p) {
  const int b = int(kiln::global_index_x());
  if (b >= blocks) return;
  const int row = carry_rows[b];
  if (row < 0 || row >= p.rows || (b > 0 && carry_rows[b - 1] == row)) return;
  T sum = 0;
  for (int n = b; n < blocks && carry_rows[n] == row; ++n) sum += carries[n];
  y[row] += sum;
}
