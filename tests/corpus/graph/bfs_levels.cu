#include <fstream>
#include <iostream>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <vector>

#define CUDA_CALL(x)                                                       \
  do {                                                                     \
    cudaError_t err = (x);                                                 \
    if (err != cudaSuccess) throw std::runtime_error(cudaGetErrorString(err)); \
  } while (0)

// Structure of a general graph as in Rodinia's programs: first edge and number of edges of a node.
struct Node {
  int starting;
  int no_of_edges;
};

__global__ void Kernel(Node* g_graph_nodes, int* g_graph_edges, bool* g_graph_mask, bool* g_updating_graph_mask,
                       bool* g_graph_visited, int* g_cost, int no_of_nodes) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_graph_visited[id]) {
        g_cost[id] = g_cost[tid] + 1;
        g_updating_graph_mask[id] = true;
      }
    }
  }
}

__global__ void Kernel2(bool* g_graph_mask, bool* g_updating_graph_mask, bool* g_graph_visited, int* g_over, int no_of_nodes) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
    g_graph_mask[tid] = true;
    g_graph_visited[tid] = true;
    *g_over = 1;
    g_updating_graph_mask[tid] = false;
  }
}

__global__ void setup(bool* mask, bool* updating, bool* visited, int* cost, int source, int n) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= n) return;
  mask[tid] = visited[tid] = tid == source;
  updating[tid] = false;
  cost[tid] = tid == source ? 0 : -1;
}

class Graph {
 public:
  explicit Graph(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path);
    int n, m;
    in >> n;
    nodes.resize(n);
    for (auto& node : nodes) in >> node.starting >> node.no_of_edges;
    in >> m;
    edges.resize(m);
    for (int& e : edges) in >> e;
  }
  std::vector<Node> nodes;
  std::vector<int> edges;
};

int main(int argc, char** argv) try {
  Graph graph(argc > 1 ? argv[1] : "graph4096.txt");
  const int n = graph.nodes.size();
  Node* nodes;
  int *edges, *cost, *over;
  bool *mask, *updating, *visited;
  CUDA_CALL(cudaMalloc(&nodes, n * sizeof(Node)));
  CUDA_CALL(cudaMalloc(&edges, graph.edges.size() * sizeof(int)));
  CUDA_CALL(cudaMalloc(&cost, n * sizeof(int)));
  CUDA_CALL(cudaMalloc(&over, sizeof(int)));
  CUDA_CALL(cudaMalloc(&mask, n));
  CUDA_CALL(cudaMalloc(&updating, n));
  CUDA_CALL(cudaMalloc(&visited, n));
  CUDA_CALL(cudaMemcpy(nodes, graph.nodes.data(), n * sizeof(Node), cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(edges, graph.edges.data(), graph.edges.size() * sizeof(int), cudaMemcpyHostToDevice));
  dim3 grid((n + 255) / 256), threads(256);
  setup<<<grid, threads>>>(mask, updating, visited, cost, 0, n);
  int stop;
  do {
    stop = 0;
    CUDA_CALL(cudaMemcpy(over, &stop, sizeof(int), cudaMemcpyHostToDevice));
    Kernel<<<grid, threads, 0>>>(nodes, edges, mask, updating, visited, cost, n);
    Kernel2<<<grid, threads, 0>>>(mask, updating, visited, over, n);
    CUDA_CALL(cudaMemcpy(&stop, over, sizeof(int), cudaMemcpyDeviceToHost));
  } while (stop);
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << std::endl;
  return 1;
}
