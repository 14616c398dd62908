#include <iostream>
#include <stack>
#include <vector>
#include <cstdio>
#include <cstdint>

// N queens by backtracking with an explicit stack per work-item; prefixes of two rows come from the index.
#define MAXN 12

typedef struct QueenRoot {
  unsigned int control;
  int8_t board[MAXN];
} QueenRoot;

__device__ inline bool stillLegal(const char *board, const int r) {
  for (int i = 0; i < r; ++i)
    if (board[i] == board[r] || abs(board[i] - board[r]) == r - i) return false;
  return true;
}

__global__ void BP_queens_root_dfs(const int N, unsigned long long *sols) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= N * N) return;
  char board[MAXN];
  board[0] = idx / N;
  board[1] = idx % N;
  if (!stillLegal(board, 1)) return;
  unsigned long long found = 0;
  int depth = 2;
  board[depth] = -1;
  do {
    board[depth]++;
    if (board[depth] == N) {
      depth--;
    } else if (stillLegal(board, depth)) {
      if (depth == N - 1) {
        ++found;
      } else {
        board[++depth] = -1;
      }
    }
  } while (depth >= 2);
  atomicAdd(sols, found);
}

int main(int argc, char *argv[]) {
  std::stack<int> sizes({4, 6, 8, 10});
  unsigned long long *sols;
  cudaMallocManaged(&sols, sizeof(*sols));
  while (!sizes.empty()) {
    *sols = 0;
    const int n = sizes.top();
    BP_queens_root_dfs<<<n * n / 32 + 1, 32>>>(n, sols);
    cudaDeviceSynchronize();
    std::cout << n << ": " << *sols << std::endl;
    sizes.pop();
  }
}
