#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <stdarg.h>

/* Binomial tree of American puts: a block has an option, the tree's level is in shared memory, one step back a barrier. */

#define NUM_STEPS 128
#define MAX_OPTIONS (1024 * 4)

typedef struct
{
    double S;
    double X;
    double vDt;
    double puByDf;
    double pdByDf;
} __TOptionData;

typedef struct {
    float S, X, T, R, V;
} TOptionData;

static __constant__ __TOptionData d_OptionData[MAX_OPTIONS / 64];
__device__ double d_CallValue[MAX_OPTIONS / 64];

__device__ inline double expiryValue(double S, double X, double vDt, int i)
{
    double d = X - S * exp(vDt * (2.0 * i - NUM_STEPS));
    return (d > 0.0) ? d : 0.0;
}

__global__ void binomialOptionsKernel(double *values)
{
    __shared__ double level[NUM_STEPS + 1];
    const int     tid    = threadIdx.x;
    const double  S      = d_OptionData[blockIdx.x].S;
    const double  X      = d_OptionData[blockIdx.x].X;
    const double  vDt    = d_OptionData[blockIdx.x].vDt;
    const double  puByDf = d_OptionData[blockIdx.x].puByDf;
    const double  pdByDf = d_OptionData[blockIdx.x].pdByDf;

    for (int i = tid; i <= NUM_STEPS; i += blockDim.x) level[i] = expiryValue(S, X, vDt, i);
    __syncthreads();

    for (int step = NUM_STEPS; step > 0; step--) {
        double next = 0;
        if (tid < step) {
            next = puByDf * level[tid + 1] + pdByDf * level[tid];
            const double now = X - S * exp(vDt * (2.0 * tid - (step - 1)));   // exercised early
            next = next > now ? next : now;
        }
        __syncthreads();
        if (tid < step) level[tid] = next;
        __syncthreads();
    }
    if (tid == 0) {
        d_CallValue[blockIdx.x] = level[0];
        values[blockIdx.x] = d_CallValue[blockIdx.x];
    }
}

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(1);
}

int main(void)
{
    __TOptionData h[64];
    TOptionData o = {100, 100, 1, 0.05f, 0.2f};
    for (int i = 0; i < 64; i++) {
        double dt = o.T / (double)NUM_STEPS, vDt = o.V * sqrt(dt), rDt = o.R * dt, If = exp(rDt), Df = exp(-rDt);
        double u = exp(vDt), d = exp(-vDt), pu = (If - d) / (u - d);
        h[i].S = o.S; h[i].X = o.X; h[i].vDt = vDt; h[i].puByDf = pu * Df; h[i].pdByDf = (1 - pu) * Df;
    }
    double *values;
    if (cudaMalloc((void **)&values, sizeof(double) * 64)) fail("no memory for %d values\n", 64);
    cudaMemcpyToSymbol(d_OptionData, h, sizeof(h));
    binomialOptionsKernel<<<64, NUM_STEPS>>>(values);
    double result[64];
    cudaMemcpyFromSymbol(result, d_CallValue, sizeof(result));
    printf("%f\n", result[0]);
    return 0;
}
