extern "C" __global__ void numbers(float* line) { line[blockIdx.x * 32 + threadIdx.x] = 2 * (blockIdx.x * 32 + threadIdx.x) + 1; }
extern "C" __global__ void counts(int* count) { count[threadIdx.x] = threadIdx.x + 1; }
