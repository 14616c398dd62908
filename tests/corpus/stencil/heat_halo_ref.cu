extern "C" __global__ void mode(float* u, float amplitude) {
  double pi = 3.14159265358979323846;
  u[blockIdx.x * blockDim.x + threadIdx.x] =
      (float)(amplitude * sin(pi * threadIdx.x / (blockDim.x - 1)) * sin(pi * blockIdx.x / (gridDim.x - 1)));
}
