// In order, one work-item a part.
template <class T>
__global__ void in_order(const T* in, T* inclusive, T* exclusive, T* totals, int n, int part, int op) {
  const T identity = op == 0 ? T(0) : T(-1000);
  T value = identity;
  for (int k = 0; k < part; ++k) {
    const int i = blockIdx.x * part + k;
    if (i >= n) break;
    exclusive[i] = value;
    if (op == 0) {
      value = value + in[i];
    } else {
      value = value > in[i] ? value : in[i];
    }
    inclusive[i] = value;
  }
  totals[blockIdx.x] = value;
}
