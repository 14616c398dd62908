extern "C" __global__ void mode(double* u, double amplitude) {
  u[threadIdx.x] = amplitude * cos(2 * 3.14159265358979323846 * threadIdx.x / blockDim.x);
}
