// Smith-Waterman scores of a query against many sequences: one block each, anti-diagonals in shared memory.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <list>
#include <set>
#include <string>
#include <vector>

#define MAX_QUERY 64
enum : int { kMatch = 2, kMismatch = -1, kGap = -2 };

__constant__ char c_query[MAX_QUERY];

__device__ __forceinline__ int score(char a, char b) { return a == b ? kMatch : kMismatch; }

extern "C" __global__ void smith_waterman(const char* sequences, const int* starts, int query_length, int* best) {
  __shared__ int diagonals[3][MAX_QUERY + 1];
  __shared__ int block_best;
  const int i = threadIdx.x;  // row of the query
  const char* sequence = sequences + starts[blockIdx.x];
  const int length = starts[blockIdx.x + 1] - starts[blockIdx.x];

  for (int k = threadIdx.x; k <= MAX_QUERY; k += blockDim.x) diagonals[0][k] = diagonals[1][k] = diagonals[2][k] = 0;
  if (i == 0) block_best = 0;
  __syncthreads();

  int mine = 0;
  for (int d = 0; d < query_length + length - 1; ++d) {
    const int* before = diagonals[(d + 1) % 3];  // two diagonals back
    const int* last = diagonals[(d + 2) % 3];
    int* now = diagonals[d % 3];
    const int j = d - i;
    int h = 0;
    if (i < query_length && j >= 0 && j < length) {
      h = max(h, before[i] + score(c_query[i], sequence[j]));
      h = max(h, last[i] + kGap);
      h = max(h, last[i + 1] + kGap);
    }
    mine = max(mine, h);
    __syncwarp();
    if (i < query_length) now[i + 1] = h;
    __syncthreads();
  }
  atomicMax(&block_best, mine);
  __syncthreads();
  if (i == 0) best[blockIdx.x] = block_best;
}

static std::vector<std::string> read_fasta(const std::string& path) {
  std::vector<std::string> result;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (line[0] == '>') {
      result.emplace_back();
    } else {
      std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::toupper(c); });
      result.back() += line;
    }
  }
  return result;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "%s QUERY FASTA\n", argv[0]), 2;
  const std::string query = argv[1];
  const auto sequences = read_fasta(argv[2]);
  std::string all;
  std::vector<int> starts{0};
  for (const auto& s : sequences) all += s, starts.push_back(all.size());
  char* d_all;
  int *d_starts, *d_best;
  cudaMalloc(&d_all, all.size());
  cudaMalloc(&d_starts, starts.size() * sizeof(int));
  cudaMalloc(&d_best, sequences.size() * sizeof(int));
  cudaMemcpyToSymbol(c_query, query.data(), query.size());
  cudaMemcpy(d_all, all.data(), all.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice);
  smith_waterman<<<sequences.size(), MAX_QUERY>>>(d_all, d_starts, query.size(), d_best);
  std::vector<int> best(sequences.size());
  cudaMemcpy(best.data(), d_best, best.size() * sizeof(int), cudaMemcpyDeviceToHost);
  std::copy(best.begin(), best.end(), std::ostream_iterator<int>(std::cout, "\n"));
}
