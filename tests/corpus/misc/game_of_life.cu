/* Conway's Game of Life on a torus, 32 cells a word; neighbours are added bit by bit. */
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <pthread.h>

typedef unsigned int word;

#define HALF_ADD(a, b, sum, carry) do { word s_ = (a) ^ (b); carry = (a) & (b); sum = s_; } while (0)

static volatile sig_atomic_t stop = 0;
static void on_signal(int number) { stop = number; }

__device__ __inline__ word west(word left, word middle) { return __funnelshift_l(left, middle, 1); }
__device__ __inline__ word east(word middle, word right) { return __funnelshift_r(middle, right, 1); }

__global__ void life(const word *__restrict__ now, word *__restrict__ next, int words, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words)
        return;
    word count0 = 0, count1 = 0, count2 = 0; /* bits of the number of neighbours, 8 is 0 */
    const int xl = x == 0 ? words - 1 : x - 1, xr = x == words - 1 ? 0 : x + 1;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++) {
        const word *row = now + ((y + dy + rows) % rows) * words;
        const word m = row[x], n[3] = {west(row[xl], m), east(m, row[xr]), m};
        for (int k = 0; k < (dy == 0 ? 2 : 3); k++) {
            word carry, carry2;
            HALF_ADD(count0, n[k], count0, carry);
            HALF_ADD(count1, carry, count1, carry2);
            count2 ^= carry2;
        }
    }
    const word alive = now[y * words + x];
    next[y * words + x] = ~count2 & count1 & (count0 | alive);
}

int main(int argc, char **argv)
{
    signal(SIGINT, on_signal);
    int words = 32, rows = 1024;
    word *a, *b, *swap;
    cudaMalloc((void **)&a, words * rows * sizeof(word));
    cudaMalloc((void **)&b, words * rows * sizeof(word));
    for (int t = 0; t < 1000 && !stop; t++) {
        life<<<dim3((words + 31) / 32, rows), 32>>>(a, b, words, rows);
        swap = a; a = b; b = swap;
    }
    cudaDeviceSynchronize();
    return stop;
}
