// One partial sum for each block: a loop over the grid, then shuffles inside warps, then one warp over the
// warps' sums.
#if defined(__HIP__)
#define SHUFFLE_DOWN(value, delta) __shfl_down(value, delta)
#else
#define SHUFFLE_DOWN(value, delta) __shfl_down_sync(0xffffffffu, value, delta)
#endif

__device__ double warp_sum(double value) {
  for (int delta = warpSize / 2; delta > 0; delta /= 2) value += SHUFFLE_DOWN(value, delta);
  return value;
}

extern "C" __global__ void sum(const double* values, int n, double* partial_sums) {
  double own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += values[i];

  __shared__ double of_warp[64];
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  own = warp_sum(own);
  if (lane == 0) of_warp[warp] = own;
  __syncthreads();

  if (warp == 0) {
    own = lane < (int)blockDim.x / warpSize ? of_warp[lane] : 0;
    own = warp_sum(own);
    if (lane == 0) partial_sums[blockIdx.x] = own;
  }
}
