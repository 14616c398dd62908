// From node 0 the shortest way to a node is that of the binary tree, or the tree's way to the next node and a step back.
struct Node { int starting, no_of_edges; };
__device__ int edges_of(int i, int n, int* to) {
  int m = 0;
  if (2 * i + 1 < n) to[m++] = 2 * i + 1;
  if (2 * i + 2 < n) to[m++] = 2 * i + 2;
  if (i > 0) to[m++] = i - 1;
  return m;
}
extern "C" __global__ void make_nodes(Node* nodes, int n) {
  int first = 0, to[3];
  for (int i = 0; i < n; ++i) {
    nodes[i].starting = first;
    nodes[i].no_of_edges = edges_of(i, n, to);
    first += nodes[i].no_of_edges;
  }
}
extern "C" __global__ void make_edges(int* edges, int n) {
  int first = 0, to[3];
  for (int i = 0; i < n; ++i) {
    int m = edges_of(i, n, to);
    for (int k = 0; k < m; ++k) edges[first++] = to[k];
  }
  for (; first < 3 * n; ++first) edges[first] = 0;
}
// Bellman's relaxation until nothing changes.
extern "C" __global__ void depths(int* depth, int n) {
  for (int i = 0; i < n; ++i) depth[i] = i == 0 ? 0 : n;
  bool changed = true;
  while (changed) {
    changed = false;
    for (int i = n - 1; i >= 0; --i) {
      int to[3], m = edges_of(i, n, to);
      for (int k = 0; k < m; ++k) {
        if (depth[i] + 1 >= depth[to[k]]) continue;
        depth[to[k]] = depth[i] + 1;
        changed = true;
      }
    }
  }
}
