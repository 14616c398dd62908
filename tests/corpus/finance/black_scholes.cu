// European options by the formula of Black and Scholes, two per work-item through float2 as in NVIDIA's sample's later form.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <helper_functions.h>
#include <helper_cuda.h>

__device__ inline float cndGPU(float d) {
  const float A1 = 0.31938153f;
  const float A2 = -0.356563782f;
  const float A3 = 1.781477937f;
  const float A4 = -1.821255978f;
  const float A5 = 1.330274429f;
  const float RSQRT2PI = 0.39894228040143267793994605993438f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}

__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X, float T, float R, float V) {
  float sqrtT, expRT;
  float d1, d2, CNDD1, CNDD2;
  sqrtT = __fdividef(1.0F, rsqrtf(T));
  d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
  d2 = d1 - V * sqrtT;
  CNDD1 = cndGPU(d1);
  CNDD2 = cndGPU(d2);
  expRT = __expf(-R * T);
  CallResult = S * CNDD1 - X * expRT * CNDD2;
  PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128) __global__ void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                                                       float2 *__restrict d_StockPrice, float2 *__restrict d_OptionStrike,
                                                       float2 *__restrict d_OptionYears, float Riskfree, float Volatility, int optN) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt < (optN / 2)) {
    float callResult1, callResult2;
    float putResult1, putResult2;
    BlackScholesBodyGPU(callResult1, putResult1, d_StockPrice[opt].x, d_OptionStrike[opt].x, d_OptionYears[opt].x, Riskfree, Volatility);
    BlackScholesBodyGPU(callResult2, putResult2, d_StockPrice[opt].y, d_OptionStrike[opt].y, d_OptionYears[opt].y, Riskfree, Volatility);
    d_CallResult[opt] = make_float2(callResult1, callResult2);
    d_PutResult[opt] = make_float2(putResult1, putResult2);
  }
}

float RandFloat(float low, float high) {
  float t = (float)rand() / (float)RAND_MAX;
  return (1.0f - t) * low + t * high;
}

#define DIV_UP(a, b) (((a) + (b)-1) / (b))

int main(int argc, char **argv) {
  const int OPT_N = 4000000, OPT_SZ = OPT_N * sizeof(float);
  float *h = (float *)malloc(OPT_SZ), *d[5];
  StopWatchInterface *hTimer = NULL;
  findCudaDevice(argc, (const char **)argv);
  sdkCreateTimer(&hTimer);
  for (int i = 0; i < OPT_N; i++) h[i] = RandFloat(5.0f, 30.0f);
  for (int k = 0; k < 5; k++) checkCudaErrors(cudaMalloc((void **)&d[k], OPT_SZ));
  sdkStartTimer(&hTimer);
  BlackScholesGPU<<<DIV_UP((OPT_N / 2), 128), 128 /*480, 128*/>>>((float2 *)d[0], (float2 *)d[1], (float2 *)d[2], (float2 *)d[3],
                                                                 (float2 *)d[4], 0.02f, 0.30f, OPT_N);
  getLastCudaError("BlackScholesGPU() execution failed\n");
  checkCudaErrors(cudaDeviceSynchronize());
  sdkStopTimer(&hTimer);
  printf("BlackScholesGPU() time    : %f msec\n", sdkGetTimerValue(&hTimer));
  sdkDeleteTimer(&hTimer);
  exit(EXIT_SUCCESS);
}
