// Member functions with barriers and warp operations in kernels that are split.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    {"FunctorsOfWarps",
     R"(struct WarpSum {
  int first = 16;
  __device__ float operator()(float v) const {
    for (int o = first; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
  }
};
template <class Op>
__device__ float twice(Op op, float v) { return op(op(v) * 0.5f); }
extern "C" __global__ void k(float* out, const float* in, int n) {
  WarpSum sum;
  float v = in[threadIdx.x];
  float a = sum(v) + 1.0f, b = WarpSum()(a * v);
  out[blockIdx.x * 64 + threadIdx.x] = a - b + twice(sum, v);
})",
     {64, 1, 1}},
    // Classes by other names; objects made from values in brackets.
    {"ObjectsOfClassesByOtherNames",
     R"(template <class T, int N>
class Sum {
 public:
  struct Storage { T values[N]; T result; };
  __device__ explicit Sum(Storage& storage) : storage_(storage) {}
  __device__ T operator()(T v) {
    storage_.values[threadIdx.x] = v;
    __syncthreads();
    for (int half = N / 2; half > 0; half >>= 1) {
      if (threadIdx.x < half) storage_.values[threadIdx.x] += storage_.values[threadIdx.x + half];
      __syncthreads();
    }
    return spread(storage_.values[0], 0);
  }
  __device__ T spread(T v, int from) {
    if (threadIdx.x == from) storage_.result = v;
    __syncthreads();
    const T result = storage_.result;
    __syncthreads();
    return result;
  }
 private:
  Storage& storage_;
};
typedef Sum<float, 64> Other;
template <int N>
__device__ void both(float* out, const float* in) {
  using Mine = Sum<float, N>;
  __shared__ typename Mine::Storage storage, second;
  Mine sum(storage);
  Other other(second);
  float part = 0.0f;
  for (int i = threadIdx.x; i < 200; i += N) part += in[i];
  const float mean = sum(part) / 200.0f;
  out[blockIdx.x * N + threadIdx.x] = other(in[threadIdx.x] - mean) + sum.spread(part, 3);
}
extern "C" __global__ void k(float* out, const float* in, int n) { both<64>(out, in); })",
     {64, 1, 1}},
    {"MemberFunctionsOfATile",
     R"(template <class T, int N>
struct Tile {
  T values[N];
  T bias;
  int turns;
  __device__ void load(const T* from, int t) {
    values[t] = from[t] + shift();
    if (t == 0) { bias = from[3]; turns = 0; }
    sync();
  }
  __device__ T shift() const { return T(0.5); }
  __device__ void sync() { __syncthreads(); }
  template <int BY>
  __device__ T turned(int t) {
    sync();
    T value = this->values[(t + BY) % N] + bias;
    sync();
    if (t == 1) ++turns;
    __syncthreads();
    return value + turns;
  }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ Tile<float, 64> tile;
  Tile<float, 64>* same = &tile;
  int t = threadIdx.x;
  tile.load(in + blockIdx.x, t);
  float v = tile.turned<5>(t);
  v += 2.0f * same->turned<9>(t);
  out[blockIdx.x * 64 + t] = v + tile.bias;
})",
     {64, 1, 1}},
    {"ObjectsOfWorkItems",
     R"(struct Running {
  float total;
  int steps;
  __device__ explicit Running(float first) : total(first), steps(0) {}
  __device__ float add(float v, int by) {
    total += __shfl_xor_sync(0xffffffffu, v, by);
    steps += 1;
    return total * steps;
  }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  Running mine(in[t]), other(1.0f);
  for (int i = 1; i < 8; i *= 2) s[t] = mine.add(in[t + i], i);
  __syncthreads();
  if (t >= 32) other.add(s[t - 32], 3);
  out[blockIdx.x * 64 + t] = s[63 - t] + mine.total + other.total + mine.steps;
})",
     {64, 1, 1}},
    {"StaticMembers",
     R"(template <int THREADS>
struct Block {
  using Value = float;
  static __device__ Value warp(Value v) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
  }
  static __device__ Value sum(Value v, Value* part) {
    v = warp(v);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    Value all = 0;
    for (int w = 0; w < THREADS / 32; ++w) all += part[w];
    __syncthreads();
    return all;
  }
};
template <int THREADS>
__device__ float both(float v, float* part) { return Block<THREADS>::sum(v, part) * 0.5f; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float part[4];
  float v = in[threadIdx.x];
  float mean = Block<128>::sum(v, part) / 128.0f;
  out[blockIdx.x * 128 + threadIdx.x] = v - mean + both<128>(v * v, part);
})",
     {128, 1, 1}},
    {"MembersThatDoNotWaitBesideOnesThatDo",
     R"(struct Quiet {
  float by;
  __device__ float of(float v) const { return v * by; }
};
struct Loud {
  float by;
  __device__ float of(float v) const { return __shfl_down_sync(0xffffffffu, v, 1) * by; }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  Quiet quiet{2.0f};
  const Loud loud{3.0f};
  float v = in[threadIdx.x];
  out[blockIdx.x * 32 + threadIdx.x] = quiet.of(v) + loud.of(v + 1.0f);
})",
     {32, 1, 1}},
    {"CubOnWarps",
     R"(#include <cub/cub.cuh>
extern "C" __global__ void k(float* out, const float* in, int n) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ Reduce::TempStorage reduce[4];
  __shared__ typename cub::WarpScan<int, 16>::TempStorage scan[8];
  int t = threadIdx.x, w = t / 32;
  float v = in[t];
  float sum = Reduce(reduce[w]).Sum(v);
  float most = Reduce(reduce[w]).Reduce(v, cub::Max());
  int before, with, all;
  cub::WarpScan<int, 16> scans(scan[t / 16]);
  scans.ExclusiveSum(t % 7, before);
  scans.InclusiveSum(t % 5, with, all);
  if (t % 32 != 0) sum = most = 0.0f;
  out[blockIdx.x * 128 + t] = sum + most + before + with * all;
})",
     {128, 1, 1}},
    // The constructor of a class reads threadIdx, the member that is called does not.
    {"ConstructorsThatReadTheIndexByAnotherName",
     R"(template <class T, int N>
class Loader {
  int me;
 public:
  __device__ Loader() : me(threadIdx.x) {}
  __device__ void load(const T* from, T* to, int valid) {
    for (int i = 0; i < N; ++i)
      if (me * N + i < valid) to[i] = from[me * N + i];
  }
  __device__ void store(T* to, const T* from, int valid) {
    for (int i = 0; i < N; ++i)
      if (me * N + i < valid) to[me * N + i] = from[i];
  }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  typedef Loader<float, 4> Load;
  using Store = Loader<float, 4>;
  __shared__ float s[64];
  float items[4] = {};
  s[threadIdx.x] = in[threadIdx.x];
  Load().load(in, items, 250);
  __syncthreads();
  for (int j = 0; j < 4; ++j) items[j] += s[63 - threadIdx.x];
  Store().store(out + 256 * blockIdx.x, items, 250);
})",
     {64, 1, 1}},
    // A class with the name of a member function that waits.
    {"ClassWithTheNameOfAnOperationOfCub",
     R"(#include <cub/cub.cuh>
struct Sum {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const { return a + b; }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float all;
  const float sum = Reduce(storage).Reduce(in[threadIdx.x], Sum());
  if (threadIdx.x == 0) all = sum;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = all + Sum()(in[threadIdx.x], 2.0f);
})",
     {64, 1, 1}},
    {"CubOnBlocks",
     R"(#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
struct Running {
  float total;
  __device__ float operator()(float sum) {
    const float before = total;
    total += sum;
    return before;
  }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  typedef cub::BlockScan<float, 64> Scan;
  typedef cub::BlockReduce<float, 64> Reduce;
  __shared__ typename Scan::TempStorage scan_storage;
  __shared__ typename Reduce::TempStorage reduce_storage;
  Running running{1.0f};
  Reduce reduce(reduce_storage);
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int part = 0; part < 4; ++part) {
    float v = in[part * 64 + t], place;
    Scan(scan_storage).ExclusiveSum(v, place, running);
    __syncthreads();
    out[blockIdx.x * 256 + part * 64 + t] = place;
    sum += v;
  }
  float all = reduce.Sum(sum);
  if (t == 0) out[blockIdx.x * 256] += all;
})",
     {64, 1, 1}},
    {"OperatorsThatReadTheIndex",
     R"(struct Place {
  int by;
  __device__ int operator()(int x) const { return x + threadIdx.x * by; }
  __device__ operator int() const { return threadIdx.x + by; }
  __device__ int operator[](int i) const { return i * threadIdx.x; }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  Place r{2};
  const Place q = {3};
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float v = s[r(1) % 64];
  __syncthreads();
  int w = q;
  s[threadIdx.x] = v + w + q[5];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + r(7) + Place{4}(2);
})",
     {64, 1, 1}},
    {"TemplateArgumentsThatReadTheIndex",
     R"(struct Reader {
  int at;
  __device__ Reader() : at(threadIdx.x) {}
  __device__ static int get() { return threadIdx.x * 3; }
  __device__ int operator()() const { return at + threadIdx.x; }
};
template <class T> __device__ int make() { T t; return t.at; }
template <class T> __device__ int ask() { return T::get(); }
template <class T> __device__ int call(const T& t) { return t(); }
template <class T> struct Holder {
  int base;
  __device__ int made() const { T t; return t.at + base; }
  __device__ static int called() { return T()(); }
};
template <class T> __device__ int through() { return make<T>() + Holder<T>::called(); }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  Holder<Reader> holder{5};
  s[threadIdx.x] = in[make<Reader>()];
  __syncthreads();
  Reader r;
  float v = s[(ask<Reader>() + 1) % 64];
  __syncthreads();
  s[threadIdx.x] = v + holder.made();
  __syncthreads();
  float w = s[63 - threadIdx.x] + call(r);
  __syncthreads();
  s[threadIdx.x] = through<Reader>();
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = w + s[threadIdx.x / 2];
})",
     {64, 1, 1}},
    {"TemplateArgumentOfTheKernelThatReadsTheIndex",
     R"(struct Reader {
  int at;
  __device__ Reader() : at(threadIdx.x) {}
};
struct Fixed {
  int at = 4;
};
template <class T> __device__ int made() { T t; return t.at; }
template <class T> __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  T t;
  float v = s[63 - t.at];
  __syncthreads();
  s[threadIdx.x] = v + made<T>();
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[(t.at + 5) % 64];
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "",
     "k<Reader>"},
    {"ConstructorThatWaitsRunsAsFibers",
     R"(struct Guard {
  __device__ Guard() { __syncthreads(); }
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
  Guard guard;
  out[threadIdx.x] = s[31 - threadIdx.x];
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "'Guard', which waits in a way that Kiln does not split (kernel.cu:7)"},
};

INSTANTIATE_TEST_SUITE_P(Members, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
