// Random numbers of curand_kernel.h, compared with CUDA's own header.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

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

/// Builds and runs the text for each engine.
void expect_numbers_of_cuda(CpuKernels& kernels, const std::string& text) {
  for (const Values& engine : kEngines) {
    SCOPED_TRACE(engine.state);
    DeviceFunction& k = kernels.build(text, "k<" + std::string(engine.state) + ">");
    EXPECT_FALSE(k.attributes().fibers_because.has_value());
    unsigned integers[7][6] = {}, skipped[2] = {};
    float uniform[2] = {};
    double uniform_double[2] = {};
    double others[std::size(curand::kXorwowOthers)] = {};
    kernels.run(k, {{4, 1, 1}, {1, 1, 1}, 0}, &integers[0][0], &skipped[0], &uniform[0], &uniform_double[0],
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

TEST_P(CpuCurand, GivesTheNumbersOfCuda) {
  expect_numbers_of_cuda(kernels_, kText);
}

/// The jumps of a GPU, which share no tables, compiled for a CPU.
TEST_P(CpuCurand, JumpsOfAGpuLeadToTheSameNumbers) {
  const auto part = [](const std::string& file, const std::string& include, const std::string& in_its_place) {
    std::ifstream stream(std::string(KILN_SOURCE_DIR) + "/src/compile/" + file);
    std::ostringstream content;
    content << stream.rdbuf();
    std::string text = content.str();
    const std::string line = "#include \"kiln/" + include + "\"\n";
    const std::size_t place = include.empty() ? std::string::npos : text.find(line);
    EXPECT_EQ(place == std::string::npos, include.empty()) << file;
    if (place != std::string::npos) text.replace(place, line.size(), in_its_place);
    for (std::size_t once = text.find("#pragma once"); once != std::string::npos;
         once = text.find("#pragma once"))
      text.erase(once, std::string_view("#pragma once").size());
    return text;
  };
  const std::string jumps = part("hip/shim/hip_curand_jumps.h", "", "");
  const std::string engines = part("cpu/shim/curand_engines.h", "curand_jumps.h", jumps);
  std::string text = kText;
  const std::string include = "#include <curand_kernel.h>\n";
  text.erase(0, 2 * include.size());
  ASSERT_EQ(text.find("curand_kernel.h"), std::string::npos);
  expect_numbers_of_cuda(kernels_, part("cpu/shim/curand_kernel.h", "curand_engines.h", engines) + text);
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

TEST_P(CpuCurand, GivesFourNumbersOfDoublePrecisionOfPhilox) {
  DeviceFunction& k = kernels_.build(R"(#include <curand_kernel.h>
extern "C" __global__ void k(double* out, unsigned* counts) {
  curandStatePhilox4_32_10_t four, one;
  for (int i = 0; i < 3; ++i) {
    curand_init(17, 2, 4, &four);
    curand_init(17, 2, 4, &one);
    const double4 x = i == 0 ? curand_uniform4_double(&four) : i == 1 ? curand_normal4_double(&four)
                                                             : curand_log_normal4_double(&four, 0.5, 0.25);
    for (int pair = 0; pair < 2; ++pair) {
      const double2 y = i == 0 ? curand_uniform2_double(&one) : i == 1 ? curand_normal2_double(&one)
                                                              : curand_log_normal2_double(&one, 0.5, 0.25);
      *out++ = pair == 0 ? x.x : x.z; *out++ = y.x;
      *out++ = pair == 0 ? x.y : x.w; *out++ = y.y;
    }
    *out++ = curand(&four); *out++ = curand(&one);
  }
  const double lambdas[] = {0.5, 50.0, 5000.0};
  for (int i = 0; i < 3; ++i) {
    curand_init(17, 2, 4, &four);
    curand_init(17, 2, 4, &one);
    const uint4 x = curand_poisson4(&four, lambdas[i]);
    *counts++ = x.x; *counts++ = x.y; *counts++ = x.z; *counts++ = x.w;
    for (int j = 0; j < 4; ++j) *counts++ = i == 2 ? 0 : curand_poisson(&one, lambdas[i]);
  }
})",
                                     "k");
  std::vector<double> out(30);
  std::vector<unsigned> counts(24);
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, out.data(), counts.data());
  for (std::size_t i = 0; i < out.size(); i += 2) EXPECT_EQ(out[i], out[i + 1]) << i;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(counts[i], counts[4 + i]) << i;
    EXPECT_EQ(counts[8 + i], counts[12 + i]) << i;
    // Of the normal numbers before.
    const double normal = out[10 + 2 * i];
    EXPECT_EQ(counts[16 + i], static_cast<unsigned>(std::sqrt(5000.0) * normal + 5000.5)) << i;
  }
}

/// Points of a dimension from its direction vectors: bit k of the Gray code of a point's index takes vector
/// k.
TEST_P(CpuCurand, GivesSobolsPoints) {
  DeviceFunction& k = kernels_.build(R"(#include <curand_kernel.h>
template <class State, class Word>
__device__ void points(State* state, Word* out, double* numbers) {
  for (int i = 0; i < 8; ++i) out[i] = curand(state);
  skipahead(1000, state);
  for (int i = 8; i < 12; ++i) out[i] = curand(state);
  *numbers++ = curand_uniform(state);
  *numbers++ = curand_uniform_double(state);
  *numbers++ = curand_normal(state);
  *numbers++ = curand_normal_double(state);
  *numbers++ = curand_log_normal(state, 0.5f, 0.25f);
  *numbers++ = curand_log_normal_double(state, 0.5, 0.25);
  *numbers++ = curand_poisson(state, 3.5);
  *numbers++ = curand_poisson(state, 700.0);
}
extern "C" __global__ void k(unsigned* out, unsigned long long* long_out, double* numbers, unsigned* vectors,
                             unsigned long long* long_vectors) {
  curandStateSobol32_t a;
  curand_init(vectors, 5, &a);
  points(&a, out, numbers);
  curandStateScrambledSobol32_t b;
  curand_init(vectors, 0x12345678u, 70000, &b);
  points(&b, out + 12, numbers + 8);
  curandStateSobol64 c;
  curand_init(long_vectors, 5, &c);
  points(&c, long_out, numbers + 16);
  curandStateScrambledSobol64 d;
  curand_init(long_vectors, 0x123456789abcdefull, 1ull << 40, &d);
  points(&d, long_out + 12, numbers + 24);
})",
                                     "k");
  // The second dimension: x + 1, whose numbers are 1, 3, 5, 15, 17, ...
  std::vector<unsigned> vectors(32), out(24);
  std::vector<unsigned long long> long_vectors(64), long_out(24);
  unsigned long long number = 1;
  for (std::size_t i = 0; i < 64; ++i) {
    long_vectors[i] = number << (63 - i);
    if (i < 32) vectors[i] = static_cast<unsigned>(number << (31 - i));
    number ^= number << 1;
  }
  std::vector<double> numbers(32);
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, out.data(), long_out.data(), numbers.data(), vectors.data(),
               long_vectors.data());
  const auto point = [&](auto& of, unsigned long long i, auto start) {
    for (std::size_t bit = 0; bit < of.size(); ++bit)
      if (((i ^ i >> 1) >> bit & 1) != 0) start ^= of[bit];
    return start;
  };
  const auto check = [&](std::size_t row, const auto& values, auto& of, unsigned long long first,
                         auto start) {
    const std::size_t at = row % 2 * 12;
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_EQ(values[at + i], point(of, first + i + (i < 8 ? 0 : 1000), start)) << row << ", " << i;
    const double scale = std::ldexp(1.0, -8 * static_cast<int>(sizeof start));
    const auto next = [&](unsigned long long i) {
      return static_cast<double>(point(of, first + 1012 + i, start)) * scale;
    };
    const double* got = &numbers[8 * row];
    EXPECT_NEAR(got[0], next(0), 1e-7);
    EXPECT_NEAR(got[1], next(1), 3e-10);
    // The normal distribution function of the number is the point again.
    const auto distribution = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    EXPECT_NEAR(distribution(got[2]), next(2), 1e-6);
    EXPECT_NEAR(distribution(got[3]), next(3), 1e-9);
    EXPECT_NEAR(distribution((std::log(got[4]) - 0.5) / 0.25), next(4), 1e-5);
    EXPECT_NEAR(distribution((std::log(got[5]) - 0.5) / 0.25), next(5), 1e-9);
    for (const int i : {6, 7}) {
      const double lambda = i == 6 ? 3.5 : 700.0;
      double below = 0;  // the distribution function of the count before
      for (int count = 0; count < static_cast<int>(got[i]); ++count)
        below += std::exp(count * std::log(lambda) - lambda - std::lgamma(count + 1.0));
      const double here = std::exp(got[i] * std::log(lambda) - lambda - std::lgamma(got[i] + 1.0));
      const double wanted = next(static_cast<unsigned long long>(i));
      EXPECT_LE(below, wanted + 1e-9) << row << ", " << i;
      EXPECT_GE(below + here, wanted - 1e-9) << row << ", " << i;
    }
  };
  check(0, out, vectors, 5, 0U);
  check(1, out, vectors, 70000, 0x12345678U);
  check(2, long_out, long_vectors, 5, 0ULL);
  check(3, long_out, long_vectors, 1ULL << 40, 0x123456789abcdefULL);
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
