#pragma once

// The place inside [0, n) that stands for i: beyond its ends a signal continues as its mirror image.
__device__ inline int mirror(int i, int n) {
  if (i < 0) i = -i - 1;
  return i < n ? i : 2 * n - 1 - i;
}
