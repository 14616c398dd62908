// CUB's classes of blocks and warps in kernel texts, beside what the host computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

#include "device/cpu/kernel_fixture.h"
#include "kiln/error.h"

namespace kiln::test {
namespace {

class CpuCub : public CpuKernel {
 protected:
  /// Launches `k(out, in)` with one block, split and as fibers; out as long as `out_count`.
  template <class Out, class In>
  std::vector<Out> run(const std::string& body, Dim3 block, std::size_t out_count,
                       const std::vector<In>& in) {
    Specialization specialization = kernels_.specialize("#include <cub/cub.cuh>\n" + body, "k");
    DeviceFunction& k = kernels_.build(specialization);
    const std::string why = k.attributes().fibers_because.value_or("");
    EXPECT_EQ(why.empty(), split_) << why;
    std::vector<Out> out(out_count), of_fibers(out_count);
    kernels_.run(k, {{1, 1, 1}, block, 0}, out.data(), in.data());
    if constexpr (std::is_arithmetic_v<Out>) {
      specialization.options = {"-DKILN_FIBERS", "-O1"};
      kernels_.run(kernels_.build(specialization), {{1, 1, 1}, block, 0}, of_fibers.data(), in.data());
      EXPECT_EQ(out, of_fibers) << why;
    }
    return out;
  }

  bool split_ = true;  ///< the kernels are split at these operations
};

INSTANTIATE_TEST_SUITE_P(Compilers, CpuCub, ::testing::Values("g++", "clang++"), compiler_label);

std::vector<int> some_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = (i * 7919) % 1013 - 500;
  return numbers;
}

template <class T>
std::vector<T> slice(const std::vector<T>& all, std::size_t begin, std::size_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

TEST_P(CpuCub, ReducesABlock) {
  const std::vector<int> in = some_numbers(96 * 4);
  const auto out = run<int>(R"(
struct Longest { __device__ int operator()(int a, int b) const { return abs(a) < abs(b) ? b : a; } };
extern "C" __global__ void k(int* out, const int* in) {
  using Reduce = cub::BlockReduce<int, 96, cub::BLOCK_REDUCE_RAKING>;
  __shared__ typename Reduce::TempStorage first, second;
  __shared__ union { typename Reduce::TempStorage a; typename cub::BlockScan<int, 96>::TempStorage b; } both;
  const int t = threadIdx.x;
  int items[4];
  for (int i = 0; i < 4; ++i) items[i] = in[4 * t + i];
  const int sum = Reduce(first).Sum(items[0]);
  const int all = Reduce(second).Sum(items);      // without a barrier between: another storage
  __syncthreads();
  const int largest = Reduce(first).Reduce(items, cub::Max());
  const int some = Reduce(second).Sum(items[0], 37);
  __syncthreads();
  const int longest = Reduce(both.a).Reduce(items[1], Longest());
  const int own = Reduce().Reduce(items[2], cub::Min(), 96);
  if (t == 0) { out[0] = sum; out[1] = all; out[2] = largest; out[3] = some; out[4] = longest; out[5] = own; }
})",
                            {96, 1, 1}, 6, in);
  const auto column = [&](std::size_t which) {
    std::vector<int> one;
    for (std::size_t i = which; i < in.size(); i += 4) one.push_back(in[i]);
    return one;
  };
  const std::vector<int> first = column(0), second = column(1), third = column(2);
  EXPECT_EQ(out[0], std::accumulate(first.begin(), first.end(), 0));
  EXPECT_EQ(out[1], std::accumulate(in.begin(), in.end(), 0));
  EXPECT_EQ(out[2], *std::max_element(in.begin(), in.end()));
  EXPECT_EQ(out[3], std::accumulate(first.begin(), first.begin() + 37, 0));
  EXPECT_EQ(std::abs(out[4]), std::abs(*std::max_element(second.begin(), second.end(), [](int a, int b) {
              return std::abs(a) < std::abs(b);
            })));
  EXPECT_EQ(out[5], *std::min_element(third.begin(), third.end()));
}

/// Blocks of several dimensions, several blocks and calls in a loop, a value that is no number, an operation
/// whose order matters.
TEST_P(CpuCub, ReducesInOrder) {
  DeviceFunction& k = kernels_.build(R"(#include <cub/block/block_reduce.cuh>
struct Range { int begin, end; bool ordered; };
struct Join {
  __device__ Range operator()(const Range& a, const Range& b) const {
    return {a.begin, b.end, a.ordered && b.ordered && a.end == b.begin};
  }
};
using Reduce = cub::BlockReduce<Range, 8, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 5, 3>;
extern "C" __global__ void k(int* out) {
  __shared__ Reduce::TempStorage storage;
  const int rank = (threadIdx.z * 5 + threadIdx.y) * 8 + threadIdx.x;
  for (int turn = 0; turn < 3; ++turn) {
    const int me = turn * 1000 + blockIdx.x * 120 + rank;
    const Range all = Reduce(storage).Reduce(Range{me, me + 1, true}, Join());
    if (rank == 0) {
      int* to = out + 3 * (blockIdx.x * 3 + turn);
      to[0] = all.begin; to[1] = all.end; to[2] = all.ordered;
    }
    __syncthreads();
  }
})",
                                     "k");
  std::vector<int> out(7 * 3 * 3);
  kernels_.run(k, {{7, 1, 1}, {8, 5, 3}, 0}, out.data());
  for (std::size_t i = 0; i < 21; ++i) {
    const int begin = static_cast<int>(i % 3) * 1000 + static_cast<int>(i / 3) * 120;
    EXPECT_THAT(slice(out, 3 * i, 3), ::testing::ElementsAre(begin, begin + 120, 1)) << i;
  }
}

TEST_P(CpuCub, ScansABlock) {
  const std::vector<int> in = some_numbers(128 * 3);
  const auto out = run<int>(R"(
struct Running {
  int total;
  __device__ int operator()(int aggregate) { const int old = total; total += aggregate; return old; }
};
extern "C" __global__ void k(int* out, const int* in) {
  typedef cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS> Scan;
  __shared__ Scan::TempStorage s;
  const int t = threadIdx.x;
  int x = in[t], y, sum;
  Scan(s).ExclusiveSum(x, y); out[t] = y; __syncthreads();
  Scan(s).InclusiveSum(x, y, sum); out[128 + t] = y; out[256 + t] = sum; __syncthreads();
  Scan(s).ExclusiveScan(x, y, 100, cub::Max()); out[384 + t] = y; __syncthreads();
  Scan(s).InclusiveScan(x, x, cub::Min()); out[512 + t] = x; __syncthreads();
  int items[3];
  for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
  Scan(s).ExclusiveSum(items, items, sum);
  for (int i = 0; i < 3; ++i) out[640 + 3 * t + i] = items[i];
  __syncthreads();
  Running running = {1000};
  for (int part = 0; part < 3; ++part) {
    x = in[128 * part + t];
    Scan(s).InclusiveSum(x, y, running);
    out[1024 + 128 * part + t] = y;
    __syncthreads();
  }
  if (t == 0) out[1408] = running.total;
  for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
  Running later = {7};
  Scan(s).ExclusiveSum(items, items, later);
  for (int i = 0; i < 3; ++i) out[1409 + 3 * t + i] = items[i];
  for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
  Scan(s).InclusiveScan(items, items, 50, cub::Max(), sum);
  for (int i = 0; i < 3; ++i) out[1793 + 3 * t + i] = items[i];
  if (t == 5) out[2177] = sum;
})",
                            {128, 1, 1}, 2178, in);
  const std::vector<int> first = slice(in, 0, 128);
  std::vector<int> expected(128);
  std::exclusive_scan(first.begin(), first.end(), expected.begin(), 0);
  EXPECT_EQ(slice(out, 0, 128), expected);
  std::inclusive_scan(first.begin(), first.end(), expected.begin());
  EXPECT_EQ(slice(out, 128, 128), expected);
  EXPECT_EQ(slice(out, 256, 128), std::vector<int>(128, expected.back()));
  const auto largest = [](int a, int b) { return std::max(a, b); };
  std::exclusive_scan(first.begin(), first.end(), expected.begin(), 100, largest);
  EXPECT_EQ(slice(out, 384, 128), expected);
  std::inclusive_scan(first.begin(), first.end(), expected.begin(),
                      [](int a, int b) { return std::min(a, b); });
  EXPECT_EQ(slice(out, 512, 128), expected);
  expected.resize(384);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
  EXPECT_EQ(slice(out, 640, 384), expected);
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::plus<>(), 1000);
  EXPECT_EQ(slice(out, 1024, 384), expected);
  EXPECT_EQ(out[1408], expected.back());
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 7);
  EXPECT_EQ(slice(out, 1409, 384), expected);
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), largest, 50);
  EXPECT_EQ(slice(out, 1793, 384), expected);
  EXPECT_EQ(out[2177], *std::max_element(in.begin(), in.end()));  // without the initial value
}

/// Logical warps of several widths, the last warp of the block only half there.
TEST_P(CpuCub, ReducesAndScansWarps) {
  split_ = false;
  for (const int width : {1, 8, 32, 12}) {
    SCOPED_TRACE(width);
    constexpr int kBlock = 96;
    const std::vector<int> in = some_numbers(kBlock);
    const std::string text = "constexpr int W = " + std::to_string(width) + ";" + R"(
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ typename cub::WarpReduce<int, W>::TempStorage reduce[96 / W + 1];
  __shared__ typename cub::WarpScan<int, W>::TempStorage scan[96 / W + 1];
  const int t = threadIdx.x;
  if (t % 32 >= 32 / W * W) return;    // lanes that are in no logical warp
  cub::WarpReduce<int, W> r(reduce[t / W]);
  cub::WarpScan<int, W> s(scan[t / W]);
  out[t] = r.Sum(in[t]);
  out[96 + t] = r.Reduce(in[t], cub::Max(), (W + 1) / 2);
  int inclusive, exclusive, sum;
  s.InclusiveSum(in[t], inclusive, sum);
  out[192 + t] = inclusive;
  out[288 + t] = sum;
  s.ExclusiveScan(in[t], exclusive, -50, cub::Max());
  out[384 + t] = exclusive;
  out[480 + t] = r.HeadSegmentedSum(in[t], in[t] % 3 == 0);
  out[576 + t] = r.TailSegmentedSum(in[t], in[t] % 3 == 0);
  out[672 + t] = s.Broadcast(in[t], W - 1);
})";
    const std::vector<int> out = run<int>(text, {kBlock, 1, 1}, 768, in);
    const int per_warp = 32 / width;
    for (int warp = 0; warp < kBlock / 32 * per_warp; ++warp) {
      const int begin = warp / per_warp * 32 + warp % per_warp * width;
      const auto at = [&](int part, int i) { return out[static_cast<std::size_t>(96 * part + begin + i)]; };
      const std::vector<int> own =
          slice(in, static_cast<std::size_t>(begin), static_cast<std::size_t>(width));
      EXPECT_EQ(at(0, 0), std::accumulate(own.begin(), own.end(), 0));
      EXPECT_EQ(at(1, 0), *std::max_element(own.begin(), own.begin() + (width + 1) / 2));
      int sum = 0, most = -50;
      for (int i = 0; i < width; ++i) {
        const int x = own[static_cast<std::size_t>(i)];
        EXPECT_EQ(at(4, i), most);
        sum += x;
        most = std::max(most, x);
        EXPECT_EQ(at(2, i), sum);
        EXPECT_EQ(at(3, i), std::accumulate(own.begin(), own.end(), 0));
        EXPECT_EQ(at(7, i), own.back());
        int to_head = x, to_tail = 0;  // up to the next head, up to the next tail
        for (int j = i + 1; j < width && own[static_cast<std::size_t>(j)] % 3 != 0; ++j)
          to_head += own[static_cast<std::size_t>(j)];
        for (int j = i; j < width; ++j) {
          to_tail += own[static_cast<std::size_t>(j)];
          if (own[static_cast<std::size_t>(j)] % 3 == 0) break;
        }
        const bool head = i == 0 || x % 3 == 0;
        const bool after_tail = i == 0 || own[static_cast<std::size_t>(i - 1)] % 3 == 0;
        EXPECT_EQ(head ? at(5, i) : to_head, to_head) << i;
        EXPECT_EQ(after_tail ? at(6, i) : to_tail, to_tail) << i;
      }
    }
  }
}

/// Loading, exchanging and storing in each arrangement moves every item to where it was or should be.
TEST_P(CpuCub, MovesItems) {
  const std::vector<int> in = some_numbers(64 * 5);
  const auto out = run<int>(R"(
template <cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S>
__device__ void copy(int* out, const int* in, int valid) {
  using Load = cub::BlockLoad<int, 64, 5, L>;
  using Store = cub::BlockStore<int, 64, 5, S>;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } s;
  int items[5];
  Load(s.load).Load(in, items, valid, -7);
  __syncthreads();
  Store(s.store).Store(out, items, valid + 3);
  __syncthreads();
}
extern "C" __global__ void k(int* out, const int* in) {
  copy<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_TRANSPOSE>(out, in, 200);
  copy<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(out + 320, in, 200);
  copy<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_VECTORIZE>(out + 640, in, 317);
  using Exchange = cub::BlockExchange<int, 64, 5>;
  __shared__ Exchange::TempStorage s;
  const int t = threadIdx.x;
  int items[5], ranks[5];
  for (int i = 0; i < 5; ++i) items[i] = in[t + 64 * i];
  Exchange(s).StripedToBlocked(items);
  for (int i = 0; i < 5; ++i) out[960 + 5 * t + i] = items[i];
  __syncthreads();
  Exchange(s).BlockedToStriped(items, items);
  for (int i = 0; i < 5; ++i) out[1280 + t + 64 * i] = items[i];
  __syncthreads();
  for (int i = 0; i < 5; ++i) items[i] = in[t / 32 * 160 + t % 32 + 32 * i];
  Exchange(s).WarpStripedToBlocked(items);
  for (int i = 0; i < 5; ++i) out[1600 + 5 * t + i] = items[i];
  __syncthreads();
  Exchange(s).BlockedToWarpStriped(items);
  for (int i = 0; i < 5; ++i) out[1920 + t / 32 * 160 + t % 32 + 32 * i] = items[i];
  __syncthreads();
  for (int i = 0; i < 5; ++i) { items[i] = in[5 * t + i]; ranks[i] = 319 - (5 * t + i); }
  Exchange(s).ScatterToBlocked(items, ranks);
  for (int i = 0; i < 5; ++i) out[2240 + 5 * t + i] = items[i];
  __syncthreads();
  for (int i = 0; i < 5; ++i) items[i] = in[5 * t + i];
  Exchange(s).ScatterToStriped(items, ranks);
  for (int i = 0; i < 5; ++i) out[2560 + t + 64 * i] = items[i];
})",
                            {64, 1, 1}, 2880, in);
  const auto partly = [&](std::size_t valid) {
    std::vector<int> some = slice(in, 0, valid);
    some.resize(valid + 3, -7);
    some.resize(320, 0);
    return some;
  };
  EXPECT_EQ(slice(out, 0, 320), partly(200));
  EXPECT_EQ(slice(out, 320, 320), partly(200));
  EXPECT_EQ(slice(out, 640, 320), partly(317));
  for (const std::size_t part : {960U, 1280U, 1600U, 1920U}) EXPECT_EQ(slice(out, part, 320), in) << part;
  const std::vector<int> reversed(in.rbegin(), in.rend());
  EXPECT_EQ(slice(out, 2240, 320), reversed);
  EXPECT_EQ(slice(out, 2560, 320), reversed);
}

/// Keys of each kind, by all of their bits and by some, with values, both ways.
TEST_P(CpuCub, SortsABlockByRadix) {
  const auto check = [&]<class Key>(const char* type, std::vector<Key> in) {
    SCOPED_TRACE(type);
    const std::string text = std::string("typedef ") + type + " Key;" + R"(
extern "C" __global__ void k(Key* out, const Key* in) {
  using Sort = cub::BlockRadixSort<Key, 40, 6, short>;
  using Keys = cub::BlockRadixSort<Key, 40, 6>;
  __shared__ typename Sort::TempStorage s;
  __shared__ typename Keys::TempStorage u;
  const int t = threadIdx.x;
  Key keys[6];
  short values[6];
  for (int i = 0; i < 6; ++i) keys[i] = in[6 * t + i];
  Keys(u).Sort(keys);
  for (int i = 0; i < 6; ++i) out[6 * t + i] = keys[i];
  for (int i = 0; i < 6; ++i) { keys[i] = in[6 * t + i]; values[i] = 6 * t + i; }
  Sort(s).SortDescendingBlockedToStriped(keys, values);
  for (int i = 0; i < 6; ++i) { out[240 + t + 40 * i] = keys[i]; out[480 + t + 40 * i] = in[values[i]]; }
  for (int i = 0; i < 6; ++i) { keys[i] = in[6 * t + i]; values[i] = 6 * t + i; }
  __syncthreads();
  Sort(s).SortBlockedToStriped(keys, values, 2, 7);
  for (int i = 0; i < 6; ++i) { out[720 + t + 40 * i] = keys[i]; out[960 + t + 40 * i] = values[i] % 128; }
})";
    const std::vector<Key> out = run<Key>(text, {40, 1, 1}, 1200, in);
    std::vector<std::size_t> order(in.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto sorted = [&](const auto& before) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), before);
      std::vector<Key> keys;
      for (const std::size_t i : order) keys.push_back(in[i]);
      return keys;
    };
    EXPECT_EQ(slice(out, 0, 240), sorted([&](std::size_t a, std::size_t b) { return in[a] < in[b]; }));
    const auto descending = sorted([&](std::size_t a, std::size_t b) { return in[a] > in[b]; });
    EXPECT_EQ(slice(out, 240, 240), descending);
    EXPECT_EQ(slice(out, 480, 240), descending);
    if constexpr (std::is_unsigned_v<Key>) {
      EXPECT_EQ(slice(out, 720, 240),
                sorted([&](std::size_t a, std::size_t b) { return (in[a] >> 2) % 32 < (in[b] >> 2) % 32; }));
      for (std::size_t i = 0; i < 240; ++i)
        EXPECT_EQ(out[960 + i], static_cast<Key>(order[i] % 128)) << "value " << i;
    }
  };
  std::vector<int> numbers = some_numbers(240);
  std::vector<unsigned char> bytes(numbers.begin(), numbers.end());
  std::vector<unsigned> words(numbers.begin(), numbers.end());
  std::vector<long long> longs;
  std::vector<float> floats;
  std::vector<double> doubles;
  for (const int number : numbers) {
    longs.push_back(number * 10000000000LL);
    floats.push_back(static_cast<float>(number) * 0.37F);
    doubles.push_back(number % 7 == 0 ? -0.0 : std::ldexp(number, number % 100));
  }
  check("int", numbers);
  check("unsigned char", bytes);
  check("unsigned", words);
  check("long long", longs);
  check("float", floats);
  check("double", doubles);
}

TEST_P(CpuCub, SortsHalfPrecisionByRadix) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda_fp16.h>
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void k(float* a) {
  using Sort = cub::BlockRadixSort<__half, 64, 1>;
  __shared__ Sort::TempStorage s;
  __half key[1] = {__float2half(a[threadIdx.x])};
  Sort(s).Sort(key);
  a[threadIdx.x] = __half2float(key[0]);
})",
                                     "k");
  std::vector<float> a;
  for (int i = 0; i < 64; ++i) a.push_back(static_cast<float>((i * 37) % 64 - 30) * 0.25F);
  std::vector<float> expected = a;
  std::sort(expected.begin(), expected.end());
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, a.data());
  EXPECT_EQ(a, expected);
}

TEST_P(CpuCub, SortsABlockByMerging) {
  const std::vector<int> in = some_numbers(32 * 7);
  const auto out = run<int>(R"(
struct Before { __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; } };
extern "C" __global__ void k(int* out, const int* in) {
  using Sort = cub::BlockMergeSort<int, 32, 7, int>;
  __shared__ typename Sort::TempStorage s;
  const int t = threadIdx.x;
  int keys[7], values[7];
  for (int i = 0; i < 7; ++i) { keys[i] = in[7 * t + i]; values[i] = 7 * t + i; }
  Sort(s).StableSort(keys, values, Before());
  for (int i = 0; i < 7; ++i) { out[7 * t + i] = keys[i]; out[224 + 7 * t + i] = in[values[i]]; }
  __syncthreads();
  for (int i = 0; i < 7; ++i) keys[i] = in[7 * t + i];
  Sort(s).Sort(keys, Before(), 100, 12345);
  for (int i = 0; i < 7; ++i) out[448 + 7 * t + i] = keys[i];
})",
                            {32, 1, 1}, 672, in);
  std::vector<int> expected = in;
  const auto before = [](int a, int b) { return a / 10 < b / 10; };
  std::stable_sort(expected.begin(), expected.end(), before);
  EXPECT_EQ(slice(out, 0, 224), expected);
  EXPECT_EQ(slice(out, 224, 224), expected);
  expected = slice(in, 0, 100);
  std::stable_sort(expected.begin(), expected.end(), before);
  expected.resize(224, 12345);
  EXPECT_EQ(slice(out, 448, 224), expected);
}

TEST_P(CpuCub, ComparesNeighbours) {
  std::vector<int> in(64 * 4);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i / 50 % 9);
  const auto out = run<int>(R"(
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ cub::BlockDiscontinuity<int, 64>::TempStorage s;
  __shared__ cub::BlockAdjacentDifference<int, 64>::TempStorage d;
  const int t = threadIdx.x;
  int items[4], heads[4], tails[4];
  for (int i = 0; i < 4; ++i) items[i] = in[4 * t + i];
  cub::BlockDiscontinuity<int, 64>(s).FlagHeads(heads, items, cub::Inequality(), in[0]);
  for (int i = 0; i < 4; ++i) out[4 * t + i] = heads[i];
  __syncthreads();
  cub::BlockDiscontinuity<int, 64>(s).FlagHeadsAndTails(heads, tails, items, cub::Inequality());
  for (int i = 0; i < 4; ++i) { out[256 + 4 * t + i] = heads[i]; out[512 + 4 * t + i] = tails[i]; }
  cub::BlockAdjacentDifference<int, 64>(d).SubtractLeft(items, heads, cub::Difference());
  for (int i = 0; i < 4; ++i) out[768 + 4 * t + i] = heads[i];
  __syncthreads();
  cub::BlockAdjacentDifference<int, 64>(d).SubtractRightPartialTile(items, items, cub::Difference(), 101);
  for (int i = 0; i < 4; ++i) out[1024 + 4 * t + i] = items[i];
})",
                            {64, 1, 1}, 1280, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool differs = i > 0 && in[i - 1] != in[i];
    EXPECT_EQ(out[i], differs ? 1 : 0) << i;
    EXPECT_EQ(out[256 + i], differs || i == 0 ? 1 : 0) << i;
    EXPECT_EQ(out[512 + i], i + 1 == in.size() || in[i + 1] != in[i] ? 1 : 0) << i;
    EXPECT_EQ(out[768 + i], i > 0 ? in[i] - in[i - 1] : in[i]) << i;
    EXPECT_EQ(out[1024 + i], i < 100 ? in[i] - in[i + 1] : in[i]) << i;
  }
}

TEST_P(CpuCub, ComparesNeighboursAndKeepsThem) {
  const std::vector<int> in = some_numbers(64 * 3);
  const auto out = run<int>(R"(
struct Odd { __device__ bool operator()(int a, int b, int at) const { return (a + b + at) % 2 != 0; } };
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ cub::BlockDiscontinuity<int, 64>::TempStorage s;
  const int t = threadIdx.x;
  int items[3], flags[3], before[3];
  cub::LoadDirectBlocked(t, in, items);
  cub::BlockDiscontinuity<int, 64>(s).FlagHeads(flags, items, before, Odd(), 17);
  cub::StoreDirectBlocked(t, out, flags);
  cub::StoreDirectBlocked(t, out + 192, before);
  __syncthreads();
  cub::BlockDiscontinuity<int, 64>(s).FlagTails(flags, items, Odd(), 17);
  cub::StoreDirectBlocked(t, out + 384, flags);
})",
                            {64, 1, 1}, 576, in);
  for (std::size_t i = 0; i < 192; ++i) {
    const int at = static_cast<int>(i), before = i > 0 ? in[i - 1] : 17, after = i < 191 ? in[i + 1] : 17;
    EXPECT_EQ(out[i], (before + in[i] + at) % 2 != 0 ? 1 : 0) << i;
    EXPECT_EQ(out[192 + i], before) << i;
    EXPECT_EQ(out[384 + i], (in[i] + after + at + 1) % 2 != 0 ? 1 : 0) << i;
  }
}

/// Each order and its guarded form, by functions without a class.
TEST_P(CpuCub, LoadsAndStoresDirectly) {
  const std::vector<int> in = some_numbers(64 * 3);
  const auto out = run<int>(R"(
extern "C" __global__ void k(int* out, const int* in) {
  const int t = threadIdx.x;
  int items[3] = {-1, -2, -3};
  cub::LoadDirectStriped<64>(t, in, items);
  cub::StoreDirectStriped<64>(t, out, items, 100);
  cub::LoadDirectWarpStriped(t, in, items, 150, -9);
  cub::StoreDirectWarpStriped(t, out + 192, items);
  cub::LoadDirectBlocked(t, cub::CacheModifiedInputIterator<cub::LOAD_CS, int>(in), items, 77);
  cub::StoreDirectBlockedVectorized(t, out + 384, items);
  __syncthreads();
})",
                            {64, 1, 1}, 576, in);
  std::vector<int> expected = slice(in, 0, 100);
  expected.resize(192, 0);
  EXPECT_EQ(slice(out, 0, 192), expected);
  expected = slice(in, 0, 150);
  expected.resize(192, -9);
  EXPECT_EQ(slice(out, 192, 192), expected);
  for (std::size_t i = 0; i < 192; ++i) {  // what was loaded before stays
    const std::size_t lane = i / 3, warp_striped = lane / 32 * 96 + lane % 32 + 32 * (i % 3);
    EXPECT_EQ(out[384 + i], i < 77 ? in[i] : warp_striped < 150 ? in[warp_striped] : -9) << i;
  }
}

TEST_P(CpuCub, ShufflesABlock) {
  const std::vector<int> in = some_numbers(96 * 3);
  const auto out = run<int>(R"(
#include <cub/block/block_shuffle.cuh>
extern "C" __global__ void k(int* out, const int* in) {
  using Shuffle = cub::BlockShuffle<int, 32, 3>;
  __shared__ typename Shuffle::TempStorage s;
  const int t = threadIdx.x + 32 * threadIdx.y;
  int one = in[t], moved = -1;
  Shuffle(s).Offset(one, moved, -5);
  out[t] = moved;
  __syncthreads();
  Shuffle(s).Rotate(one, moved, 40);
  out[96 + t] = moved;
  __syncthreads();
  int items[3], others[3] = {0, 0, 0}, edge = 0;
  for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
  Shuffle(s).Up(items, others, edge);
  for (int i = 0; i < 3; ++i) out[192 + 3 * t + i] = others[i] + 10000 * edge;
  __syncthreads();
  Shuffle(s).Down(items, items, edge);
  for (int i = 0; i < 3; ++i) out[480 + 3 * t + i] = items[i] + 10000 * edge;
})",
                            {32, 3, 1}, 768, in);
  for (std::size_t t = 0; t < 96; ++t) {
    EXPECT_EQ(out[t], t < 5 ? -1 : in[t - 5]) << t;
    EXPECT_EQ(out[96 + t], in[(t + 40) % 96]) << t;
  }
  for (std::size_t i = 0; i < 288; ++i) {
    EXPECT_EQ(out[192 + i], (i == 0 ? 0 : in[i - 1]) + 10000 * in[287]) << i;
    EXPECT_EQ(out[480 + i], (i == 287 ? in[287] : in[i + 1]) + 10000 * in[0]) << i;
  }
}

TEST_P(CpuCub, CountsItems) {
  std::vector<unsigned char> in(64 * 5);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * i % 97);
  const auto out = run<unsigned>(R"(
extern "C" __global__ void k(unsigned* out, const unsigned char* in) {
  using Sorting = cub::BlockHistogram<unsigned char, 64, 5, 100>;
  using Atomic = cub::BlockHistogram<unsigned char, 64, 5, 100, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ union { typename Sorting::TempStorage a; typename Atomic::TempStorage b; } s;
  __shared__ unsigned counts[100];
  unsigned char items[5];
  for (int i = 0; i < 5; ++i) items[i] = in[5 * threadIdx.x + i];
  Sorting(s.a).Histogram(items, counts);
  __syncthreads();
  for (int i = threadIdx.x; i < 100; i += 64) out[i] = counts[i];
  __syncthreads();
  Atomic(s.b).Composite(items, counts);
  __syncthreads();
  for (int i = threadIdx.x; i < 100; i += 64) out[100 + i] = counts[i];
  __syncthreads();
  Atomic(s.b).InitHistogram(counts);
  __syncthreads();
  for (int i = threadIdx.x; i < 100; i += 64) out[200 + i] = counts[i];
})",
                                 {64, 1, 1}, 300, in);
  for (std::size_t bin = 0; bin < 100; ++bin) {
    const auto count = static_cast<unsigned>(std::count(in.begin(), in.end(), bin));
    EXPECT_EQ(out[bin], count) << bin;
    EXPECT_EQ(out[100 + bin], 2 * count) << bin;
    EXPECT_EQ(out[200 + bin], 0U) << bin;
  }
}

/// Runs of lengths 1 to 7, in windows of what the block's items have room for.
TEST_P(CpuCub, DecodesRuns) {
  split_ = false;  // the constructor waits
  const std::vector<int> in = some_numbers(64);
  const auto out = run<int>(R"(
extern "C" __global__ void k(int* out, const int* in) {
  using Decode = cub::BlockRunLengthDecode<int, 32, 2, 4>;
  __shared__ typename Decode::TempStorage s;
  int values[2], items[4], total = 0;
  unsigned lengths[2], places[4];
  for (int i = 0; i < 2; ++i) { values[i] = in[2 * threadIdx.x + i]; lengths[i] = 1 + (2 * threadIdx.x + i) * 5 % 7; }
  Decode decode(s, values, lengths, total);
  if (threadIdx.x == 0) out[0] = total;
  for (int window = 0; window < total; window += 128) {
    decode.RunLengthDecode(items, places, window);
    for (int i = 0; i < 4; ++i) {
      const int at = window + 4 * threadIdx.x + i;
      if (at < total) { out[1 + at] = items[i]; out[257 + at] = places[i]; }
    }
  }
})",
                            {32, 1, 1}, 513, in);
  std::vector<int> items, places;
  for (std::size_t run = 0; run < 64; ++run) {
    for (std::size_t i = 0; i < 1 + run * 5 % 7; ++i) {
      items.push_back(in[run]);
      places.push_back(static_cast<int>(i));
    }
  }
  ASSERT_GT(items.size(), 128U);
  EXPECT_EQ(out[0], static_cast<int>(items.size()));
  EXPECT_EQ(slice(out, 1, items.size()), items);
  EXPECT_EQ(slice(out, 257, items.size()), places);
}

TEST_P(CpuCub, MovesItemsOfWarps) {
  const std::vector<int> in = some_numbers(64 * 3);
  const auto out = run<int>(R"(
extern "C" __global__ void k(int* out, const int* in) {
  using Load = cub::WarpLoad<int, 3, cub::WARP_LOAD_STRIPED, 16>;
  using Store = cub::WarpStore<int, 3, cub::WARP_STORE_TRANSPOSE, 16>;
  using Exchange = cub::WarpExchange<int, 3, 16>;
  __shared__ typename Load::TempStorage load[4];
  __shared__ typename Store::TempStorage store[4];
  __shared__ typename Exchange::TempStorage exchange[4];
  const int t = threadIdx.x, part = t / 16, first = 48 * part;
  int items[3], others[3], ranks[3];
  Load(load[part]).Load(in + first, items, 40, -7);
  Exchange(exchange[part]).StripedToBlocked(items, others);
  __syncwarp();
  for (int i = 0; i < 3; ++i) items[i] = others[i];
  Exchange(exchange[part]).BlockedToStriped(others, others);
  Store(store[part]).Store(out + first, items);  // may change the items
  for (int i = 0; i < 3; ++i) out[192 + first + t % 16 + 16 * i] = others[i];
  __syncwarp();
  for (int i = 0; i < 3; ++i) { items[i] = in[3 * t + i]; ranks[i] = 47 - (3 * (t % 16) + i); }
  Exchange(exchange[part]).ScatterToStriped(items, ranks);
  for (int i = 0; i < 3; ++i) out[384 + first + t % 16 + 16 * i] = items[i];
})",
                            {64, 1, 1}, 576, in);
  for (std::size_t i = 0; i < 192; ++i) {
    EXPECT_EQ(out[i], i % 48 < 40 ? in[i] : -7) << i;
    EXPECT_EQ(out[192 + i], i % 48 < 40 ? in[i] : -7) << i;
    EXPECT_EQ(out[384 + i], in[i / 48 * 48 + 47 - i % 48]) << i;
  }
}

TEST_P(CpuCub, SortsItemsOfWarps) {
  split_ = false;  // the pointers of keys alone are not followed
  const std::vector<int> in = some_numbers(64 * 3);
  const auto out = run<int>(R"(
struct Before { __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; } };
extern "C" __global__ void k(int* out, const int* in) {
  using Sort = cub::WarpMergeSort<int, 3, 32, int>;
  __shared__ typename Sort::TempStorage sort[2];
  const int t = threadIdx.x;
  int items[3], values[3];
  for (int i = 0; i < 3; ++i) { items[i] = in[3 * t + i]; values[i] = 3 * t + i; }
  Sort(sort[t / 32]).StableSort(items, values, Before());
  for (int i = 0; i < 3; ++i) { out[3 * t + i] = items[i]; out[192 + 3 * t + i] = in[values[i]]; }
  __syncwarp();
  for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
  Sort(sort[t / 32]).Sort(items, Before(), 50, 12345);
  for (int i = 0; i < 3; ++i) out[384 + 3 * t + i] = items[i];
  for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
  __shared__ cub::WarpMergeSort<int, 3, 8>::TempStorage parts[8];
  cub::WarpMergeSort<int, 3, 8>(parts[t / 8]).Sort(items, Before());
  for (int i = 0; i < 3; ++i) out[576 + 3 * t + i] = items[i];
})",
                            {64, 1, 1}, 768, in);
  const auto sorted = [&](std::size_t begin, std::size_t count) {
    std::vector<int> some = slice(in, begin, count);
    std::stable_sort(some.begin(), some.end(), [](int a, int b) { return a / 10 < b / 10; });
    return some;
  };
  for (std::size_t warp = 0; warp < 2; ++warp) {
    EXPECT_EQ(slice(out, 96 * warp, 96), sorted(96 * warp, 96)) << warp;
    EXPECT_EQ(slice(out, 192 + 96 * warp, 96), sorted(96 * warp, 96)) << warp;
    EXPECT_EQ(slice(out, 384 + 96 * warp, 50), sorted(96 * warp, 50)) << warp;
  }
  for (std::size_t part = 0; part < 8; ++part)
    EXPECT_EQ(slice(out, 576 + 24 * part, 24), sorted(24 * part, 24)) << part;
}

TEST_P(CpuCub, OperatorsOfNewerReleases) {
  split_ = false;
  const std::vector<float> in = {3.0F, -8.0F, 5.5F, 0.25F};
  const auto out = run<float>(R"(
#include <cuda/functional>
#include <cuda/std/functional>
extern "C" __global__ void k(float* out, const float* in) {
  using Reduce = cub::BlockReduce<float, 4>;
  __shared__ Reduce::TempStorage s;
  const float a = Reduce(s).Reduce(in[threadIdx.x], cuda::maximum<>{}); __syncthreads();
  const float b = Reduce(s).Reduce(in[threadIdx.x], cuda::minimum<float>()); __syncthreads();
  const float c = Reduce(s).Reduce(in[threadIdx.x], cuda::std::multiplies<>{}); __syncthreads();
  using Pair = cub::KeyValuePair<int, float>;
  using Best = cub::BlockReduce<Pair, 4>;
  __shared__ Best::TempStorage p;
  const Pair best = Best(p).Reduce(Pair(threadIdx.x, in[threadIdx.x]), cub::ArgMax());
  if (threadIdx.x == 0) { out[0] = a; out[1] = b; out[2] = c; out[3] = best.key; out[4] = best.value; }
})",
                              {4, 1, 1}, 5, in);
  EXPECT_THAT(out, ::testing::ElementsAre(5.5F, -8.0F, 3.0F * -8.0F * 5.5F * 0.25F, 2.0F, 5.5F));
}

/// Sums of an input that is also the output, in a loop, between barriers of the kernel.
TEST_P(CpuCub, ScansInPlaceInASplitKernel) {
  const std::vector<int> in = some_numbers(4 * 64);
  const auto out = run<int>(R"(
extern "C" __global__ void k(int* out, const int* in) {
  using Scan = cub::BlockScan<int, 64>;
  typedef cub::BlockReduce<int, 64> Reduce;
  __shared__ union { typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; int last; } s;
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  for (int part = 0; part < 4; ++part) {
    __syncthreads();
    int x = in[64 * part + threadIdx.x];
    const int most = Reduce(s.reduce).Reduce(x, cub::Max());
    __syncthreads();
    int sum;
    Scan(s.scan).InclusiveSum(x, x, sum);
    out[64 * part + threadIdx.x] = carry + x;
    __syncthreads();
    if (threadIdx.x == 0) {
      carry += sum;
      s.last = most;
      out[256 + part] = s.last;
    }
  }
})",
                            {64, 1, 1}, 260, in);
  std::vector<int> expected(in.size());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  for (std::size_t part = 0; part < 4; ++part) {
    const std::vector<int> one = slice(in, 64 * part, 64);
    expected.push_back(*std::max_element(one.begin(), one.end()));
  }
  EXPECT_EQ(out, expected);
}

/// Functions of the user's with the names of CUB's classes.
TEST_P(CpuCub, FunctionsWithTheNamesOfClasses) {
  const std::vector<int> in = some_numbers(64);
  const auto out = run<int>(R"(
template <class T>
__device__ void BlockReduce(T& a) {
  typedef cub::BlockReduce<T, 64> BlockReduce;
  __shared__ typename BlockReduce::TempStorage storage;
  a = BlockReduce(storage).Sum(a);
}
template <class T>
__device__ void BlockScan(T a, T& b) {
  using BlockScan = cub::BlockScan<T, 64>;
  __shared__ typename BlockScan::TempStorage storage;
  BlockScan(storage).InclusiveSum(a, b);
}
extern "C" __global__ void k(int* out, const int* in) {
  int sum = in[threadIdx.x], scanned = 0;
  BlockReduce(sum);
  BlockScan(in[threadIdx.x], scanned);
  out[threadIdx.x] = scanned;
  if (threadIdx.x == 0) out[64] = sum;
})",
                            {64, 1, 1}, 65, in);
  std::vector<int> expected(in.size());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  expected.push_back(expected.back());
  EXPECT_EQ(out, expected);
}

/// A class that is named outside of the kernel, or that a function of the user's uses, is still seen to wait;
/// a kernel beside it that uses none stays a loop, and one with a barrier of its own is split.
TEST_P(CpuCub, IsSeenToWait) {
  Specialization specialization = kernels_.specialize(R"(#include <cub/cub.cuh>
template <int N> struct Traits { typedef cub::WarpReduce<int> Warp; };
typedef cub::BlockReduce<int, 64> Block;
__device__ int total(int x) { __shared__ Block::TempStorage s; return Block(s).Sum(x); }
extern "C" __global__ void k(int* a) { const int s = total(a[threadIdx.x]); if (threadIdx.x == 0) a[0] = s; }
extern "C" __global__ void warp(int* a) {
  __shared__ Traits<1>::Warp::TempStorage s[2];
  const int sum = Traits<1>::Warp(s[threadIdx.x / 32]).Sum(a[threadIdx.x]);
  if (threadIdx.x % 32 == 0) a[threadIdx.x] = sum;
}
extern "C" __global__ void plain(int* a) { a[threadIdx.x] += cub::Max()(2, 1); }
extern "C" __global__ void split(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[63 - threadIdx.x];
}
)",
                                                      "k");
  for (const char* more : {"warp", "plain", "split"})
    specialization.entries.push_back({more, std::nullopt, ""});
  const CodeObject code = kernels_.compile(specialization);
  const auto module = kernels_.device().load(code.binary);
  const auto function = [&](const char* kernel) -> DeviceFunction& {
    return *module->function(code.lowered_names.at(kernel));
  };
  const auto fibers_because = [&](const char* kernel) {
    return function(kernel).attributes().fibers_because.value_or("");
  };
  std::vector<int> a(64, 3);
  kernels_.run(function("k"), {{1, 1, 1}, {64, 1, 1}, 0}, a.data());
  EXPECT_EQ(a[0], 192);
  kernels_.run(function("warp"), {{1, 1, 1}, {64, 1, 1}, 0}, a.data());
  EXPECT_EQ(a[0], 192 + 31 * 3);
  EXPECT_EQ(a[32], 32 * 3);
  EXPECT_NE(fibers_because("k"), "");
  EXPECT_EQ(fibers_because("warp"), "");
  EXPECT_EQ(fibers_because("plain"), "");
  EXPECT_EQ(fibers_because("split"), "");
}

TEST_P(CpuCub, SaysThatABlockHasAnotherShape) {
  DeviceFunction& k = kernels_.build(R"(#include <cub/cub.cuh>
extern "C" __global__ void k(int* a) {
  __shared__ cub::BlockReduce<int, 64>::TempStorage s;
  a[0] = cub::BlockReduce<int, 64>(s).Sum(1);
})",
                                     "k");
  int a = 0;
  for (const unsigned threads : {32u, 256u}) {
    try {
      kernels_.run(k, {{1, 1, 1}, {threads, 1, 1}, 0}, &a);
      FAIL() << "no fault";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("a class of cub is made for"));
    }
  }
}

TEST_P(CpuCub, SaysWhatAKernelCannotCall) {
  const CompileResult result = kernels_.compiler().compile(kernels_.specialize(R"(#include <cub/cub.cuh>
extern "C" __global__ void k(int* a) {
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, a, a, 64);
})",
                                                                               "k"));
  const auto* diagnostic = std::get_if<Diagnostic>(&result);
  ASSERT_NE(diagnostic, nullptr);
  EXPECT_THAT(diagnostic->summary, ::testing::HasSubstr("kernel.cu:4"));
  EXPECT_THAT(diagnostic->summary,
              ::testing::HasSubstr("'cub::DeviceReduce' is an algorithm of the whole device"));
}

}  // namespace
}  // namespace kiln::test
