// All-pairs gravity with float4 bodies in tiles of shared memory; a template over the precision chooses its vectors by traits.
#include <cuda_runtime.h>
#include <cassert>
#include <cmath>
#include <cstring>
#include <ctime>
#include <iostream>
#include <vector>

template <typename T> struct vec3 { typedef float Type; };
template <> struct vec3<float> { typedef float3 Type; };
template <> struct vec3<double> { typedef double3 Type; };
template <typename T> struct vec4 { typedef float Type; };
template <> struct vec4<float> { typedef float4 Type; };
template <> struct vec4<double> { typedef double4 Type; };

__constant__ float softeningSquared = 0.01f;
__constant__ double softeningSquared_fp64 = 0.01;

template <class T> struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
  __device__ inline operator const T *() const {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
};

template <typename T> __device__ T rsqrt_T(T x) { return rsqrt(x); }
template <> __device__ float rsqrt_T<float>(float x) { return rsqrtf(x); }
template <> __device__ double rsqrt_T<double>(double x) { return rsqrt(x); }

template <typename T> __device__ T getSofteningSquared() { return softeningSquared; }
template <> __device__ double getSofteningSquared<double>() { return softeningSquared_fp64; }

template <typename T>
__device__ typename vec3<T>::Type bodyBodyInteraction(typename vec3<T>::Type ai, typename vec4<T>::Type bi, typename vec4<T>::Type bj) {
  typename vec3<T>::Type r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  T distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
  distSqr += getSofteningSquared<T>();
  T invDist = rsqrt_T(distSqr);
  T invDistCube = invDist * invDist * invDist;
  T s = bj.w * invDistCube;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

template <typename T>
__global__ void computeAcceleration(typename vec4<T>::Type *__restrict__ positions, typename vec4<T>::Type *__restrict__ acceleration, int numTiles) {
  typename vec4<T>::Type *sharedPos = SharedMemory<typename vec4<T>::Type>();
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  typename vec4<T>::Type bodyPos = positions[index];
  typename vec3<T>::Type acc = {0.0f, 0.0f, 0.0f};
  for (int tile = 0; tile < numTiles; tile++) {
    sharedPos[threadIdx.x] = positions[tile * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (unsigned int counter = 0; counter < blockDim.x; counter++) acc = bodyBodyInteraction<T>(acc, bodyPos, sharedPos[counter]);
    __syncthreads();
  }
  acceleration[index].x = acc.x;
  acceleration[index].y = acc.y;
  acceleration[index].z = acc.z;
  acceleration[index].w = 0;
}

template <typename T>
class BodySystem {
 public:
  explicit BodySystem(int n) : n_(n) {
    assert(n % 256 == 0);
    cudaMalloc(&pos_, n * sizeof(*pos_));
    cudaMalloc(&acc_, n * sizeof(*acc_));
  }
  virtual ~BodySystem() {
    cudaFree(pos_);
    cudaFree(acc_);
  }
  virtual void update() { computeAcceleration<T><<<n_ / 256, 256, 256 * sizeof(*pos_)>>>(pos_, acc_, n_ / 256); }

 protected:
  int n_;
  typename vec4<T>::Type *pos_, *acc_;
};

int main(int argc, char **argv) {
  const bool fp64 = argc > 1 && !strcmp(argv[1], "-fp64");
  const clock_t start = clock();
  if (fp64)
    BodySystem<double>(4096).update();
  else
    BodySystem<float>(4096).update();
  cudaDeviceSynchronize();
  std::cout << double(clock() - start) / CLOCKS_PER_SEC << std::endl;
}
