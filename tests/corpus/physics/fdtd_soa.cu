#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* FDTD in two dimensions (TM): a struct of arrays is passed by value by the host, plain pointers by this file's kernels. */

#define IDX2(i, j) ((j) * NX + (i))

template <int NX, int NY>
__global__ void update_h(float *hx, float *hy, const float *ez, float ch)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < NX && j < NY - 1) hx[IDX2(i, j)] -= ch * (ez[IDX2(i, j + 1)] - ez[IDX2(i, j)]);
  if (i < NX - 1 && j < NY) hy[IDX2(i, j)] += ch * (ez[IDX2(i + 1, j)] - ez[IDX2(i, j)]);
}

template <int NX, int NY>
__global__ void update_e(float *ez, const float *hx, const float *hy, float ce, float source, int sx, int sy)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < NX - 1 && j > 0 && j < NY - 1)
    ez[IDX2(i, j)] += ce * ((hy[IDX2(i, j)] - hy[IDX2(i - 1, j)]) - (hx[IDX2(i, j)] - hx[IDX2(i, j - 1)]));
  if (i == sx && j == sy) ez[IDX2(i, j)] += source;
}

typedef struct { float *hx, *hy, *ez; } Fields;

static Fields make_fields(int n)
{
  Fields f;
  float **all[3] = {&f.hx, &f.hy, &f.ez};
  for (int k = 0; k < 3; k++) {
    cudaMalloc((void **)all[k], n * sizeof(float));
    cudaMemset(*all[k], 0, n * sizeof(float));
  }
  return f;
}

int main(void)
{
  Fields f = make_fields(200 * 200);
  dim3 block(16, 16), grid(13, 13);
  for (int t = 0; t < 100; t++) {
    update_h<200, 200><<<grid, block>>>(f.hx, f.hy, f.ez, 0.5f);
    update_e<200, 200><<<grid, block>>>(f.ez, f.hx, f.hy, 0.5f, sinf(0.2f * t), 100, 100);
  }
  float *ez = (float *)malloc(200 * 200 * sizeof(float));
  cudaMemcpy(ez, f.ez, 200 * 200 * sizeof(float), cudaMemcpyDeviceToHost);
  FILE *out = fopen("ez.dat", "w");
  for (int i = 0; i < 200; i++) fprintf(out, "%g\n", ez[100 * 200 + i]);
  fclose(out);
  return 0;
}
