#include "kiln/params.h"

// Which half of the second-level cache (stencil7_halves.cu) a multiprocessor is beside, 0 or 1: an atomic addition is
// carried out in the half that its address belongs to, and takes about 300 cycles from beside it and 500 from the
// other one (H200). An address is far if its additions take longer than the mean over many, of which about half are
// far; those multiprocessors from which the first address is far are beside half 1. On a GPU without such halves
// the answer is as good as any other.
extern "C" __global__ void find_halves(int* __restrict__ half, int* __restrict__ probe, int pages) {
  constexpr int page = 4096 / sizeof(int);  // memory belongs to either half by 4 KiB
  constexpr int tries = 16;
  volatile __shared__ int arrived;
  long long first = 0;
  long long sum = 0;
  for (int n = 0; n < pages; ++n) {
    const int at = (n + int(blockIdx.x) * 7) % pages;  // not all at one address
    long long best = 1LL << 30;
    for (int t = 0; t < tries; ++t) {
      const long long begin = clock64();
      arrived = atomicAdd(probe + at * page, 0);  // the store waits for the answer
      const long long cycles = clock64() - begin;
      best = cycles < best ? cycles : best;
    }
    sum += best;
    if (at == 0) first = best;
  }
  half[kiln::multiprocessor()] = first * pages > sum;
}
