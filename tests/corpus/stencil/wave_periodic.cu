#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Wave equation with periodic ends, three time levels, blocks in one dimension. Real is float or double by a macro. */
#ifdef SINGLE
typedef float Real;
#else
typedef double Real;
#endif

#define WRAP(i, n) (((i) + (n)) % (n))

struct Params { int n; Real courant2; };

__global__ void wave_step(const Real *old, const Real *now, Real *next, Params p)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += blockDim.x * gridDim.x) {
        next[i] = 2 * now[i] - old[i] + p.courant2 * (now[WRAP(i + 1, p.n)] - 2 * now[i] + now[WRAP(i - 1, p.n)]);
    }
}

__global__ void wave_step_args(const Real *old, const Real *now, Real *next, int n, Real courant2)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    next[i] = 2 * now[i] - old[i] + courant2 * (now[WRAP(i + 1, n)] - 2 * now[i] + now[WRAP(i - 1, n)]);
}

int main(int argc, char **argv)
{
    const struct Params p = {4096, (Real)0.81};
    Real *u[3], *host = (Real *)malloc(p.n * sizeof(Real));
    for (int k = 0; k < 3; ++k) cudaMalloc((void **)&u[k], p.n * sizeof(Real));
    for (int i = 0; i < p.n; ++i) host[i] = cos(2 * M_PI * i / p.n);
    cudaMemcpy(u[0], host, p.n * sizeof(Real), cudaMemcpyHostToDevice);
    cudaMemcpy(u[1], host, p.n * sizeof(Real), cudaMemcpyHostToDevice);
    for (int t = 0; t < 1000; ++t) {
        wave_step<<<16, 256>>>(u[t % 3], u[(t + 1) % 3], u[(t + 2) % 3], p);
        if (argc > 1) wave_step_args<<<16, 256>>>(u[t % 3], u[(t + 1) % 3], u[(t + 2) % 3], p.n, p.courant2);
    }
    cudaDeviceSynchronize();
    return 0;
}
