extern "C" __global__ void by_polynomials(unsigned char* out) {
  double a = -2 + 0.0625 * threadIdx.x, b = -1.25 + 0.0625 * blockIdx.x, x = 0, y = 0;
  int n = 0;
  while (n < 200 && x * x + y * y <= 4) {
    double next = x * x - y * y + a;
    y = 2 * x * y + b;
    x = next;
    ++n;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 200 - n;
}
