// cuda::barrier, cuda::pipeline, cuda::atomic and cuda::std on the cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AsyncCopies : public ::testing::Test {
 protected:
  /// `out` of a kernel k(int* out, const int* in, int n), in[i] = i + 1, of one block.
  std::vector<int> run(const std::string& text, unsigned block, std::size_t count,
                       const std::string& reason = "") {
    std::vector<int> in(1024);
    std::iota(in.begin(), in.end(), 1);
    std::vector<int> out(count, -1), as_fibers(count, -1);
    Specialization specialization = kernels_.specialize(text, "k");
    DeviceFunction& k = kernels_.build(specialization);
    EXPECT_THAT(k.attributes().fibers_because.value_or(""), HasSubstr(reason));
    EXPECT_EQ(k.attributes().fibers_because.value_or("").empty(), reason.empty())
        << k.attributes().fibers_because.value_or("");
    kernels_.run(k, {{1, 1, 1}, {block, 1, 1}, 0}, out.data(), in.data(), static_cast<int>(count));
    specialization.options = {"-DKILN_FIBERS"};
    kernels_.run(kernels_.build(specialization), {{1, 1, 1}, {block, 1, 1}, 0}, as_fibers.data(), in.data(),
                 static_cast<int>(count));
    EXPECT_EQ(out, as_fibers);
    return out;
  }

  CpuKernels kernels_;
};

// Each step reads what another work-item wrote in the step before.
TEST_F(AsyncCopies, BarrierInALoop) {
  const std::vector<int> out = run(R"(#include <cuda/barrier>
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  for (int step = 0; step < 3; ++step) {
    bar.arrive_and_wait();
    const int next = s[(threadIdx.x + 1) % 64];
    auto token = bar.arrive();
    const int own = next * 2;
    bar.wait(std::move(token));
    s[threadIdx.x] = own;
  }
  out[threadIdx.x] = s[threadIdx.x];
})",
                                   64, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 8 * ((i + 3) % 64 + 1));
}

TEST_F(AsyncCopies, CopyBoundToABarrier) {
  const std::vector<int> out = run(R"(#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* out, const int* in, int n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ int s[100];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int part = 0; part < 2; ++part) {
    cuda::memcpy_async(block, s, in + part * 100, cuda::aligned_size_t<4>(sizeof(int) * 100), bar);
    bar.arrive_and_wait();
    for (int i = block.thread_rank(); i < 100; i += block.size()) out[part * 100 + i] = s[99 - i];
    bar.arrive_and_wait();
  }
})",
                                   32, 200);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i / 100 * 100 + 100 - i % 100);
}

// One warp fills a buffer that the others read: no control flow that a block shares.
TEST_F(AsyncCopies, ProducersAndConsumersByBarriers) {
  const std::vector<int> out = run(R"(#include <cuda/barrier>
#include <cuda/std/utility>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void produce(barrier* ready, barrier* filled, int* buffer, const int* in, int steps) {
  for (int i = 0; i < steps; ++i) {
    ready[i % 2].arrive_and_wait();
    buffer[i % 2 * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
    auto token = filled[i % 2].arrive();
  }
}
__device__ void consume(barrier* ready, barrier* filled, const int* buffer, int* out, int steps) {
  auto a = ready[0].arrive(), b = ready[1].arrive();
  int sum = 0;
  for (int i = 0; i < steps; ++i) {
    filled[i % 2].arrive_and_wait();
    for (int j = 0; j < 32; ++j) sum += buffer[i % 2 * 32 + j] * (threadIdx.x - 31);
    auto token = ready[i % 2].arrive();
  }
  out[threadIdx.x - 32] = sum;
}
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ barrier bars[4];
  __shared__ int buffer[64];
  if (threadIdx.x < 4) init(bars + threadIdx.x, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 32)
    produce(bars, bars + 2, buffer, in, 5);
  else
    consume(bars, bars + 2, buffer, out, 5);
})",
                                   96, 64, "cuda::barrier");
  const int all = 160 * 161 / 2;
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], all * (i + 1));
}

TEST_F(AsyncCopies, ParityAndDroppedWorkItems) {
  const std::vector<int> out = run(R"(#include <cuda/barrier>
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int sum;
  if (threadIdx.x == 0) { init(&bar, 32); sum = 0; }
  __syncthreads();
  if (threadIdx.x >= 16) { atomicAdd(&sum, 1); bar.arrive_and_drop(); return; }
  bar.arrive();
  while (!bar.try_wait_parity(0)) {}
  if (threadIdx.x == 0) atomicAdd(&sum, 100);
  bar.arrive_and_wait();
  out[threadIdx.x] = sum;
})",
                                   32, 16, "arrive_and_drop");
  EXPECT_THAT(out, ::testing::Each(116));
}

/// One warp fills, one empties, by barriers in words.
TEST_F(AsyncCopies, PrimitivesOfBarriers) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void k(int* out) {
  __shared__ __mbarrier_t full, empty, all;
  __shared__ int s[32];
  if (threadIdx.x == 0) {
    __mbarrier_init(&full, 32);
    __mbarrier_init(&empty, 32);
    __mbarrier_init(&all, 64);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 4; ++i) {
      if (i > 0) while (!__mbarrier_try_wait_parity(&empty, (i - 1) & 1, 1000)) {}
      s[lane] = 100 * i + lane;
      __mbarrier_arrive(&full);
    }
    __mbarrier_arrive_and_drop(&all);
  } else {
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
      while (!__mbarrier_test_wait_parity(&full, i & 1)) {}
      sum += s[31 - lane];
      __mbarrier_arrive(&empty);
    }
    const __mbarrier_token_t token = __mbarrier_arrive(&all);
    while (!__mbarrier_test_wait(&all, token)) {}
    __mbarrier_arrive(&all);
    out[lane] = sum + 1000 * (__mbarrier_token_pending_count(token) <= 64);
  }
})",
                                     "k");
  std::vector<int> out(32), expected(32);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, out.data());
  for (int i = 0; i < 32; ++i) expected[static_cast<std::size_t>(i)] = 1600 + 4 * (31 - i);
  EXPECT_EQ(out, expected);
}

TEST_F(AsyncCopies, BarrierThatNobodyOpensIsAFault) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda/barrier>
extern "C" __global__ void k(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, 33);
  __syncthreads();
  if (threadIdx.x < 20) bar.arrive_and_wait();
})",
                                     "k");
  try {
    kernels_.run(k, {{1, 1, 1}, {32, 1, 1}, 0}, static_cast<int*>(nullptr));
    FAIL() << "no fault";
  } catch (const std::exception& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "20 of 32 work-items wait at a cuda::barrier, a cuda::pipeline or a named barrier in line 6"));
  }
}

TEST_F(AsyncCopies, PipelineOfAWorkItem) {
  const std::vector<int> out = run(R"(#include <cuda/pipeline>
extern "C" __global__ void k(int* out, const int* in, int n) {
  constexpr int kStages = 3;
  __shared__ int s[kStages][32];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const auto shape = cuda::aligned_size_t<alignof(int)>(sizeof(int));
  int sum = 0, next = 0;
  for (int tile = 0; tile < 8; ++tile) {
    for (; next < 8 && next < tile + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[next % kStages][threadIdx.x], &in[next * 32 + threadIdx.x], shape, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += s[tile % kStages][i] * (i == (threadIdx.x + tile) % 32);
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
})",
                                   32, 32);
  for (int i = 0; i < 32; ++i) {
    int sum = 0;
    for (int tile = 0; tile < 8; ++tile) sum += tile * 32 + (i + tile) % 32 + 1;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], sum);
  }
}

// The text of a block's pipeline, all of whose work-items fill and read stages; or a part of each.
std::string block_pipeline(const std::string& make) {
  return R"(#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const int rank = block.thread_rank();
  const bool halves = block.size() == 64;
  auto pipe = )" +
         make + R"(;
  int sum = 0;
  if (halves && rank < 32) {
    for (int tile = 0; tile < 8; ++tile) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[tile % 2][rank], &in[tile * 32 + rank], sizeof(int), pipe);
      pipe.producer_commit();
    }
    return;
  }
  for (int tile = 0, next = 0; tile < 8; ++tile) {
    for (; !halves && next < 8 && next < tile + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[next % 2], in + next * 32, sizeof(int) * 32, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    for (int i = 0; i < 32; ++i) sum += s[tile % 2][i] * (i + 1);
    pipe.consumer_release();
  }
  out[rank % 32] = sum;
})";
}

TEST_F(AsyncCopies, PipelinesOfABlock) {
  int sum = 0;
  for (int tile = 0; tile < 8; ++tile) {
    for (int i = 0; i < 32; ++i) sum += (tile * 32 + i + 1) * (i + 1);
  }
  EXPECT_THAT(run(block_pipeline("cuda::make_pipeline(block, &state)"), 32, 32), ::testing::Each(sum));
  EXPECT_THAT(run(block_pipeline("cuda::make_pipeline(block, &state, size_t(32))"), 64, 32, "pipeline"),
              ::testing::Each(sum));
  EXPECT_THAT(
      run(block_pipeline("cuda::make_pipeline(block, &state, rank < 32 ? cuda::pipeline_role::producer"
                         " : cuda::pipeline_role::consumer)"),
          64, 32, "pipeline"),
      ::testing::Each(sum));
}

TEST_F(AsyncCopies, PrimitivesOfC) {
  EXPECT_THAT(run(R"(#include <cuda_pipeline.h>
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ int4 s[4];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x * 4], 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int4 v = s[3 - threadIdx.x];
  out[threadIdx.x] = v.x * 1000 + v.z * 10 + v.w;
})",
                  4, 4),
              ElementsAre(13150, 9110, 5070, 1030));
}

TEST_F(AsyncCopies, Atomics) {
  EXPECT_THAT(run(R"(#include <cuda/atomic>
#include <cuda/std/atomic>
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> count;
  if (threadIdx.x == 0) { count = 5u; for (int i = 0; i < n; ++i) out[i] = 0; }
  __syncthreads();
  count.fetch_add(2, cuda::memory_order_relaxed);
  ++count;
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(out[0]);
  ref.fetch_max(in[threadIdx.x], cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int> low(out[1]);
  low.fetch_min(-in[threadIdx.x]);
  cuda::atomic_ref<float, cuda::thread_scope_device> real(*reinterpret_cast<float*>(out + 2));
  real.fetch_add(0.5f);
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
  int seen = threadIdx.x == 0 ? 1 : 0;
  if (threadIdx.x == 0) cuda::atomic_ref<int>(out[3]).compare_exchange_strong(seen, 9);
  if (threadIdx.x == 0) out[4] = seen;
  __syncthreads();
  if (threadIdx.x == 0) { out[2] = int(real.load()); out[5] = count.load(cuda::memory_order_acquire); }
})",
                  64, 6),
              ElementsAre(64, -64, 32, 0, 0, 197));
}

/// nvcc gets them by a header of CUB or of PyTorch.
TEST_F(AsyncCopies, NamesOfCudaWithoutTheirHeaders) {
  EXPECT_THAT(run(R"(
__device__ cuda::std::optional<int> even(int x) {
  if (x % 2) return cuda::std::nullopt;
  return x;
}
extern "C" __global__ void k(int* out, const int* in, int n) {
  if (threadIdx.x == 0) for (int i = 0; i < n; ++i) out[i] = 0;
  __syncthreads();
  const auto e = even(in[threadIdx.x]);
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[e ? 0 : 1]);
  sum.fetch_add(e.value_or(1), cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) out[2] = cuda::std::max(out[0], out[1]) + cuda::ceil_div(7, 2);
})",
                  64, 3),
              ElementsAre(1056, 32, 1060));
}

TEST_F(AsyncCopies, NamesOfCudaStd) {
  EXPECT_THAT(run(R"(#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
template <class T> __device__ int size_of_span(cuda::std::span<T> s) { return int(s.size()) * 100 + s.back(); }
extern "C" __global__ void k(int* out, const int* in, int n) {
  cuda::std::array<int, 3> a = {1, 2, 3};
  auto t = cuda::std::make_tuple(4, 5.0f);
  cuda::std::uint32_t word = 0xff00u;
  int b[2] = {7, 8};
  out[0] = a[2] + cuda::std::get<0>(t);
  out[1] = cuda::std::popcount(word) * 100 + cuda::std::countl_zero(word);
  out[2] = size_of_span(cuda::std::span<int>(b));
  out[3] = cuda::std::is_same_v<cuda::std::decay_t<const int&>, int> + cuda::std::numeric_limits<short>::max();
  out[4] = cuda::std::plus<>()(cuda::std::bit_width(9u), cuda::std::rotl(1, 4));
  out[5] = cuda::std::bit_cast<int>(1.0f) >> 23;
})",
                  1, 6),
              ElementsAre(7, 816, 208, 32768, 20, 127));
  EXPECT_THAT(run(R"(#include <tuple>
#include <cub/cub.cuh>
extern "C" __global__ void k(int* out, const int* in, int n) {
  int a = 1, b = 2;
  auto both = cuda::std::make_tuple(cuda::std::ref(a), cuda::std::ref(b));
  cuda::std::get<1>(both) = 5;
  out[0] = b;
})",
                  1, 1),
              ElementsAre(5));
}

TEST_F(AsyncCopies, NamesOfCudaStdThatCpp17Lacks) {
  EXPECT_THAT(run(R"(#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/numbers>
#include <cuda/std/type_traits>
extern "C" __global__ void k(int* out, const int* in, int n) {
  const auto twice = cuda::proclaim_return_type<long>([](int x) { return 2l * x; });
  out[0] = twice(in[2]) + 100 * cuda::std::is_same_v<decltype(twice(1)), long>;
  out[1] = cuda::std::invoke(twice, 4) + cuda::std::identity{}(5);
  out[2] = cuda::std::is_same_v<cuda::std::remove_cvref_t<const int&>, int>;
  out[3] = int(1000 * cuda::std::numbers::pi) + int(cuda::std::numbers::e_v<float> * 10);
})",
                  1, 4),
              ElementsAre(106, 13, 1, 3141 + 27));
}

/// Rows by layout_right, columns by layout_left, strides of the text's own.
TEST_F(AsyncCopies, SpansOfSeveralDimensions) {
  EXPECT_THAT(run(R"(#include <cuda/std/array>
#include <cuda/std/mdspan>
template <class Span> __device__ int at(Span s) { return s(2, 1) + 1000 * int(s.size()) + 100000 * int(s.stride(0)); }
extern "C" __global__ void k(int* out, const int* in, int n) {
  namespace cs = cuda::std;
  out[0] = at(cs::mdspan(in, 3, n));
  out[1] = at(cs::mdspan<const int, cs::dextents<int, 2>, cs::layout_left>(in, 3, n));
  out[2] = at(cs::mdspan<const int, cs::extents<int, 4, cs::dynamic_extent>>(in, n));
  out[3] = at(cs::mdspan<const int, cs::extents<int, 4, 5>>(in));
  using Two = cs::dextents<int, 2>;
  const cs::layout_stride::mapping<Two> strided(Two(3, 4), cs::array<int, 2>{2, 50});
  out[4] = at(cs::mdspan<const int, Two, cs::layout_stride>(in, strided)) + 10000000 * int(strided.required_span_size());
  cs::mdspan<int, Two> whole(out, 1, n);
  cs::mdspan<const int, Two> seen = whole;
  whole(0, 5) = seen.extent(1) + 10 * seen.rank() + 100 * cs::extents<int, 4, cs::dynamic_extent>::static_extent(0);
})",
                  1, 6),
              ElementsAre(2 * 6 + 1 + 1 + 18000 + 600000, 2 + 3 + 1 + 18000 + 100000,
                          2 * 6 + 1 + 1 + 24000 + 600000, 2 * 5 + 1 + 1 + 20000 + 500000,
                          4 + 50 + 1 + 12000 + 200000 + 10000000 * 155, 6 + 20 + 400));
}

TEST_F(AsyncCopies, NamesOfCubThrustAndFp8) {
  EXPECT_THAT(run(R"(#include <cub/cub.cuh>
#include <cuda_fp8.h>
#include <cufft.h>
#include <thrust/device_reference.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/universal_allocator.h>
#include <thrust/functional.h>
struct Point { int x, y; __device__ Point(int a, int b) : x(a), y(b) {} };
extern "C" __global__ void k(int* out, const int* in, int n) {
  __shared__ alignas(16) float s[4];
  alignas(Point) char room[sizeof(Point)];
  Point* p = new (room) Point(3, 4);
  s[threadIdx.x] = p->x;
  __syncthreads();
  const unsigned low = cub::Traits<float>::TwiddleIn(__float_as_uint(-2.0f));
  const unsigned high = cub::Traits<float>::TwiddleIn(__float_as_uint(1.0f));
  const unsigned back = cub::Traits<int>::TwiddleOut(cub::Traits<int>::TwiddleIn(77u));
  const float4 four = static_cast<float4>(__nv_fp8x4_e4m3(__floats2half2_rn(1, 2), __floats2half2_rn(3, -4)));
  cufftComplex c = {5, 6};
  const int any = __any(threadIdx.x == 2), all = __all(threadIdx.x == 2);
  if (threadIdx.x != 0) return;
  out[0] = low < high;
  out[1] = back;
  out[2] = four.x + four.y * 10 + four.z * 100 + four.w;
  out[3] = thrust::plus<int>()(thrust::maximum<int>()(2, 9), p->y) + thrust::identity<int>()(0);
  out[4] = any * 10 + all + (reinterpret_cast<size_t>(s) % 16);
  out[5] = c.x + s[3];
})",
                  4, 6),
              ElementsAre(1, 77, 317, 13, 10, 8));
}

}  // namespace
}  // namespace kiln::test
