// All shortest paths of a directed graph with n nodes, by Floyd and Warshall.
#include "kiln/params.h"

/// d[i][j] = min(d[i][j], d[i][k] + d[k][j]) for every i and j: paths by way of the nodes 0 to k.
extern "C" __global__ void relax(int* d, int k, const Params p) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  const int by_way = d[i * p.n + k] + d[k * p.n + j];
  if (by_way < d[i * p.n + j]) d[i * p.n + j] = by_way;
}

/// Lengths of the edges from 1 to p.longest; 0 on the diagonal.
extern "C" __global__ void make_edges(int* edges, const int* random, const Params p) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  edges[i * p.n + j] = i == j ? 0 : 1 + random[i * p.n + j];
}

/// Another algorithm: Dijkstra's from each node, one work-item a node; `done` has n x n elements.
extern "C" __global__ void dijkstra(int* distance, int* done, const int* edges, const Params p) {
  const int source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= p.n) return;
  int* const d = distance + source * p.n;
  int* const finished = done + source * p.n;
  for (int v = 0; v < p.n; ++v) {
    d[v] = edges[source * p.n + v];
    finished[v] = 0;
  }
  for (int round = 0; round < p.n; ++round) {
    int nearest = -1;
    for (int v = 0; v < p.n; ++v) {
      if (finished[v] == 0 && (nearest < 0 || d[v] < d[nearest])) nearest = v;
    }
    finished[nearest] = 1;
    for (int v = 0; v < p.n; ++v) {
      const int by_way = d[nearest] + edges[nearest * p.n + v];
      if (by_way < d[v]) d[v] = by_way;
    }
  }
}
