extern "C" __global__ void exact(float* y, int columns) { y[threadIdx.x] = columns * (columns - 1) / 2 - 10.f + threadIdx.x; }
