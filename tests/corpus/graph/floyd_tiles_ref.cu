extern "C" __global__ void make_graph(int* dist, int n) {
  int i = blockIdx.x, j = threadIdx.x;
  dist[i * n + j] = i == j ? 0 : 1 + (i * 31 + j * 17) % 97 * ((i ^ j) % 5 == 0 ? 1 : 40);
}
extern "C" __global__ void floyd_ref(int* d, const int* start, int n) {
  for (int i = 0; i < n * n; ++i) d[i] = start[i];
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
}
