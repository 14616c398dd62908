extern "C" __global__ void make_offsets(int* offsets, int n) {
  offsets[0] = 0;
  for (int v = 0; v < n; ++v) offsets[v + 1] = n - 1 + v;
}
extern "C" __global__ void make_sources(int* sources, int n) {
  for (int e = 0; e < n - 1; ++e) sources[e] = e + 1;
  for (int e = n - 1; e < 2 * (n - 1); ++e) sources[e] = 0;
}
extern "C" __global__ void make_degree(int* out_degree, int n) {
  for (int v = 0; v < n; ++v) out_degree[v] = v == 0 ? n - 1 : 1;
}
