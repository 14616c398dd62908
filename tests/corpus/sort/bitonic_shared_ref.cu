// Each key goes where the number of smaller ones says.
extern "C" __global__ void rank_sort(unsigned* out, const unsigned* in, unsigned dir) {
  const unsigned* keys = in + 256 * blockIdx.x;
  unsigned mine = keys[threadIdx.x], rank = 0;
  for (unsigned i = 0; i < 256; ++i) rank += keys[i] < mine || (keys[i] == mine && i < threadIdx.x);
  out[256 * blockIdx.x + (dir ? rank : 255 - rank)] = mine;
}
extern "C" __global__ void gather(unsigned* out, const unsigned* keys, const unsigned* values) {
  unsigned i = 256 * blockIdx.x + threadIdx.x;
  out[i] = keys[values[i]];
}
