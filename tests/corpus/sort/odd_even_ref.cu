template <class T>
__global__ void by_rank(T* out, const T* in) {
  const T* row = in + 64 * blockIdx.x;
  int rank = 0;
  for (int i = 0; i < 64; ++i) rank += row[i] < row[threadIdx.x] || (row[i] == row[threadIdx.x] && i < (int)threadIdx.x);
  out[64 * blockIdx.x + rank] = row[threadIdx.x];
}
