// PageRank over incoming edges; the host stops when the change is small.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>
#include <cusparse.h>

#define DAMPING 0.85f
#define BLOCK_SIZE 128

typedef struct {
  const int *offsets;
  const int *sources;
  const int *out_degree;
  int num_nodes;
} graph_t;

__global__ void pagerank_step(const int *__restrict__ offsets, const int *__restrict__ sources,
                              const int *__restrict__ out_degree, const float *__restrict__ rank, float *__restrict__ next,
                              int num_nodes) {
  const int v = blockDim.x * blockIdx.x + threadIdx.x;
  if (v < num_nodes) {
    float sum = 0;
    for (int e = offsets[v], end = offsets[v + 1]; e < end; ++e) {
      const int u = __ldg(&sources[e]);
      sum += __fdividef(rank[u], (float)out_degree[u]);
    }
    next[v] = (1.0f - DAMPING) / num_nodes + DAMPING * sum;
  }
}

__global__ void __launch_bounds__(BLOCK_SIZE, 4) rank_change(const float *a, const float *b, float *change, int num_nodes) {
  __shared__ float largest[BLOCK_SIZE];
  float m = 0.0f;
  for (int v = threadIdx.x; v < num_nodes; v += BLOCK_SIZE) m = max(m, fabs(a[v] - b[v]));
  largest[threadIdx.x] = m;
  __syncthreads();
  for (int s = BLOCK_SIZE / 2; s; s /= 2) {
    if (threadIdx.x < s) largest[threadIdx.x] = max(largest[threadIdx.x], largest[threadIdx.x + s]);
    __syncthreads();
  }
  if (!threadIdx.x) *change = largest[0];
}

static int pagerank(const graph_t *g, float *rank, float *next, float *d_change, float tolerance, int max_iter) {
  int iter = 0;
  for (; iter < max_iter; ++iter) {
    pagerank_step<<<(g->num_nodes + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(g->offsets, g->sources, g->out_degree, rank, next,
                                                                                g->num_nodes);
    rank_change<<<1, BLOCK_SIZE>>>(rank, next, d_change, g->num_nodes);
    float change;
    cudaMemcpy(&change, d_change, sizeof change, cudaMemcpyDeviceToHost);
    float *t = rank;
    rank = next;
    next = t;
    if (change < tolerance) break;
  }
  return iter;
}

int main(void) {
  const int n = 1000;
  std::vector<int> offsets(n + 1), sources(n), degree(n, 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  for (int i = 0; i < n; ++i) sources[i] = (i + 1) % n;
  int *d[3];
  float *r[3];
  for (int **p = d; p < d + 3; ++p) cudaMalloc((void **)p, (n + 1) * sizeof(int));
  for (float **p = r; p < r + 3; ++p) cudaMalloc((void **)p, n * sizeof(float));
  cudaMemcpy(d[0], offsets.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d[1], sources.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d[2], degree.data(), n * 4, cudaMemcpyHostToDevice);
  graph_t g = {d[0], d[1], d[2], n};
  printf("%d iterations\n", pagerank(&g, r[0], r[1], r[2], 1e-6f, 100));
}
