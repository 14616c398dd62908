#include "kiln/params.h"

#include "su3.h"

// The published structure: 36 work-items a site, each with one element of c, three products of complex
// numbers.

struct alignas(Params::aligned ? 2 * sizeof(T) : sizeof(T)) Complex {
  T re, im;
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_multiply_paper multiply_paper(Complex* __restrict__ c,
                                                                            const Complex* __restrict__ a,
                                                                            const Complex* __restrict__ b,
                                                                            const Params p) {
  const Index number = Index(kiln::global_index_x());
  if (number >= Index(36 * site_count(p))) return;
  const Index site = number / 36;
  const int element = int(number % 36);
  const int link = element / 9, row = element % 9 / 3, column = element % 3;
  const Complex* const left = a + site * (long long)(kStride / 2) + link * 9 + row * 3;
  const Complex* const right = b + link * 9 + column;
  Complex sum = {0, 0};
  for (int m = 0; m < 3; ++m) {
    sum.re += left[m].re * right[3 * m].re - left[m].im * right[3 * m].im;
    sum.im += left[m].re * right[3 * m].im + left[m].im * right[3 * m].re;
  }
  c[site * (long long)(kStride / 2) + element] = sum;
}
