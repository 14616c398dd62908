#include "barrier_kernels.h"
#include "barrier_loops.h"
#include "kiln/kiln.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

struct Data {
  std::vector<float> in, more, mine, theirs, between;
};

/// The kernel's time beside that of the loops; both have to give about the same.
template <class Run, class Loop>
void compare(const char* name, Data& data, std::size_t count, int rounds, double tolerance, const Run& kernel,
             const Loop& loop) {
  const Pair pair = time_pair(kernel, loop, rounds);
  for (std::size_t i = 0; i < count; i += 97)
    require_close(name, data.mine[i] + 1000.0, data.theirs[i] + 1000.0, tolerance);
  print_row(name, 0, pair, 0.50);
}

}  // namespace

void barrier_ratios(const Service& service, const DeviceHandle& cpu, int rounds) {
  constexpr int kSide = 2048, kGrid = 2034, kHot = 1024, kMatrix = 512, kRows = 4096, kWidth = 768,
                kSegments = 8192;
  constexpr std::size_t kCount = std::size_t{kSide} * kSide;
  const Program program = service.program("barrier_kernels.cu", kBarrierKernels);
  const auto request = [&](const char* name) { return program.function(name, cpu); };
  Data data;
  data.in.resize(kCount);
  data.more.resize(kCount);
  data.mine.resize(kCount);
  data.theirs.resize(kCount);
  data.between.resize(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    data.in[i] = static_cast<float>(i * 7919 % 1013) * 0.25F - 100.0F;
    data.more[i] = static_cast<float>(i * 104729 % 997) * 0.01F;
  }
  float* mine = data.mine.data();
  float* theirs = data.theirs.data();
  const float* in = data.in.data();
  const float* more = data.more.data();
  using Simple = void(float*, const float*, int);
  {
    const auto f = request("jacobi").block(16, 16).grid((kGrid - 2) / 16, (kGrid - 2) / 16).get<Simple>();
    compare(
        "Jacobi, tiles in shared memory", data, std::size_t{kGrid} * kGrid, rounds, 1e-6,
        [&] { f(nullptr, mine, in, kGrid); }, [&] { jacobi_loop(theirs, in, kGrid); });
  }
  {
    const auto f = request("hotspot")
                       .block(16, 16)
                       .grid((kHot + 11) / 12, (kHot + 11) / 12)
                       .get<void(float*, const float*, const float*, int)>();
    compare(
        "hotspot, two steps a launch", data, std::size_t{kHot} * kHot, rounds, 1e-6,
        [&] { f(nullptr, mine, in, more, kHot); },
        [&] { hotspot_loop(theirs, data.between.data(), in, more, kHot); });
  }
  using Rows = void(float*, const float*, int, int);
  {
    const auto f = request("layernorm_unrolled").block(32, 4).grid(kRows / 4).get<Rows>();
    compare(
        "layer norm, unrolled shuffles", data, std::size_t{kRows} * kWidth, rounds, 1e-5,
        [&] { f(nullptr, mine, in, kRows, kWidth); }, [&] { layernorm_loop(theirs, in, kRows, kWidth); });
  }
  {
    const auto f = request("layernorm_tiles").block(128).grid(kRows / 4).get<Rows>();
    compare(
        "layer norm, tiles of warps", data, std::size_t{kRows} * kWidth, rounds, 1e-5,
        [&] { f(nullptr, mine, in, kRows, kWidth); }, [&] { layernorm_loop(theirs, in, kRows, kWidth); });
  }
  {
    const auto f = request("gemm")
                       .block(16, 16)
                       .grid(kMatrix / 16, kMatrix / 16)
                       .get<void(float*, const float*, const float*, int)>();
    compare(
        "matrix product, tiles of 16 x 16", data, std::size_t{kMatrix} * kMatrix, rounds, 1e-2,
        [&] { f(nullptr, mine, in, more, kMatrix); }, [&] { gemm_loop(theirs, in, more, kMatrix); });
  }
  {
    const auto f = request("scan").block(256).grid(kSegments).get<void(float*, const float*)>();
    compare(
        "scan (Blelloch), 512 a block", data, kCount, rounds, 1e-4, [&] { f(nullptr, mine, in); },
        [&] { scan_loop(theirs, in, kSegments); });
  }
  {
    const auto f = request("reduce").block(256).grid(kSegments).get<void(float*, const float*)>();
    compare(
        "reduction by a tree, 256 work-items", data, kSegments, rounds, 1e-4, [&] { f(nullptr, mine, in); },
        [&] { reduce_loop(theirs, in, kSegments); });
  }
  {
    data.mine = data.theirs = data.in;
    const auto f = request("bitonic").block(512).grid(1024).get<void(float*)>();
    compare(
        "bitonic sort of 1024 in shared memory", data, 1024 * 1024, rounds, 0, [&] { f(nullptr, mine); },
        [&] { bitonic_loop(theirs, 1024); });
  }
  {
    const auto f = request("transpose").block(32, 8).grid(kSide / 32, kSide / 32).get<Simple>();
    compare(
        "transpose, 32 x 33", data, kCount, rounds, 0, [&] { f(nullptr, mine, in, kSide); },
        [&] { transpose_loop(theirs, in, kSide); });
  }
}

}  // namespace kiln::bench
