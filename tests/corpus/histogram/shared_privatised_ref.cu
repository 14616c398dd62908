extern "C" __global__ void count_bytes(unsigned* hist, const unsigned char* bytes, unsigned count) {
  unsigned n = 0;
  for (unsigned i = 0; i < count; ++i) n += bytes[i] == threadIdx.x;
  hist[threadIdx.x] = n;
}
