#include <iostream>
#include <fstream>
#include <vector>
#include <string>
#include <chrono>
using namespace std;

#define NUM_BINS 256
#define WARPS 4

// Every warp has counters of its own, to lower contention; 8-bit values come four in a word.
__device__ inline void addByte(unsigned int *s_WarpHist, unsigned int data) { atomicAdd(s_WarpHist + data, 1); }

__device__ inline void addWord(unsigned int *s_WarpHist, unsigned int data) {
  addByte(s_WarpHist, (data >> 0) & 0xFFU);
  addByte(s_WarpHist, (data >> 8) & 0xFFU);
  addByte(s_WarpHist, (data >> 16) & 0xFFU);
  addByte(s_WarpHist, (data >> 24) & 0xFFU);
}

__global__ void histogram256(unsigned int *d_PartialHistograms, uint *d_Data, uint dataCount) {
  __shared__ unsigned int s_Hist[WARPS * NUM_BINS];
  unsigned int *s_WarpHist = s_Hist + (threadIdx.x >> 5) * NUM_BINS;
#pragma unroll
  for (uint i = 0; i < (WARPS * NUM_BINS) / (WARPS * 32); i++) s_Hist[threadIdx.x + i * WARPS * 32] = 0;
  __syncthreads();
  for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount; pos += blockDim.x * gridDim.x) {
    uint data = d_Data[pos];
    addWord(s_WarpHist, data);
  }
  __syncthreads();
  for (uint bin = threadIdx.x; bin < NUM_BINS; bin += WARPS * 32) {
    uint sum = 0;
    for (uint i = 0; i < WARPS; i++) sum += s_Hist[bin + i * NUM_BINS];
    d_PartialHistograms[blockIdx.x * NUM_BINS + bin] = sum;
  }
}

#define MERGE_THREADBLOCK_SIZE 64
__global__ void mergeHistogram256(uint *d_Histogram, uint *d_PartialHistograms, uint histogramCount) {
  uint sum = 0;
  for (uint i = threadIdx.x; i < histogramCount; i += MERGE_THREADBLOCK_SIZE)
    sum += d_PartialHistograms[blockIdx.x + i * NUM_BINS];
  __shared__ uint data[MERGE_THREADBLOCK_SIZE];
  data[threadIdx.x] = sum;
  for (uint stride = MERGE_THREADBLOCK_SIZE / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) d_Histogram[blockIdx.x] = data[0];
}

int main(int argc, char *argv[]) {
  string path = argc > 1 ? argv[1] : "data.bin";
  ifstream file(path, ios::binary);
  vector<char> bytes((istreambuf_iterator<char>(file)), istreambuf_iterator<char>());
  if (bytes.empty()) {
    cerr << "cannot read " << path << endl;
    return 1;
  }
  bytes.resize(bytes.size() / 4 * 4);
  unsigned int *d_Data, *d_Partial, *d_Hist;
  cudaMalloc(&d_Data, bytes.size());
  cudaMalloc(&d_Partial, 240 * NUM_BINS * sizeof(unsigned int));
  cudaMalloc(&d_Hist, NUM_BINS * sizeof(unsigned int));
  cudaMemcpy(d_Data, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  auto t0 = chrono::steady_clock::now();
  histogram256<<<240, WARPS * 32>>>(d_Partial, d_Data, bytes.size() / 4);
  mergeHistogram256<<<NUM_BINS, MERGE_THREADBLOCK_SIZE>>>(d_Hist, d_Partial, 240);
  cudaDeviceSynchronize();
  auto t1 = chrono::steady_clock::now();
  cout << chrono::duration<double, milli>(t1 - t0).count() << " ms" << endl;
  unsigned int hist[NUM_BINS];
  cudaMemcpy(hist, d_Hist, sizeof hist, cudaMemcpyDeviceToHost);
  for (int i = 0; i < NUM_BINS; ++i) cout << i << ' ' << hist[i] << '\n';
}
