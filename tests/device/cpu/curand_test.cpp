// Random numbers of curand_kernel.h, compared with CUDA's own header.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "device/cpu/curand_values.h"
#include "device/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using CpuCurand = CpuKernel;
INSTANTIATE_TEST_SUITE_P(Compilers, CpuCurand, ::testing::Values("g++", "clang++"), compiler_label);

/// As curand_values.cu makes them.
constexpr const char* kText = R"(#include <curand_kernel.h>
#include <curand_kernel.h>
template <class State>
__global__ void k(unsigned* integers, unsigned* skipped, float* uniform, double* uniform_double, double* others,
                  unsigned long long last) {
  const unsigned long long starts[][3] = {{0, 0, 0},
                                          {1234, 0, 0},
                                          {1234, 1, 0},
                                          {1234, 7, 5},
                                          {0x123456789abcdef0ull, 0x100000003ull, 0xfffffffffull},
                                          {~0ull, last, ~0ull},
                                          {42, last - last / 2, 1ull << 32}};
  State state;
  for (int start = blockIdx.x; start < 7; start += gridDim.x) {
    curand_init(starts[start][0], starts[start][1], starts[start][2], &state);
    for (int i = 0; i < 6; ++i) integers[6 * start + i] = curand(&state);
  }
  if (blockIdx.x != 0) return;
  curand_init(99, 3, 2, &state);
  skipahead(1000003, &state);
  skipahead_sequence(5, &state);
  for (int i = 0; i < 2; ++i) skipped[i] = curand(&state);
  for (int i = 0; i < 2; ++i) uniform[i] = curand_uniform(&state);
  for (int i = 0; i < 2; ++i) uniform_double[i] = curand_uniform_double(&state);
  for (int i = 0; i < 3; ++i) *others++ = curand_normal(&state);
  const float2 pair = curand_normal2(&state);
  *others++ = pair.x;
  *others++ = pair.y;
  *others++ = curand_log_normal(&state, 0.5f, 0.25f);
  *others++ = curand_normal(&state);
  for (int i = 0; i < 3; ++i) *others++ = curand_normal_double(&state);
  const double2 pair_double = curand_normal2_double(&state);
  *others++ = pair_double.x;
  *others++ = pair_double.y;
  *others++ = curand_log_normal_double(&state, 0.5, 0.25);
  const double lambdas[] = {0.5, 10.0, 63.0, 5000.0};
  for (int i = 0; i < 4; ++i) *others++ = curand_poisson(&state, lambdas[i]);
  *others++ = curand(&state);
}
)";

/// What one engine has to give.
struct Values {
  const char* state;
  unsigned long long last;  ///< subsequence
  const unsigned (*integers)[6];
  const unsigned* skipped;
  const float* uniform;
  const double* uniform_double;
  const double* others;
};

constexpr Values kEngines[] = {
    {"curandState", ~0ULL, curand::kXorwowIntegers, curand::kXorwowSkipped, curand::kXorwowUniform,
     curand::kXorwowUniformDouble, curand::kXorwowOthers},
    {"curandStatePhilox4_32_10_t", ~0ULL, curand::kPhiloxIntegers, curand::kPhiloxSkipped,
     curand::kPhiloxUniform, curand::kPhiloxUniformDouble, curand::kPhiloxOthers},
    {"curandStateMRG32k3a_t", ~0ULL >> 13, curand::kMrgIntegers, curand::kMrgSkipped, curand::kMrgUniform,
     curand::kMrgUniformDouble, curand::kMrgOthers}};

TEST_P(CpuCurand, GivesTheNumbersOfCuda) {
  for (const Values& engine : kEngines) {
    SCOPED_TRACE(engine.state);
    DeviceFunction& k = kernels_.build(kText, "k<" + std::string(engine.state) + ">");
    EXPECT_FALSE(k.attributes().fibers_because.has_value());
    unsigned integers[7][6] = {}, skipped[2] = {};
    float uniform[2] = {};
    double uniform_double[2] = {};
    double others[std::size(curand::kXorwowOthers)] = {};
    kernels_.run(k, {{4, 1, 1}, {1, 1, 1}, 0}, &integers[0][0], &skipped[0], &uniform[0], &uniform_double[0],
                 &others[0], engine.last);
    for (std::size_t start = 0; start < std::size(integers); ++start) {
      for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(integers[start][i], engine.integers[start][i]) << "start " << start << ", number " << i;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(skipped[i], engine.skipped[i]);
      EXPECT_EQ(uniform[i], engine.uniform[i]);
      EXPECT_EQ(uniform_double[i], engine.uniform_double[i]);
    }
    for (std::size_t i = 0; i < std::size(others); ++i) {
      // Single precision up to the seventh, and integers at the end.
      const double tolerance = i < 7 ? 2e-6 : i < 13 ? 1e-14 : 0.0;
      EXPECT_NEAR(others[i], engine.others[i], tolerance * std::max(1.0, std::abs(engine.others[i])))
          << "number " << i;
    }
  }
}

TEST_P(CpuCurand, GivesFourNumbersOfPhiloxAtOnce) {
  DeviceFunction& k = kernels_.build(R"(#include <curand_kernel.h>
extern "C" __global__ void k(unsigned* integers, double* numbers) {
  curandStatePhilox4_32_10_t state;
  curand_init(17, 2, 3, &state);
  for (int i = 0; i < 2; ++i) {
    const uint4 x = curand4(&state);
    *integers++ = x.x; *integers++ = x.y; *integers++ = x.z; *integers++ = x.w;
  }
  *integers = curand(&state);
  for (int i = 0; i < 3; ++i) {
    const float4 x = i == 0 ? curand_uniform4(&state) : i == 1 ? curand_normal4(&state) : curand_log_normal4(&state, 0.5f, 0.25f);
    *numbers++ = x.x; *numbers++ = x.y; *numbers++ = x.z; *numbers++ = x.w;
  }
  const double2 x = curand_uniform2_double(&state);
  *numbers++ = x.x; *numbers++ = x.y;
})",
                                     "k");
  unsigned integers[std::size(curand::kPhiloxQuadruples)] = {};
  double numbers[std::size(curand::kPhiloxQuadrupleNumbers)] = {};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &integers[0], &numbers[0]);
  for (std::size_t i = 0; i < std::size(integers); ++i)
    EXPECT_EQ(integers[i], curand::kPhiloxQuadruples[i]) << i;
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    const bool uniform = i < 4 || i >= 12;
    EXPECT_NEAR(numbers[i], curand::kPhiloxQuadrupleNumbers[i], uniform ? 0.0 : 2e-6) << i;
  }
}

/// Between 64 and 4000 Kiln's way is not cuRAND's: mean and variance of 100000 numbers, five standard errors.
TEST_P(CpuCurand, PoissonNumbersHaveTheirMeanAndVariance) {
  DeviceFunction& k = kernels_.build(R"(#include <curand_kernel.h>
extern "C" __global__ void k(unsigned* out, double lambda, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t state;
  curand_init(7, i, 0, &state);
  out[i] = curand_poisson(&state, lambda);
})",
                                     "k");
  constexpr int kCount = 100000;
  std::vector<unsigned> out(kCount);
  for (const double lambda : {3.0, 64.0, 100.5, 1000.0}) {
    kernels_.run(k, {{(kCount + 255) / 256, 1, 1}, {256, 1, 1}, 0}, out.data(), lambda, kCount);
    double sum = 0, squares = 0;
    for (const unsigned x : out) {
      sum += x;
      squares += (x - lambda) * (x - lambda);
    }
    EXPECT_NEAR(sum / kCount, lambda, 5 * std::sqrt(lambda / kCount));
    // The variance of (x - lambda)^2 is lambda + 2 lambda^2.
    EXPECT_NEAR(squares / kCount, lambda, 5 * std::sqrt((lambda + 2 * lambda * lambda) / kCount));
  }
}

/// Two subsequences are 2^67 numbers apart, which is 2^63 times 16. A thread's next subsequence is found from
/// its last one, skipahead_sequence() does not know it.
TEST_P(CpuCurand, SubsequencesAndOffsetsAgree) {
  DeviceFunction& k = kernels_.build(R"(#include <curand_kernel.h>
extern "C" __global__ void k(unsigned* different) {
  curandState s, t;
  curand_init(5, 2, 300, &s);
  curand_init(5, 0, 0, &t);
  for (int i = 0; i < 32; ++i) skipahead(1ull << 63, &t);
  for (int i = 0; i < 300; ++i) curand(&t);
  if (curand(&s) != curand(&t)) *different += 1;
  curandState five, six;
  curand_init(5, 0, 0, &five);
  curand_init(6, 0, 0, &six);
  for (int i = 0; i < 1000; ++i) {
    const unsigned long long subsequence = i < 500 ? i : i < 750 ? 1500 - i : 1ull * i * i * i;
    curand_init(i % 100 == 0 ? 5 : 6, subsequence, 0, &s);
    t = i % 100 == 0 ? five : six;
    skipahead_sequence(subsequence, &t);
    if (curand(&s) != curand(&t)) *different += 1;
  }
})",
                                     "k");
  unsigned different = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &different);
  EXPECT_EQ(different, 0U);
}

}  // namespace
}  // namespace kiln::test
