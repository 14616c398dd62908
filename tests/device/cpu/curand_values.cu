// Prints tests/device/cpu/curand_values.h: what CUDA's own curand_kernel.h computes, its device functions
// compiled for the host. It is no part of the build:
//   nvcc -w -o /tmp/curand_values tests/device/cpu/curand_values.cu && /tmp/curand_values
#include <cstdio>

#define QUALIFIERS static inline __host__ __device__
#include <curand.h>
#include <curand_kernel.h>

namespace {

struct Start {
  unsigned long long seed, subsequence, offset;
};

/// `last` is the engine's last subsequence: cuRAND's table for MRG32k3a ends at 2^51, where a sequence does.
template <class State>
void print_engine(const char* name, unsigned long long last) {
  const Start starts[] = {{0, 0, 0},
                          {1234, 0, 0},
                          {1234, 1, 0},
                          {1234, 7, 5},
                          {0x123456789abcdef0ull, 0x100000003ull, 0xfffffffffull},
                          {~0ull, last, ~0ull},
                          {42, last - last / 2, 1ull << 32}};
  std::printf("constexpr unsigned k%sIntegers[][6] = {\n", name);
  for (const Start& start : starts) {
    State state;
    curand_init(start.seed, start.subsequence, start.offset, &state);
    std::printf("    {");
    for (int i = 0; i < 6; ++i) std::printf("%s%uu", i == 0 ? "" : ", ", curand(&state));
    std::printf("},\n");
  }
  std::printf("};\n");

  State state;
  curand_init(99, 3, 2, &state);
  skipahead(1000003, &state);
  skipahead_sequence(5, &state);
  std::printf("constexpr unsigned k%sSkipped[] = {%uu, ", name, curand(&state));
  std::printf("%uu};\n", curand(&state));
  std::printf("constexpr float k%sUniform[] = {%aF, ", name, curand_uniform(&state));
  std::printf("%aF};\n", curand_uniform(&state));
  std::printf("constexpr double k%sUniformDouble[] = {%a, ", name, curand_uniform_double(&state));
  std::printf("%a};\n", curand_uniform_double(&state));

  std::printf("constexpr double k%sOthers[] = {", name);
  for (int i = 0; i < 3; ++i) std::printf("%.9g, ", curand_normal(&state));
  const float2 pair = curand_normal2(&state);
  std::printf("%.9g, %.9g,\n    ", pair.x, pair.y);
  std::printf("%.9g, ", curand_log_normal(&state, 0.5f, 0.25f));
  std::printf("%.9g, ", curand_normal(&state));
  for (int i = 0; i < 3; ++i) std::printf("%.17g, ", curand_normal_double(&state));
  const double2 pair_double = curand_normal2_double(&state);
  std::printf("%.17g, %.17g,\n    ", pair_double.x, pair_double.y);
  std::printf("%.17g, ", curand_log_normal_double(&state, 0.5, 0.25));
  for (const double lambda : {0.5, 10.0, 63.0, 5000.0}) std::printf("%u.0, ", curand_poisson(&state, lambda));
  std::printf("%u.0};\n\n", curand(&state));
}

void print_quadruples() {
  curandStatePhilox4_32_10_t state;
  curand_init(17, 2, 3, &state);
  std::printf("constexpr unsigned kPhiloxQuadruples[] = {");
  for (int i = 0; i < 2; ++i) {
    const uint4 x = curand4(&state);
    std::printf("%uu, %uu, %uu, %uu, ", x.x, x.y, x.z, x.w);
  }
  std::printf("%uu};\n", curand(&state));
  std::printf("constexpr double kPhiloxQuadrupleNumbers[] = {");
  const float4 u = curand_uniform4(&state), n = curand_normal4(&state);
  const float4 l = curand_log_normal4(&state, 0.5f, 0.25f);
  const double2 d = curand_uniform2_double(&state);
  for (const double x : {double(u.x), double(u.y), double(u.z), double(u.w), double(n.x), double(n.y),
                         double(n.z), double(n.w), double(l.x), double(l.y), double(l.z), double(l.w), d.x})
    std::printf("%.17g,\n    ", x);
  std::printf("%.17g};\n", d.y);
}

}  // namespace

int main() {
  std::printf(
      "// Made by curand_values.cu, of which it says how; cuRAND %d.\n"
      "#pragma once\n\nnamespace kiln::test::curand {\n\n",
      CURAND_VERSION);
  print_engine<curandStateXORWOW_t>("Xorwow", ~0ull);
  print_engine<curandStatePhilox4_32_10_t>("Philox", ~0ull);
  print_engine<curandStateMRG32k3a_t>("Mrg", ~0ull >> 13);
  print_quadruples();
  std::printf("\n}  // namespace kiln::test::curand\n");
}
