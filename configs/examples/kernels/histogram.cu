// Counts of values between edges. A block counts in shared memory first, so that few additions meet in global
// memory.
#define MAX_BINS 64

__constant__ float edges[MAX_BINS + 1];

extern "C" __global__ void clear_counts(unsigned int* counts, int bins) {
  for (int b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
}

extern "C" __global__ void histogram(unsigned int* counts, const float* values, int n, int bins) {
  __shared__ unsigned int local[MAX_BINS];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float value = values[i];
    int low = 0;  // edges[low] <= value < edges[high]
    int high = bins;
    if (value < edges[low] || value >= edges[high]) continue;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (value < edges[middle]) {
        high = middle;
      } else {
        low = middle;
      }
    }
    atomicAdd(&local[low], 1u);
  }
  __syncthreads();

  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}
