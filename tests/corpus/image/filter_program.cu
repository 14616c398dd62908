// An interpreter of image filters: a block keeps a line in shared memory and applies the operations of a program to it, one
// after the other. What an operation needs of its neighbours, it takes between barriers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 128
#define LONGEST 16

enum Opcode { OP_INVERT, OP_GAIN, OP_BLUR, OP_EDGES, OP_SHIFT, OP_MIRROR, OP_SORT, OP_STOP };

typedef struct {
  int opcode;
  int argument;
} Operation;

__constant__ Operation program[LONGEST];

__global__ void run_filters(const unsigned char *src, unsigned char *dst, int *steps, int pitch) {
  __shared__ int line[LINE];
  const int x = threadIdx.x;
  int value = src[blockIdx.x * pitch + x];
  int step = 0;
  for (; step < LONGEST; ++step) {
    const Operation op = program[step];
    if (op.opcode == OP_STOP) break;
    switch (op.opcode) {
      case OP_INVERT:
        value = 255 - value;
        break;
      case OP_GAIN:
        value = min(value * op.argument / 16, 255);
        break;
      case OP_BLUR: {
        line[x] = value;
        __syncthreads();
        int sum = 0;
        for (int d = -op.argument; d <= op.argument; ++d) sum += line[min(max(x + d, 0), LINE - 1)];
        value = sum / (2 * op.argument + 1);
        break;
      }
      case OP_EDGES:
        line[x] = value;
        __syncthreads();
        if (x > 0 && x < LINE - 1) {
          value = abs(line[x + 1] - line[x - 1]);
        } else {
          value = 0;
        }
        break;
      case OP_SHIFT:
      case OP_MIRROR: {
        line[x] = value;
        __syncthreads();
        const int from = op.opcode == OP_SHIFT ? (x + op.argument) % LINE : LINE - 1 - x;
        value = line[from];
        break;
      }
      case OP_SORT:
        line[x] = value;
        for (int round = 0; round < LINE; ++round) {
          __syncthreads();
          const int left = 2 * x + (round & 1);
          if (left + 1 < LINE && line[left] > line[left + 1]) {
            const int other = line[left];
            line[left] = line[left + 1];
            line[left + 1] = other;
          }
        }
        __syncthreads();
        value = line[x];
        break;
      default:
        printf("operation %d is not known\n", op.opcode);
    }
    __syncthreads();
  }
  dst[blockIdx.x * pitch + x] = (unsigned char)value;
  if (x == 0) steps[blockIdx.x] = step;
}

int main(int argc, char **argv) {
  const int lines = argc > 1 ? atoi(argv[1]) : 480;
  Operation host[LONGEST];
  memset(host, 0, sizeof host);
  host[0].opcode = OP_BLUR;
  host[0].argument = 2;
  host[1].opcode = OP_EDGES;
  host[2].opcode = OP_STOP;
  unsigned char *src, *dst;
  int *steps;
  if (cudaMalloc((void **)&src, lines * LINE) != cudaSuccess || cudaMalloc((void **)&dst, lines * LINE) != cudaSuccess ||
      cudaMalloc((void **)&steps, lines * sizeof(int)) != cudaSuccess) {
    fprintf(stderr, "no memory for %d lines\n", lines);
    return EXIT_FAILURE;
  }
  cudaMemset(src, 100, lines * LINE);
  cudaMemcpyToSymbol(program, host, sizeof host);
  run_filters<<<lines, LINE>>>(src, dst, steps, LINE);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(src), cudaFree(dst), cudaFree(steps);
  return error == cudaSuccess ? EXIT_SUCCESS : EXIT_FAILURE;
}
